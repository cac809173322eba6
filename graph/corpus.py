"""The provisions of one or more sources together: unique ids, numbers, and the hash of what was read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from graph.edition import EditionNote
from graph.errors import CorpusError
from graph.readers import FORMATS, HISTORY, Sourced, detected_format, source_parts
from graph.readers.columns import ColumnMap
from graph.readers.hub import local_copy
from graph.readers.source import UNNUMBERED
from graph.records import Provision, Status

__all__ = ["BUILTIN_LAW", "Corpus", "Earlier", "PartRead", "Source", "number_provisions", "read_corpus"]

BUILTIN_LAW = Path(__file__).parent / "builtin" / "fire-safety"
"""The fire-safety law of an invented country, in English: the default index is made of it."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file or folder that provisions came from."""

    path: str  # of a history the absolute one, as its other editions are read from it later
    sha256: str  # of the file; of the names and contents of all Markdown files below the folder; of the last commit
    format_name: str = ""
    columns: str = ""  # the map of a table's columns, as --columns gives it


@dataclass(frozen=True, slots=True)
class PartRead:
    """What of a source was read by itself, mostly one law: a run of `Corpus.provisions`."""

    sha256: str
    n_provisions: int
    is_whole: bool  # False if another part holds a provision of it too, so that it gave more than the run
    is_numbered: bool  # whether the doc_ids are the source's own


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier reading gave, to be taken over where the sources are the same."""

    parts: Mapping[str, tuple[Provision, ...]] = field(default_factory=dict)  # by sha256
    numbers: Mapping[str, int] = field(default_factory=dict)  # doc_ids by semantic_id, absent provisions' among them


@dataclass(frozen=True, slots=True)
class Corpus:
    """What was read, in its order; doc_ids are unique."""

    provisions: tuple[Provision, ...]
    sources: tuple[Source, ...]
    edition: str | None = None  # the ISO date as of which a history was read; None: as the sources stand
    notes: tuple[EditionNote, ...] = ()
    parts: tuple[PartRead, ...] = ()
    n_parts_read: int = 0  # the others were taken over from an earlier reading
    earlier_numbers: Mapping[str, int] = field(default_factory=dict)  # which provisions found later get, too


def read_corpus(
    paths: Sequence[Path],
    *,
    format_name: str | None = None,
    as_of: str | None = None,
    columns: ColumnMap | None = None,
    earlier: Earlier | None = None,
    progress: Callable[[int], None] = lambda n_parts: None,
) -> Corpus:
    """Read the provisions of all sources.

    paths: files, folders, and data sets on the Hugging Face Hub as `graph.readers.hub` names them.
    as_of: an ISO date: of each source, a law-as-git history, the edition of that date.
    columns: where the tables among the sources have their fields.
    earlier: laws whose files have not changed since are taken from there instead of being read; every provision known
    from there keeps its doc_id. The corpus is otherwise that of a reading from scratch.
    progress: called with the number of laws done, after each.
    Raises CorpusError if a source is malformed, holds no article in force, two provisions share an id or a number, or
    no law of a source was covered on the date.
    """
    earlier, columns = earlier or Earlier(), columns or ColumnMap()
    merged = _Merged()
    notes: list[EditionNote] = []
    sources: list[Source] = []
    n_parts_read = 0
    for named in paths:
        path = local_copy(named)
        name = detected_format(path, format_name, columns)
        n_articles = 0
        for part in source_parts(path, name, as_of=as_of, columns=columns):
            notes += part.notes
            known = earlier.parts.get(part.sha256)
            n_parts_read += known is None
            place = f"{path}/{part.name}" if part.name else str(path)
            merged.add(part.sha256, part.read() if known is None else (Sourced(one, place) for one in known))
            n_articles += merged.n_articles_added
            progress(len(merged.parts))
        if not n_articles:
            raise CorpusError(f"{path}: holds no article in force; expected statutes ({format_name or 'any format'})")
        sources.append(
            Source(
                _readable(path.absolute() if name == HISTORY else named),
                FORMATS[name].sha256(path),
                name,
                str(columns),
            )
        )
    return Corpus(
        provisions=tuple(number_provisions(list(merged.provisions.values()), known=earlier.numbers)),
        sources=tuple(sources),
        edition=as_of,
        notes=tuple(notes),
        parts=merged.part_reads(),
        n_parts_read=n_parts_read,
        earlier_numbers=earlier.numbers,
    )


@dataclass
class _Reading:
    """A part while provisions are still coming."""

    sha256: str
    n_provisions: int = 0
    n_numbered: int = 0
    is_whole: bool = True


class _Merged:
    """The provisions of all parts, each once; an annex that is listed in one and written out in another is the latter.

    Kept in the order in which the parts came, so that those of one part follow each other.
    """

    def __init__(self) -> None:
        self.provisions: dict[str, Provision] = {}
        self.parts: list[_Reading] = []
        self.n_articles_added = 0  # by the last part
        self._came_from: dict[str, tuple[_Reading, str]] = {}
        self._place_of_number: dict[int, str] = {}

    def add(self, sha256: str, provisions: Iterable[Sourced]) -> None:
        """Add a part's provisions. Raises CorpusError if an id or a number is there already."""
        part = _Reading(sha256)
        self.parts.append(part)
        self.n_articles_added = 0
        for provision, place in provisions:
            name, number = provision.semantic_id, provision.doc_id
            if name in self.provisions:
                other, first_place = self._came_from[name]
                if provision.status is Status.ABSENT:
                    part.is_whole &= other is part  # an annex listed twice, or listed after its text
                    continue
                if self.provisions[name].status is not Status.ABSENT:
                    raise CorpusError(f"{place}: {name} appears twice, first at {first_place}; remove one")
                other.n_provisions -= 1  # an annex listed before its text
                other.is_whole = False
                self._place_of_number.pop(self.provisions.pop(name).doc_id, None)
            if number != UNNUMBERED:
                if number in self._place_of_number:
                    first_place = self._place_of_number[number]
                    raise CorpusError(f"{place}: doc_id {number} appears twice, first at {first_place}")
                self._place_of_number[number] = place
                part.n_numbered += 1
            part.n_provisions += 1
            self.n_articles_added += provision.status is Status.PRESENT
            self.provisions[name] = provision
            self._came_from[name] = part, place

    def part_reads(self) -> tuple[PartRead, ...]:
        """Return what there is to say of each part."""
        return tuple(
            PartRead(
                sha256=part.sha256,
                n_provisions=part.n_provisions,
                is_whole=part.is_whole and part.n_numbered in (0, part.n_provisions),
                is_numbered=part.n_numbered > 0,
            )
            for part in self.parts
        )


def number_provisions(provisions: Sequence[Provision], *, known: Mapping[str, int] | None = None) -> list[Provision]:
    """Give every provision a doc_id: its own, else the one `known` for its semantic_id, else the next free number.

    Articles are numbered before absent and repealed provisions, each in their order.
    """
    known = known or {}
    numbered = {p.semantic_id: p.doc_id for p in provisions if p.doc_id != UNNUMBERED}
    taken = set(numbered.values())
    for provision in provisions:
        number = known.get(provision.semantic_id, UNNUMBERED)
        if provision.semantic_id not in numbered and number != UNNUMBERED and number not in taken:
            numbered[provision.semantic_id] = number
            taken.add(number)
    next_number = max(taken | set(known.values()), default=-1) + 1
    for provision in sorted(provisions, key=lambda p: p.status is not Status.PRESENT):
        if provision.semantic_id not in numbered:
            numbered[provision.semantic_id] = next_number
            next_number += 1
    return [replace(p, doc_id=numbered[p.semantic_id]) for p in provisions]


def _readable(path: Path) -> str:
    """Return a path as text, with escapes for what is not UTF-8 in it."""
    return os.fsencode(path).decode(errors="backslashreplace")

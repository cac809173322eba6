"""The provisions of one or more sources together: unique ids, numbers, and the hash of what was read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graph.errors import CorpusError
from graph.readers import read_source
from graph.readers.source import UNNUMBERED
from graph.records import Provision, Status

__all__ = ["BUILTIN_LAW", "Corpus", "Source", "number_provisions", "read_corpus"]

BUILTIN_LAW = Path(__file__).parent / "builtin" / "fire-safety"
"""The fire-safety law of an invented country, in English: the default index is made of it."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file or folder that provisions came from."""

    path: str
    sha256: str  # of the file, or of the names and contents of all Markdown files below the folder


@dataclass(frozen=True, slots=True)
class Corpus:
    """What was read, in its order; doc_ids are unique."""

    provisions: tuple[Provision, ...]
    sources: tuple[Source, ...]


def read_corpus(paths: Sequence[Path], *, format_name: str | None = None) -> Corpus:
    """Read the provisions of all sources.

    Raises CorpusError if a source is malformed, holds no article in force, or two provisions share an id or a number.
    """
    provisions: dict[str, Provision] = {}
    place_of: dict[str, str] = {}
    place_of_number: dict[int, str] = {}
    for path in paths:
        n_articles = 0
        for provision, place in read_source(path, format_name=format_name):
            name, number = provision.semantic_id, provision.doc_id
            if name in provisions:
                if provision.status is Status.ABSENT:
                    continue  # an annex listed twice, or listed after its text
                if provisions[name].status is not Status.ABSENT:
                    raise CorpusError(f"{place}: {name} appears twice, first at {place_of[name]}; remove one")
                place_of_number.pop(provisions.pop(name).doc_id, None)  # an annex listed before its text
            if number != UNNUMBERED and number in place_of_number:
                raise CorpusError(f"{place}: doc_id {number} appears twice, first at {place_of_number[number]}")
            n_articles += provision.status is Status.PRESENT
            provisions[name] = provision
            place_of[name] = place_of_number[number] = place
        if not n_articles:
            raise CorpusError(f"{path}: holds no article in force; expected statutes ({format_name or 'any format'})")
    sources = tuple(Source(_readable(path), _sha256(path)) for path in paths)
    return Corpus(tuple(number_provisions(list(provisions.values()))), sources)


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


def _sha256(path: Path) -> str:
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    digest = hashlib.sha256()
    for file_path in sorted(found for found in path.rglob("*.md") if found.is_file()):
        content = file_path.read_bytes()
        digest.update(os.fsencode(file_path.relative_to(path)) + f"\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()

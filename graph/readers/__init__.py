"""I/O: one file per source format, each turning a source into provisions; the format is detected or forced."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from graph.errors import CorpusError
from graph.readers.akoma_ntoso import akoma_ntoso_parts, looks_like_akoma_ntoso
from graph.readers.beir import beir_parts, corpus_file, looks_like_beir
from graph.readers.bsard import bsard_parts, looks_like_bsard
from graph.readers.columns import ColumnMap
from graph.readers.csv_rows import is_csv
from graph.readers.egov import egov_parts, looks_like_egov
from graph.readers.history import history_hash, history_parts, looks_like_history
from graph.readers.jsonl_csv import csv_parts, jsonl_parts, looks_like_csv
from graph.readers.markdown import looks_like_markdown, markdown_parts
from graph.readers.searchfiresafety import looks_like_searchfiresafety, searchfiresafety_parts
from graph.readers.source import Part, Sourced, file_hash, folder_hash

__all__ = [
    "FORMATS",
    "HISTORY",
    "Format",
    "Part",
    "Sourced",
    "code_hash",
    "detected_format",
    "read_source",
    "source_parts",
]

HISTORY = "history"
"""The one format that has editions."""

_NO_COLUMNS = ColumnMap()


class Format(NamedTuple):
    """How sources of one format are told, read, and told again when they change."""

    looks_like: Callable[[Path], bool]  # by the content of a file or folder
    parts: Callable[[Path], Iterator[Part]]  # mostly one a law
    sha256: Callable[[Path], str]  # of the source as a whole
    mapped_parts: Callable[[Path, ColumnMap], Iterator[Part]] | None = None  # by columns of one's own


def _mapped(looks_like: Callable[[Path], bool], parts: Callable[[Path, ColumnMap], Iterator[Part]]) -> Format:
    return Format(looks_like, lambda path: parts(path, _NO_COLUMNS), file_hash, parts)


FORMATS: dict[str, Format] = {
    HISTORY: Format(looks_like_history, partial(history_parts, as_of=None), history_hash),
    "beir": _mapped(looks_like_beir, beir_parts)._replace(sha256=lambda path: file_hash(corpus_file(path))),
    "akoma-ntoso": Format(looks_like_akoma_ntoso, akoma_ntoso_parts, partial(folder_hash, pattern="*.xml")),
    "e-gov": Format(looks_like_egov, egov_parts, partial(folder_hash, pattern="*.xml")),
    "bsard": Format(looks_like_bsard, bsard_parts, file_hash),
    "csv": _mapped(looks_like_csv, csv_parts),
    "markdown": Format(looks_like_markdown, markdown_parts, partial(folder_hash, pattern="*.md")),
    "searchfiresafety": Format(looks_like_searchfiresafety, searchfiresafety_parts, file_hash),
    "jsonl": _mapped(lambda path: False, jsonl_parts),  # told from searchfiresafety by its columns alone
}
"""The formats by name, in the order in which they are tried; a reader of one's own is added here."""


def detected_format(path: Path, format_name: str | None = None, columns: ColumnMap = _NO_COLUMNS) -> str:
    """Return the format of a file or folder: the one that is forced, else the first that its content looks like.

    columns: a map of columns narrows it to the formats that take one.
    Raises CorpusError if the path does not exist, no reader knows it, or its format has no columns to map.
    """
    if not (path.is_dir() or path.is_file()):
        raise CorpusError(f"{path}: no such file or folder")
    if format_name is None and columns:
        format_name = "beir" if looks_like_beir(path) else "csv" if is_csv(path) else "jsonl"
    if format_name is None:
        format_name = next((name for name, one in FORMATS.items() if one.looks_like(path)), None)
    if format_name not in FORMATS:
        raise CorpusError(f"{path}: no statute format that we know ({', '.join(FORMATS)}); force one with --format")
    if columns and FORMATS[format_name].mapped_parts is None:
        known = ", ".join(name for name, one in FORMATS.items() if one.mapped_parts)
        raise CorpusError(f"{path}: the format {format_name} has its own columns; --columns is for {known}")
    return format_name


def source_parts(
    path: Path, format_name: str, *, as_of: str | None = None, columns: ColumnMap = _NO_COLUMNS
) -> Iterator[Part]:
    """Yield what of a source can be read alone; each is to be read before the next is asked for.

    format_name: a key of FORMATS. as_of: an ISO date, for the edition of that date; None: as the source stands.
    Raises CorpusError if what the reader finds is malformed, or a source of this format has no editions.
    """
    one = FORMATS[format_name]
    if as_of is None:
        yield from one.mapped_parts(path, columns) if one.mapped_parts else one.parts(path)
    elif format_name == HISTORY:
        yield from history_parts(path, as_of)
    else:
        raise CorpusError(
            f"{path}: is no law-as-git history (a git repository, or a bundle of one), so it has no edition of {as_of}"
        )


@cache
def code_hash() -> str:
    """Hash the code that turns sources into provisions: what another version of it has read is to be read again."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    used = (here.parent / name for name in ("records.py", "semantic_id.py", "numerals.py"))
    for path in (*sorted(here.glob("*.py")), *used):
        digest.update(file_hash(path).encode())
    return digest.hexdigest()


def read_source(path: Path, *, format_name: str | None = None, columns: ColumnMap = _NO_COLUMNS) -> Iterator[Sourced]:
    """Yield the provisions of a file or folder.

    format_name: a key of FORMATS; None detects it from the content. columns: where a table has its fields.
    Raises CorpusError if the path does not exist, no reader knows it, or what the reader finds is malformed.
    """
    for part in source_parts(path, detected_format(path, format_name, columns), columns=columns):
        yield from part.read()

"""I/O: BSARD's `articles.csv`: Belgian law in French, one article a row; `id` is the number that its questions use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from graph.errors import CorpusError
from graph.readers.csv_rows import csv_header, csv_rows, is_csv
from graph.readers.source import Part, Sourced, file_hash
from graph.readers.table_text import without_html_tables
from graph.records import Provision
from graph.semantic_id import semantic_id

__all__ = ["bsard_parts", "looks_like_bsard"]

_NEEDED = ("id", "reference", "article", "law_type", "code")
_HEADINGS = ("book", "part", "act", "chapter", "section", "subsection")


def looks_like_bsard(path: Path) -> bool:
    """Tell whether a file is a CSV file with BSARD's columns."""
    return is_csv(path) and set(_NEEDED) <= set(csv_header(path))


def bsard_parts(path: Path) -> Iterator[Part]:
    """Yield the one file, whose articles come in its order.

    The label is what `reference` begins with, up to its first comma; `description` repeats the other headings and is
    left out. Where a code has two articles of one label, as for two regions, the later one's id ends in its number.
    Raises CorpusError naming file, line and column.
    """
    yield Part("", file_hash(path), partial(_read, path))


def _read(path: Path) -> Iterator[Sourced]:
    named: set[str] = set()
    for place, row in csv_rows(path, needed=_NEEDED):
        provision = _provision(row, named, place)
        named.add(provision.semantic_id)
        yield Sourced(provision, place)


def _provision(row: Mapping[str, str], named: set[str], place: str) -> Provision:
    number, law_name = row["id"].strip(), row["code"].strip()
    if not re.fullmatch(r"\d{1,18}", number):
        raise CorpusError(f"{place}: column 'id' must be a whole number, found {row['id']!r}")
    label = " ".join(row["reference"].partition(",")[0].replace("_", " ").split())
    if not label:
        raise CorpusError(f"{place}: column 'reference' is empty")
    try:
        name = semantic_id(law_name, label, language="fr")
    except ValueError as error:
        raise CorpusError(f"{place}: columns 'code' and 'reference': {error}") from error
    headings = (row.get(column, "").strip() for column in _HEADINGS)
    return Provision(
        semantic_id=f"{name}~{number}" if name in named else name,
        doc_id=int(number),
        law_name=law_name,
        collection_name=law_name,
        law_level=row["law_type"].strip(),
        chapter=label,
        heading_path=" > ".join(heading for heading in headings if heading),
        text=without_html_tables(row["article"].replace("\0", "")).strip(),
        language="fr",
    )

"""I/O: one article a row, in a table of one's own: `.jsonl`, or `.csv` with a header; columns go by a map."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from graph.errors import CorpusError
from graph.readers.columns import ColumnMap, numbers_of_words
from graph.readers.csv_rows import csv_header, csv_rows, is_csv
from graph.readers.fields import REQUIRED, json_record, provision_of, require
from graph.readers.source import Part, Sourced, file_hash, numbered_lines
from graph.readers.table_text import without_html_tables

__all__ = ["csv_parts", "jsonl_parts", "looks_like_csv", "mapped_hash"]

_ASK = "name its column with --columns {0}=COLUMN or, where all rows have the same, give it with --columns {0}:=WORDS"


def looks_like_csv(path: Path) -> bool:
    """Tell whether a file is a CSV file whose columns are the fields of a Provision by name."""
    return is_csv(path) and set(REQUIRED) <= set(csv_header(path))


def csv_parts(path: Path, columns: ColumnMap) -> Iterator[Part]:
    """Yield the one file. Raises CorpusError naming file, line and column."""
    yield Part("", mapped_hash(path, columns), partial(_read_csv, path, columns))


def jsonl_parts(path: Path, columns: ColumnMap) -> Iterator[Part]:
    """Yield the one file. Raises CorpusError naming file, line and field."""
    yield Part("", mapped_hash(path, columns), partial(_read_jsonl, path, columns))


def mapped_hash(path: Path, columns: ColumnMap) -> str:
    """Return a hash of a file as these columns read it."""
    return hashlib.sha256(f"{file_hash(path)}\n{columns}".encode()).hexdigest() if columns else file_hash(path)


def _read_csv(path: Path, columns: ColumnMap) -> Iterator[Sourced]:
    for place, row in csv_rows(path, needed=tuple(columns.columns.values())):
        yield _sourced(row, columns, place)


def _read_jsonl(path: Path, columns: ColumnMap) -> Iterator[Sourced]:
    for line_no, line in numbered_lines(path):
        if line.strip():
            place = f"{path}:{line_no}"
            yield _sourced(json_record(line, place), columns, place)


def _sourced(row: Mapping[str, Any], columns: ColumnMap, place: str) -> Sourced:
    try:
        record = columns.record(row)
    except KeyError as error:
        raise CorpusError(f"{place}: column {error} is missing") from error
    numbers_of_words(record)
    require(record, REQUIRED, place)
    if record.get("language") in (None, ""):
        raise CorpusError(f"{place}: field 'language' is missing; {_ASK.format('language')}")
    if isinstance(record["text"], str):
        record["text"] = without_html_tables(record["text"])
    return Sourced(provision_of(record, place), place)

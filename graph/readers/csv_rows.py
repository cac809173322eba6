"""I/O: the rows of a CSV file, each with the line it begins at."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from graph.errors import CorpusError
from graph.readers.source import numbered_lines

__all__ = ["csv_header", "csv_rows", "is_csv"]

_LONGEST_FIELD = 2**24  # characters; the csv module's own limit is shorter than some annexes
_DELIMITERS = ",;\t"


def is_csv(path: Path) -> bool:
    """Tell whether a file's name says that it is one, packed or not."""
    return path.is_file() and any(suffix in (".csv", ".tsv") for suffix in path.suffixes[-2:])


def csv_header(path: Path) -> list[str]:
    """Return the names of the columns; none if the file is empty. Raises CorpusError if the first line is no header."""
    try:
        return [name.strip() for name in next(csv.reader([_first_line(path)], delimiter=_delimiter(path)), [])]
    except csv.Error as error:
        raise CorpusError(f"{path}:1: the header is not CSV: {error}") from error


def csv_rows(path: Path, *, needed: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each row by its columns, with its place: file and line number.

    The columns are separated by commas, semicolons or tabs, whichever the header has most.
    needed: columns that must be there. Raises CorpusError naming file, line and column.
    """
    header = csv_header(path)
    for name in needed:
        if name not in header:
            raise CorpusError(f"{path}:1: column {name!r} is missing; the columns are {', '.join(header) or 'none'}")
    if len(set(header)) < len(header):
        raise CorpusError(f"{path}:1: two columns have the same name: {', '.join(header)}")
    csv.field_size_limit(_LONGEST_FIELD)
    lines = (f"{line}\n" for _, line in numbered_lines(path))
    rows = csv.reader(lines, delimiter=_delimiter(path), strict=True)
    line_no = 1
    try:
        for row in rows:
            if row and line_no > 1:
                if len(row) != len(header):
                    raise CorpusError(f"{path}:{line_no}: {len(row)} columns, though the header has {len(header)}")
                yield f"{path}:{line_no}", dict(zip(header, row, strict=True))
            line_no = rows.line_num + 1
    except csv.Error as error:
        raise CorpusError(f"{path}:{line_no}: not CSV: {error}") from error


def _first_line(path: Path) -> str:
    return next((line for _, line in numbered_lines(path)), "")


def _delimiter(path: Path) -> str:
    return "\t" if ".tsv" in path.suffixes[-2:] else max(_DELIMITERS, key=_first_line(path).count)

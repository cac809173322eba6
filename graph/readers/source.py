"""I/O: what every reader shares: a provision with its place, and text files opened however they are packed."""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from graph.edition import EditionNote
from graph.errors import CorpusError
from graph.records import Provision

__all__ = [
    "UNNUMBERED",
    "Part",
    "Sourced",
    "file_hash",
    "first_bytes",
    "folder_hash",
    "lines_of_bytes",
    "numbered_lines",
    "whole_content",
]

UNNUMBERED = -1
"""The doc_id of a provision whose source gives it no number; `graph.corpus` assigns one."""

_OPENERS: dict[str, Callable[..., object]] = {".gz": gzip.open, ".xz": lzma.open}


class Sourced(NamedTuple):
    """A provision and where it stands, for error messages."""

    provision: Provision
    place: str  # "file:line"


class Part(NamedTuple):
    """What of a source is read by itself: mostly the file of one law."""

    name: str  # its path below the source; "" where the source is one file
    sha256: str  # of all that `read` reads: as long as it stays, so do the provisions
    read: Callable[[], Iterator[Sourced]]  # to be called before the next part is asked for
    notes: tuple[EditionNote, ...] = ()


def file_hash(path: Path) -> str:
    """Return the sha256 of a file. Raises CorpusError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error}") from error


def folder_hash(path: Path, pattern: str) -> str:
    """Return the sha256 of the names and contents of all files of a pattern below a folder; of a file, its own."""
    if path.is_file():
        return file_hash(path)
    digest = hashlib.sha256()
    for file_path in sorted(found for found in path.rglob(pattern) if found.is_file()):
        content = file_path.read_bytes()
        digest.update(os.fsencode(file_path.relative_to(path)) + f"\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def first_bytes(path: Path, n_bytes: int) -> bytes:
    """Return what a file, plain, .gz or .xz, begins with. Raises CorpusError if it cannot be read."""
    with _opened(path) as file:
        return file.read(n_bytes)


def whole_content(path: Path, n_bytes: int) -> bytes:
    """Return a file, plain, .gz or .xz. Raises CorpusError if it cannot be read, or is longer than n_bytes unpacked."""
    content = first_bytes(path, n_bytes + 1)
    if len(content) > n_bytes:
        raise CorpusError(f"{path}: longer than {n_bytes // 2**20} MiB, so it is not read; split it")
    return content


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with cast(BinaryIO, _OPENERS.get(path.suffix, open)(path, "rb")) as file:
            yield file
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(f"{path}: cannot be read: {error}") from error


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 text file, plain, .gz or .xz, counted from 1.

    Raises CorpusError with file and line if the file cannot be read or is not UTF-8.
    """
    with _opened(path) as lines:
        yield from _decoded(lines, str(path))


def lines_of_bytes(content: bytes, place: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of UTF-8 text as `numbered_lines` does; `place` names it in errors."""
    return _decoded(io.BytesIO(content), place)


def _decoded(lines: Iterable[bytes], place: str) -> Iterator[tuple[int, str]]:
    line_no = 0
    try:
        for line_no, line in enumerate(lines, start=1):  # decoded one by one, so that an error knows its line
            yield line_no, line.decode("utf-8-sig" if line_no == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{place}:{line_no}: not UTF-8 text ({error.reason}); convert the file to UTF-8") from error

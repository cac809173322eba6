"""I/O: what every reader shares: a provision with its place, and text files opened however they are packed."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from graph.errors import CorpusError
from graph.records import Provision

__all__ = ["UNNUMBERED", "Sourced", "numbered_lines"]

UNNUMBERED = -1
"""The doc_id of a provision whose source gives it no number; `graph.corpus` assigns one."""

_OPENERS: dict[str, Callable[..., object]] = {".gz": gzip.open, ".xz": lzma.open}


class Sourced(NamedTuple):
    """A provision and where it stands, for error messages."""

    provision: Provision
    place: str  # "file:line"


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 text file, plain, .gz or .xz, counted from 1.

    Raises CorpusError with file and line if the file cannot be read or is not UTF-8.
    """
    line_no = 0
    try:
        with cast(BinaryIO, _OPENERS.get(path.suffix, open)(path, "rb")) as lines:
            for line_no, line in enumerate(lines, start=1):  # decoded one by one, so that an error knows its line
                yield line_no, line.decode("utf-8-sig" if line_no == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path}:{line_no}: not UTF-8 text ({error.reason}); convert the file to UTF-8") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(f"{path}: cannot be read: {error}") from error

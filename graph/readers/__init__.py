"""I/O: one file per source format, each turning a source into provisions; the format is detected or forced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from graph.errors import CorpusError
from graph.readers.markdown import looks_like_markdown, read_markdown
from graph.readers.searchfiresafety import looks_like_searchfiresafety, read_searchfiresafety
from graph.readers.source import Sourced

__all__ = ["FORMATS", "Sourced", "read_source"]


class _Format(NamedTuple):
    looks_like: Callable[[Path], bool]
    read: Callable[[Path], Iterator[Sourced]]


FORMATS: dict[str, _Format] = {
    "markdown": _Format(looks_like_markdown, read_markdown),
    "searchfiresafety": _Format(looks_like_searchfiresafety, read_searchfiresafety),
}
"""The formats by name, in the order in which they are tried; a reader of one's own is added here."""


def read_source(path: Path, *, format_name: str | None = None) -> Iterator[Sourced]:
    """Yield the provisions of a file or folder.

    format_name: a key of FORMATS; None detects it from the content.
    Raises CorpusError if the path does not exist, no reader knows it, or what the reader finds is malformed.
    """
    if not (path.is_dir() or path.is_file()):
        raise CorpusError(f"{path}: no such file or folder")
    if format_name is None:
        format_name = next((name for name, one in FORMATS.items() if one.looks_like(path)), None)
    if format_name not in FORMATS:
        raise CorpusError(f"{path}: no statute format that we know ({', '.join(FORMATS)}); force one with --format")
    yield from FORMATS[format_name].read(path)

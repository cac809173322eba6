"""I/O: SearchFireSafety's `legal_docs.jsonl`, one article a line; also the older names of two of its fields."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from graph.readers.fields import REQUIRED, json_record, provision_of, require
from graph.readers.source import Part, Sourced, file_hash, numbered_lines

__all__ = ["looks_like_searchfiresafety", "searchfiresafety_parts"]

_OLDER_NAMES = {"chapter_body": "text", "matched_doc_id_merged": "related_doc_ids"}


def looks_like_searchfiresafety(path: Path) -> bool:
    """Tell whether the first line of a file is an article of this format (or at least meant as one)."""
    if path.is_dir():
        return False
    for _, line in numbered_lines(path):
        if line.strip():
            return line.lstrip().startswith("{")
    return False


def searchfiresafety_parts(path: Path) -> Iterator[Part]:
    """Yield the one file, whose articles come in its order; they are Korean unless they say otherwise.

    Raises CorpusError naming file, line and field on a line that is not JSON, a missing field, or a wrong type.
    """
    yield Part("", file_hash(path), partial(_read, path))


def _read(path: Path) -> Iterator[Sourced]:
    for line_no, line in numbered_lines(path):
        if line.strip():
            place = f"{path}:{line_no}"
            record = json_record(line, place)
            for older, name in _OLDER_NAMES.items():
                if older in record:
                    record.setdefault(name, record[older])
            require(record, REQUIRED, place)
            if record.get("language") in (None, ""):
                record["language"] = "ko"
            yield Sourced(provision_of(record, place), place)

"""I/O: SearchFireSafety's `legal_docs.jsonl`, one article a line; also the older names of two of its fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from graph.errors import CorpusError
from graph.readers.source import UNNUMBERED, Part, Sourced, file_hash, numbered_lines
from graph.records import Provision, Status
from graph.semantic_id import parse, semantic_id

__all__ = ["looks_like_searchfiresafety", "searchfiresafety_parts"]

_OLDER_NAMES = {"chapter_body": "text", "matched_doc_id_merged": "related_doc_ids"}
_REQUIRED = ("law_name", "chapter", "text")
_STRINGS = (
    "semantic_id", "law_name", "collection_name", "law_level", "chapter", "chapter_description", "heading_path", "text",
    "effective_date", "language",
)  # fmt: skip


def looks_like_searchfiresafety(path: Path) -> bool:
    """Tell whether the first line of a file is an article of this format (or at least meant as one)."""
    if path.is_dir():
        return False
    for _, line in numbered_lines(path):
        if line.strip():
            return line.lstrip().startswith("{")
    return False


def searchfiresafety_parts(path: Path) -> Iterator[Part]:
    """Yield the one file, whose articles come in its order.

    Raises CorpusError naming file, line and field on a line that is not JSON, a missing field, or a wrong type.
    """
    yield Part("", file_hash(path), partial(_read, path))


def _read(path: Path) -> Iterator[Sourced]:
    for line_no, line in numbered_lines(path):
        if line.strip():
            place = f"{path}:{line_no}"
            yield Sourced(_provision(_record(line, place), place), place)


def _record(line: str, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise CorpusError(f"{place}: not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets within brackets
        raise CorpusError(f"{place}: not JSON that can be read: {error}") from error
    if not isinstance(record, dict):
        raise CorpusError(f"{place}: expected an object with {', '.join(_REQUIRED)}, found {type(record).__name__}")
    for older, name in _OLDER_NAMES.items():
        if older in record:
            record.setdefault(name, record[older])
    for name in _REQUIRED:
        if name not in record:
            raise CorpusError(f"{place}: field {name!r} is missing")
    return record


def _provision(record: Mapping[str, Any], place: str) -> Provision:
    words = {name: _string(record, name, place) for name in _STRINGS}
    words["effective_date"] = _iso_date(words["effective_date"], place)
    words["language"] = words["language"] or "ko"
    words["collection_name"] = words["collection_name"] or words["law_name"]
    name = words.pop("semantic_id")
    try:
        if not name:
            name = semantic_id(words["law_name"], words["chapter"], language=words["language"])
        elif not parse(name).label:
            raise ValueError(f"semantic_id {name!r} has no label: expected <law>_<label>")
        status = Status(record.get("status", Status.PRESENT))
    except ValueError as error:
        raise CorpusError(f"{place}: {error}") from error
    return Provision(
        semantic_id=name,
        doc_id=_doc_id(record.get("doc_id", UNNUMBERED), "doc_id", place),
        related_doc_ids=_doc_ids(record.get("related_doc_ids"), place),
        status=status,
        **words,
    )


def _string(record: Mapping[str, Any], name: str, place: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise CorpusError(f"{place}: field {name!r} must be text, found {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:  # JSON can escape half a surrogate pair, which no encoder or database takes
        raise CorpusError(f"{place}: field {name!r} holds a lone surrogate, which is no character") from None
    return value.replace("\0", "")


def _iso_date(words: str, place: str) -> str:
    try:
        return date.fromisoformat(words).isoformat() if words else ""
    except ValueError:
        raise CorpusError(f"{place}: field 'effective_date': {words!r} is no ISO date") from None


def _doc_id(value: object, name: str, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise CorpusError(f"{place}: field {name!r} must be a whole number, found {value!r}")
    return value


def _doc_ids(value: object, place: str) -> tuple[int, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise CorpusError(f"{place}: field 'related_doc_ids' must be a list of whole numbers, found {value!r}")
    return tuple(_doc_id(one, "related_doc_ids", place) for one in value)

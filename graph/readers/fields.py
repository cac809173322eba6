"""The fields of a record that a source gives for one article: checked, and made a Provision."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from graph.errors import CorpusError
from graph.readers.source import UNNUMBERED
from graph.records import Provision, Status
from graph.semantic_id import parse, semantic_id

__all__ = ["FIELDS", "REQUIRED", "json_record", "provision_of", "require", "words_of"]

REQUIRED = ("law_name", "chapter", "text")
_WORDS = (
    "semantic_id", "law_name", "collection_name", "law_level", "chapter", "chapter_description", "heading_path", "text",
    "effective_date", "language",
)  # fmt: skip
FIELDS = (*_WORDS, "doc_id", "related_doc_ids", "status")
"""What a record may give: the fields of a Provision."""


def json_record(line: str, place: str, *, expected: Sequence[str] = REQUIRED) -> dict[str, Any]:
    """Read a line of JSON as an object. Raises CorpusError naming the place if it is none."""
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise CorpusError(f"{place}: not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets within brackets
        raise CorpusError(f"{place}: not JSON that can be read: {error}") from error
    if not isinstance(record, dict):
        raise CorpusError(f"{place}: expected an object with {', '.join(expected)}, found {type(record).__name__}")
    return record


def require(record: Mapping[str, Any], names: Sequence[str], place: str) -> None:
    """Raise CorpusError naming place and field unless the record has all of these."""
    for name in names:
        if name not in record:
            raise CorpusError(f"{place}: field {name!r} is missing")


def provision_of(record: Mapping[str, Any], place: str) -> Provision:
    """Make a Provision of the fields of a record; `language` must be among them.

    A record without a semantic_id gets the one of its law, label and language; its family is its law by default.
    Raises CorpusError naming place and field on a wrong type or value.
    """
    words = {name: words_of(record, name, place) for name in _WORDS}
    words["effective_date"] = _iso_date(words["effective_date"], place)
    words["collection_name"] = words["collection_name"] or words["law_name"]
    name = words.pop("semantic_id")
    try:
        if not name:
            name = semantic_id(words["law_name"], words["chapter"], language=words["language"])
        elif not parse(name).label:
            raise ValueError(f"semantic_id {name!r} has no label: expected <law>_<label>")
        status = Status.PRESENT if record.get("status") in (None, "") else Status(record["status"])
    except ValueError as error:
        raise CorpusError(f"{place}: {error}") from error
    return Provision(
        semantic_id=name,
        doc_id=_whole_number(record.get("doc_id", UNNUMBERED), "doc_id", place),
        related_doc_ids=_whole_numbers(record.get("related_doc_ids"), "related_doc_ids", place),
        status=status,
        **words,
    )


def words_of(record: Mapping[str, Any], name: str, place: str) -> str:
    """Return the text in a field, "" if it is not there. Raises CorpusError naming place and field if it is no text."""
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


def _whole_number(value: object, name: str, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise CorpusError(f"{place}: field {name!r} must be a whole number, found {value!r}")
    return value


def _whole_numbers(value: object, name: str, place: str) -> tuple[int, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise CorpusError(f"{place}: field {name!r} must be a list of whole numbers, found {value!r}")
    return tuple(_whole_number(one, name, place) for one in value)

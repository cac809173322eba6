"""The front matter of a law in law-as-git Markdown: what its fields say, whatever they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from reprlib import Repr
from typing import Any, NamedTuple, TypedDict

import yaml

from graph.errors import CorpusError
from graph.readers.dialects import DIALECTS, Dialect, dialect_of

__all__ = ["Front", "LawFields", "front_matter", "law_front", "present_field", "short_repr"]


class LawFields(TypedDict):
    """The fields that all provisions of one law share."""

    law_name: str
    collection_name: str
    law_level: str
    effective_date: str


class Front(NamedTuple):
    """The front matter of a law, and what stands below it."""

    fields: Mapping[str, Any]
    dialect: Dialect
    law: LawFields
    body: Sequence[tuple[int, str]]


_KEYS_OF_LAW = {"language", "lang", "country"}.union(
    *((*one.title, *one.level, *one.effective) for one in DIALECTS.values())
)
_KEY_OF_LAW = re.compile(rf"['\"]?(?:{'|'.join(sorted(_KEYS_OF_LAW))})['\"]?\s*:")
_SHORT = Repr()
_SHORT.maxlevel = 1  # YAML can name a list within itself many times over, and written out it has no end


def front_matter(place: str, lines: Sequence[tuple[int, str]]) -> Front:
    """Read the front matter that a law opens with.

    place: what errors call the file. Raises CorpusError naming file, line and field.
    """
    fields, body = _fields(place, lines)
    dialect = _dialect(place, fields)
    return Front(fields, dialect, _law(place, fields, dialect), body)


def law_front(place: str, lines: Iterator[tuple[int, str]]) -> Front:
    """Read no more of the front matter than names the law, its language and its date, and leave the body.

    YAML takes its time over lists of annexes, and a history has thousands of versions. Raises CorpusError as
    `front_matter` does.
    """
    kept: list[tuple[int, str]] = []
    wanted = False
    for line_no, line in lines:
        wanted = _KEY_OF_LAW.match(line) is not None or (wanted and line[:1] in (" ", "\t"))
        kept.append((line_no, line if wanted or line == "---" else ""))  # blank, so that errors count the lines right
        if line == "---" and line_no > 1:
            break
    return front_matter(place, kept)


def present_field(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the first of several names of a field that the front matter has; the first of all, if it has none."""
    return next((name for name in names if name in fields), next(iter(names), ""))


def short_repr(value: object) -> str:
    """Return a value as an error shows it."""
    return _SHORT.repr(value)


def _dialect(place: str, front: Mapping[str, Any]) -> Dialect:
    dialect = dialect_of(front)
    if dialect is None:
        named = front.get("language") or front.get("lang") or front.get("country")
        raise CorpusError(
            f"{place}:1: front-matter field 'language': {short_repr(named)} is none of {', '.join(DIALECTS)}"
        )
    if not any(name in front for name in dialect.title):
        titles = [one.title[0] for one in DIALECTS.values()]
        raise CorpusError(f"{place}:1: front matter has no title: expected one of {list(dict.fromkeys(titles))}")
    return dialect


def _fields(place: str, lines: Sequence[tuple[int, str]]) -> tuple[dict[str, Any], Sequence[tuple[int, str]]]:
    end = next((n for n, line in lines[1:] if line == "---"), 0)
    if not lines or lines[0][1] != "---" or not end:
        raise CorpusError(f"{place}:1: no front matter: a law opens with '---', its fields, and '---'")
    try:
        # BaseLoader leaves every value text, as it stands: 2024-02-30 is ours to refuse, with the name of its field.
        front = yaml.load("\n".join(line for _, line in lines[1 : end - 1]), Loader=yaml.BaseLoader)
    except RecursionError as error:
        raise CorpusError(f"{place}:1: front matter is nested too deeply") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "unreadable"
        raise CorpusError(f"{place}:{mark.line + 2 if mark else 1}: front matter is not YAML: {problem}") from error
    if not isinstance(front, dict):
        raise CorpusError(f"{place}:1: front matter must be fields with values")
    return front, lines[end:]


def _law(place: str, front: Mapping[str, Any], dialect: Dialect) -> LawFields:
    title = _words(place, front, dialect.title)
    level = _words(place, front, dialect.level, optional=not dialect.is_complete)
    effective = _words(place, front, dialect.effective, optional=not dialect.is_complete)
    try:
        in_force_since = date.fromisoformat(effective).isoformat() if effective else ""
    except ValueError:
        name = present_field(front, dialect.effective)
        raise CorpusError(f"{place}:1: front-matter field {name!r}: {effective!r} is no ISO date") from None
    family = _words(place, front, dialect.collection, optional=True)
    return LawFields(
        law_name=_words(place, front, dialect.abbreviation, optional=True) or title,
        collection_name=family or dialect.lower_law.sub("", title),
        law_level=level,
        effective_date=in_force_since,
    )


def _words(place: str, front: Mapping[str, Any], names: Sequence[str], *, optional: bool = False) -> str:
    name = present_field(front, names)
    value = front.get(name) or ""
    if not isinstance(value, str):
        raise CorpusError(f"{place}:1: front-matter field {name!r} must be text, found {short_repr(value)}")
    if not value.strip() and not optional:
        raise CorpusError(f"{place}:1: front-matter field {name!r} is missing or empty")
    return value.strip()

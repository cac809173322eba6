"""I/O: the words by which questions and clauses are read: a TOML file a language, the same keys in each.

A question is read with the words of all languages at once, as it may be too short to tell its own.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from agent.language import LANGUAGES

__all__ = ["alternatives", "pattern"]


def alternatives(table: str, key: str) -> str:
    """Return the expressions of a key in all languages, joined by |, for a pattern to be built around.

    In a file with `words = true` an expression stands for whole words: it neither begins nor ends inside of one.
    Raises KeyError if a language lacks the key.
    """
    return "|".join(one for language in LANGUAGES for one in _expressions(language, table, key)) or "(?!)"


@cache
def pattern(table: str, key: str) -> re.Pattern[str]:
    """Return what finds any of them, in large or small letters."""
    return re.compile(alternatives(table, key), re.IGNORECASE)


def _expressions(language: str, table: str, key: str) -> list[str]:
    file = _file(language)
    found: list[str] = file[table][key]
    return [rf"(?<!\w)(?:{one})(?!\w)" for one in found] if file["words"] else found


@cache
def _file(language: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / f"{language}.toml").read_text(encoding="utf-8"))

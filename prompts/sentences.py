"""I/O: the fixed sentences of `abstention.toml`, filled."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from string import Template

__all__ = ["abstention_sentence", "version"]


def abstention_sentence(kind: str, language: str, *, missing: str = "") -> str:
    """Return what the reader is told, in `language` (ISO 639-1).

    missing: the provisions, as a list in words; only one kind of abstention names them.
    Raises KeyError if there is no sentence for the kind in that language.
    """
    return Template(_sentences()[kind][language]).substitute(missing=missing)


def version() -> str:
    """Return the version of the sentences, for the trace."""
    return str(_sentences()["version"])


@cache
def _sentences() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("prompts") / "abstention.toml").read_text(encoding="utf-8"))

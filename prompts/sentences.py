"""I/O: the fixed sentences of `abstention.toml`, `notes.toml` and `captions.toml`, filled."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from string import Template

__all__ = ["abstention_sentence", "caption", "note_sentence", "version"]

_ABSTENTION, _NOTES, _CAPTIONS = "abstention.toml", "notes.toml", "captions.toml"


def abstention_sentence(kind: str, language: str, *, missing: str = "") -> str:
    """Return what the reader is told, in `language` (ISO 639-1).

    missing: the provisions, as a list in words; only some kinds of abstention name them.
    Raises KeyError if there is no sentence for the kind in that language.
    """
    return Template(_sentences(_ABSTENTION)[kind][language]).substitute(missing=missing)


def note_sentence(kind: str, language: str, **slots: str) -> str:
    """Return what a reply adds, in `language` (ISO 639-1), its slots filled.

    Raises KeyError if there is no sentence for the kind in that language, or a slot of it is not given.
    """
    return Template(_sentences(_NOTES)[kind][language]).substitute(slots)


def caption(part: str, language: str, **slots: str) -> str:
    """Return the heading of a part of a reply, in `language` (ISO 639-1), its slots filled.

    Raises KeyError if there is none for the part in that language, or a slot of it is not given.
    """
    return Template(_sentences(_CAPTIONS)[part][language]).substitute(slots)


def version() -> str:
    """Return the version of the sentences, of the abstentions and of the notes, for the trace."""
    return ".".join(str(_sentences(name)["version"]) for name in (_ABSTENTION, _NOTES))


@cache
def _sentences(name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((files("prompts") / name).read_text(encoding="utf-8"))

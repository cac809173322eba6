"""Names of laws as texts write them: compared without white space, dots and curls of apostrophes; and aliases."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["Alias", "dated_key", "name_key"]

_ARTICLE_WORD = re.compile(r"^\s*the\s+", re.IGNORECASE)
_UNTIL_DATE = re.compile(r"\D{0,60}?(?:n° ?[\d-]{1,20} du )?(?:1er|\d{1,2}) \w{3,9} \d{4}(?!\d)")
_IGNORED = re.compile(r"[\sㆍ·‧・•,]+")


@dataclass(frozen=True, slots=True)
class Alias:
    """A short name that a text gives to a law."""

    name: str  # "법", "영", "소방시설법", "the Act"
    law_name: str  # as written
    start: int  # where in the text the short name begins to hold
    end: int | None  # where it ends; None: it holds in all later articles of the law too


def name_key(law_name: str) -> str:
    """Return what two spellings of one law's name share."""
    name = _IGNORED.sub("", _ARTICLE_WORD.sub("", law_name)).replace("’", "'")
    return unicodedata.normalize("NFC", name.lower())


def dated_key(law_name: str) -> str:
    """Return the key of a French name up to its date: "loi du 2 mai 2028 relative aux marchés"; "" without one."""
    found = _UNTIL_DATE.match(" ".join(law_name.split()))
    return name_key(found[0]) if found else ""

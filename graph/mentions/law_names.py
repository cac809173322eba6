"""Names of laws as texts write them: compared without white space, dots and curls of apostrophes; and aliases."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Alias", "dated_key", "lengths_of_names", "name_key"]

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


def lengths_of_names(keys: Set[str], n: int) -> Mapping[str, list[int]]:
    """Return the lengths of the names' keys by the n signs that they begin with, from the longest on.

    Below 0, by the -n signs that they end with.
    """
    return _lengths_of(keys if isinstance(keys, frozenset) else frozenset(keys), n)


@lru_cache(maxsize=32)
def _lengths_of(keys: frozenset[str], n: int) -> Mapping[str, list[int]]:
    lengths: dict[str, set[int]] = defaultdict(set)
    for key in keys:
        lengths[key[:n] if n > 0 else key[n:]].add(len(key))
    return {shared: sorted(found, reverse=True) for shared, found in lengths.items()}

"""The parts that a sentence is joined of: cut at its commas, its conjunctions and where a condition begins or ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from agent.claims.words import words_of

__all__ = ["Segment", "segments"]

# "다만," opens a proviso and stays with it.
_MARKS = r"(?<!다만)[,;:()\[\]]+|[、。]|\.(?=\s|$)|\s-(?=\s)"


@dataclass(frozen=True, slots=True)
class Segment:
    """`text[start:end]` of a folded text, without the marks around it."""

    start: int
    end: int
    is_condition: bool  # it says when, or of whom, something holds


def segments(text: str, language: str) -> list[Segment]:
    """Cut a folded text (ISO 639-1: `language`) into its segments, in order. One without a letter or digit is none."""
    places = [0, *(one.end() for one in _cuts(language).finditer(text)), len(text)]
    found = []
    for start, end in pairwise(places):
        words = text[start:end]
        if re.search(r"\w", words):
            found.append(Segment(start, end, bool(_condition(language).search(words))))
    return found


@cache
def _cuts(language: str) -> re.Pattern[str]:
    joints = words_of(language).joints
    return re.compile(f"{_MARKS}|{joints}" if joints else _MARKS, re.IGNORECASE)


@cache
def _condition(language: str) -> re.Pattern[str]:
    return re.compile(words_of(language).conditions or "(?!)", re.IGNORECASE)

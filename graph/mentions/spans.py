"""Arithmetic of the places of mentions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from graph.records import Mention

__all__ = ["closings", "is_inside", "with_others"]


def is_inside(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a position lies in one of the spans, which are disjoint and in order; an end lies outside."""
    index = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return index >= 0 and position < spans[index][1]


def closings(text: str, bracket: re.Pattern[str]) -> dict[int, int]:
    """Return where each bracket closes that closes in its line. bracket: matches brackets, and the ends of lines."""
    found: dict[int, int] = {}
    openings: list[int] = []
    for one in bracket.finditer(text):
        if one[0] in "(（":
            openings.append(one.start())
        elif one[0] == "\n":
            openings.clear()
        elif openings:
            found[openings.pop()] = one.start()
    return found


def with_others(first: Sequence[Mention], others: Iterable[Mention]) -> list[Mention]:
    """Return the mentions of `first`, disjoint and in order, and those of `others` that overlap none, in order."""
    spans = [(mention.start, mention.end) for mention in first]
    merged: list[Mention] = list(first)
    end = 0
    for mention in sorted(others, key=lambda mention: mention.start):
        following = bisect_right(spans, mention.start, key=lambda span: span[0])
        is_free = following == len(spans) or mention.end <= spans[following][0]
        if mention.start >= end and is_free and not is_inside(mention.start, spans):
            merged.append(mention)
            end = mention.end
    return sorted(merged, key=lambda mention: mention.start)

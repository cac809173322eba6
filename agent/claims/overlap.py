"""Which of the readings of a text stand, where several patterns match the same words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

__all__ = ["without_overlaps"]


class _Stretch(Protocol):
    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


S = TypeVar("S", bound=_Stretch)


def without_overlaps(found: Iterable[S]) -> list[S]:
    """Return what was found in the text's order, without what overlaps an earlier one.

    Of those that begin together the longest is the earlier one; of the same length, the one found first.
    """
    kept: list[S] = []
    taken_to = 0
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if one.start >= taken_to:
            kept.append(one)
            taken_to = one.end
    return kept

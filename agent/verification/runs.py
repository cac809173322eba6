"""The run of words in a passage that says the same as a sentence, as near as terms tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from agent.claims.segments import segments
from agent.verification.passage import Part

__all__ = ["Piece", "Run", "nearest_run", "pieces"]

_MOST_PIECES = 60  # of one clause, among whose runs is looked
_LONGEST_RUN = 16  # pieces
_OR = re.compile(r"\s*(?:n?or|oder|ou|hoặc)\b", re.IGNORECASE)
"""Begins a piece to which the modal words before it apply, too: "shall not be sold | or given to a child"."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment of a sentence or clause, read for itself."""

    words: str
    part: Part
    is_condition: bool


class Run(NamedTuple):
    """Segments that follow each other in a clause, read together."""

    likeness: float  # to the terms that were looked for: Dice's coefficient, in [0, 1]
    part: Part


@lru_cache(maxsize=2048)  # texts: every sentence of an answer looks at the same clauses
def pieces(folded: str, language: str) -> tuple[Piece, ...]:
    """Return the segments of a folded text in their order; of a long one, the first."""
    found = segments(folded, language)[:_MOST_PIECES]
    return tuple(
        Piece(words := folded[one.start : one.end], Part.read(words, language), one.is_condition) for one in found
    )


def nearest_run(terms: frozenset[str], parts: Sequence[Part]) -> Run | None:
    """Return the run of segments within one of `parts` that shares most terms with `terms`, and how much it does.

    By Dice's coefficient; ties to the longer run, which keeps a "but" or "not" at its edge, then to the earlier one.
    A run that an "or" joins to what stands before it is read with that. None if nothing is shared.
    """
    best: tuple[float, int, str, str] | None = None
    for part in parts:
        cut = pieces(part.claims.folded, part.claims.language)
        for first in range(len(cut)):
            run: frozenset[str] = frozenset()
            for last in range(first, min(first + _LONGEST_RUN, len(cut))):
                run |= cut[last].part.terms
                common = len(terms & run)
                if not common:
                    continue
                likeness = 2 * common / (len(terms) + len(run))
                if best is None or (likeness, last - first) > best[:2]:
                    words = "".join(piece.words for piece in cut[_opening(cut, first) : last + 1])
                    best = likeness, last - first, words, part.claims.language
    return Run(best[0], Part.read(best[2], best[3])) if best else None


def _opening(cut: Sequence[Piece], first: int) -> int:
    """Return the piece from which on a run that begins at `first` has to be read to know what it denies."""
    while first and _OR.match(cut[first].words):
        first -= 1
    return first

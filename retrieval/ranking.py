"""Scores to rankings. Every ordering is by score, descending, then by semantic_id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ranking", "Scores", "TieOrder", "top"]

Scores = NDArray[np.float64]
"""One score per article of the index, in index order."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Articles by row in the index, best first. The scores need not fall: anchors keep their place whatever theirs."""

    rows: NDArray[np.int64]
    scores: Scores  # of those rows

    def head(self, n: int) -> Ranking:
        """Return the first n."""
        return Ranking(self.rows[:n], self.scores[:n])


class TieOrder:
    """Where each article stands among equals: the order of the semantic ids."""

    def __init__(self, semantic_ids: Sequence[str]) -> None:
        self.places = np.empty(len(semantic_ids), dtype=np.int64)
        self.places[sorted(range(len(semantic_ids)), key=lambda row: semantic_ids[row])] = np.arange(len(semantic_ids))

    def sort(self, rows: NDArray[np.int64], scores: Scores) -> Ranking:
        """Order rows by their scores (same length), ties by semantic id."""
        order = np.lexsort((self.places[rows], -scores))
        return Ranking(rows[order], scores[order])


def top(scores: Scores, n: int, ties: TieOrder, *, positive: bool = False) -> Ranking:
    """Return the n best articles; positive: only those that score above 0."""
    rows = np.flatnonzero(scores > 0) if positive else np.arange(len(scores))
    if len(rows) > n:
        threshold = np.partition(scores[rows], len(rows) - n)[len(rows) - n]
        rows = rows[scores[rows] >= threshold]  # all that tie with the last one, so that ids decide
    return ties.sort(rows, scores[rows]).head(n)

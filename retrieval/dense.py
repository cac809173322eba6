"""Arithmetic on vectors that are already there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["exact_scores", "neighbour_recall"]


def exact_scores(queries: NDArray[np.float32], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the inner products of queries (n, d) and articles (m, d), shape (n, m), in [-1, 1] for unit rows.

    Clipped to that range, as rounding can leave it by 1e-7. Raises ValueError if the dimensions differ.
    """
    if queries.ndim != 2 or matrix.ndim != 2 or queries.shape[1] != matrix.shape[1]:
        raise ValueError(
            f"queries of shape {queries.shape} and articles of shape {matrix.shape}: not (n, d) and (m, d)"
        )
    scores: NDArray[np.float32] = np.clip(queries @ matrix.T, -1, 1)
    return scores


def neighbour_recall(found: Sequence[Sequence[str]], scores: NDArray[np.float32], ids: Sequence[str]) -> float | None:
    """Return how much of the exact nearest articles an approximate index found, the mean over the queries, in [0, 1].

    found: of each query, the ids the index returned, n of them. scores: exact, (n_queries, len(ids)), columns as `ids`.
    A found id counts if its score is among the n best of its query; so any of several tied articles will do.
    None if there is no query, or nothing was looked for.
    """
    column = {name: place for place, name in enumerate(ids)}
    shares = []
    for names, row in zip(found, scores, strict=True):
        if names:
            nth_best = np.partition(row, -len(names))[-len(names)]
            shares.append(sum(row[column[name]] >= nth_best for name in set(names)) / len(names))
    return float(np.mean(shares)) if shares else None

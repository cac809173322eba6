"""Fusion of rankings and of scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.ranking import Ranking, Scores

__all__ = ["convex", "min_max", "reciprocal_rank_fusion", "share_of_maximum", "weighted_sum"]


def reciprocal_rank_fusion(rankings: Sequence[Ranking], n_articles: int, *, rank_constant: int = 60) -> Scores:
    """Return the sum over rankings of 1 / (rank_constant + rank), rank from 1 (Cormack et al., SIGIR 2009).

    An article that no ranking holds scores 0. The order of the rankings does not matter.
    Raises ValueError if rank_constant < 0 or a ranking names an article twice.
    """
    if rank_constant < 0:
        raise ValueError(f"rank_constant must be 0 or more, not {rank_constant}")
    ranks = np.zeros((len(rankings), n_articles))
    for gains, ranking in zip(ranks, rankings, strict=True):
        if len(np.unique(ranking.rows)) != len(ranking.rows):
            raise ValueError("a ranking names an article twice")
        gains[ranking.rows] = 1 / (rank_constant + np.arange(1, len(ranking.rows) + 1))
    in_order = np.sort(ranks, axis=0)  # so that the sum does not depend on the order of the rankings
    return np.asarray(in_order.sum(axis=0), dtype=np.float64)


def convex(deep: Scores, lexical: Scores, *, alpha: float) -> Scores:
    """Return alpha · deep + (1 - alpha) · lexical, both min-max normalised over the articles given.

    Equation 12 of Nguyen et al., Attentive deep neural networks for legal document retrieval, 2022.
    Raises ValueError if alpha is outside [0, 1].
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha must lie in [0, 1], not {alpha}")
    return alpha * min_max(deep) + (1 - alpha) * min_max(lexical)


def weighted_sum(scores: Sequence[Scores], weights: Sequence[float]) -> Scores:
    """Return the weighted mean of score arrays, each min-max normalised over all articles: in [0, 1].

    Raises ValueError if a weight is negative or all are 0.
    """
    if min(weights) < 0 or sum(weights) == 0:
        raise ValueError(f"weights must be 0 or more and not all 0: {weights}")
    total = sum(weight * min_max(one) for one, weight in zip(scores, weights, strict=True))
    return np.asarray(total / sum(weights))


def min_max(scores: Scores) -> Scores:
    """Scale scores linearly to [0, 1]; equal scores all become 0."""
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def share_of_maximum(scores: Scores) -> Scores:
    """Divide scores by the greatest, negative ones counting 0; all 0 if none is positive."""
    clamped = np.maximum(scores, 0.0)
    high = clamped.max(initial=0.0)
    return clamped / high if high > 0 else clamped

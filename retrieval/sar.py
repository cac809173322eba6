"""SAR, structure-aware reranking: the best candidates raise the articles they cite (SearchFireSafety, ACL 2026)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from retrieval.ranking import Ranking, Scores, TieOrder, top

__all__ = ["SarSettings", "boosts", "rerank"]


@dataclass(frozen=True, slots=True)
class SarSettings:
    """The published settings."""

    n_candidates: int = 100  # K
    n_seeds: int = 15  # M, the best candidates, which vote
    n_anchors: int = 5  # F, the very best, which keep their places
    beta: float = 0.30
    pool_size: int = 150  # expansion: candidates and admitted neighbours together

    def __post_init__(self) -> None:
        if min(self.n_candidates, self.n_seeds) < 1 or self.n_anchors < 0 or not 0 <= self.beta < math.inf:
            raise ValueError(f"SAR needs n_candidates, n_seeds >= 1 and n_anchors, beta >= 0: {self}")
        if self.pool_size < self.n_candidates:
            raise ValueError(f"SAR's pool_size {self.pool_size} is below n_candidates {self.n_candidates}")


def boosts(seeds: Sequence[Ranking], adjacency: csr_array[np.float64]) -> csr_array[np.float64]:
    """Return B: what every article gains from the votes of each question's seeds, shape (n_questions, n_articles).

    B(n) = 1 / p(in(n)) times the sum, over the seeds s that cite n, of S(s) / p(out(s)); p(n) = ln(n + 1) if n > 1
    else 1; degrees are those of `adjacency` (row cites column, 0/1, no diagonal). One sparse product for the batch.
    """
    damped_out = _damped(np.diff(adjacency.indptr))
    damped_in = _damped(np.bincount(adjacency.indices, minlength=adjacency.shape[1]))
    rows = np.concatenate([seed.rows for seed in seeds]) if seeds else np.zeros(0, dtype=np.int64)
    votes = np.concatenate([seed.scores for seed in seeds]) if seeds else np.zeros(0)
    starts = np.concatenate([[0], np.cumsum([len(seed.rows) for seed in seeds])]).astype(np.int64)
    by_question = csr_array((votes / damped_out[rows], rows, starts), shape=(len(seeds), adjacency.shape[0]))
    gains = csr_array(by_question @ adjacency)
    gains.data /= damped_in[gains.indices]
    return gains


def rerank(
    scores: Sequence[Scores],
    adjacency: csr_array[np.float64],
    ties: TieOrder,
    *,
    settings: SarSettings | None = None,
    expand: bool = False,
) -> list[Ranking]:
    """Rerank each question's candidates along the citations.

    S'(d) = S(d) + beta · B(d) · (1 - S(d)) for every candidate d but the first n_anchors, which keep place and score.
    scores: one array per question over all articles, in [0, 1] (the caller scales and clamps).
    expand: articles outside the candidates that a seed cites are admitted, the best by S' first, up to pool_size.
    Strict mode returns the same candidates in a new order; both leave out articles that score 0 and gain nothing.
    Raises ValueError if a score is outside [0, 1] or not a number.
    """
    settings = settings or SarSettings()
    for question_no, question_scores in enumerate(scores):
        if not ((question_scores >= 0) & (question_scores <= 1)).all():
            raise ValueError(f"question {question_no}: SAR takes scores in [0, 1]")
    candidates = [top(s, settings.n_candidates, ties, positive=True) for s in scores]
    gains = boosts([found.head(settings.n_seeds) for found in candidates], adjacency)
    return [
        _reordered(found, s, gains[[question_no], :], ties, settings, expand=expand)
        for question_no, (found, s) in enumerate(zip(candidates, scores, strict=True))
    ]


def _reordered(
    candidates: Ranking,
    scores: Scores,
    gains: csr_array[np.float64],
    ties: TieOrder,
    settings: SarSettings,
    *,
    expand: bool,
) -> Ranking:
    gain = np.zeros(len(scores))
    gain[gains.indices] = gains.data
    raised = scores + settings.beta * gain * (1 - scores)
    anchors, rest = candidates.head(settings.n_anchors), candidates.rows[settings.n_anchors :]
    if expand:
        outside = np.setdiff1d(gains.indices[gains.data > 0], candidates.rows).astype(np.int64)
        admitted = ties.sort(outside, raised[outside]).rows[: settings.pool_size - len(candidates.rows)]
        rest = np.concatenate([rest, admitted])
    moved = ties.sort(rest, raised[rest])
    return Ranking(np.concatenate([anchors.rows, moved.rows]), np.concatenate([anchors.scores, moved.scores]))


def _damped(degrees: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(degrees > 1, np.log(degrees + 1.0), 1.0)

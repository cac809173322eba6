"""The convex combination with its α chosen on the training questions: the plain rival that a learned ranker must beat.

Tuned and learned alike see the training folds alone: α is the one with the highest mean there, and each question is
answered with the α chosen without its fold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from retrieval.fusion import convex
from retrieval.ranking import Ranking, top
from retrieval.retriever import Retriever

__all__ = ["ALPHAS", "best_alpha", "convex_rankings", "held_out_alphas"]

ALPHAS: tuple[float, ...] = tuple(step / 20 for step in range(21))
"""The values tried, 0 (BM25 alone) to 1 (dense alone)."""


def convex_rankings(retriever: Retriever, questions: Sequence[str], *, depth: int) -> list[list[Ranking]]:
    """Return, for each of ALPHAS, one ranking a question. Raises IndexFolderError if the index has no vectors."""
    ties = retriever.index.ties
    by_alpha: list[list[Ranking]] = [[] for _ in ALPHAS]
    for question in questions:
        (deep,), (words,) = retriever.scores([question], "dense"), retriever.scores([question], "bm25")
        for rankings, alpha in zip(by_alpha, ALPHAS, strict=True):
            rankings.append(top(convex(deep, words, alpha=alpha), depth, ties))
    return by_alpha


def best_alpha(values: NDArray[np.float64], training: NDArray[np.bool_] | None = None, *, default: float) -> int:
    """Return the place in ALPHAS of the one with the highest mean over the training questions.

    values: a row an α, a column a question; training: which columns count, None for all. Ties go to the one nearest to
    the default, then to the lower.
    """
    means = values.mean(axis=1) if training is None else values[:, training].mean(axis=1)
    return min(range(len(ALPHAS)), key=lambda place: (-means[place], abs(ALPHAS[place] - default)))


def held_out_alphas(values: NDArray[np.float64], fold: NDArray[np.int64], *, default: float) -> NDArray[np.int64]:
    """Return each question's place in ALPHAS, chosen on the questions of the other folds."""
    chosen = np.empty(len(fold), dtype=np.int64)
    for number in np.unique(fold):
        chosen[fold == number] = best_alpha(values, fold != number, default=default)
    return chosen

"""Reranking by models that `cross:MODEL` and `trained:MODEL` name: the base's best in a new order, the others below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.article_ranker import ArticleRanker, open_article_ranker
from retrieval.cross_encoder import CrossEncoder, open_cross_encoder
from retrieval.fusion import convex
from retrieval.ranking import Ranking, TieOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.records import Provision
    from retrieval.settings import TrainedSettings

__all__ = ["ModelRerankers", "fused"]


class ModelRerankers:
    """The models of one retriever, each opened when it is first asked for."""

    def __init__(self) -> None:
        self._cross_encoders: dict[str, CrossEncoder] = {}
        self._rankers: dict[str, ArticleRanker] = {}

    def ranker(self, model: str) -> ArticleRanker:
        """Return a trained model. Raises EncoderError with what to do if it cannot be opened."""
        if model not in self._rankers:
            self._rankers[model] = open_article_ranker(model)
        return self._rankers[model]

    def crossed(
        self, model: str, question: str, order: Ranking, articles: Sequence[Provision], ties: TieOrder, *, n_cross: int
    ) -> Ranking:
        """Let a cross-encoder order the first n_cross of the base's order. articles: those of the index.

        Raises EncoderError with what to do if it cannot be opened.
        """
        if model not in self._cross_encoders:
            self._cross_encoders[model] = open_cross_encoder(model)
        best = order.head(n_cross).rows
        fits = self._cross_encoders[model].score(question, [articles[row] for row in best])
        return _above_the_rest(ties.sort(best, fits), order)

    def trained(
        self,
        model: str,
        question: str,
        order: Ranking,
        articles: Sequence[Provision],
        ties: TieOrder,
        settings: TrainedSettings,
    ) -> Ranking:
        """Let a trained model and the base together order the base's candidates, as `fused` does."""
        candidates = order.head(settings.n_candidates).rows
        deep = self.ranker(model).score(question, [articles[row] for row in candidates])
        return fused(Ranking(candidates, deep), order, ties, settings)


def fused(deep: Ranking, order: Ranking, ties: TieOrder, settings: TrainedSettings) -> Ranking:
    """Return the base's order, its first n_candidates by alpha · deep + (1 - alpha) · base.

    Both are min-max normalised over the candidates (Nguyen et al., eq. 12: `fusion.convex`). deep: the model's scores
    of at least as many of the base's first, in the base's order. Raises ValueError if they are of others.
    """
    n = min(settings.n_candidates, len(order.rows))
    if n == 0:
        return order
    if not np.array_equal(deep.rows[:n], order.rows[:n]):
        raise ValueError("the model's scores are not of the base's first candidates in their order")
    scores = convex(deep.scores[:n], order.scores[:n], alpha=settings.alpha)
    return _above_the_rest(ties.sort(order.rows[:n], scores), order)


def _above_the_rest(moved: Ranking, order: Ranking) -> Ranking:
    n = len(moved.rows)
    return Ranking(np.concatenate([moved.rows, order.rows[n:]]), np.concatenate([moved.scores, order.scores[n:]]))

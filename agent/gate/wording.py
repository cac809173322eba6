"""What is asked, in one wording: its terms with their weights, and how well each article of the index fits it."""

from __future__ import annotations

import math
from collections.abc import Set
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from retrieval.dense import exact_scores
from retrieval.encoder import Encoder
from retrieval.index import Index
from retrieval.ranking import Scores

__all__ = ["Wording"]


class Wording:
    """A question, or a question with its options, against an index.

    encoder: of questions, where vectors are to be looked at; None: words alone. seen: terms that are not to count.
    Sums are exact, so that they do not depend on the order of a set.
    """

    def __init__(
        self, text: str, index: Index, encoder: Encoder | None = None, *, seen: Set[str] = frozenset()
    ) -> None:
        self.text = text
        self._index = index
        self._encoder = encoder
        self._idf = index.lexical.idf
        self.weights = {term: self._idf(term) for term in index.lexical.analyze(text) if term not in seen}
        self.weight = math.fsum(self.weights.values())

    def share(self, terms: Set[str]) -> float:
        """Return the weight of those of some terms that are asked for, as a share of all, in [0, 1]; 0 if none are."""
        asked = self.weights.keys() & terms
        return math.fsum(self.weights[term] for term in asked) / self.weight if asked else 0.0

    def said(self, terms: Set[str]) -> float:
        """Return the share of some terms that are asked for, by their idf, in [0, 1]; 0 if none are."""
        asked = self.weights.keys() & terms
        return math.fsum(map(self._idf, asked)) / math.fsum(map(self._idf, terms)) if asked else 0.0

    @cached_property
    def bm25(self) -> Scores:
        """The articles' BM25 as a share of the summed idf, which it never reaches."""
        scores = self._index.lexical.bm25(self.text)
        return scores / self.weight if self.weight else scores

    @cached_property
    def bm25_of_best(self) -> Scores:
        """The articles' BM25 as a share of the best article's."""
        best = float(self.bm25.max(initial=0.0))
        return self.bm25 / best if best else self.bm25

    @cached_property
    def cosine(self) -> Scores | None:
        """The articles' cosines; None without an encoder."""
        if self._encoder is None:
            return None
        query: NDArray[np.float32] = self._encoder.encode_queries([self.text])
        cosines: Scores = exact_scores(query, self._index.matrix)[0].astype(np.float64)
        return cosines

    @cached_property
    def cosine_deviation(self) -> Scores | None:
        """The articles' cosines less their mean, in standard deviations; None without an encoder."""
        if self.cosine is None:
            return None
        deviations: Scores = (self.cosine - self.cosine.mean()) / (float(self.cosine.std()) or 1.0)
        return deviations

    @cached_property
    def fit(self) -> Scores:
        """BM25 and, with an encoder, deviation of the cosine, each as a share of the best article's, added."""
        if self.cosine_deviation is None:
            return self.bm25_of_best
        return self.bm25_of_best + self.cosine_deviation / max(float(self.cosine_deviation.max()), 1e-9)

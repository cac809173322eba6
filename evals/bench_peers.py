"""What other packages, and plain code, do for the work that `bench.py` times."""

from __future__ import annotations

import heapq
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import bm25s
import numpy as np
from numpy.typing import NDArray

from graph.records import Provision
from retrieval.dense import exact_scores
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.lexical import LexicalIndex
from retrieval.ranking import Ranking, top
from retrieval.retriever import Retriever
from retrieval.sar import SarSettings

__all__ = ["DEPTH", "LangChain", "bm25s_alone", "our_hybrid", "plain_sar", "rank_bm25_alone"]

DEPTH = 10  # articles returned

_FUSED_DEPTH = 100  # articles of each ranking that is fused

Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]


def bm25s_alone(articles: Sequence[Provision], lexical: LexicalIndex) -> bm25s.BM25:
    """Analyse and index the articles with bm25s, and nothing around it."""
    terms = [lexical.settings.fields.terms(article, lexical.analyze) for article in articles]
    engine = bm25s.BM25(k1=lexical.settings.k1, b=lexical.settings.b, method="lucene")
    engine.index(terms, show_progress=False)
    return engine


def rank_bm25_alone(articles: Sequence[Provision], lexical: LexicalIndex) -> Any:
    """Return rank-bm25's BM25Okapi over the same terms."""
    from rank_bm25 import BM25Okapi

    terms = (lexical.settings.fields.terms(article, lexical.analyze) for article in articles)
    return BM25Okapi(terms, k1=lexical.settings.k1, b=lexical.settings.b)


def our_hybrid(retriever: Retriever, question: str, vector: Vectors, matrix: Vectors) -> Ranking:
    """Fuse BM25 and exact dense scores by reciprocal rank, as hybrid-rrf does after encoding."""
    ties = retriever.index.ties
    (dense,) = exact_scores(vector[None], matrix)
    words = top(retriever.index.lexical.bm25(question), _FUSED_DEPTH, ties, positive=True)
    deep = top(dense.astype(np.float64), _FUSED_DEPTH, ties)
    return top(reciprocal_rank_fusion([deep, words], len(matrix)), DEPTH, ties, positive=True)


class LangChain:
    """LangChain's BM25Retriever, and its EnsembleRetriever over that and an exact dense retriever.

    okapi: rank-bm25's index, which BM25Retriever would build itself; given, so that memory holds it once.
    vectors: of the questions. Raises ModuleNotFoundError without langchain-community and langchain-classic.
    """

    def __init__(
        self,
        articles: Sequence[Provision],
        lexical: LexicalIndex,
        okapi: Any,
        matrix: Vectors,
        vectors: Mapping[str, Vectors],
    ) -> None:
        from langchain_core.documents import Document
        from langchain_core.retrievers import BaseRetriever

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of langchain-community as a whole
            from langchain_classic.retrievers import EnsembleRetriever
            from langchain_community.retrievers import BM25Retriever

        documents = [Document(page_content=one.text, metadata={"semantic_id": one.semantic_id}) for one in articles]

        class Dense(BaseRetriever):
            """The nearest articles, by one product."""

            def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
                scores = matrix @ vectors[query]
                nearest = np.argpartition(-scores, min(_FUSED_DEPTH, len(scores)) - 1)[:_FUSED_DEPTH]
                return [documents[row] for row in nearest[np.argsort(-scores[nearest])].tolist()]

        def retriever(k: int) -> Any:
            return BM25Retriever(vectorizer=okapi, docs=documents, k=k, preprocess_func=lexical.analyze)

        self._bm25 = retriever(DEPTH)
        self._ensemble = EnsembleRetriever(retrievers=[Dense(), retriever(_FUSED_DEPTH)], weights=[0.5, 0.5])

    def bm25(self, question: str) -> object:
        """Ask BM25Retriever."""
        return self._bm25.invoke(question)

    def ensemble(self, question: str) -> object:
        """Ask EnsembleRetriever."""
        return self._ensemble.invoke(question)[:DEPTH]


def plain_sar(
    scores: Sequence[float], cites: Sequence[Sequence[int]], indegrees: Sequence[int], settings: SarSettings
) -> list[int]:
    """Return the candidates as SAR orders them, written as its formula reads: dicts and loops, no arrays.

    scores: of every article; cites: of each article, the rows that it cites. Ties go to the lower row.
    """
    found = [row for row, score in enumerate(scores) if score > 0]
    order = heapq.nlargest(settings.n_candidates, found, key=lambda row: (scores[row], -row))
    gains: dict[int, float] = {}
    for seed in order[: settings.n_seeds]:
        for cited in cites[seed]:
            vote = scores[seed] / _damped(len(cites[seed]))
            gains[cited] = gains.get(cited, 0.0) + vote / _damped(indegrees[cited])
    raised = {row: scores[row] + settings.beta * gains.get(row, 0.0) * (1 - scores[row]) for row in order}
    anchors, rest = order[: settings.n_anchors], order[settings.n_anchors :]
    return anchors + sorted(rest, key=lambda row: (-raised[row], row))


def _damped(degree: int) -> float:
    return math.log(degree + 1) if degree > 1 else 1.0

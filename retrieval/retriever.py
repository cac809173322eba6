"""Retriever: a question in, hits out, by any method of `methods.py`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from graph.errors import EncoderError
from graph.records import Hit, Provision
from retrieval import fusion, sar
from retrieval.article_ranker import AttendedSentence
from retrieval.dense import exact_scores
from retrieval.encoder import Encoder, SparseEncoder, check_identity, open_encoder, unit_rows
from retrieval.index import Index
from retrieval.methods import Method, parse_method
from retrieval.model_rerankers import ModelRerankers
from retrieval.pagerank import personalised_pagerank, typed_adjacency
from retrieval.ranking import Ranking, Scores, top
from retrieval.settings import RetrievalSettings

__all__ = ["Retriever"]

_LEXICAL_ONLY = frozenset({"tfidf", "bm25", "bm25-rank"})


class Retriever:
    """Searches one index.

    settings: None takes those that the index was built with. encoder: None opens the one that the index names, when
    first needed. models: those of another retriever, so that none is opened twice. Same index, same settings, same
    question: the same hits, to the byte.
    """

    def __init__(
        self,
        index: Index,
        *,
        settings: RetrievalSettings | None = None,
        encoder: Encoder | None = None,
        models: ModelRerankers | None = None,
    ) -> None:
        if encoder is not None and index.manifest.encoder is not None:
            check_identity(index.manifest.encoder, encoder.identity, str(index.folder))
        self.index = index
        self.settings = settings or index.manifest.settings
        self._given_encoder = encoder
        self.models = models or ModelRerankers()

    @classmethod
    def open(cls, folder: Path, *, settings: RetrievalSettings | None = None, encoder: Encoder | None = None) -> Self:
        """Open an index folder for searching. Raises IndexFolderError or EncoderError with what mends it."""
        return cls(Index.open(folder), settings=settings, encoder=encoder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.index.close()

    @property
    def default_method(self) -> Method:
        """The method of the settings; without one, the best that the index has the vectors for."""
        if self.settings.method:
            return parse_method(self.settings.method)
        base = "fused" if self.index.manifest.sparse else "hybrid" if self.index.has_vectors else "bm25"
        return Method(base, "sar-free" if base == "fused" else "sar")

    def search(self, question: str, *, top_k: int = 10, method: str | None = None) -> list[Hit]:
        """Return the best top_k articles, fewer if fewer score at all.

        Raises ValueError if top_k < 1 or the method is unknown; IndexFolderError if it needs vectors and has none.
        """
        if top_k < 1:
            raise ValueError(f"top_k must be at least 1, not {top_k}")
        chosen = parse_method(method) if method else self.default_method
        (ranking,) = self.rankings([question], chosen, depth=top_k)
        return [
            Hit(self.index.graph.articles[row], float(score), str(chosen))
            for row, score in zip(ranking.rows, ranking.scores, strict=True)
        ]

    def article(self, semantic_id: str) -> Provision:
        """Return a provision by its id. Raises KeyError if the index has none of that name."""
        return self.index.graph.provisions[semantic_id]

    def rankings(self, questions: Sequence[str], method: Method, *, depth: int) -> list[Ranking]:
        """Rank the articles for several questions, each ranking `depth` long or as long as anything scores."""
        positive = method.base in _LEXICAL_ONLY or method.base == "hybrid-rrf"
        if method.reranker and method.reranker.startswith("rocchio"):
            return [ranking.head(depth) for ranking in self._rocchio(questions, method, depth)]
        scores = self.scores(questions, method.base)
        if method.reranker is None:
            return [top(s, depth, self.index.ties, positive=positive) for s in scores]
        if method.model is not None:
            orders = [top(s, len(s), self.index.ties, positive=positive) for s in scores]
            return [
                self._by_model(one, order, method, method.model).head(depth)
                for one, order in zip(questions, orders, strict=True)
            ]
        if method.reranker == "links":
            return [self._with_links(top(s, depth, self.index.ties, positive=positive), s).head(depth) for s in scores]
        return self.reranked(scores, method, depth=depth)

    def reranked(self, scores: Sequence[Scores], method: Method, *, depth: int) -> list[Ranking]:
        """Rank by a method of SAR or by PageRank, given each question's scores by its base."""
        unit = [self._unit_scores(s, method.base) for s in scores]
        if method.reranker == "ppr":
            reranked = [self._walked(s) for s in unit]
        else:
            adjacency, settings = self._sar(method)
            reranked = sar.rerank(
                unit, adjacency, self.index.ties, settings=settings, expand=method.reranker == "sar-expand"
            )
        return [self._continued(ranking, s, depth).head(depth) for ranking, s in zip(reranked, unit, strict=True)]

    def votes(self, question: str, method: Method, semantic_id: str) -> dict[str, float]:
        """Return what each seed of a SAR method adds to an article's B: seed -> vote, the greatest first.

        Raises ValueError if the method is no SAR.
        """
        if method.reranker is None or not method.reranker.startswith("sar"):
            raise ValueError(f"{method} lets no seed vote")
        adjacency, settings = self._sar(method)
        (scores,) = self.scores([question], method.base)
        unit = self._unit_scores(scores, method.base)
        seeds = top(unit, min(settings.n_seeds, settings.n_candidates), self.index.ties, positive=True)
        alone = [Ranking(seeds.rows[[place]], seeds.scores[[place]]) for place in range(len(seeds.rows))]
        gains = sar.boosts(alone, adjacency)[:, [self.index.row_of[semantic_id]]].toarray().ravel()
        found = self.index.ties.sort(seeds.rows[gains > 0], gains[gains > 0])
        return dict(zip((self.index.graph.articles[row] for row in found.rows), found.scores.tolist(), strict=True))

    def attended(self, question: str, method: Method, semantic_id: str) -> tuple[AttendedSentence, ...]:
        """Return the sentences of an article that a trained model attends to; none if its kind does not.

        Raises ValueError if the method is none of a trained model.
        """
        if method.reranker != "trained" or method.model is None:
            raise ValueError(f"{method} attends to no sentence")
        return self.models.ranker(method.model).attended(question, self.article(semantic_id))

    def _sar(self, method: Method) -> tuple[csr_array[np.float64], sar.SarSettings]:
        adjacency = self.index.graph.adjacency(directed=method.reranker in ("sar", "sar-expand"))
        return adjacency, self.settings.sar_free if method.reranker == "sar-free" else self.settings.sar

    def scores(self, questions: Sequence[str], base: str) -> list[Scores]:
        """Return one array a question with the base method's score of every article, in index order."""
        lexical = self.index.lexical
        match base:
            case "tfidf":
                return [lexical.tfidf(question) for question in questions]
            case "bm25":
                return [lexical.bm25(question) for question in questions]
            case "bm25-rank":
                return [lexical.rank_bm25(question) for question in questions]
            case "dense":
                return self._dense_scores(self._encode(questions))
            case "sparse":
                return self._sparse_scores(questions)
            case "fused":
                triples = zip(*(self.scores(questions, one) for one in ("dense", "sparse", "bm25")), strict=True)
                weights = self.settings.fusion
                parts = (weights.dense_weight, weights.sparse_weight, weights.lexical_weight)
                return [fusion.weighted_sum(triple, parts) for triple in triples]
            case "hybrid":
                pairs = zip(self.scores(questions, "dense"), self.scores(questions, "bm25"), strict=True)
                return [fusion.convex(deep, words, alpha=self.settings.fusion.alpha) for deep, words in pairs]
            case "hybrid-rrf":
                pairs = zip(self.scores(questions, "dense"), self.scores(questions, "bm25"), strict=True)
                return [self._reciprocal_rank_fusion(deep, words) for deep, words in pairs]
        raise ValueError(f"{base!r} is no base method")

    def sparse_similarities(self, question: str) -> Scores:
        """Return the cosine of a question and each article by learned sparse vectors, in [0, 1], in index order."""
        query = self._sparse_encoder.encode_queries_sparse([question]).astype(np.float64)
        length = float(np.sqrt(query.multiply(query).sum()))
        products: Scores = (query @ self.index.sparse.T).toarray()[0]
        return products / self._sparse_lengths / length if length > 0 else products

    @cached_property
    def _sparse_encoder(self) -> SparseEncoder:
        encoder = self.encoder
        if not isinstance(encoder, SparseEncoder):
            raise EncoderError(f"{encoder.identity} gives questions no sparse vectors, though the index holds some")
        return encoder

    @cached_property
    def _sparse_lengths(self) -> NDArray[np.float64]:
        squares = np.asarray(self.index.sparse.power(2).sum(axis=1), dtype=np.float64)
        return np.maximum(np.sqrt(squares), np.finfo(np.float64).tiny)

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder of the index. Raises EncoderError if what opens now is not what the vectors were made with."""
        stored = self.index.manifest.encoder
        if stored is None:
            raise EncoderError(f"{self.index.folder}: has no vectors, so there is nothing to compare a question with")
        encoder = self._given_encoder or open_encoder(stored.name)
        if encoder is None:
            raise EncoderError(f"{self.index.folder}: names no encoder that can be opened: {stored}")
        check_identity(stored, encoder.identity, str(self.index.folder))
        return encoder

    def _encode(self, questions: Sequence[str]) -> NDArray[np.float32]:
        if not self.index.has_vectors:
            _ = self.index.vectors  # raises what to do
        return self.encoder.encode_queries(questions)

    def _dense_scores(self, queries: NDArray[np.float32]) -> list[Scores]:
        if len(self.index.articles) <= self.settings.exact_limit:
            # One by one: the last bits of a product of matrices depend on how many questions come together.
            return [exact_scores(query[None], self.index.matrix)[0].astype(np.float64) for query in queries]
        found = self.index.vectors.nearest(queries, self.settings.approximate_depth)
        scores = np.zeros((len(queries), len(self.index.articles)))
        for row, names, values in zip(scores, found.ids, found.scores, strict=True):
            row[[self.index.row_of[name] for name in names]] = values
        return list(scores)

    def _sparse_scores(self, questions: Sequence[str]) -> list[Scores]:
        queries = self._sparse_encoder.encode_queries_sparse(questions)
        products = queries.astype(np.float64) @ self.index.sparse.T
        return list(products.toarray())

    def _reciprocal_rank_fusion(self, deep: Scores, words: Scores) -> Scores:
        settings, ties = self.settings.fusion, self.index.ties
        rankings = [top(deep, settings.depth, ties), top(words, settings.depth, ties, positive=True)]
        return fusion.reciprocal_rank_fusion(rankings, len(deep), rank_constant=settings.rank_constant)

    @staticmethod
    def _unit_scores(scores: Scores, base: str) -> Scores:
        """Bring scores to SAR's range: cosines are clamped, what has no upper bound is divided by its maximum."""
        return np.clip(scores, 0.0, 1.0) if base in ("dense", "hybrid", "fused") else fusion.share_of_maximum(scores)

    def _continued(self, ranking: Ranking, scores: Scores, depth: int) -> Ranking:
        """Let the base's order go on where the reranked candidates end."""
        if len(ranking.rows) >= depth:
            return ranking
        rest = top(scores, depth + len(ranking.rows), self.index.ties, positive=True)
        new = ~np.isin(rest.rows, ranking.rows)
        return Ranking(
            np.concatenate([ranking.rows, rest.rows[new]]), np.concatenate([ranking.scores, rest.scores[new]])
        )

    def _with_links(self, ranking: Ranking, scores: Scores) -> Ranking:
        """Follow each hit with the articles it cites that are not yet listed, in the order of their own scores."""
        adjacency, listed, rows = self.index.graph.adjacency(), set[int](), list[int]()
        for row in ranking.rows.tolist():
            cited = adjacency.indices[adjacency.indptr[row] : adjacency.indptr[row + 1]].astype(np.int64)
            for one in (row, *self.index.ties.sort(cited, scores[cited]).rows.tolist()):
                if one not in listed:
                    listed.add(one)
                    rows.append(one)
        order = np.array(rows, dtype=np.int64)
        return Ranking(order, scores[order])

    def _walked(self, scores: Scores) -> Ranking:
        """Rank by how often a walk that starts at the candidates comes by."""
        settings = self.settings.pagerank
        candidates = top(scores, settings.n_candidates, self.index.ties, positive=True)
        start = np.zeros_like(scores)
        # By how much each exceeds the last: as they are, cosines lie too close together to tell where to start.
        excess = candidates.scores - candidates.scores.min(initial=np.inf)
        start[candidates.rows] = excess if excess.any() else 1.0
        walk = personalised_pagerank(start, self._walk_steps, settings=settings)
        return top(walk, len(walk), self.index.ties, positive=True)

    @cached_property
    def _walk_steps(self) -> csr_array[np.float64]:
        return typed_adjacency(self.index.graph, self.settings.pagerank)

    def _by_model(self, question: str, order: Ranking, method: Method, model: str) -> Ranking:
        articles, ties = self.index.articles, self.index.ties
        if method.reranker == "cross":
            return self.models.crossed(model, question, order, articles, ties, n_cross=self.settings.n_cross)
        return self.models.trained(model, question, order, articles, ties, self.settings.trained)

    def _rocchio(self, questions: Sequence[str], method: Method, depth: int) -> list[Ranking]:
        settings, ties, matrix = self.settings.rocchio, self.index.ties, self.index.matrix
        queries = self._encode(questions)
        first = [top(s, settings.n_candidates, ties) for s in self._dense_scores(queries)]
        feedback = np.stack([matrix[ranking.rows[: settings.n_feedback]].mean(axis=0) for ranking in first])
        moved = unit_rows(settings.query_weight * queries + settings.feedback_weight * feedback)
        again = self._dense_scores(moved)
        if method.reranker == "rocchio-full":
            return [top(s, depth, ties) for s in again]
        moved_candidates = [ties.sort(ranking.rows, s[ranking.rows]) for ranking, s in zip(first, again, strict=True)]
        return [self._continued(ranking, s, depth) for ranking, s in zip(moved_candidates, again, strict=True)]

"""Questions with their candidates and features: what the models learn from and rank."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graph.records import Provision, Question
from retrieval.dense import exact_scores
from retrieval.encoder_cache import CachedEncoder
from retrieval.fusion import convex, share_of_maximum
from retrieval.learned.features import (
    GRAPH_GROUPS,
    GROUPS,
    LawPrior,
    QuestionScores,
    candidates,
    column_groups,
    features,
    law_prior,
)
from retrieval.learned.tables import ArticleTables
from retrieval.retriever import Retriever
from retrieval.settings import cache_folder

__all__ = ["Candidates", "PairMaker", "asking", "check_groups", "sentences"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_N_BEST = 200  # candidates by the base
_SENTENCE_END = re.compile(r"(?<=[.?!。？！])\s+|(?<=[。？！])|\n+")
_SHORTEST_SENTENCE = 9  # characters; less is an enumeration's number or a unit


@dataclass(frozen=True)
class Candidates:
    """What may answer one question."""

    question: Question
    rows: Ints  # in the index; the base's best first, then their neighbours in the graph
    n_best: int  # how many of them the base gave
    values: Floats  # (len(rows), number of columns), all groups but the prior
    base: Floats  # the base's score of every article
    gold: tuple[int, ...]  # rows in the index

    def labels(self, rows: Ints) -> NDArray[np.bool_]:
        """Return which of some rows are gold."""
        return np.isin(rows, self.gold)


class PairMaker:
    """Makes candidates and features for the questions of one index; its tables take seconds to count.

    Without vectors the base is BM25 and the dense features are not there; with them, the convex combination.
    """

    def __init__(self, retriever: Retriever) -> None:
        index = retriever.index
        self.retriever = retriever
        self.articles: Sequence[Provision] = index.articles
        self.tables = ArticleTables(index.articles, index.graph, index.lexical)
        self.columns: list[tuple[str, str]] = []  # group and name; known once a question was seen
        self._encoder: CachedEncoder | None = None

    def candidates(self, question: Question) -> Candidates:
        """Return the candidates of a question with their features."""
        index = self.retriever.index
        scores = self._scores(question.text)
        rows = candidates(scores.base, self.tables, index.ties, n_best=_N_BEST, with_neighbours=True)
        found = features(scores, self.tables, index.ties)
        self.columns = column_groups(found)
        values = np.stack([column[rows] for of_group in found.values() for column in of_group.values()], axis=1)
        gold = tuple(index.row_of[name] for name in question.gold if name in index.row_of)
        return Candidates(question, rows, min(_N_BEST, self.tables.n_articles), values, scores.base, gold)

    def matrix(self, one: Candidates, groups: Collection[str], prior: LawPrior | None) -> tuple[Ints, Floats]:
        """Return the rows and the values that some groups of features see.

        Without the graph's groups there are no neighbours either. prior: None where its group is not wanted.
        """
        n_rows = len(one.rows) if GRAPH_GROUPS & set(groups) else one.n_best
        wanted = [place for place, (group, _) in enumerate(self.columns) if group in groups]
        values = one.values[:n_rows, wanted]
        rows = one.rows[:n_rows]
        return rows, values if prior is None else np.hstack([values, prior.columns(self.tables, rows)])

    def names(self, groups: Collection[str]) -> list[str]:
        """Return the names of the columns of `matrix`."""
        own = [f"{group}: {name}" for group, name in self.columns if group in groups]
        return [*own, "prior: law", "prior: family"] if "prior" in groups else own

    def prior(self, many: Sequence[Candidates]) -> LawPrior:
        """Count the laws and families of the gold of training questions."""
        pairs = [(self.articles[row].law_name, self.articles[row].collection_name) for one in many for row in one.gold]
        ends = np.cumsum([len(one.gold) for one in many])
        return law_prior([pairs[end - len(one.gold) : end] for end, one in zip(ends.tolist(), many, strict=True)])

    def _scores(self, question: str) -> QuestionScores:
        lexical = self.retriever.index.lexical
        bm25, tfidf = lexical.bm25(question), lexical.tfidf(question)
        if not self.retriever.index.has_vectors:
            return QuestionScores(question, share_of_maximum(bm25), bm25, tfidf, None, None, None)
        said = sentences(question)
        cosine, *by_sentence = self._cosines([question, *said])
        base = convex(cosine, bm25, alpha=self.retriever.settings.fusion.alpha)
        last = by_sentence[asking(said)]
        return QuestionScores(question, base, bm25, tfidf, cosine, np.max(by_sentence, axis=0), last)

    def _cosines(self, texts: Sequence[str]) -> Floats:
        """Return the inner products with all articles, one text at a time: a batch's last bits depend on its size."""
        if self._encoder is None:
            cache_folder().mkdir(parents=True, exist_ok=True)
            self._encoder = CachedEncoder(self.retriever.encoder, cache_folder() / "vectors.sqlite")
        matrix = self.retriever.index.matrix
        queries = [self._encoder.encode_queries([text]) for text in texts]
        return np.concatenate([exact_scores(query, matrix) for query in queries]).astype(np.float64)


def sentences(question: str) -> list[str]:
    """Cut a question into sentences, the short ones left out; the whole if none is left."""
    found = [part.strip() for part in _SENTENCE_END.split(question)]
    return [part for part in found if len(part) >= _SHORTEST_SENTENCE] or [question]


def asking(said: Sequence[str]) -> int:
    """Return the place of the last sentence with a question mark at its end, else the last: facts are told first."""
    asked = [place for place, one in enumerate(said) if one.rstrip(")）").endswith(("?", "？"))]
    return asked[-1] if asked else len(said) - 1


def check_groups(groups: Collection[str]) -> tuple[str, ...]:
    """Return the groups in their order. Raises ValueError on an unknown one, or if only the prior is left."""
    unknown = sorted(set(groups) - set(GROUPS))
    if unknown:
        raise ValueError(f"feature group {unknown[0]!r} is none of {', '.join(GROUPS)}")
    if not set(groups) - {"prior"}:
        raise ValueError("a ranker needs a group of features beside the prior")
    return tuple(group for group in GROUPS if group in groups)

"""Lexical scores: BM25 by bm25s, memory-mapped; TF-IDF; and BM25 by rank-bm25, slow, as a second opinion."""

from __future__ import annotations

import json
import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import bm25s
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from graph.records import Provision
from retrieval.compounds import COMPOUNDING, CompoundSplitter
from retrieval.tokens import ANALYSES, Analyze, analysis

__all__ = ["FieldWeights", "LexicalIndex", "LexicalSettings"]

_IDF_METHODS = {"lucene": "lucene", "bsard": "robertson"}


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """How often a term counts that stands in a field of an article: 0 leaves the field out."""

    law_name: int = 1
    label: int = 1
    heading: int = 1
    text: int = 1

    def __post_init__(self) -> None:
        if min(self.law_name, self.label, self.heading, self.text) < 0:
            raise ValueError(f"field weights must be 0 or more: {self}")

    def terms(self, article: Provision, analyze: Analyze) -> list[str]:
        """Return the terms of an article, each as often as its fields' weights say."""
        fields = (
            (article.law_name, self.law_name),
            (article.chapter, self.label),
            (article.chapter_description, self.heading),
            (article.text, self.text),
        )
        return [term for words, weight in fields if weight for term in analyze(words) * weight]


@dataclass(frozen=True, slots=True)
class LexicalSettings:
    """BM25's parameters and what it reads."""

    k1: float = 1.0  # term-frequency saturation
    b: float = 0.6  # length normalisation, in [0, 1]
    idf: str = "lucene"  # ln(1 + (N - df + 0.5) / (df + 0.5)); "bsard" leaves out the 1+, negative values counting 0
    analysis: str = "default"
    fields: FieldWeights = field(default_factory=FieldWeights)

    def __post_init__(self) -> None:
        if not (0 <= self.k1 < math.inf and 0 <= self.b <= 1):
            raise ValueError(f"BM25 needs k1 >= 0 and b in [0, 1], not k1 = {self.k1}, b = {self.b}")
        if self.idf not in _IDF_METHODS:
            raise ValueError(f"idf {self.idf!r} is none of {', '.join(_IDF_METHODS)}")
        if self.analysis not in ANALYSES:
            raise ValueError(f"analysis {self.analysis!r} is none of {', '.join(ANALYSES)}")


class LexicalIndex:
    """Term statistics of the articles of one index.

    Score arrays have one float per article, in the order given to `build`; a question of unknown terms scores 0.
    """

    def __init__(
        self, engine: bm25s.BM25, counts: csr_array[np.int32], settings: LexicalSettings, *, language: str
    ) -> None:
        self._engine = engine
        self._counts = counts  # (n_terms, n_articles)
        self.settings = settings
        self.language = language
        self.analyze = analysis(settings.analysis, language=language)
        splits = settings.analysis == "default" and language in COMPOUNDING
        self._compounds = CompoundSplitter(self.analyze, engine.vocab_dict) if splits else None

    @classmethod
    def build(cls, articles: Sequence[Provision], settings: LexicalSettings, *, language: str) -> LexicalIndex:
        """Count the terms of the articles. Raises ValueError if no article has a term."""
        analyze = analysis(settings.analysis, language=language)
        term_ids: dict[str, int] = {}
        documents: list[array[int]] = []  # arrays, as a list takes twice the memory
        for article in articles:
            terms = settings.fields.terms(article, analyze)
            documents.append(array("i", [term_ids.setdefault(term, len(term_ids)) for term in terms]))
        if not term_ids:
            raise ValueError("no article has a term: check the analysis and the field weights")
        engine = bm25s.BM25(
            k1=settings.k1,
            b=settings.b,
            method="lucene",
            idf_method=_IDF_METHODS[settings.idf],
            backend="numpy",
            csc_backend="scipy",  # bm25s's own sorts in twice the memory, to the same matrix
        )
        engine.index((documents, term_ids), create_empty_token=False, show_progress=False)
        return cls(engine, _counts(documents, len(term_ids)), settings, language=language)

    def save(self, folder: Path) -> None:
        """Write the index into a folder that does not exist yet."""
        folder.mkdir(parents=True)
        self._engine.save(folder / "bm25", show_progress=False)
        for part in ("data", "indices", "indptr"):
            np.save(folder / f"counts_{part}.npy", getattr(self._counts, part))
        (folder / "shape.json").write_text(json.dumps(self._counts.shape))

    @classmethod
    def load(cls, folder: Path, settings: LexicalSettings, *, language: str) -> LexicalIndex:
        """Open a saved index, memory-mapped; the caller has verified the files."""
        engine = bm25s.BM25.load(folder / "bm25", mmap=True, show_progress=False)
        # Plain views of the same mapped memory: numpy.memmap runs Python at every slice, and a term takes two.
        engine.scores = {
            name: np.asarray(part) if isinstance(part, np.memmap) else part for name, part in engine.scores.items()
        }
        data, indices, indptr = (
            np.asarray(np.load(folder / f"counts_{part}.npy", mmap_mode="r")) for part in ("data", "indices", "indptr")
        )
        shape = tuple(json.loads((folder / "shape.json").read_text()))
        return cls(engine, csr_array((data, indices, indptr), shape=shape), settings, language=language)

    @property
    def n_articles(self) -> int:
        """Number of articles counted."""
        return int(self._counts.shape[1])

    def question_terms(self, question: str) -> list[str]:
        """Return what a question asks for: its terms in order, with repetitions, then the parts of its compounds."""
        terms = self.analyze(question)
        return terms if self._compounds is None else terms + self._compounds.parts(question)

    def _known(self, terms: Iterable[str]) -> list[int]:
        """Return the numbers of the terms that some article has."""
        vocabulary: dict[str, int] = self._engine.vocab_dict
        return [vocabulary[term] for term in terms if term in vocabulary]

    def idf(self, term: str) -> float:
        """Return ln(1 + (N - df + 0.5) / (df + 0.5)) of a term, known or not."""
        term_id = self._engine.vocab_dict.get(term)
        df = 0 if term_id is None else int(self._counts.indptr[term_id + 1] - self._counts.indptr[term_id])
        return self._idf_of_df(df)

    @property
    def rarest_idf(self) -> float:
        """The idf of a term that one article alone has."""
        return self._idf_of_df(1)

    def _idf_of_df(self, df: int) -> float:
        return math.log(1 + (self.n_articles - df + 0.5) / (df + 0.5))

    def bm25(self, question: str) -> NDArray[np.float64]:
        """Score all articles by BM25: the sum of idf · tf / (tf + k1 (1 - b + b |a| / avg)), once a term asked for."""
        term_ids = self._known(self.question_terms(question))
        if not term_ids:
            return np.zeros(self.n_articles)
        return np.asarray(self._engine.get_scores_from_ids(term_ids), dtype=np.float64)

    def tfidf(self, question: str) -> NDArray[np.float64]:
        """Score all articles by TF-IDF, the sum of tf · ln(N / df) over the question's terms."""
        scores = np.zeros(self.n_articles)
        for term_id, n in Counter(self._known(self.question_terms(question))).items():
            start, end = self._counts.indptr[term_id : term_id + 2]
            articles = self._counts.indices[start:end]
            scores[articles] += n * self._counts.data[start:end] * math.log(self.n_articles / (end - start))
        return scores

    def coverage(self, question: str) -> NDArray[np.float64]:
        """Return how much of the question each article says: the share of its distinct terms, weighted by idf.

        Terms that no article holds weigh most; a question without terms is covered nowhere.
        """
        said = self._said_idf(question)
        total = sum(self.idf(term) for term in dict.fromkeys(self.analyze(question)))
        return said / total if total > 0 else said

    def said_share(self, question: str) -> NDArray[np.float64]:
        """Return how much of each article the question says: the idf-weighted share of the article's distinct terms."""
        return np.divide(
            self._said_idf(question), self._total_idf, out=np.zeros(self.n_articles), where=self._total_idf > 0
        )

    def _said_idf(self, question: str) -> NDArray[np.float64]:
        """Return the summed idf of the question's distinct terms in each article."""
        scores = np.zeros(self.n_articles)
        for term_id in dict.fromkeys(self._known(self.analyze(question))):
            start, end = self._counts.indptr[term_id : term_id + 2]
            scores[self._counts.indices[start:end]] += self._idf_of_df(end - start)
        return scores

    @cached_property
    def _total_idf(self) -> NDArray[np.float64]:
        df = np.diff(self._counts.indptr)
        weights = np.repeat(np.log(1 + (self.n_articles - df + 0.5) / (df + 0.5)), df)
        totals = np.bincount(self._counts.indices, weights=weights, minlength=self.n_articles)
        return np.asarray(totals, dtype=np.float64)

    def rank_bm25(self, question: str) -> NDArray[np.float64]:
        """Score all articles by rank-bm25 with the same parameters and idf; seconds a question on large corpora."""
        scores = self._rank_bm25.get_scores(self._known(self.question_terms(question)))
        return np.asarray(scores / (self.settings.k1 + 1), dtype=np.float64)

    @cached_property
    def _rank_bm25(self) -> Any:
        from rank_bm25 import BM25Okapi

        lucene = self.settings.idf == "lucene"

        class WithOurIdf(BM25Okapi):  # type: ignore[misc]  # untyped package
            def _calc_idf(self, nd: dict[int, int]) -> None:
                for term, df in nd.items():
                    odds = (self.corpus_size - df + 0.5) / (df + 0.5)
                    self.idf[term] = math.log(1 + odds) if lucene else max(0.0, math.log(odds))

        return WithOurIdf(list(self._bags()), k1=self.settings.k1, b=self.settings.b)

    def _bags(self) -> Iterator[list[int]]:
        """Yield each article's terms, repeated as often as they count."""
        by_article = self._counts.T.tocsr()
        for start, end in zip(by_article.indptr, by_article.indptr[1:], strict=False):
            yield np.repeat(by_article.indices[start:end], by_article.data[start:end]).tolist()


def _counts(documents: Iterable[array[int]], n_terms: int) -> csr_array[np.int32]:
    """Return how often each term stands in each document, shape (n_terms, n_documents)."""
    rows, data, lengths = [], [], []
    for document in documents:
        terms, n = np.unique(np.frombuffer(document, dtype=np.intc), return_counts=True)
        rows.append(terms)
        data.append(n.astype(np.int32))
        lengths.append(len(terms))
    ends = np.concatenate([[0], np.cumsum(lengths)])
    # Its type becomes that of all indices; with 64 bits they would take half as much again as need be.
    fits = ends[-1] <= np.iinfo(np.int32).max
    indptr = cast("NDArray[np.int64]", ends.astype(np.int32 if fits else np.int64))
    by_article = csr_array((np.concatenate(data), np.concatenate(rows), indptr), shape=(len(lengths), n_terms))
    return by_article.T.tocsr()

"""How often each term stands in each field: BM25 under any k1, b and field weights without reading the law again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from graph.records import Provision
from retrieval.lexical import FieldWeights, LexicalIndex, LexicalSettings
from retrieval.ranking import Scores

__all__ = ["FieldCounts"]

_FIELDS = {"law_name": "law_name", "label": "chapter", "heading": "chapter_description", "text": "text"}
"""Field weight -> field of the article."""


class FieldCounts:
    """The terms of articles, field by field. `LexicalIndex` scores the same to rounding, for one setting, faster."""

    def __init__(self, articles: Sequence[Provision], lexical: LexicalIndex) -> None:
        """lexical: of these articles, for how it makes terms of them and of questions."""
        self._lexical = lexical
        self._term_ids: dict[str, int] = {}
        rows = {field: [self._counted(getattr(one, name)) for one in articles] for field, name in _FIELDS.items()}
        self._fields = {field: _matrix(found, len(self._term_ids)) for field, found in rows.items()}

    def bm25(self, questions: Sequence[str], settings: LexicalSettings) -> list[Scores]:
        """Return one array a question with the BM25 score of every article."""
        counts = self._weighted(settings.fields)
        lengths = np.asarray(counts @ np.ones(counts.shape[1]), dtype=np.float64)
        counts.data = counts.data / (
            counts.data + settings.k1 * (1 - settings.b + settings.b * _by_entry(counts, lengths) / lengths.mean())
        )
        by_term = csr_array(counts.T)
        df = np.diff(by_term.indptr)
        odds = (len(lengths) - df + 0.5) / (df + 0.5)
        idf = np.log(1 + odds) if settings.idf == "lucene" else np.maximum(0, np.log(odds))
        return [self._scores(question, by_term, idf) for question in questions]

    def _scores(self, question: str, by_term: csr_array[np.float64], idf: NDArray[np.float64]) -> Scores:
        scores = np.zeros(by_term.shape[1])
        for term, n in Counter(self._lexical.question_terms(question)).items():
            number = self._term_ids.get(term)
            if number is not None:
                start, end = by_term.indptr[number : number + 2]
                scores[by_term.indices[start:end]] += n * idf[number] * by_term.data[start:end]
        return scores

    def _weighted(self, weights: FieldWeights) -> csr_array[np.float64]:
        total: csr_array[np.float64] = csr_array(self._fields["text"].shape)
        for field, counts in self._fields.items():
            if getattr(weights, field):
                total = csr_array(total + getattr(weights, field) * counts)
        return total

    def _counted(self, text: str) -> Counter[int]:
        return Counter(self._term_ids.setdefault(term, len(self._term_ids)) for term in self._lexical.analyze(text))


def _matrix(rows: Sequence[Counter[int]], n_terms: int) -> csr_array[np.float64]:
    """Return the counts, shape (n_articles, n_terms)."""
    ends = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = np.array([term for row in rows for term in row], dtype=np.int64)
    data = np.array([float(n) for row in rows for n in row.values()])
    return csr_array((data, columns, ends), shape=(len(rows), n_terms))


def _by_entry(counts: csr_array[np.float64], lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, of every entry, its article's length."""
    return np.repeat(lengths, np.diff(counts.indptr))

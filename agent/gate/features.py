"""What the gate looks at: a question, with or without its options, against a context. Pure but for the encoder.

Each feature compares what is asked with articles; without words that ask, all are 0. None is of the context alone: its
length or its number of articles would tell under which condition a test was put, not whether the answer stands there.

Two knowledges. `corpus`: the provision that may be missing is in the index, so that one can see how well it fits:
against the context are held the articles linked with it, by citations in either direction, and the best of the corpus.
`context`: it is not, so there is only the context, with the names and labels of what it cites. In both, the idf of
terms is the index's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agent.gate.read_articles import ReadArticle, ReadArticles
from agent.gate.wording import Wording
from retrieval.encoder import Encoder
from retrieval.ranking import Scores, top
from retrieval.retriever import Retriever

__all__ = ["GROUPS", "GateFeatures", "Knowledge", "group_of"]

GROUPS = ("coverage", "heading", "bm25", "dense", "clause", "delegation", "options")
"""The kinds of features: a name is `WORDING.GROUP` or `WORDING.GROUP_DETAIL`, WORDING `question` or `choice`."""

_N_LINKED = 50  # linked articles looked at, those of the best BM25
_N_BEST = 10  # articles of the corpus looked at, those that fit best


class Knowledge(StrEnum):
    """What the gate may look at."""

    CORPUS = "corpus"  # the whole index
    CONTEXT = "context"  # the context alone, with the names of what it cites


def group_of(name: str) -> str:
    """Return the group of a feature: question.bm25_linked is of bm25."""
    return name.partition(".")[2].partition("_")[0]


class GateFeatures:
    """Computes the features on one index.

    encoder: of questions; None: the dense features are left out.
    """

    def __init__(self, retriever: Retriever, knowledge: Knowledge, *, encoder: Encoder | None) -> None:
        self.knowledge = knowledge
        self._index = retriever.index
        self._encoder = encoder
        self._links = retriever.index.graph.adjacency(directed=False)
        self._articles = ReadArticles(retriever.index)
        self._wording = lru_cache(maxsize=16)(lambda text: Wording(text, self._index, self._encoder))

    def values(self, question: str, context: Sequence[str], options: Sequence[str] = ()) -> dict[str, float]:
        """Return name → value; the same names in the same order for every question with options, or without.

        context: semantic ids of articles, at least one. options: their texts, without one that says "cannot be
        answered"; none: the question alone. Raises ValueError if the context is empty, KeyError if the index has no
        such article.
        """
        if not context:
            raise ValueError("an empty context has no features: nothing can be answered from it")
        rows = [self._index.row_of[name] for name in context]
        found = self._of_wording("question", self._wording(question), rows)
        if options:
            choice = self._wording(" ".join((question, *options)))
            found |= self._of_wording("choice", choice, rows)
            found |= self._of_options(question, options, choice, rows)
        return {name: float(value) for name, value in found.items()}

    def _of_wording(self, prefix: str, wording: Wording, rows: Sequence[int]) -> dict[str, float]:
        make = self._against_corpus if self.knowledge is Knowledge.CORPUS else self._within_context
        values = make(wording, rows)
        return {f"{prefix}.{name}": value if wording.weight else 0.0 for name, value in values.items()}

    def _against_corpus(self, wording: Wording, rows: Sequence[int]) -> dict[str, float]:
        linked, best = self._linked(wording, rows), self._best(wording, rows)
        inside, beside, outside = self._read(rows), self._read(linked), self._read(best)
        held = frozenset().union(*(one.terms for one in inside))
        found = {
            "coverage": wording.share(held),
            "coverage_linked": _most(wording.share(one.terms - held) for one in beside),
            "coverage_best": _most(wording.share(one.terms - held) for one in outside),
        }
        measures: dict[str, Callable[[ReadArticle], float]] = {
            "heading_said": lambda one: wording.said(one.heading),
            "heading_covers": lambda one: wording.share(one.heading),
            "clause": lambda one: _most(wording.share(clause.terms) for clause in one.clauses),
        }
        for name, measure in measures.items():
            reached = _most(map(measure, inside))
            found |= {
                name: reached,
                f"{name}_linked": _most(map(measure, beside)) - reached,
                f"{name}_best": _most(map(measure, outside)) - reached,
            }
        found |= _ranked("bm25", wording.bm25_of_best, rows, linked, best)
        if wording.cosine_deviation is not None:
            found |= _ranked("dense", wording.cosine_deviation, rows, linked, best)
        delegating = _most(wording.share(c.terms) for one in inside for c in one.clauses if c.delegates)
        return found | {"delegation": delegating, "delegation_gap": delegating - found["clause"]}

    def _within_context(self, wording: Wording, rows: Sequence[int]) -> dict[str, float]:
        articles = self._read(rows)
        clauses = [clause for one in articles for clause in one.clauses]
        shares = [wording.share(clause.terms) for clause in clauses]
        of_best = clauses[int(np.argmax(shares))].terms if clauses else frozenset[str]()
        best = max(shares, default=0.0)
        named = zip(clauses, shares, strict=True)
        kinds = [(clause.delegates, clause.cites, share) for clause, share in named]
        delegating = _most(share for delegates, _, share in kinds if delegates)
        found = {
            "coverage": wording.share(frozenset().union(*(one.terms for one in articles))),
            "heading_said": _most(wording.said(one.heading) for one in articles),
            "heading_covers": _most(wording.share(one.heading) for one in articles),
            "bm25": float(wording.bm25[rows].max()),
            "clause": best,
            "clause_pair": _most(wording.share(clause.terms | of_best) for clause in clauses) - best,
            "delegation": delegating,
            "delegation_gap": delegating - best,
            "delegation_not": _most(share for delegates, _, share in kinds if not delegates),
            "delegation_citing": _most(share for _, cites, share in kinds if cites),
            "delegation_nowhere": _most(share for _, cites, share in kinds if not cites),
            "delegation_names": _most(wording.share(clause.cited_names) for clause in clauses),
        }
        if wording.cosine is not None:
            found["dense"] = float(wording.cosine[rows].max())
        return found

    def _of_options(
        self, question: str, options: Sequence[str], choice: Wording, rows: Sequence[int]
    ) -> dict[str, float]:
        """How well do articles and clauses tell the options' own words, those that the question lacks?"""
        seen = self._wording(question).weights.keys()
        own = [Wording(option, self._index, seen=seen) for option in options]
        inside = self._read(rows)
        held = frozenset().union(*(one.terms for one in inside))
        by_articles = np.array([one.share(held) for one in own])
        by_clauses = _by_clauses(own, inside)
        found = _told("options", by_articles) | _told("options_clause", by_clauses)
        if self.knowledge is Knowledge.CORPUS:
            linked, best = self._linked(choice, rows), self._best(choice, rows)
            for name, others in (("linked", self._read(linked)), ("best", self._read(best))):
                gains = [[one.share(other.terms - held) for one in own] for other in others]
                found[f"options_gain_{name}"] = _most(max(of_one) for of_one in gains)
                found[f"options_gain_mean_{name}"] = _most(float(np.mean(of_one)) for of_one in gains)
            beside = _by_clauses(own, self._read(linked))
            found["options_clause_gain"] = float((beside - by_clauses).max())
            found["options_clause_gain_mean"] = float((beside - by_clauses).mean())
            found["options_clause_lead_gain"] = _lead(beside) - _lead(by_clauses)
        return {f"choice.{name}": value for name, value in found.items()}

    def _linked(self, wording: Wording, rows: Sequence[int]) -> NDArray[np.int64]:
        """Return the articles linked with the context's and not in it, at most 50, the best by BM25 first."""
        links = self._links
        columns = {int(c) for row in rows for c in links.indices[links.indptr[row] : links.indptr[row + 1]]}
        absent = np.array(sorted(columns - set(rows)), dtype=np.int64)
        return self._index.ties.sort(absent, wording.bm25[absent]).head(_N_LINKED).rows

    def _best(self, wording: Wording, rows: Sequence[int]) -> NDArray[np.int64]:
        """Return those of the corpus's ten best articles that are not in the context."""
        best = top(wording.fit, _N_BEST, self._index.ties).rows
        return best[~np.isin(best, rows)]

    def _read(self, rows: Iterable[int]) -> list[ReadArticle]:
        return [self._articles.read(int(row)) for row in rows]


def _ranked(
    name: str, scores: Scores, rows: Sequence[int], linked: NDArray[np.int64], best: NDArray[np.int64]
) -> dict[str, float]:
    """Return the context's best score, the margins of the others over it, and ln(1 + rank from 0) of both."""
    reached = float(scores[rows].max())
    of_linked = float(scores[linked].max()) if len(linked) else 0.0
    return {
        name: reached,
        f"{name}_linked": of_linked - reached,
        f"{name}_best": (float(scores[best].max()) if len(best) else 0.0) - reached,
        f"{name}_rank": float(np.log1p((scores > reached).sum())),
        f"{name}_rank_linked": float(np.log1p((scores > of_linked).sum() if len(linked) else len(scores))),
    }


def _told(name: str, shares: NDArray[np.float64]) -> dict[str, float]:
    return {f"{name}_most": float(shares.max()), f"{name}_lead": _lead(shares), f"{name}_mean": float(shares.mean())}


def _lead(shares: NDArray[np.float64]) -> float:
    """Return by how much the greatest exceeds the next one; 0 of a single one."""
    ordered = np.sort(shares)[::-1]
    return float(ordered[0] - ordered[1]) if len(ordered) > 1 else 0.0


def _by_clauses(wordings: Sequence[Wording], articles: Sequence[ReadArticle]) -> NDArray[np.float64]:
    """Return, a wording, the share that the best clause of some articles tells."""
    clauses = [clause.terms for one in articles for clause in one.clauses]
    return np.array([_most(wording.share(terms) for terms in clauses) for wording in wordings])


def _most(values: Iterable[float]) -> float:
    return max(values, default=0.0)

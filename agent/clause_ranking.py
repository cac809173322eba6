"""Which clauses of the evidence speak of the question? By words, by vectors where there are some, by their article."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from agent.coverage import Coverage
from agent.evidence import EvidenceArticle
from graph.clauses import Clause
from graph.records import Provision
from retrieval.fusion import min_max

__all__ = ["ScoredClause", "Similarity", "rank_clauses"]

Similarity = Callable[[str, Sequence[Provision]], NDArray[np.float32]]
"""From a question and articles (here: clauses in their article's place) to the cosine of each with the question."""

_ARTICLE_WEIGHT = 0.25  # of the article's place among the hits, against similarity and coverage at 1 each
_NAMED_WEIGHT = 0.5  # of its being named in the question


@dataclass(frozen=True, slots=True)
class ScoredClause:
    """A clause of the evidence and how well it fits the question."""

    article: Provision
    clause: Clause
    place: int  # of its article in the evidence, from 0
    terms: frozenset[str]  # the question's words that it holds, with its lead-in and heading
    coverage: float  # the weight of those words as a share of the question's, in [0, 1]
    similarity: float | None  # cosine with the question; None without an encoder
    score: float  # unbounded; comparable within one question

    @classmethod
    def of(cls, article: Provision, clause: Clause) -> Self:
        """Return a clause that no question was compared with."""
        return cls(article, clause, 0, frozenset(), 0.0, None, 0.0)

    @property
    def text(self) -> str:
        """The clause's words."""
        return self.article.text[self.clause.start : self.clause.end]

    @property
    def text_with_lead(self) -> str:
        """The clause's words after its lead-in's."""
        lead = self.article.text[self.clause.lead_start : self.clause.lead_end]
        return f"{lead}\n{self.text}" if lead else self.text


def rank_clauses(
    question: str,
    evidence: Sequence[EvidenceArticle],
    coverage: Coverage,
    similarity: Similarity | None,
    *,
    named: Collection[str] = (),
) -> list[ScoredClause]:
    """Score the clauses of the evidence, best first; ties in the order of the evidence.

    similarity: None goes by words alone. named: semantic ids of articles that the question names.
    score = similarity, min-max scaled over these clauses, + coverage + 0.25 / place of the article among the hits
    + 0.5 if the article is named.
    """
    scored: list[ScoredClause] = []
    for place, found in enumerate(evidence):
        for clause in found.clauses:
            one = replace(ScoredClause.of(found.article, clause), place=place)
            terms = coverage.terms(f"{found.article.chapter_description}\n{one.text_with_lead}")
            scored.append(replace(one, terms=terms, coverage=coverage.share(terms)))
    cosines = np.zeros(len(scored))
    if similarity is not None and scored:
        in_place = [replace(one.article, text=one.text_with_lead) for one in scored]
        cosines = similarity(question, in_place).astype(np.float64)
    ranked = [
        replace(
            one,
            similarity=None if similarity is None else float(cosine),
            score=float(share)
            + one.coverage
            + _ARTICLE_WEIGHT / (1 + one.place)
            + _NAMED_WEIGHT * (one.article.semantic_id in named),
        )
        for one, cosine, share in zip(scored, cosines, min_max(cosines) if scored else cosines, strict=True)
    ]
    return sorted(ranked, key=lambda one: (-one.score, one.place, one.clause.start))

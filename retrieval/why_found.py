"""Why a method found an article: the sentences its model attends to, or the articles whose citations raise it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graph.records import Hit
from retrieval.article_ranker import AttendedSentence
from retrieval.methods import Method
from retrieval.retriever import Retriever

__all__ = ["WhyFound", "why_found"]


@dataclass(frozen=True, slots=True)
class WhyFound:
    """What a method tells of one article beside its score; nothing, where it tells no more."""

    attended: tuple[AttendedSentence, ...] = ()  # in the article's order
    votes: Mapping[str, float] = field(default_factory=dict)  # semantic id of one that cites it -> vote, greatest first

    def __bool__(self) -> bool:
        return bool(self.attended or self.votes)

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "attended": [{"text": one.text, "weight": one.weight} for one in self.attended],
            "votes": [{"semantic_id": name, "vote": vote} for name, vote in self.votes.items()],
        }


def why_found(retriever: Retriever, question: str, method: Method, hits: Sequence[Hit]) -> list[WhyFound]:
    """Return why each hit of a search by this method is there. hits: the method's, from the first one on.

    A trained model speaks of the candidates alone, as it has not read those below; the methods of SAR name the seeds
    that cite an article; the other methods tell no more than scores.
    """
    if method.reranker == "trained":
        n_read = retriever.settings.trained.n_candidates
        return [
            WhyFound(attended=retriever.attended(question, method, hit.semantic_id) if rank < n_read else ())
            for rank, hit in enumerate(hits)
        ]
    if method.reranker and method.reranker.startswith("sar"):
        return [WhyFound(votes=retriever.votes(question, method, hit.semantic_id)) for hit in hits]
    return [WhyFound() for _ in hits]

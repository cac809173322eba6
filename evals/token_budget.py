"""What of the gold a reader sees who has room for so many tokens: rankings compared at one budget, not at one k."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from agent.evidence import n_tokens
from graph.records import Provision

__all__ = ["article_tokens", "fitting", "recall_within"]


def article_tokens(article: Provision) -> int:
    """Estimate the tokens that an article takes in a context, its name and heading among them, as `pack` does."""
    label = f"{article.law_name} {article.chapter} {article.chapter_description}\n"
    return n_tokens(label) + n_tokens(article.text)


def fitting(tokens: Iterable[int], budget: int) -> list[int]:
    """Return the places of the articles that fit whole, taken in order of rank.

    tokens: of each article, best first. One that no longer fits is passed over and the next is tried, as `pack` does;
    but none is cut to its best clauses, so that a long article is seen whole or not at all.
    """
    found = []
    for place, taken in enumerate(tokens):
        if taken <= budget:
            found.append(place)
            budget -= taken
    return found


def recall_within(budget: int, ranking: Sequence[str], tokens: Sequence[int], gold: Collection[str]) -> float:
    """Return the share of the gold among the articles of a ranking that fit whole within a budget, in [0, 1].

    tokens: of each article of the ranking. Raises ValueError if there is no gold.
    """
    if not gold:
        raise ValueError("recall of no gold: the question is unjudged, which is not a score of 0")
    seen = {ranking[place] for place in fitting(tokens, budget)}
    return len(seen & set(gold)) / len(set(gold))

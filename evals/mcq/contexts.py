"""Condition → the articles that the reader gets."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from evals.mcq.records import ChoiceQuestion, Condition
from graph.citation_graph import CitationGraph

__all__ = ["contexts", "linked_articles"]


def contexts(
    question: ChoiceQuestion,
    condition: Condition,
    graph: CitationGraph | None,
    *,
    retrieved: Sequence[str] | None = None,
) -> tuple[str, ...] | None:
    """Return the semantic ids of a context, in the order in which they are read; None where there is no such context.

    A decoy or distractor stands in for each missing article: the one closest to it in length, in characters, ties to
    the smaller semantic id, none twice. Decoys are linked with the first article, in either direction, so that there is
    as much text and as many links as in full; distractors are not. There is none for a question of one article, for a
    first article with too few links, and without a graph. retrieved: what the agent fetched.
    """
    first, missing = question.articles[:1], question.articles[1:]
    if condition is Condition.FULL:
        return question.articles
    if condition is Condition.NONE:
        return ()
    if condition is Condition.RETRIEVED:
        return None if retrieved is None else tuple(retrieved)
    if not missing or question.given:
        return None
    if condition is Condition.PARTIAL:
        return first
    if condition is Condition.PARTIAL_TARGET:
        return missing[:1]
    if graph is None:
        return None
    linked = linked_articles(graph, first[0])
    if condition is Condition.DECOY:
        pool = linked - set(question.articles)
    else:
        pool = set(graph.articles) - linked - set(question.articles)
    stand_ins = _closest_in_length(pool, missing, graph)
    return None if stand_ins is None else (*first, *stand_ins)


def linked_articles(graph: CitationGraph, article: str) -> set[str]:
    """Return the articles with text that cite this one or are cited by it, in words or by the dataset."""
    links = graph.adjacency(directed=False)
    row = graph.articles.index(article)
    return {graph.articles[column] for column in links.indices[links.indptr[row] : links.indptr[row + 1]]}


def _closest_in_length(pool: Collection[str], missing: Sequence[str], graph: CitationGraph) -> list[str] | None:
    left = set(pool)
    chosen = []
    for name in missing:
        if not left:
            return None
        length = len(graph.provisions[name].text)
        best = min(left, key=lambda other: (abs(len(graph.provisions[other].text) - length), other))
        left.discard(best)
        chosen.append(best)
    return chosen

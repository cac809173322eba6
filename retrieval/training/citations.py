"""Supervision without labels: what a statute says of its own articles is a question that they answer.

| kind        | question                                                    | article                        |
| ----------- | ----------------------------------------------------------- | ------------------------------ |
| citation    | the clause that cites, without the words that cite          | each article it cites          |
| heading     | an article's heading                                        | that article                   |
| delegation  | the clause that leaves a matter to a decree, likewise masked | each article that fills it in |
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from graph.clauses import sentence_spans
from graph.errors import TrainingError
from graph.records import Edge, EdgeKind, Provision, Question, Status
from graph.resolution import Resolver
from retrieval.training.pairs import TrainingPair

__all__ = ["citation_pairs", "held_out_clauses"]

_FEWEST_LETTERS = 10  # of a clause, once what cites is out
_NOT_A_QUESTION = frozenset({EdgeKind.WHOLE_LAW, EdgeKind.IMPLIED})
_MOST_IMPLEMENTING = 5  # articles that fill in one delegating clause; more are no pair but a list


def citation_pairs(articles: Sequence[Provision]) -> list[TrainingPair]:
    """Return the pairs that the articles' own words make, rows being their places in `articles`.

    Raises TrainingError if no article has a heading or cites another.
    """
    row_of = {article.semantic_id: row for row, article in enumerate(articles)}
    edges = _edges(articles)
    found = [
        *_cited(articles, edges, row_of),
        *_implementing(articles, edges, row_of),
        *((article.chapter_description.strip(), row, row) for row, article in enumerate(articles)),
    ]
    right: dict[str, set[int]] = defaultdict(set)
    sources: dict[str, set[int]] = defaultdict(set)
    for words, row, source in found:
        right[words].add(row)
        sources[words].add(source)
    distinct = dict.fromkeys((words, row) for words, row, _ in found if words)
    pairs = [TrainingPair(words, row, frozenset(right[words]), frozenset(sources[words])) for words, row in distinct]
    if not pairs:
        raise TrainingError("no article of the index has a heading or cites another: there is nothing to learn from")
    return pairs


def held_out_clauses(
    pairs: Sequence[TrainingPair], articles: Sequence[Provision], n_questions: int, *, seed: int
) -> tuple[list[TrainingPair], list[Question]]:
    """Part pairs into those to train on and clauses for a dev metric, drawn by the seed; all pairs of a clause go."""
    words = list(dict.fromkeys(pair.question for pair in pairs))
    n_drawn = min(n_questions, max(1, len(words) // 10))
    drawn = {words[place] for place in np.random.default_rng(seed).permutation(len(words))[:n_drawn].tolist()}
    questions = {
        pair.question: Question(
            question_id=f"clause {pair.article}: {pair.question[:20]}",
            text=pair.question,
            gold=tuple(articles[row].semantic_id for row in sorted(pair.right)),
        )
        for pair in pairs
        if pair.question in drawn
    }
    return [pair for pair in pairs if pair.question not in drawn], list(questions.values())


def _edges(articles: Sequence[Provision]) -> dict[str, list[Edge]]:
    """Return what each article cites, with the place of its words: the index may hold the source's bare links."""
    resolver = Resolver(articles)
    return {one.semantic_id: resolver.edges(one) for one in articles if one.status is Status.PRESENT}


def _cited(
    articles: Iterable[Provision], edges: Mapping[str, Sequence[Edge]], row_of: Mapping[str, int]
) -> Iterator[tuple[str, int, int]]:
    """Yield each clause that cites, an article that it cites, and the one that it stands in."""
    for source, article in enumerate(articles):
        masked = _Masked(article.text, edges.get(article.semantic_id, ()))
        for edge in edges.get(article.semantic_id, ()):
            row = row_of.get(edge.target or "")
            if row is not None and edge.kind not in _NOT_A_QUESTION and (words := masked.clause(edge.start)):
                yield words, row, source


def _implementing(
    articles: Sequence[Provision], edges: Mapping[str, Sequence[Edge]], row_of: Mapping[str, int]
) -> Iterator[tuple[str, int, int]]:
    """Yield each delegating clause, an article below that names its article as what it fills in, and its article."""
    below: dict[str, list[str]] = defaultdict(list)
    for article in articles:
        for edge in edges.get(article.semantic_id, ()):
            if edge.kind is EdgeKind.IMPLEMENTS and edge.target is not None:
                below[edge.target].append(edge.source)
    for source, article in enumerate(articles):
        own = edges.get(article.semantic_id, ())
        delegating = [edge for edge in own if edge.kind is EdgeKind.DELEGATES]
        named = dict.fromkeys(below[article.semantic_id])
        if len(named) > _MOST_IMPLEMENTING * max(len(delegating), 1):
            continue
        masked = _Masked(article.text, own)
        for edge in delegating:
            words = masked.clause(edge.start)
            if words:
                yield from ((words, row_of[name], source) for name in named)


class _Masked:
    """An article's clauses without the words that cite."""

    def __init__(self, text: str, edges: Sequence[Edge]) -> None:
        self._text = text
        self._starts = [0, *(start for start, _ in sentence_spans(text)[1:])]
        self._spans = sorted({(edge.start, edge.end) for edge in edges})

    def clause(self, place: int) -> str:
        """Return the sentence or list item that holds a character, masked; "" if hardly anything is left of it."""
        number = bisect_right(self._starts, place)
        start, end = self._starts[number - 1], (*self._starts, len(self._text))[number]
        kept: list[str] = []
        for first, last in self._spans:
            if first < end and last > start:
                kept.append(self._text[start : max(start, first)])
                start = max(start, last)
        words = " ".join("".join((*(f"{part} " for part in kept), self._text[start:end])).split())
        return words if sum(map(str.isalnum, words)) >= _FEWEST_LETTERS else ""

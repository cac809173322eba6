"""Edges that no words make: a lower law's article that details a higher one's of its family without citing it.

A clause of the higher law leaves something to the lower one's level ("평가단의 구성 … 행정안전부령으로 정한다"). It is
compared with every article of that level in the family: how much of the article's heading the clause says, how
much of the clause the article says, and how alike the two headings are, each in [0, 1] and weighted by idf over the
family. Their mean is the edge's score. What is needed beside it:

    an article that cites no higher law   has a high score, or stands among articles that detail the same one
    an article that cites another one     has nearly the same heading, and is liker than what it cites of that law
    any article                           quotes the clause's own words, and the clause speaks of what the article
                                          cites for them, or hardly another clause has them and the heading repeats them
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from graph.mentions.ranks import rank_of_law, rank_of_level
from graph.records import Edge, EdgeKind, Provision, Status
from graph.semantic_id import parse

__all__ = ["implied_edges"]

Floats = NDArray[np.float64]

# Chosen on firelaw-kr by reading what each admits: docs/citations.md.
_ALONE = 0.55  # score from which an article without citations is taken, wherever it stands
_BESIDE = 0.3  # the same, if the articles before or after it detail the same one
_BETWEEN = 0.24  # the same, if those before and after it do
_SAME_HEADING = 0.85  # likeness of headings
_SAME_MATTER = 0.55  # score beside such a likeness
_LIKER = 0.1  # than any heading that the article cites of the same law
_QUOTED = 0.3  # score beside words of the clause that are quoted
_MOST_QUOTED = 2  # articles that have the quoted words: the one cited for them, and the one implied
_LONG_WORD = 3  # characters: 비상구, which a heading that repeats it means; not 사항 or 기준
_NEIGHBOURS = 4  # articles on each side
_NARROW = 4  # articles that lie between what those before and after an article detail
_WORTH = 0.17  # of standing beside or between, in choosing the clause
_SAID_BEFORE = re.compile(r"(?:에서|의) ?$")  # 법 제16조제3항제3호의 "…"

_LEVEL = re.compile(r"[가-힣]*령(?=으로|이|에서)|고시|\b(?:Decree|Rules?|Notice)\b")
_QUOTE = re.compile(r"[\"“]([^\"“”\n]{8,120})[\"”]")
_WORD = re.compile(r"[가-힣]+|[A-Za-z]{3,}")
_END = re.compile(r"\n|\. ")
_SPEAKS_OF_ALL = frozenset({"목적", "정의", "규제의 재검토", "Purpose", "Definitions"})  # headings


@dataclass(frozen=True, slots=True)
class _Clause:
    """Words of a higher law that leave something to a level below."""

    article: int  # its number in the family
    text: str
    cites: frozenset[tuple[int, str]]  # articles that its own words cite, with the parts that they name


def implied_edges(provisions: Iterable[Provision], edges: Iterable[Edge]) -> list[Edge]:
    """Return the edges from articles to the higher ones that they detail unsaid, in corpus order; scores in (0, 1).

    edges: what the articles' words cite, as `graph.resolution.Resolver` gives them, unresolved ones too. They tell the
    clauses that delegate, and which articles are joined already, in either direction: those get no implied edge.
    An article gets at most one edge into each law; ties go to the clause that comes first.
    """
    families: dict[str, list[Provision]] = defaultdict(list)
    for provision in provisions:
        if provision.status is Status.PRESENT:
            families[provision.collection_name].append(provision)
    out: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        out[edge.source].append(edge)
    return [edge for articles in families.values() for edge in _Family(articles, out).edges()]


class _Family:
    """The articles of an act with its decrees and rules; all numbers below are places in this list."""

    def __init__(self, articles: Sequence[Provision], out: Mapping[str, Sequence[Edge]]) -> None:
        self._articles = articles
        self._out = out
        self._number = {article.semantic_id: number for number, article in enumerate(articles)}
        self._ranks = [rank_of_law(article.law_name, article.law_level) for article in articles]
        self._laws = [parse(article.semantic_id).law for article in articles]
        self._rank_of = {law: rank for law, rank in zip(self._laws, self._ranks, strict=True) if rank is not None}

    def edges(self) -> Iterator[Edge]:
        """Yield the family's implied edges, by the order of their articles."""
        clauses = self._clauses()
        if not clauses:
            return
        self._linked = self._links()
        self._cited = [self._cited_above(number) for number in range(len(self._articles))]
        self._anchors = [
            [self._number[edge.target] for edge in cited if edge.target in self._number] for cited in self._cited
        ]
        self._weigh()
        found = {
            (lower, clause.article): score
            for rank, of_rank in clauses.items()
            for lower, clause, score in self._pairs(rank, of_rank)
        }
        for (lower, higher), score in sorted(found.items()):
            ends = self._articles[lower].semantic_id, self._articles[higher].semantic_id
            yield Edge(*ends, EdgeKind.IMPLIED, score=round(score, 4))

    def _clauses(self) -> dict[int, list[_Clause]]:
        """Return the clauses that delegate, by the rank of the law that they leave it to."""
        clauses: dict[int, dict[tuple[int, int], _Clause]] = defaultdict(dict)
        ranks_here = set(self._ranks)
        for number, article in enumerate(self._articles):
            own = self._ranks[number]
            out = self._out.get(article.semantic_id, ())
            for edge in out:
                level = _LEVEL.search(edge.text) if edge.kind is EdgeKind.DELEGATES else None
                rank = rank_of_level(level[0]) if level else None
                if rank is not None and own is not None and own < rank and rank in ranks_here:
                    start, end = _sentence(article.text, edge)
                    cites = frozenset(
                        (self._number[one.target], _parts(one.text))
                        for one in out
                        if start <= one.start < end and one.target in self._number
                    )
                    clauses[rank][number, start] = _Clause(number, article.text[start:end], cites)
        return {rank: list(of_rank.values()) for rank, of_rank in clauses.items()}

    def _links(self) -> list[set[int]]:
        """Return which articles each is joined with by words, in either direction."""
        linked: list[set[int]] = [{number} for number in range(len(self._articles))]
        for number, article in enumerate(self._articles):
            for edge in self._out.get(article.semantic_id, ()):
                target = self._number.get(edge.target or "")
                if target is not None:
                    linked[number].add(target)
                    linked[target].add(number)
        return linked

    def _cited_above(self, number: int) -> list[Edge]:
        """Return how an article's paragraphs cite the higher laws; the items of a list cite for another purpose."""
        article, own = self._articles[number], self._ranks[number]
        return [
            edge
            for edge in self._out.get(article.semantic_id, ())
            if edge.target is not None
            and own is not None
            and self._rank_of.get(parse(edge.target).law, own) < own
            and not article.text.startswith(" ", article.text.rfind("\n", 0, max(edge.start, 0)) + 1)
        ]

    def _weigh(self) -> None:
        """Count the terms of all articles, and weigh them by idf."""
        bodies = [_terms(f"{article.chapter_description} {article.text}") for article in self._articles]
        frequency = Counter(term for body in bodies for term in body)
        self._columns = {term: column for column, term in enumerate(sorted(frequency))}
        counts = np.array([frequency[term] for term in self._columns], dtype=np.float64)
        self._idf = np.log((len(bodies) + 1) / (counts + 0.5))
        self._bodies = self._matrix(bodies)
        self._headings = self._matrix([_terms(article.chapter_description) for article in self._articles])

    def _matrix(self, texts: Sequence[set[str]]) -> csr_array[np.float64]:
        """Return one 0/1 row a text, one column a term."""
        rows = [row for row, terms in enumerate(texts) for _ in terms if _ in self._columns]
        columns = [self._columns[term] for terms in texts for term in terms if term in self._columns]
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(texts), len(self._columns)))

    def _pairs(self, rank: int, clauses: Sequence[_Clause]) -> Iterator[tuple[int, _Clause, float]]:
        """Yield the articles of a rank with the clauses that they detail, and the score."""
        lower = [number for number, own in enumerate(self._ranks) if own == rank]
        higher = np.array([clause.article for clause in clauses])
        laws = np.array([self._laws[number] for number in higher])
        scores, headings = self._scores(clauses, lower)
        quoting = self._quoting(lower, clauses)
        for place, number in enumerate(lower):
            if self._articles[number].chapter_description in _SPEAKS_OF_ALL:
                continue
            score, likeness = scores[:, place], headings[:, place]
            is_quoted = np.isin(np.arange(len(clauses)), quoting.get(number, []))
            is_fine = is_quoted & (score >= _QUOTED)
            preference = score + is_quoted
            if self._cited[number]:
                is_alike = (likeness >= _SAME_HEADING) & (score >= _SAME_MATTER)
                if is_alike.any():
                    is_fine |= is_alike & (likeness > self._likeness_of_cited(number, laws) + _LIKER)
            else:
                beside = self._stand_beside(lower, place, higher, laws)
                is_fine |= (score >= _ALONE) | (beside >= 1) & (score >= _BESIDE) | (beside >= 2) & (score >= _BETWEEN)
                preference += _WORTH * (beside > 0)
            is_fine &= ~np.isin(higher, list(self._linked[number])) & (score < 1)
            for law in sorted(set(laws[is_fine])):
                best = int(np.argmax(np.where(is_fine & (laws == law), preference, -1)))
                yield number, clauses[best], float(score[best])

    def _likeness_of_cited(self, number: int, laws: NDArray[np.str_]) -> Floats:
        """Return, for each of the laws, how like the article is to the likest heading that it cites of that law."""
        cited = self._anchors[number]
        likest: dict[str, float] = defaultdict(float)
        for one, likeness in zip(cited, self._likeness(cited, [number])[:, 0].tolist(), strict=True):
            likest[self._laws[one]] = max(likest[self._laws[one]], likeness)
        return np.array([likest[law] for law in laws])

    def _scores(self, clauses: Sequence[_Clause], lower: Sequence[int]) -> tuple[Floats, Floats]:
        """Return the scores of clauses (rows) with articles (columns), and how alike the headings are."""
        higher = [clause.article for clause in clauses]
        words = self._matrix([_terms(clause.text) for clause in clauses])
        weighted = words @ diags_array(self._idf)
        headings, bodies = self._headings[lower], self._bodies[lower]
        said = _ratio((weighted @ headings.T).toarray(), (headings @ self._idf)[None, :])
        held = _ratio((weighted @ bodies.T).toarray(), (words @ self._idf)[:, None])
        likeness = self._likeness(higher, lower)
        return (said + held + likeness) / 3, likeness

    def _likeness(self, higher: Sequence[int], lower: Sequence[int]) -> Floats:
        """Return how alike the headings of two lists of articles are, rows times columns."""
        rows, columns = self._headings[higher], self._headings[lower]
        common = (rows @ diags_array(self._idf) @ columns.T).toarray()
        return _ratio(common, np.sqrt((rows @ self._idf)[:, None] * (columns @ self._idf)[None, :]))

    def _stand_beside(
        self, lower: Sequence[int], place: int, higher: NDArray[np.int64], laws: NDArray[np.str_]
    ) -> NDArray[np.int64]:
        """Say of each clause whether both (2), one (1) or none (0) of an article's neighbours point at or around it.

        Lower laws follow the order of the higher ones: between articles that detail 법 제9조 stands one that does.
        """
        own_law = self._laws[lower[place]]
        beside = np.zeros(len(higher), dtype=np.int64)
        for law in sorted(set(laws)):
            near: list[list[int]] = []
            for step in (-1, 1):
                for distance in range(1, _NEIGHBOURS + 1):
                    other = place + step * distance
                    if not 0 <= other < len(lower) or self._laws[lower[other]] != own_law:
                        break
                    if cited := [target for target in self._anchors[lower[other]] if self._laws[target] == law]:
                        near.append(cited)
                        break
            for cited in near:
                beside += np.isin(higher, cited)
            if len(near) == 2 and near[1][0] - near[0][0] <= _NARROW:
                is_between = (laws == law) & (near[0][0] <= higher) & (higher <= near[1][0])
                beside = np.maximum(beside, is_between.astype(np.int64))
        return beside

    def _quoting(self, lower: Sequence[int], clauses: Sequence[_Clause]) -> dict[int, list[int]]:
        """Return, by article, the clauses whose delegating words it quotes and in all likelihood means as well."""
        quoting: dict[int, list[int]] = defaultdict(list)
        holders: dict[str, list[int]] = {}
        for number in lower:
            article = self._articles[number]
            for found in _QUOTE.finditer(article.text):
                quote = found[1]
                if not _LEVEL.search(quote):
                    continue
                if quote not in holders:
                    holders[quote] = [place for place, clause in enumerate(clauses) if quote in clause.text]
                meant = {
                    (self._number[edge.target], _parts(edge.text))
                    for edge in self._cited[number]
                    if edge.target in self._number and _SAID_BEFORE.fullmatch(article.text, edge.end, found.start())
                }
                word = quote.rpartition(" ")[2]
                is_rare = len({clauses[place].article for place in holders[quote]}) <= _MOST_QUOTED
                is_repeated = is_rare and len(word) >= _LONG_WORD and word in article.chapter_description
                quoting[number] += [place for place in holders[quote] if is_repeated or meant & clauses[place].cites]
        return quoting


def _parts(words: str) -> str:
    """Return a citation without the law that it begins with: 법 제16조제3항제3호 → 제16조제3항제3호."""
    return words[max(words.find("제"), 0) :]


def _sentence(text: str, edge: Edge) -> tuple[int, int]:
    start = max(text.rfind("\n", 0, edge.start) + 1, text.rfind(". ", 0, edge.start) + 1)
    end = _END.search(text, edge.end)
    return start, end.start() if end else len(text)


def _terms(text: str) -> set[str]:
    """Return pairs of Hangul syllables within a word, and Latin words: enough to compare two texts of one family."""
    terms: set[str] = set()
    for word in _WORD.findall(text):
        if "가" <= word[0] <= "힣":
            terms.update(word[i : i + 2] for i in range(len(word) - 1))
        else:
            terms.add(word.lower())
    return terms


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)

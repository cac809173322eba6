"""An article as the gate reads it: the terms of the whole, of its heading, and of each clause with what it cites."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from graph.clauses import Clause, clauses
from graph.mentions import LANGUAGES, find_mentions
from graph.records import EdgeKind, Mention, Provision
from retrieval.index import Index

__all__ = ["ReadArticle", "ReadArticles", "ReadClause"]

_N_KEPT = 4096  # articles kept in memory


@dataclass(frozen=True, slots=True)
class ReadClause:
    """A clause with its lead-in and its article's heading."""

    terms: frozenset[str]
    delegates: bool  # leaves detail to a provision below
    cites: bool  # names another provision, delegating or not
    cited_names: frozenset[str]  # the terms of the laws' names and labels that it cites by


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """The terms of one article."""

    terms: frozenset[str]  # of all fields that the index reads
    heading: frozenset[str]
    clauses: tuple[ReadClause, ...]


class ReadArticles:
    """The articles of an index, each read when first asked for."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self.read = lru_cache(maxsize=_N_KEPT)(self._read)
        """Return an article by its row in the index."""

    def _read(self, row: int) -> ReadArticle:
        article, lexical = self._index.articles[row], self._index.lexical
        mentions = find_mentions(article.text, article.language) if article.language in LANGUAGES else []
        return ReadArticle(
            terms=frozenset(lexical.settings.fields.terms(article, lexical.analyze)),
            heading=frozenset(lexical.analyze(article.chapter_description)),
            clauses=tuple(self._clause(article, clause, mentions) for clause in clauses(article.text)),
        )

    def _clause(self, article: Provision, clause: Clause, mentions: list[Mention]) -> ReadClause:
        analyze, text = self._index.lexical.analyze, article.text
        inside = [one for one in mentions if clause.start <= one.start < clause.end]
        lead, words = text[clause.lead_start : clause.lead_end], text[clause.start : clause.end]
        names = (f"{one.target.law.name} {text[one.start : one.end]}" for one in inside)
        return ReadClause(
            terms=frozenset(analyze(f"{article.chapter_description}\n{lead}\n{words}")),
            delegates=any(one.kind is EdgeKind.DELEGATES for one in inside),
            cites=bool(inside),
            cited_names=frozenset(term for name in names for term in analyze(name)),
        )

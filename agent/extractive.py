"""The extractive reader, default and floor: no model, but the clauses that fit the question best, quoted and cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.clause_ranking import ScoredClause

__all__ = ["Draft", "Quote", "read"]


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a draft takes from an article, before anybody has checked that they stand there."""

    semantic_id: str
    words: str


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer as a reader wrote it: [1] in the text is the first quote."""

    text: str
    quotes: tuple[Quote, ...]


def read(clauses: Sequence[ScoredClause]) -> Draft:
    """Quote the clauses in their order, each after the name of its article; an item comes with its lead-in."""
    lines: list[str] = []
    quotes: list[Quote] = []
    for one in clauses:
        heading = f" ({one.article.chapter_description})" if one.article.chapter_description else ""
        parts = [one.article.text[one.clause.lead_start : one.clause.lead_end], one.text]
        marks = []
        for words in filter(None, parts):
            quote = Quote(one.article.semantic_id, words)
            if quote not in quotes:
                quotes.append(quote)
            marks.append(f"“{words.strip()}” [{quotes.index(quote) + 1}]")
        lines.append(f"{one.article.law_name}, {one.article.chapter}{heading}: {' '.join(marks)}")
    return Draft("\n".join(lines), tuple(quotes))

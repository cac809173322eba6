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
    """Quote the clauses, those of one article together after its name; an item comes with its lead-in, said once."""
    quotes: dict[Quote, int] = {}  # to their numbers
    lines: dict[str, list[str]] = {}  # by article
    for one in clauses:
        heading = f" ({one.article.chapter_description})" if one.article.chapter_description else ""
        line = lines.setdefault(one.article.semantic_id, [f"{one.article.law_name}, {one.article.chapter}{heading}:"])
        for words in (one.article.text[one.clause.lead_start : one.clause.lead_end], one.text):
            quote = Quote(one.article.semantic_id, words)
            if words and quote not in quotes:
                quotes[quote] = len(quotes) + 1
                line.append(f"“{words.strip()}” [{quotes[quote]}]")
    return Draft("\n".join(" ".join(line) for line in lines.values()), tuple(quotes))

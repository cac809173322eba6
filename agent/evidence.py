"""Hits to the articles that are read, within a token budget: whole where they fit, else their best clauses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from graph.clauses import Clause, clauses
from graph.records import Hit, Provision

__all__ = ["EvidenceArticle", "n_tokens", "pack"]

_CJK = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7a3]")
_CHARS_PER_TOKEN = 4  # of alphabetic scripts; a Hangul, Han or Kana character is taken for a token


@dataclass(frozen=True, slots=True)
class EvidenceArticle:
    """An article in the context, or the part of it that fits."""

    article: Provision
    hit: Hit
    clauses: tuple[Clause, ...]  # in the order of the text
    whole: bool

    @property
    def text(self) -> str:
        """The words that are in the context."""
        if self.whole:
            return self.article.text
        return "\n…\n".join(_with_lead(self.article, clause) for clause in self.clauses)


def n_tokens(text: str) -> int:
    """Estimate the tokens of a text, rather too many than too few, without knowing the model."""
    n_cjk = len(_CJK.findall(text))
    return n_cjk + -(-(len(text) - n_cjk) // _CHARS_PER_TOKEN)


def pack(
    hits: Iterable[tuple[Hit, Provision]], *, budget_tokens: int, value: Callable[[Provision, Clause], float]
) -> list[EvidenceArticle]:
    """Take articles in the order of the hits until the budget is spent.

    An article that does not fit gives its clauses of the highest `value` that do, each whole, in the order of its text;
    if none fits it is left out, and the next is tried.
    """
    evidence: list[EvidenceArticle] = []
    for hit, article in hits:
        found = clauses(article.text)
        label_tokens = n_tokens(f"{article.law_name} {article.chapter} {article.chapter_description}\n")
        left = budget_tokens - label_tokens
        whole = n_tokens(article.text) <= left
        kept = found if whole else _best(article, found, left, value)
        if kept or whole:
            evidence.append(EvidenceArticle(article, hit, tuple(kept), whole))
            spent = n_tokens(article.text) if whole else sum(_clause_tokens(article, clause) for clause in kept)
            budget_tokens -= label_tokens + spent
    return evidence


def _best(
    article: Provision, found: Sequence[Clause], budget_tokens: int, value: Callable[[Provision, Clause], float]
) -> list[Clause]:
    kept: list[Clause] = []
    for clause in sorted(found, key=lambda clause: (-value(article, clause), clause.start)):
        tokens = _clause_tokens(article, clause)
        if tokens <= budget_tokens:
            kept.append(clause)
            budget_tokens -= tokens
    return sorted(kept, key=lambda clause: clause.start)


def _clause_tokens(article: Provision, clause: Clause) -> int:
    return n_tokens(_with_lead(article, clause)) + 1  # for the mark of what was left out


def _with_lead(article: Provision, clause: Clause) -> str:
    lead = article.text[clause.lead_start : clause.lead_end]
    return f"{lead}\n" * clause.has_lead + article.text[clause.start : clause.end]

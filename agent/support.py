"""Are a sentence's words those of what it cites? Tells what is made up from what is said in other words."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache

from agent.claims import text_language
from retrieval.tokens import Analyze, analysis

__all__ = ["content_terms", "in_order", "shared"]

_LONGEST = 600  # words: comparing takes the square of their number
_DIGITS = re.compile(r"\d")


def content_terms(words: str, language: str) -> frozenset[str]:
    """Return the terms of a text that carry its content: no stop words, no numbers; bigrams of Hangul, Kana and Han."""
    return frozenset(
        term for term in _analysis(text_language(words, default=language))(words) if not _DIGITS.search(term)
    )


def shared(terms: frozenset[str], others: frozenset[str]) -> float:
    """Return the share of terms that are among others, in [0, 1]; of none, 0."""
    return len(terms & others) / len(terms) if terms else 0.0


def in_order(words: str, others: str) -> float:
    """Return the share of the words of a text that stand in another in the same order, in [0, 1].

    Of texts without spaces, characters are compared. Texts that are too long to be one sentence share nothing.
    """
    one, other = (text.split() if " " in words else list(text) for text in (words, others))
    if not one or max(len(one), len(other)) > _LONGEST:
        return 0.0
    return sum(block.size for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()) / len(
        one
    )


@cache
def _analysis(language: str) -> Analyze:
    return analysis("default", language=language)

"""A question that leans on the ones before it, made to stand alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from agent.wording import alternatives, pattern

__all__ = ["carried", "leans", "points", "standalone"]

_SHORT = 25  # characters: a question this short seldom says what it is about
_LONGEST_CHAIN = 4  # earlier questions that are looked back at


def standalone(question: str, history: Sequence[str]) -> str:
    """Return the question, after those of the history that it leans on."""
    earlier = carried(question, history)
    return f"{earlier}\n{question.strip()}" if earlier else question


def carried(question: str, history: Sequence[str]) -> str:
    """Return the earlier questions that a question leans on, oldest first, a line each; "" if it stands alone.

    history: the earlier questions of the conversation, oldest first. A question that leans carries the last one, with
    what that one leans on in turn. Without a model, words are carried along rather than rewritten.
    """
    chain: list[str] = []
    for earlier in reversed(history[-_LONGEST_CHAIN:]):
        if not leans(question):
            break
        chain.insert(0, earlier.strip())
        question = earlier
    return "\n".join(chain)


def leans(question: str) -> bool:
    """Return whether a question is short, opens with a connective, or points with a pronoun."""
    return len(question.strip()) <= _SHORT or bool(_connective().match(question)) or points(question)


def points(question: str) -> bool:
    """Return whether a question points with a pronoun at what was said before."""
    return pattern("follow_up", "pointers").search(question) is not None


@cache
def _connective() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{alternatives('follow_up', 'connectives')})(?=[\s,、])", re.IGNORECASE)

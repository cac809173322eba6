"""What a sentence does: oblige, permit, forbid, exempt, restrict, except, deny or limit; in six languages, by class."""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum

from agent.claims.words import words_of

__all__ = ["NEGATIVE", "Force", "forces"]


class Force(StrEnum):
    """The classes of modal words, compared instead of the words, so that languages and wordings compare."""

    OBLIGATION = "obligation"  # must, 하여야 한다
    PERMISSION = "permission"  # may, 할 수 있다
    PROHIBITION = "prohibition"  # may not, 하여서는 아니 된다
    EXEMPTION = "exemption"  # need not, does not apply, 그러하지 아니하다
    RESTRICTION = "restriction"  # only
    EXCEPTION = "exception"  # unless, without, 다만, 제외
    NEGATION = "negation"  # any other "not"
    LIMIT = "limit"  # not more than, at most, within, 이내
    EXCESS = "excess"  # more than, 초과
    MINIMUM = "minimum"  # not less than, at least, 이상
    SHORTFALL = "shortfall"  # less than, 미만


NEGATIVE = frozenset({Force.PROHIBITION, Force.EXEMPTION, Force.NEGATION})

_NEUTRAL = "neutral"  # words that only look like one of these: "without delay" excepts nothing


def forces(text: str, language: str) -> tuple[Counter[Force], str]:
    """Count the classes of a folded text's modal words, and return the text without them.

    Each word counts once, for the first class that takes it. What stands inside of a wide one, such as "no … may", is
    content, and returned at the end.
    """
    found: Counter[Force] = Counter()
    inside: list[str] = []

    def take(one: re.Match[str]) -> str:
        inside.extend(one[0].split()[1:-1])
        return "\n"

    for kind, pattern in words_of(language).modality:
        text, n_taken = pattern.subn(take, text)
        if kind != _NEUTRAL and n_taken:
            found[Force(kind)] += n_taken
    return found, "\n".join([text, *inside])

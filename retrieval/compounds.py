"""Compounds of a question taken apart into words that the index knows: Bienenhaltung also asks for Biene and Haltung.

German writes as one word what a statute may say in two. The parts are added to the question alone: added to the
articles too, they drown the whole words (docs/languages.md has the figures).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from functools import lru_cache

__all__ = ["COMPOUNDING", "CompoundSplitter"]

COMPOUNDING = frozenset({"de"})
"""The languages whose compounds are taken apart."""

_JOINTS = ("", "s", "es", "n", "en", "er", "e")
_SHORTEST = 4  # letters of a part
_LONGEST = 60  # letters of a word that is looked at
_WORD = re.compile(r"[^\W\d_]+")


class CompoundSplitter:
    """Takes words apart into the terms of one index.

    analyze: what turned words into the index's terms. vocabulary: those terms.
    """

    def __init__(self, analyze: Callable[[str], list[str]], vocabulary: Collection[str]) -> None:
        self._analyze = analyze
        self._vocabulary = vocabulary
        self._split = lru_cache(maxsize=10_000)(self._parts)
        self._known = lru_cache(maxsize=100_000)(self._term_of)

    def parts(self, text: str) -> list[str]:
        """Return the terms that the compounds of a text are made of, in its order."""
        words = _WORD.findall(unicodedata.normalize("NFC", text).lower())
        return [term for word in words for term in self._split(word)]

    def _parts(self, word: str) -> tuple[str, ...]:
        """Return the terms that a word is made of, at least two; none if it cannot be taken apart.

        Words are cut before they are stemmed, as their ends are stemmed otherwise than a whole compound's. The longest
        first part wins, and letters that join two parts are dropped.
        """
        if not 2 * _SHORTEST <= len(word) <= _LONGEST:
            return ()
        for cut in range(len(word) - _SHORTEST, _SHORTEST - 1, -1):
            first = self._known(word[:cut])
            if first is None:
                continue
            for joint in _JOINTS:
                rest = word[cut + len(joint) :]
                if word.startswith(joint, cut) and len(rest) >= _SHORTEST:
                    last = self._known(rest)
                    others = (last,) if last is not None else self._split(rest)
                    if others:
                        return (first, *others)
        return ()

    def _term_of(self, word: str) -> str | None:
        terms = self._analyze(word)
        return terms[0] if len(terms) == 1 and terms[0] in self._vocabulary else None

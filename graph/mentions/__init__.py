"""The words of an article that cite another: text in, mentions out, by one grammar for each legal language.

A grammar is a module with three pure functions, registered below: `find_mentions`, `find_aliases` and `chapter_of`,
with the contracts of the functions of these names here.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Protocol

from graph.mentions import english, french, german, japanese, korean, vietnamese
from graph.mentions.law_names import Alias, name_key
from graph.records import Mention

__all__ = ["LANGUAGES", "Alias", "chapter_of", "find_aliases", "find_mentions", "name_key"]


class _Grammar(Protocol):
    def find_mentions(self, text: str, known_laws: Set[str]) -> list[Mention]: ...
    def find_aliases(self, text: str) -> list[Alias]: ...
    def chapter_of(self, label: str) -> str: ...


_GRAMMARS: dict[str, _Grammar] = {
    "ko": korean,
    "en": english,
    "fr": french,
    "ja": japanese,
    "de": german,
    "vi": vietnamese,
}

LANGUAGES = frozenset(_GRAMMARS)
"""The languages that a grammar reads."""


def find_mentions(text: str, language: str, *, known_laws: Set[str] = frozenset()) -> list[Mention]:
    """Return the mentions in a text, in its order; they never overlap. Takes time linear in the text.

    known_laws: the `name_key` of laws and aliases that are laws' names even where no quotation marks say so.
    Raises ValueError if no grammar reads the language.

    >>> text = "A permit under Article 13(2) of the Fire Safety Act ends as Article 4 says."
    >>> [text[mention.start : mention.end] for mention in find_mentions(text, "en")]
    ['Article 13(2) of the Fire Safety Act', 'Article 4']
    """
    return _grammar(language).find_mentions(text, known_laws)


def find_aliases(text: str, language: str) -> list[Alias]:
    """Return the short names that a text gives to laws, in its order: 「건축법」(이하 "법"이라 한다)."""
    return _grammar(language).find_aliases(text)


def chapter_of(label: str, language: str, noun: str = "") -> str:
    """Return a label as the law prints it, the inverse of `graph.semantic_id.label_of`: 별표4 → 별표 4.

    noun: what the law calls its provisions, of which the label is one, if not as laws of its language mostly do.
    """
    return f"{noun} {label}" if noun else _grammar(language).chapter_of(label)


def _grammar(language: str) -> _Grammar:
    if language not in _GRAMMARS:
        raise ValueError(f"no citation grammar for the language {language!r}; known: {', '.join(sorted(_GRAMMARS))}")
    return _GRAMMARS[language]

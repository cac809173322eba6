"""The form of the hand-made citation cases in languages other than Korean: like `citation_cases.py`, with parts.

The laws of a language are those of its `LAWS`: each has the articles in its module's `CHAPTERS` without text, the one
that is `REPEALED`, and those in `MORE_CHAPTERS` under its name. A case puts its own text into one article of one law.
An expectation is the words of the mention, the kind of edge, and its target, or None and a part of the reason. The
mentions of one text are listed in order; several edges of one mention (a range) repeat its words. Where the part of the
article matters it is given too: `paragraph` is the number of Absatz, §, 項, khoản, (n), or of an alinéa where no §
stands over it, a range of them written out and joined by commas; `item` is what stands below, levels
joined as the language does (1호나목, 3号イ, "Satz 2 Nr. 3", "al. 1 3°", "a,ii"). None: the case is not about it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from graph.records import EdgeKind

__all__ = [
    "CITES",
    "DEFINES",
    "DELEGATES",
    "EXCEPTS",
    "IMPLEMENTS",
    "NOT_HERE",
    "NO_TEXT",
    "WHOLE_LAW",
    "Expected",
    "LanguageCase",
    "lost",
    "to",
    "to_each",
]

CITES, DELEGATES, IMPLEMENTS = EdgeKind.CITES, EdgeKind.DELEGATES, EdgeKind.IMPLEMENTS
DEFINES, EXCEPTS, WHOLE_LAW = EdgeKind.DEFINES, EdgeKind.EXCEPTS, EdgeKind.WHOLE_LAW
NOT_HERE = "is not in the corpus"  # the reason of an edge into a law outside
NO_TEXT = "text is not in the sources"  # of an edge to an annex


class Expected(NamedTuple):
    words: str
    kind: EdgeKind
    target: str | None  # semantic_id
    reason: str  # a part of it; "" where there must be none
    paragraph: str | None = None
    item: str | None = None


@dataclass(frozen=True)
class LanguageCase:
    why: str
    law: str
    text: str
    expected: list[Expected]
    article: str  # the chapter that holds the text
    language: str
    beside: dict[str, dict[str, str]] = field(default_factory=dict)  # law: chapter: text


def to(
    words: str,
    target: str,
    kind: EdgeKind = CITES,
    reason: str = "",
    *,
    paragraph: str | None = None,
    item: str | None = None,
) -> Expected:
    return Expected(words, kind, target, reason, paragraph, item)


def to_each(words: str, law: str, labels: str, kind: EdgeKind = CITES) -> list[Expected]:
    """One mention that means several articles, their labels parted by spaces."""
    return [Expected(words, kind, f"{law}_{label}", "") for label in labels.split()]


def lost(words: str, reason: str, kind: EdgeKind = CITES) -> Expected:
    return Expected(words, kind, None, reason)

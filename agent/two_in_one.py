"""Two questions in one, taken apart: "How wide must it be, and what does it cost to park on it?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from agent.followup import leans
from agent.wording import alternatives, pattern

__all__ = ["Part", "parts_of"]

_MOST_PARTS = 3
_SHORTEST = 8  # characters of a part


@dataclass(frozen=True, slots=True)
class Part:
    """One question of those that a person asks in one breath."""

    asked: str  # the words that ask
    said: str = ""  # the sentences beside them that ask nothing
    before: str = ""  # what it leans on: earlier questions, or the part before it

    @property
    def own(self) -> str:
        """What it says itself."""
        return f"{self.said}\n{self.asked}" if self.said else self.asked

    @property
    def context(self) -> str:
        """What it cannot be read without."""
        return "\n".join(filter(None, (self.before, self.said)))

    @property
    def text(self) -> str:
        """The whole, as it can be read alone."""
        return "\n".join(filter(None, (self.before, self.said, self.asked)))


def parts_of(question: str) -> list[Part]:
    """Return the questions in a question, in order; one, with all its words, if it cannot be taken apart.

    A sentence asks if it ends in a question mark, or opens or ends like a question. It is cut where a joint ("and",
    "also") comes before words that open a question, and something is asked before it. A part that leans on what was
    said before (a pronoun, few words) comes with the part before it.
    """
    sentences = [one for one in _sentence_end().split(question.strip()) if one]
    asking = [one for one in sentences if _asks(one)]
    pieces = [_joint_before().sub("", piece).lstrip(" ,、") for sentence in asking for piece in _pieces(sentence)]
    if not 1 < len(pieces) <= _MOST_PARTS:
        return [_only_part(question, sentences, asking)]
    said = " ".join(one for one in sentences if one not in asking)
    parts: list[Part] = []
    for piece in pieces:
        parts.append(Part(piece, said, parts[-1].asked if parts and leans(piece) else ""))
    return parts


def _only_part(question: str, sentences: list[str], asking: list[str]) -> Part:
    """Return the whole as one part: what is asked last, after all that was said before."""
    if len(asking) == 1 and len(sentences) > 1:
        return Part(asking[0], " ".join(one for one in sentences if one != asking[0]))
    return Part(question.strip(), "")


def _asks(sentence: str) -> bool:
    opens = sentence.rstrip().endswith(("?", "？")) or _opening().match(sentence)
    return bool(opens or pattern("parts", "ends").search(sentence))


def _pieces(sentence: str) -> list[str]:
    cuts = [cut.start() for cut in _joint().finditer(sentence)]
    cuts += [cut.end() for cut in pattern("parts", "breaks").finditer(sentence)]
    opener = pattern("parts", "openers")
    pieces: list[str] = []
    start = 0
    for cut in sorted(cuts):
        piece = sentence[start:cut].strip(" ,;、")
        if len(piece) >= _SHORTEST and opener.search(piece) and opener.search(sentence, cut):
            pieces.append(piece)
            start = cut
    return [*pieces, sentence[start:].strip(" ,;、")]


@cache
def _sentence_end() -> re.Pattern[str]:
    """Return what finds the white space between sentences; after a number and a full stop, only before a question."""
    openers = alternatives("parts", "openers")
    return re.compile(rf"(?<=[?？!。])\s*(?=\S)|(?<=[^\d\s]\.)\s+(?=\S)|(?<=\d\.)\s+(?={openers})", re.IGNORECASE)


@cache
def _joint() -> re.Pattern[str]:
    """Return what finds the white space or comma before a joint and words that open a question."""
    joints, openers = alternatives("parts", "joints"), alternatives("parts", "openers")
    return re.compile(rf"[,;]?\s+(?:{joints})[,:]?\s+(?={openers})", re.IGNORECASE)


@cache
def _joint_before() -> re.Pattern[str]:
    return re.compile(rf"^\s*(?:{alternatives('parts', 'joints')})(?:[,:]?\s+|\b)", re.IGNORECASE)


@cache
def _opening() -> re.Pattern[str]:
    joints, openers = alternatives("parts", "joints"), alternatives("parts", "openers")
    return re.compile(rf"\s*(?:(?:{joints})[,:]?\s+)?(?:{openers})", re.IGNORECASE)

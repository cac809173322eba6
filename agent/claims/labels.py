"""The parts of the law that a text names, as numbers: Article 13-2(3), 제13조의2제3항, 第十三条の二, Điều 5."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from agent.claims.overlap import without_overlaps
from agent.claims.words import words_of

__all__ = ["Label", "labels", "markers", "without_markers"]

_NUMBER = r"[A-Z]?\.? ?\d+(?:-\d+)*(?:(?<=\d)[a-z]\b)?(?:\(\w{1,4}\))*"
_JOINT = r"(?:, ?|,? ?\b(?:and|or|to|et|ou|à|und|oder|bis|và|hoặc|đến)\b ?| ?- ?)"
_PARENTHESISED = re.compile(r"\(\d{1,2}\)")
_KOREAN = re.compile(
    r"제? ?\d+ ?조(?! ?원)(?: ?의 ?\d+)?(?: ?제? ?\d+ ?항)?(?: ?제? ?\d+ ?호(?:의 ?\d+)?)?"
    r"|제 ?\d+ ?(?:항|호|장|절|편|급|류|종|호서식)(?:의 ?\d+)?|(?:별표|별지) ?(?:제 ?)?\d+(?:의 ?\d+)?"
)
_KANJI = "[\\d〇一二三四五六七八九十百]+"
_JAPANESE = re.compile(rf"(?:別表|様式)?第{_KANJI}(?:条|項|号|章|節|類|種)?(?:の{_KANJI})*(?:第{_KANJI}(?:項|号))*")
_MARKER = re.compile(
    r"^\s*(?:(\d{1,3})(?:의(\d+))?\.|\((\w{1,3})\)|([①-⑳])|([가-하a-z])\.|(\d{1,2})\))\s", re.MULTILINE
)
_KANJI_ONES = dict(zip("〇一二三四五六七八九", range(10), strict=True))


@dataclass(frozen=True, slots=True)
class Label:
    """A part of the law named at `text[start:end]`, and the numbers in its name: 13-2 and 13-2(3)."""

    start: int
    end: int
    numbers: tuple[str, ...]


def labels(text: str, language: str) -> list[Label]:
    """Return the labels of a folded text in its order."""
    return without_overlaps(_candidates(text, language))


def markers(text: str) -> frozenset[str]:
    """Return the numbers that paragraphs and items of an article's text begin with."""
    found = set()
    for one in _MARKER.finditer(text):
        number = one[1] or one[3] or one[5] or one[6] or (str(ord(one[4]) - ord("①") + 1) if one[4] else "")
        found.add(f"{number}-{one[2]}" if one[2] else number)
    return frozenset(found)


def without_markers(text: str) -> str:
    """Return a text as it stands without the numbers that its lines begin with."""
    return _MARKER.sub(" ", text)


def _candidates(text: str, language: str) -> Iterator[Label]:
    for one in _PARENTHESISED.finditer(text):
        yield Label(one.start(), one.end(), (one[0].strip("()"),))
    for one in _KOREAN.finditer(text):
        yield Label(one.start(), one.end(), _korean_numbers(one[0]))
    for one in _JAPANESE.finditer(text):
        yield Label(one.start(), one.end(), _japanese_numbers(one[0]))
    if pattern := _worded(language):
        for one in pattern.finditer(text):
            yield Label(one.start(), one.end(), tuple(_worded_numbers(one[0])))


@cache
def _worded(language: str) -> re.Pattern[str] | None:
    words = words_of(language).labels
    if not words:
        return None
    return re.compile(rf"(?<!\w){words} ?\(?{_NUMBER}\)?(?:{_JOINT}(?:{words} ?)?\(?{_NUMBER}\)?)*", re.IGNORECASE)


def _worded_numbers(words: str) -> Iterator[str]:
    """Yield 13-2 and, of Article 13-2(1)(a), 13-2(1): which paragraph of which article."""
    for number, paragraph in re.findall(r"(\d+(?:-\d+)*[a-z]?)(\(\w{1,4}\))?", words):
        yield number
        if paragraph:
            yield number + paragraph


def _korean_numbers(words: str) -> tuple[str, ...]:
    joined = re.sub(r"\s", "", words)
    parts = re.findall(r"(\d+)(조|항|호)?(?:의(\d+))?", joined)
    numbers = [f"{number}-{branch}" if branch else number for number, _, branch in parts]
    if len(parts) > 1 and parts[0][1] == "조" and parts[1][1] == "항":
        numbers.append(f"{numbers[0]}({numbers[1]})")
    return tuple(numbers)


def _japanese_numbers(words: str) -> tuple[str, ...]:
    parts = re.findall(rf"{_KANJI}(?:条|項|号)?(?:の{_KANJI})*", words)
    numbers = ["-".join(_arabic(one) for one in re.findall(_KANJI, part)) for part in parts]
    if len(parts) > 1 and "条" in parts[0] and "項" in parts[1]:
        numbers.append(f"{numbers[0]}({numbers[1]})")
    return tuple(numbers)


def _arabic(kanji: str) -> str:
    if kanji.isdigit() and kanji.isascii():
        return kanji
    total = current = 0
    for character in kanji:
        if character in "十百":
            total += (current or 1) * (10 if character == "十" else 100)
            current = 0
        else:
            current = current * 10 + _KANJI_ONES.get(character, int(character) if character.isascii() else 0)
    return str(total + current)

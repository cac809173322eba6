"""Does a quote stand in its article? It does if only white space, compatibility forms and middle dots differ."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from typing import NamedTuple

from agent.claims import claims_of
from agent.reply import Check, Citation
from graph.records import Provision

__all__ = ["QuoteSpan", "cite", "find_quote"]

_MIDDLE_DOTS = frozenset("ㆍ·‧・•∙")
_REPAIR_SIMILARITY = 0.9  # share of the quote's characters that the nearest span must carry, in order
_SHORTEST_REPAIR = 12  # characters: a shorter quote is near to too much
_LONGEST_REPAIR = 2000  # characters: comparing takes the square of a quote's length
_RUN = 5  # characters of a quote that are looked for together, to find the place that it may come from
_MOST_PLACES = 50  # of one such run
_LONGEST_WORD = 30  # characters
_UNPARTED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")  # Kana and Han: no spaces between words


class QuoteSpan(NamedTuple):
    """Where a quote stands: `text[start:end]`."""

    start: int
    end: int
    check: Check


class _Folded(NamedTuple):
    text: str
    places: list[int]  # of each folded character, its place in the original


def find_quote(quote: str, text: str, *, language: str = "en") -> QuoteSpan | None:
    """Return where the quote stands in the text, repaired to the nearest span if it nearly does, else None.

    A repaired span carries at least nine tenths of the quote's characters in order, every number in it, and as many
    words that oblige, permit, forbid or deny: what a "not" turns round is no repair. It begins and ends with whole
    words. language: of the text (ISO 639-1). In time linear in both lengths.
    """
    folded_quote, folded = _fold(quote).text, _fold(text)
    if not folded_quote:
        return None
    start = folded.text.find(folded_quote)
    if start >= 0:
        return QuoteSpan(folded.places[start], folded.places[start + len(folded_quote) - 1] + 1, Check.EXACT)
    if not _SHORTEST_REPAIR <= len(folded_quote) <= _LONGEST_REPAIR:
        return None
    span = _nearest(folded_quote, folded, text)
    return span if span and _says_the_same(quote, text[span.start : span.end], language) else None


def cite(article: Provision, span: QuoteSpan) -> Citation:
    """Return the citation of a span of an article."""
    return Citation(
        semantic_id=article.semantic_id,
        doc_id=article.doc_id,
        law_name=article.law_name,
        label=article.chapter,
        quote=article.text[span.start : span.end],
        start=span.start,
        end=span.end,
        check=span.check,
    )


def _fold(text: str) -> _Folded:
    """Drop white space, fold compatibility forms (NFKC) and middle dots, and remember where each character stood."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character in _MIDDLE_DOTS:
            folded = "·"
        elif character.isspace():
            continue
        else:
            folded = unicodedata.normalize("NFKC", character)
        characters.append(folded)
        places += [place] * len(folded)
    return _Folded("".join(characters), places)


def _nearest(quote: str, folded: _Folded, text: str) -> QuoteSpan | None:
    """Return the span of the text that differs least from a folded quote."""
    start, end = _window(quote, folded.text)
    window = folded.text[start:end]
    blocks = [b for b in SequenceMatcher(None, quote, window, autojunk=False).get_matching_blocks() if b.size > 1]
    if not blocks or sum(block.size for block in blocks) < _REPAIR_SIMILARITY * len(quote):
        return None
    first, last = start + blocks[0].b, start + blocks[-1].b + blocks[-1].size
    if last - first > len(quote) / _REPAIR_SIMILARITY:
        return None
    return _whole_words(text, folded.places[first], folded.places[last - 1] + 1)


def _window(quote: str, text: str) -> tuple[int, int]:
    """Return the part of the text where most short runs of the quote's letters stand; the first one of several."""
    votes: Counter[int] = Counter()
    width = max(len(quote), _RUN)
    for place in range(0, len(quote) - _RUN + 1, 2):
        found = -1
        for _ in range(_MOST_PLACES):
            found = text.find(quote[place : place + _RUN], found + 1)
            if found < 0:
                break
            votes[(found - place) // width] += 1
    if not votes:
        return 0, 0
    best = min(votes, key=lambda bucket: (-votes[bucket] - votes[bucket + 1], bucket))
    return max(0, best * width - _RUN), (best + 3) * width


def _whole_words(text: str, start: int, end: int) -> QuoteSpan:
    """Move the ends of a span out to those of words, where words are parted by spaces."""
    for _ in range(_LONGEST_WORD):
        start -= start > 0 and _joined(text[start - 1 : start + 1])
        end += end < len(text) and _joined(text[end - 1 : end + 1])
    return QuoteSpan(start, end, Check.REPAIRED)


def _joined(pair: str) -> bool:
    return all(character.isalnum() and not _UNPARTED.match(character) for character in pair)


def _says_the_same(quote: str, span: str, language: str) -> bool:
    """Return whether numbers are the same, and words that oblige, permit, forbid or deny as many."""
    if re.findall(r"\d+", _fold(quote).text) != re.findall(r"\d+", _fold(span).text):
        return False
    return claims_of(quote, language).forces == claims_of(span, language).forces

"""Does a quote stand in its article? It does if only white space, compatibility forms and middle dots differ."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from typing import NamedTuple

from agent.reply import Check, Citation
from graph.records import Provision

__all__ = ["QuoteSpan", "cite", "find_quote"]

_MIDDLE_DOTS = frozenset("ㆍ·‧・•∙")
_REPAIR_SIMILARITY = 0.9  # share of the quote's characters that the nearest span must carry, in order
_SHORTEST_REPAIR = 12  # characters: a shorter quote is near to too much


class QuoteSpan(NamedTuple):
    """Where a quote stands: `text[start:end]`."""

    start: int
    end: int
    check: Check


class _Folded(NamedTuple):
    text: str
    places: list[int]  # of each folded character, its place in the original


def find_quote(quote: str, text: str) -> QuoteSpan | None:
    """Return where the quote stands in the text, repaired to the nearest span if it nearly does, else None.

    A repaired span carries at least nine tenths of the quote's characters in order, and every number in it.
    """
    folded_quote, folded = _fold(quote).text, _fold(text)
    if not folded_quote:
        return None
    start = folded.text.find(folded_quote)
    if start >= 0:
        return QuoteSpan(folded.places[start], folded.places[start + len(folded_quote) - 1] + 1, Check.EXACT)
    return _nearest(folded_quote, folded) if len(folded_quote) >= _SHORTEST_REPAIR else None


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


def _nearest(quote: str, folded: _Folded) -> QuoteSpan | None:
    blocks = [b for b in SequenceMatcher(None, quote, folded.text, autojunk=False).get_matching_blocks() if b.size > 1]
    if not blocks or sum(block.size for block in blocks) < _REPAIR_SIMILARITY * len(quote):
        return None
    start, end = blocks[0].b, blocks[-1].b + blocks[-1].size
    if end - start > len(quote) / _REPAIR_SIMILARITY or re.findall(r"\d+", quote) != re.findall(
        r"\d+", folded.text[start:end]
    ):
        return None
    return QuoteSpan(folded.places[start], folded.places[end - 1] + 1, Check.REPAIRED)

"""Texts whose accents are characters of their own, read as if each letter were one character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

__all__ = ["composed"]

_ACCENTED = re.compile("[^\u0300-\u036f][\u0300-\u036f]{1,4}(?![\u0300-\u036f])")


def composed(text: str) -> tuple[str, Sequence[int]]:
    """Return a text with its letters composed, and where each of its characters, and its end, lie in the text given.

    A letter under more than four accents stays as it is: it is none of any language's, and long runs take long to sort.
    """
    if not _ACCENTED.search(text):
        return text, range(len(text) + 1)
    pieces: list[str] = []
    places: list[int] = []
    end = 0
    for letter in _ACCENTED.finditer(text):
        places.extend(range(end, letter.start()))
        piece = unicodedata.normalize("NFC", letter[0])
        places.extend([letter.start()] * len(piece))
        pieces += [text[end : letter.start()], piece]
        end = letter.end()
    places.extend(range(end, len(text) + 1))
    return "".join([*pieces, text[end:]]), places

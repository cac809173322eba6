"""The parts of an English provision that a citation names: (3)(a)(ii), (2) to (4), (1) subparagraph 3, point (b) of."""

from __future__ import annotations

import re

__all__ = ["PARTS", "part_before", "parts_of"]

_SUBPARAGRAPH = r"(?:, (?:first|second|third|fourth|last) (?:sub)?paragraph)"
PARTS = (
    r"(?:\(\w{1,4}\)){0,4}(?: (?:sub)?paragraphs? \(?\w{1,3}\)?|,? points? \(\w{1,3}\)){0,2}"
    r"(?:(?:,| or| and|, and|, or| to) \(\w{1,4}\)(?:\(\w{1,4}\)){0,3}){0,9}" + _SUBPARAGRAPH + "?"
)
"""Right behind a number; may be empty."""

_PART = re.compile(r"(?P<inner>\))?(?P<word> subparagraph | points? )?(?P<to> to )?\(?(?<!\w)(?P<number>\w{1,4})\b")
_NO_NUMBERS = ("or", "and", "to", "last")
_PART_FIRST = re.compile(
    r"(?P<noun>(?:sub)?paragraphs?|(?:sub)?sections?|items?|points?|clauses?) \(?(?P<number>\w{1,3})\)?"
    r"(?P<inner>(?:\(\w{1,4}\)){0,3})(?P<more>(?:(?:, | and | or |, and |, or )\(?\w{1,3}\)?){0,5})"
    r"(?: of (?:sub)?paragraph \(?(?P<outer>\w{1,3})\)?)? of (?:the )?$"
)
_LONGEST_BEFORE = 60  # characters


def parts_of(words: str) -> tuple[str, str]:
    """Read "(2)(b)" and "(1) subparagraph 3" as a paragraph and an item; "(3) or (5)" as two paragraphs."""
    paragraphs: list[str] = []
    items: list[str] = []
    for part in _PART.finditer(words):
        number = part["number"]
        if number in _NO_NUMBERS:
            continue
        is_inside = bool(part["inner"]) and words[part.start() + 1] == "("
        goes_on = bool(items and paragraphs) and paragraphs[-1].isdigit() and number.isalpha()  # "(1)(a) or (b)"
        is_item = bool(part["word"]) or is_inside or goes_on
        values = items if is_item else paragraphs
        if part["to"] and values and values[-1].isdigit() and number.isdigit():
            values.extend(str(n) for n in range(int(values[-1]) + 1, min(int(number), 99)))
        values.append(number)
    return ",".join(paragraphs), ",".join(items)


def part_before(text: str, start: int, floor: int) -> tuple[int, str, str]:
    """Read "paragraph (2) of" before a label: where it begins, its paragraph and its item."""
    window = text[max(floor, start - _LONGEST_BEFORE) : start]
    if not window.endswith((" of ", " of the ")) or not (part := _PART_FIRST.search(window)):
        return start, "", ""
    number, inner, outer = part["number"], re.findall(r"\w+", part["inner"]), part["outer"] or ""
    begin = start - (len(window) - part.start())
    numbers = ",".join([number, *(n for n in re.findall(r"\w+", part["more"]) if n not in _NO_NUMBERS)])
    if part["noun"].startswith(("paragraph", "subsection")):
        return begin, numbers, ",".join(inner if inner else [outer] if outer else [])
    return begin, outer, ",".join([numbers, *inner])

"""The parts of a Korean article that a citation names: 제2조 제1항제1호나목, 제2항 각 호 외의 부분 단서."""

from __future__ import annotations

import re

__all__ = ["BEFORE_ITEMS", "DOT", "PART", "TAIL", "parts_of"]

DOT = "ㆍ·‧・"
PART = (
    r"(?:제\d{1,3}항|제\d{1,3}호(?:의\d{1,3})?(?!서식)|본문|단서|전단|후단|각 호(?: 외의 부분)?|각 목(?: 외의 부분)?"
    r"|[가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허]목)"
)
_JOIN = rf"(?:까지)?(?:\s?[,{DOT}]\s?|\s?(?:및|또는)\s|[과와나]\s|이나\s|부터\s|\s내지\s|\s)?"
TAIL = rf"(?:\s?{PART}(?:{_JOIN}{PART})*(?:까지)?)?"

_READ = re.compile(r"부터|제(\d+)(항|호)((?:의\d+)?)|(.)목|각 호 외")

BEFORE_ITEMS = "각 호 외"
"""In the place of an item: the words of a paragraph that stand before its items."""


def parts_of(words: str) -> tuple[str, str]:
    """Read "제1항ㆍ제3항", "제2항부터 제4항까지", "제1호나목" as the paragraphs and the items of a Target."""
    if not words:
        return "", ""
    paragraphs: list[str] = []
    items: list[str] = []
    through = False
    for part in _READ.finditer(words):
        if part[0] == "부터":
            through = True
            continue
        if part[2] == "항":
            if through and paragraphs:
                paragraphs.extend(str(n) for n in range(int(paragraphs[-1]) + 1, min(int(part[1]), 99)))
            paragraphs.append(part[1])
        elif part[2] == "호":
            if through and items and items[-1].endswith("호"):
                items.extend(f"{n}호" for n in range(int(items[-1][:-1].split("호")[0]) + 1, min(int(part[1]), 99)))
            items.append(f"{part[1]}호{part[3]}")
        elif part[0] == BEFORE_ITEMS:
            items.append(BEFORE_ITEMS)
        elif items:
            items[-1] += f"{part[4]}목"
        through = False
    return ",".join(paragraphs), ",".join(items)

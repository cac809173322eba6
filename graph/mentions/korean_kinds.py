"""What a Korean citation does with the provision it names, told from the words around it."""

from __future__ import annotations

import re

from graph.records import EdgeKind

__all__ = ["kind_of"]

_AFTER_EXCEPT = re.compile(
    r"(?:의 규정)?(?:에도 불구하고|에 불구하고|[을를] 제외하고|에 (?:따른|해당하는) 경우(?:[를는]|에는)? 제외)"
)
# 법 제5조에서 "대통령령으로 정하는 것"이란; 법 제5조의 "행정안전부령으로 정하는 기간"이란
_AFTER_QUOTE = re.compile(
    r"[^.\"“”\n]{0,20}(?:에서\s?[\"“]|의\s?[\"“](?=[^\"“”\n]{0,60}령[으이]))(?P<quoted>[^\"“”\n]{0,200})"
)
_AFTER_PURSUANT = re.compile(r"(?:의 규정)?(?:에\s?(?:따[라르]|의하여|의거)|에서 위임)")
_AFTER_PROVIDED = re.compile(r"(?:의 규정)?(?:에\s?(?:따른(?!다)|의한)|에서 (?:정하|정한|규정))")
# What a paragraph opens with: "② ", "이 영은 ", or "② 영 제9조제2항에 따른 허가서 및 " before another one
_OPENING = re.compile(
    r"(?:[①-㉟]\s?)?(?:이 (?:영|규칙|규정|령)[은의] |(?:법|영|규칙|같은) [^.()\n]{1,80}(?:및|또는|과|와|,|ㆍ)\s?)?"
)
_LISTED = re.compile(r"[ \t]*(?:\d{1,3}(?:의\d{1,3})?|[가-하])[.)]\s")
_AFTER_DEFINES = re.compile(
    r"(?:의 규정)?(?:에\s?(?:따른|의한)|에서 (?:정하는|정한)|의)\s(?![^.()\n]{0,60}경우)[^.()\n]{0,60}?[을를] 말한다"
)
_AFTER_ANNEX_HOLDS = re.compile(r"[과와] 같(?:다|고|이|으[며나])|에 따(?:른다|르[며고])|(?:으로|로) 정한다")
_LONGEST_OPENING, _LONGEST_BRACKET, _LONGEST_AFTER = 120, 150, 100  # characters
_TERM = re.compile(r"[\"”]이?란\s")


def kind_of(
    text: str, start: int, end: int, *, line_start: int, is_parent: bool, is_own_annex: bool
) -> tuple[EdgeKind, str]:
    """Return what the enumeration `text[start:end]` does, and the words of a delegation that it quotes.

    line_start: where its line begins. is_parent: the law cited is one that the citing law may implement.
    is_own_annex: an annex of the citing law. The items of a list fill nothing in unless they quote, for "1. 법 제9조에
    따라 등록한 자" is one whom the act knows; nor do brackets, or "법 제9조에 따른 등록" in the midst of a sentence.
    """
    stop = text.find("\n", end, end + _LONGEST_AFTER)
    stop = end + _LONGEST_AFTER if stop < 0 else stop
    if _AFTER_EXCEPT.match(text, end, stop):
        return EdgeKind.EXCEPTS, ""
    if is_parent and (quote := _AFTER_QUOTE.match(text, end)):
        return EdgeKind.IMPLEMENTS, quote["quoted"]
    if _AFTER_DEFINES.match(text, end, stop) and (
        text[start - 1 : start] == "(" or _TERM.search(text, max(line_start, start - 200), start)
    ):
        return EdgeKind.DEFINES, ""
    if is_parent and not _is_bracketed(text, line_start, start) and not _LISTED.match(text, line_start):
        opens = start - line_start < _LONGEST_OPENING and bool(_OPENING.fullmatch(text, line_start, start))
        if _AFTER_PURSUANT.match(text, end, stop) or (opens and _AFTER_PROVIDED.match(text, end, stop)):
            return EdgeKind.IMPLEMENTS, ""
    if is_own_annex and _AFTER_ANNEX_HOLDS.match(text, end, stop):
        return EdgeKind.DELEGATES, ""
    return EdgeKind.CITES, ""


def _is_bracketed(text: str, line_start: int, position: int) -> bool:
    floor = max(line_start, position - _LONGEST_BRACKET)
    return text.rfind("(", floor, position) > text.rfind(")", floor, position)

"""What a Korean citation does with the provision it names, told from the words around it."""

from __future__ import annotations

import re

from graph.records import EdgeKind

__all__ = ["kind_of"]

_AFTER_EXCEPT = re.compile(
    r"(?:의 규정)?(?:에도 불구하고|에 불구하고|[을를] 제외하고|에 (?:따른|해당하는) 경우(?:[를는]|에는)? 제외)"
)
_AFTER_QUOTE = re.compile(r"[^.\"“”\n]{0,20}에서\s?[\"“](?P<quoted>[^\"“”\n]{0,200})")
_AFTER_PURSUANT = re.compile(r"(?:의 규정)?(?:에\s?(?:따[라른르]|의하여|의한|의거)|에서 (?:정하|정한|위임|규정))")
_AFTER_PROVIDED = re.compile(r"(?:의 규정)?에\s?(?:따른|의한)\s")
_ITEM = re.compile(r"\s*(?:\d{1,3}(?:의\d{1,3})?|[가-하])\.\s")
_AFTER_DEFINES = re.compile(r"(?:의 규정)?(?:에\s?(?:따른|의한)|에서 (?:정하는|정한)|의)\s[^.()\n]{0,60}?[을를] 말한다")
_AFTER_ANNEX_HOLDS = re.compile(r"[과와] 같(?:다|이|으[며나])|에 따(?:른다|르[며고])|(?:으로|로) 정한다")
_TERM = re.compile(r"[\"”]이?란\s")


def kind_of(text: str, start: int, end: int, *, is_parent: bool, is_own_annex: bool) -> tuple[EdgeKind, str]:
    """Return what the enumeration `text[start:end]` does, and the words of a delegation that it quotes.

    is_parent: the law cited is one that the citing law may implement. is_own_annex: an annex of the citing law.
    """
    after = text[end : end + 100].split("\n", 1)[0]
    if _AFTER_EXCEPT.match(after):
        return EdgeKind.EXCEPTS, ""
    if is_parent and (quote := _AFTER_QUOTE.match(text, end)):
        return EdgeKind.IMPLEMENTS, quote["quoted"]
    line_start = text.rfind("\n", max(0, start - 300), start) + 1
    if _AFTER_DEFINES.match(after) and (
        text[start - 1 : start] == "(" or _TERM.search(text, max(line_start, start - 200), start)
    ):
        return EdgeKind.DEFINES, ""
    # "3. 법 제9조에 따른 신고에 관한 사무": an item that lists what the act provides for fills nothing in
    is_listed = _AFTER_PROVIDED.match(after) and _ITEM.fullmatch(text, line_start, start)
    if is_parent and _AFTER_PURSUANT.match(after) and not is_listed:
        return EdgeKind.IMPLEMENTS, ""
    if is_own_annex and _AFTER_ANNEX_HOLDS.match(after):
        return EdgeKind.DELEGATES, ""
    return EdgeKind.CITES, ""

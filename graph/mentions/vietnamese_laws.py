"""Which law Vietnamese words name: Luật này, của Luật, Bộ luật Dân sự, Nghị định số 136/2020/NĐ-CP.

A decree is named by its number; "số", its date and its issuer may be left out where it is cited. A law's name has no
end of its own: the longest one that the corpus knows is taken, else the words up to one that names do not hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from graph.mentions.law_names import Alias, name_key
from graph.records import LawRef, LawRefKind

__all__ = ["LawWords", "aliases_in", "law_after", "laws_in"]

_LEVEL = (
    r"(?:Bộ luật|Luật|Pháp lệnh|Hiến pháp|Nghị định|Nghị quyết|Thông tư liên tịch|Thông tư|Quyết định|Quy chế|Chỉ thị)"
)
_POINTING = r"(?:nói trên|nêu trên|trên đây|đã nêu|vừa nêu|trên|đó|ấy)(?!\w)"
_NUMBER = r"(?:số )?(?P<number>\d{1,4}/(?:\d{4}/)?[A-ZĐƯ][A-Za-zĐƯ0-9]{0,9}(?:-[A-Za-zĐƯ0-9]{1,9}){0,4})(?!\w)"
_DATE = r"(?:,? ngày \d{1,2}(?: tháng |[/-])\d{1,2}(?: năm |[/-])\d{4})?"
_ISSUER = r"(?: của (?:Thủ tướng Chính phủ|Chính phủ|Ủy ban Thường vụ Quốc hội|Quốc hội))?"
_LAW = re.compile(
    rf"(?P<level>{_LEVEL})(?!\w)(?: (?:(?P<this>này(?!\w))|(?P<same>{_POINTING})|{_NUMBER}{_DATE}{_ISSUER}))?"
)
_LINK = re.compile(r",? (?:(?:của|trong|tại|thuộc) )?(?=[BLPHNTQC])")
_ISSUED = re.compile(r" (?:được )?ban hành kèm theo (?=[BLPHNTQC])")
_NAME_WORD = re.compile(r"(?P<comma>,)? (?!quy định(?!\w))(?P<word>[^\W\d][\w-]{0,30})")
_AFTER_NAME = re.compile(
    rf"(?: số \d{{1,4}}/\d{{4}}/[A-ZĐ]{{1,6}}\d{{0,3}}(?!\w))?(?: năm \d{{4}}(?!\w))?(?: \((?:sửa đổi)\))?{_DATE}"
)
_CALLED = re.compile(r" \((?:sau đây|dưới đây)? ?(?:được )?(?:gọi|viết) (?:tắt |chung )?là (?P<alias>[^()\n]{1,60})\)")
_IS_CALLED = re.compile(r"(?:gọi|viết) (?:tắt |chung )?là[:“\" ]*$")
_MOST_WORDS = 16
_LONGEST_NAME = 200  # characters
# Words that no name of a law holds, though one may begin with them: "Luật Quy hoạch quy định …"
_STOP_WORDS = """
    gồm bao là hoặc có được bị cấm thì về của năm số ngày này đó nói nêu để khi trong tại theo không phải do đã áp
    khác thực còn nếu mà với từ cho sau trước trừ ban hướng hiện hết sẽ bằng đến chưa vẫn đều cũng các những mọi sửa
    trên dưới tương nhằm hay như người tổ cơ điều khoản điểm chỉ ngoài
"""
_STOPS = frozenset(_STOP_WORDS.split())
_AFTER_AND = frozenset({"nghị", "văn", "thông", "quyết", "luật", "bộ", "pháp"}) | _STOPS
_AFTER_COMMA = frozenset({"chống", "sử", "xuất", "quá", "cư", "vũ", "vật", "thi", "bảo", "tố"})
_BEGIN_OTHERS = (
    "Luật",
    "Bộ",
    "Nghị",
    "Thông",
    "Pháp",
    "Hiến",
    "Quyết",
    "Điều",
    "Khoản",
    "Điểm",
    "Chương",
    "Mục",
    "Phụ",
)
_CODES = ("dân", "hình", "lao", "tố", "hàng")  # "Bộ luật dân sự" may be written small


class LawWords(NamedTuple):
    """Words that name a law."""

    start: int
    end: int
    law: LawRef


def law_after(text: str, end: int, known_laws: Set[str], *, is_annex: bool = False) -> LawWords | None:
    """Return the law that the words right behind a label name; behind an annex also the one that it was issued with.

    "ban hành kèm theo Nghị định này" tells no more than the annex alone, and is left out.
    """
    if link := _LINK.match(text, end):
        return _law_at(text, link.end(), known_laws)
    if is_annex and (issued := _ISSUED.match(text, end)):
        law = _law_at(text, issued.end(), known_laws)
        return law if law and law.law.kind is not LawRefKind.THIS else None
    return None


def laws_in(text: str, known_laws: Set[str]) -> Iterator[LawWords]:
    """Yield the laws that a text names, whether or not labels stand before."""
    for found in _LAW.finditer(text):
        if text[found.start() - 1 : found.start()].isalnum():
            continue
        law = _law_at(text, found.start(), known_laws)
        if law and law.law.kind is LawRefKind.NAMED and not _IS_CALLED.search(text, max(0, law.start - 20), law.start):
            yield law


def aliases_in(text: str) -> Iterator[Alias]:
    """Yield the short names that a text gives to laws: Luật Phòng cháy (sau đây gọi tắt là Luật PC)."""
    for called in _CALLED.finditer(text):
        window = text[max(0, called.start() - _LONGEST_NAME) : called.start()]
        for found in reversed(list(_LAW.finditer(window))):
            law = _law_at(window, found.start(), frozenset())
            if law and law.law.kind is LawRefKind.NAMED and law.end == len(window):
                yield Alias(called["alias"].strip(' “”"'), law.law.name, called.end(), None)
                break


def _law_at(text: str, start: int, known_laws: Set[str]) -> LawWords | None:
    found = _LAW.match(text, start)
    if found is None:
        return None
    if found["this"]:
        return LawWords(start, found.end(), LawRef(LawRefKind.THIS))
    if found["same"]:
        return LawWords(start, found.end(), LawRef(LawRefKind.SAME, found["level"]))
    if found["number"]:
        short = f"{found['level']} {found['number']}"
        name = short if name_key(short) in known_laws else f"{found['level']} số {found['number']}"
        return LawWords(start, found.end(), LawRef(LawRefKind.NAMED, name))
    name_end = _name_end(text, found.end("level"), known_laws, found["level"])
    if name_end == found.end("level"):
        return LawWords(start, name_end, LawRef(LawRefKind.FAMILY, found["level"]))
    name = text[start:name_end]
    after = _AFTER_NAME.match(text, name_end)
    end = after.end() if after else name_end
    if name_key(text[start:end]) in known_laws:
        name = text[start:end]
    return LawWords(start, end, LawRef(LawRefKind.NAMED, name))


def _name_end(text: str, end: int, known_laws: Set[str], level: str) -> int:
    """Return where the name that follows a level word ends; `end` if none follows."""
    level_end = known_end = name_end = end
    key = name_key(level)
    before, is_name = "", True
    for _ in range(_MOST_WORDS):
        found = _NAME_WORD.match(text, end)
        if found is None:
            break
        word = found["word"]
        key += word.lower()
        end = found.end()
        if key in known_laws:
            known_end = end
        is_name = is_name and _may_follow(word, before, level, is_listed=bool(found["comma"]))
        if is_name and word != "và":
            name_end = end
        before = word
    # "Luật Phòng cháy và chữa cháy" is not the Luật Phòng cháy that is known
    goes_on = name_end > known_end and text.startswith((" và ", ", "), known_end)
    return name_end if goes_on or known_end == level_end else known_end


def _may_follow(word: str, before: str, level: str, *, is_listed: bool) -> bool:
    """Tell whether a name may go on with a word."""
    if not before:
        return word not in ("Luật", "Nghị", "Thông") and (word[0].isupper() or (level == "Bộ luật" and word in _CODES))
    if is_listed:
        return word in _AFTER_COMMA
    if before == "và":
        return word.islower() and word not in _AFTER_AND
    if word == "ở":
        return before == "Nhà"  # Luật Nhà ở, but Luật Nhà giáo ở nông thôn
    return word not in (_BEGIN_OTHERS if word[0].isupper() else _STOPS)

"""The citation grammar of statutes in Vietnamese.

    điểm a khoản 2 Điều 12 của Luật này              the smaller part stands first, then the law
    các Điều 651, 652 và 653 của Bộ luật Dân sự      the law behind the last member is that of all
    điều trên                                        counted from the citing article
    Chính phủ quy định chi tiết                      a delegation, by the one who issues what fills in

The words before a citation say what it does ("trừ trường hợp quy định tại", "quy định chi tiết"). Letters may be
composed or not. Quantifiers are bounded, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from graph.mentions.composed import composed
from graph.mentions.law_names import Alias
from graph.mentions.spans import with_others
from graph.mentions.vietnamese_laws import aliases_in, law_after, laws_in
from graph.records import EdgeKind, LawRef, LawRefKind, Mention, Target

__all__ = ["chapter_of", "find_aliases", "find_mentions"]

_JOINT = r"(?:, | và | hoặc |; )"
_POINTS = rf"(?>[Đđ]iểm [a-zđ]\d?(?!\w)(?:(?:{_JOINT}| đến )(?:điểm )?[a-zđ]\d?(?!\w)){{0,9}})"
_CLAUSES = (
    rf"(?>[Kk]hoản \d{{1,2}}[a-zđ]?(?!\w)(?:(?:{_JOINT}| đến (?:hết )?)(?:khoản )?\d{{1,2}}[a-zđ]?(?!\w)){{0,9}})"
)
_UNIT = rf"(?>{_POINTS}(?:,? (?:của )?{_CLAUSES})?|{_CLAUSES})"
_PARTS_FIRST = rf"(?>{_UNIT}(?:{_JOINT}{_UNIT}){{0,5}}),? (?:của )?"
_PARTS_AFTER = (
    rf"(?>,? {_CLAUSES}(?:,? {_POINTS})?|,? {_POINTS})"
    r"(?!(?:,|,? và|,? hoặc)? (?:của )?(?:[Đđ]iều|[Kk]hoản|[Đđ]iểm)(?!\w))"
)
_NUMBER = r"\d{1,4}[a-zđ]?(?![\w/])"
_COUNTED = (
    r"(?! (?:ngày|tháng|năm|tuần|giờ|phút|giây|lần|người|đồng|mét|kilômét|km|m|kg|cái|vụ|chiếc|phần|lít|cây|hộ|nhà)"
    r"(?!\w)| ?%)"
)
_HEAD = re.compile(
    rf"(?<!\w)(?:(?P<first>{_PARTS_FIRST})?(?:[Đđ]iều|ĐIỀU) (?P<number>{_NUMBER})(?P<after>{_PARTS_AFTER})?"
    r"|(?P<annex>Phụ lục|PHỤ LỤC)(?: (?:số )?(?P<annex_number>(?:[IVXLC]{1,6}|\d{1,3}[a-zA-Z]?)(?!\w))"
    r"|(?= (?:được )?ban hành kèm theo| của))"
    r"|Mẫu (?:đơn )?số (?P<form>\d{1,3}[a-z]?(?!\w)(?:[/-][A-ZĐ][A-ZĐ0-9-]{0,10})?))"
)
_NEXT = re.compile(
    rf"(?P<joint>, (?:và |hoặc )?| và | hoặc | đến (?:hết )?|; )"
    rf"(?:(?P<again>(?:các )?(?P<first>{_PARTS_FIRST})?[Đđ]iều )(?P<number>{_NUMBER})(?P<after>{_PARTS_AFTER})?"
    rf"|(?P<bare>{_NUMBER}){_COUNTED})"
)
_FORMER = re.compile(r" (?:trước khi (?:được )?(?:sửa đổi|bổ sung|thay thế|bãi bỏ)|cũ)(?!\w)")
_NEIGHBOUR = re.compile(
    r"(?:(?<=tại )|(?<=theo )|(?<=của )|(?<=với )|(?<=trong )|(?<=ở ))[Đđ]iều "
    r"(?:(?P<before>liền kề trước|liền trước|ngay trước|trước đó|trên đây|trên|trước)"
    r"|(?:liền kề sau|liền sau|ngay sau|tiếp theo|kế tiếp|sau)(?! đây))(?!\w)"
)
_GOVERNMENT = re.compile(
    r"(?<!\w)(?:(?P<prime>Thủ tướng )?Chính phủ|(?P<minister>(?:Bộ trưởng )?Bộ(?: [^\W\d]\w{0,10}){1,9}?))"
    r" (?:quy định|hướng dẫn)(?: chi tiết)?(?!\w)(?! tại| của)"
    r"|(?<!\w)quy định của (?:(?P<of_prime>Thủ tướng )?Chính phủ|(?P<of_minister>Bộ trưởng Bộ))(?!\w)"
)
_PLACE = re.compile(r"^[ \t]*(?:(?P<clause>\d{1,2}[a-zđ]?)\.|(?P<point>[a-zđ])\)) ", re.MULTILINE)

_LINK = r"(?:(?:được )?quy định )?(?:tại |ở |trong |theo )?(?:các |từ )?$"
_EXCEPT = re.compile(
    r"(?:(?:[Tt]rừ|không kể|không bao gồm) (?:các )?(?:trường hợp )?|(?:[Kk]hông (?:phụ thuộc vào|áp dụng)|khác với) )"
    rf"{_LINK}"
)
_DEFINES = re.compile(
    r"(?:(?:hiểu|có nghĩa) (?:theo|như)|giải thích (?:tại|theo|ở)|định nghĩa (?:tại|theo|ở))"
    r"(?: nghĩa)?(?: quy định)?(?: tại| ở)? (?:các |từ )?$"
)
_IMPLEMENTS = re.compile(
    r"(?:quy định chi tiết|[Hh]ướng dẫn|chi tiết hóa|[Tt]hi hành)(?: và (?:biện pháp|hướng dẫn|tổ chức))?(?: thi hành)?"
    r"(?: về)?(?: một số điều,?)?(?: nội dung)?(?: tại| của)? (?:các |từ )?$"
)
# "Hồ sơ quy định tại khoản 3 Điều 3 Luật Chợ đêm gồm …" says what the law left open
_SUBJECT = re.compile(r"(?:^|[\n.] ?)(?:\d{1,2}\. |[a-zđ]\) )?[^\n.,;:]{1,80} (?:được )?quy định tại (?:các )?$")
_PREDICATE = re.compile(r" (?:bao gồm|gồm|như sau|là|được quy định như sau|được xác định)(?!\w)")
_LONGEST_BEFORE = 100  # characters that may say what a citation does
_THIS = LawRef(LawRefKind.THIS)


@dataclass(slots=True)
class _Member:
    """One label of an enumeration; the fields of a Target."""

    start: int
    end: int
    label: str
    paragraph: str = ""
    item: str = ""
    last_label: str = ""


def find_mentions(text: str, known_laws: Set[str]) -> list[Mention]:
    """See `graph.mentions.find_mentions`."""
    text, places = composed(text)
    mentions: list[Mention] = []
    end = 0
    while head := _HEAD.search(text, end):
        mentions.extend(_enumeration(text, head, end, known_laws))
        end = mentions[-1].end
    named = (Mention(start, end, EdgeKind.WHOLE_LAW, Target(law)) for start, end, law in laws_in(text, known_laws))
    found = with_others(mentions, [*_neighbours(text), *_delegations(text), *named])
    if isinstance(places, range):
        return found
    return [replace(mention, start=places[mention.start], end=places[mention.end]) for mention in found]


def find_aliases(text: str) -> list[Alias]:
    """See `graph.mentions.find_aliases`: Luật Phòng cháy (sau đây gọi tắt là Luật PC)."""
    if " là " not in text:
        return []
    text, places = composed(text)
    return [replace(alias, start=places[alias.start]) for alias in aliases_in(text)]


def chapter_of(label: str) -> str:
    """See `graph.mentions.chapter_of`: 12a → Điều 12a, phụ-lục-II → Phụ lục II, mẫu-số-3 → Mẫu số 3."""
    for part in ("phụ lục", "mẫu số"):
        if label.startswith(part.replace(" ", "-")):
            return f"{part.capitalize()} {label[len(part) + 1 :]}".rstrip()
    return f"Điều {label}"


def _enumeration(text: str, head: re.Match[str], floor: int, known_laws: Set[str]) -> Iterator[Mention]:
    """Read the labels that follow one another, the law they are of, and what is done with them."""
    start = head.start()
    is_annex = not head["number"]
    before = text[max(floor, start - _LONGEST_BEFORE) : start]
    if is_annex:
        label = f"mẫu-số-{head['form'].lstrip('0')}" if head["form"] else f"phụ-lục-{head['annex_number'] or ''}"
        last = _Member(start, head.end(), label.rstrip("-"))
    else:
        last = _Member(start, head.end(), head["number"], *_parts_of(head["first"], head["after"]))
    members = [last]
    are_many = before.endswith(("các ", "Các ", "từ ", "những "))
    while not is_annex and (following := _NEXT.match(text, last.end)):
        is_range = following["joint"].startswith(" đến")
        if not (following["again"] or are_many or is_range):
            break
        label = following["number"] or following["bare"]
        if is_range and not last.last_label and not last.paragraph:
            last.last_label, last.end = label, following.end()
        else:
            member_start = following.end("joint") + (4 if (following["again"] or "").startswith("các ") else 0)
            last = _Member(member_start, following.end(), label, *_parts_of(following["first"], following["after"]))
            members.append(last)
    law = law_after(text, last.end, known_laws, is_annex=is_annex)
    ref = law.law if law else _THIS
    last.end = law.end if law else last.end
    if former := _FORMER.match(text, last.end):
        ref, last.end = LawRef(LawRefKind.OUTSIDE, ref.name, "former"), former.end()
    kind = EdgeKind.CITES if is_annex else _kind(text, before, last.end, ref)
    for member in members:
        target = Target(ref, member.label, member.last_label, member.paragraph, member.item)
        yield Mention(member.start, member.end, kind, target)


def _kind(text: str, before: str, end: int, law: LawRef) -> EdgeKind:
    """Say what a citation does by the words before it, and of a subject by the words behind it."""
    if _EXCEPT.search(before):
        return EdgeKind.EXCEPTS
    if _DEFINES.search(before):
        return EdgeKind.DEFINES
    if law.kind in (LawRefKind.FAMILY, LawRefKind.NAMED) and (
        _IMPLEMENTS.search(before) or (_PREDICATE.match(text, end) and _SUBJECT.search(before))
    ):
        return EdgeKind.IMPLEMENTS
    return EdgeKind.CITES


def _parts_of(*words: str | None) -> tuple[str, str]:
    """Read "điểm b và điểm c khoản 1" and ", khoản 2, điểm a" as clauses and points."""
    clauses: list[str] = []
    points: list[str] = []
    for part in re.finditer(rf"(?P<clauses>{_CLAUSES})|(?P<points>{_POINTS})", " ".join(filter(None, words))):
        values = re.findall(r"(?<!\w)(?:\d{1,2}[a-zđ]?|[a-zđ]\d?|đến)(?!\w)", part[0])
        (clauses if part["clauses"] else points).extend(_written_out(values))
    return ",".join(clauses), ",".join(points)


def _written_out(values: list[str]) -> Iterator[str]:
    """Yield 2, 3 and 4 for "2 đến 4", and the letters of "a đến d" likewise."""
    letters = "abcdđefghijklmnopqrstuvwxyz"
    for index, value in enumerate(values):
        if value != "đến":
            yield value
        elif 0 < index < len(values) - 1:
            first, last = values[index - 1], values[index + 1]
            if first.isdigit() and last.isdigit():
                yield from (str(n) for n in range(int(first) + 1, int(last)))
            elif first in letters and last in letters:
                yield from letters[letters.index(first) + 1 : letters.index(last)]


def _neighbours(text: str) -> Iterator[Mention]:
    """Find the article before or after: "quy định tại điều trên"."""
    for found in _NEIGHBOUR.finditer(text):
        kind = _kind(text, text[max(0, found.start() - _LONGEST_BEFORE) : found.start()], found.end(), _THIS)
        yield Mention(found.start(), found.end(), kind, Target(_THIS, "-1" if found["before"] else "+1"))


def _delegations(text: str) -> Iterator[Mention]:
    """Find "Chính phủ quy định chi tiết", with the clause and point that it stands in."""
    places = _PLACE.finditer(text)
    place = next(places, None)
    clause = point = ""
    for found in _GOVERNMENT.finditer(text):
        while place and place.start() <= found.start():
            clause, point = (place["clause"], "") if place["clause"] else (clause, place["point"])
            place = next(places, None)
        level = "Nghị định"
        if found["prime"] or found["of_prime"]:
            level = "Quyết định"
        elif found["minister"] or found["of_minister"]:
            level = "Thông tư"
        target = Target(LawRef(LawRefKind.FAMILY, level), "", "", clause, point)
        yield Mention(found.start(), found.end(), EdgeKind.DELEGATES, target)

"""The parts of a Japanese article: how citations name them, and where in a text one stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from graph.numerals import KANJI_DIGITS, arabic, kanji_to_arabic

__all__ = ["JOINT", "LABEL", "OWN_TAIL", "TAIL", "N", "Places", "item_of", "label_of_article", "parts_of"]

N = rf"(?>[{KANJI_DIGITS}0-9０-９]{{1,9}})"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_COUNTED = r"(?![人年月日分倍割回件個つ箇者種類]|か[月所国]|以上)"  # 第十三条の二人以上の者: two persons, no branch
LABEL = rf"第 ?{N} ?条(?: ?の ?{N}{_COUNTED}){{0,4}}(?![件約例文])"  # guidelines write 第 23 条の 2

_SUBITEM = rf"[{_IROHA}](?![ァ-ヶー])(?:[（(][0-9０-９]{{1,2}}[）)])?"
_ITEM = rf"第{N}号(?:の{N}{_COUNTED}){{0,3}}(?!様式|被保険者)(?:{_SUBITEM})?"
_WORDS = r"本文|(?:ただし|但)書|[前後中]段|各号列記以外の部分|各号|柱書"
_PART = rf"(?:第{N}項|{_ITEM}|{_WORDS})"
JOINT = r"(?:から|まで|及び|並びに|又は|若しくは|、|・|と)"
_MORE = rf"(?:(?:まで)?{JOINT}?(?:{_PART}|前[項号](?=まで))|(?:まで)?{JOINT}{_SUBITEM}){{0,40}}(?:まで)?"
TAIL = rf"(?:{_PART}{_MORE})?"
"""What may follow 第五条: 第一項第三号イ, 第一項から第三項まで."""
OWN_TAIL = rf"(?:第{N}項|{_ITEM}){_MORE}"
"""The same where no article stands before it."""

_READ = re.compile(
    rf"から|(?:及び|並びに|又は|若しくは|、|・|と)|第(?P<n>{N})(?P<unit>項|号)(?P<branch>(?:の{N}{_COUNTED}){{0,3}})"
    rf"|前(?P<before>[項号])|(?P<words>{_WORDS})|(?P<sub>[{_IROHA}])(?P<subsub>[（(][0-9０-９]{{1,2}}[）)])?"
)
_SUBITEM_AT_END = re.compile(rf"[{_IROHA}](?:[（(][0-9０-９]{{1,2}}[）)])?$")
_MOST = 99  # members of a range of paragraphs or items
_PLACE = re.compile(
    r"^[　 ]*(?:(?P<paragraph>[0-9０-９]{1,3}|[①-⑳])(?=[　 \D])[　 ]*"
    rf"|(?P<item>[{KANJI_DIGITS}]{{1,5}}(?:の[{KANJI_DIGITS}]{{1,3}}){{0,3}})[　 ]"
    rf"|(?P<sub>[{_IROHA}])[　 ])",
    re.MULTILINE,
)
_CIRCLED = {sign: number for number, sign in enumerate("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", start=1)}


def label_of_article(words: str) -> str:
    """Return the label that 第五条の二 prints: 5条の2."""
    return kanji_to_arabic(words.replace(" ", "")).removeprefix("第")


def item_of(part: str) -> str:
    """Return the item that a part belongs to: 2号の2 of 2号の2イ（１）."""
    return _SUBITEM_AT_END.sub("", part)


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    paragraph: int
    item: str  # 3号, 3号の2; "" before the first


class Places:
    """The paragraphs and items of an article: what stands where, and what 前項, 次号 and the like mean there."""

    def __init__(self, text: str) -> None:
        self._places = [_Place(0, 1, "")]
        paragraph = 1
        for mark in _PLACE.finditer(text):
            if mark["paragraph"]:
                paragraph = _CIRCLED.get(mark["paragraph"]) or arabic(mark["paragraph"])
                self._places.append(_Place(mark.start(), paragraph, ""))
            elif mark["item"]:
                self._places.append(_Place(mark.start(), paragraph, _item_label(mark["item"])))

    def at(self, position: int) -> tuple[str, str]:
        """Return the paragraph and the item that a position lies in."""
        place = self._places[self._index(position)]
        return str(place.paragraph), place.item

    def paragraphs_beside(self, position: int, offset: int) -> str:
        """Return the paragraphs from that offset to the next one: "2,3" for 前二項 in the fourth; "" if there are none.

        An offset of 0 is the paragraph itself.
        """
        own = self._places[self._index(position)].paragraph
        numbers = range(own + offset, own) if offset < 0 else range(own + 1, own + offset + 1)
        numbers = numbers if offset else range(own, own + 1)
        return ",".join(str(number) for number in numbers if number > 0)

    def items_beside(self, position: int, offset: int) -> str:
        """Return the items of its paragraph from that offset to the next one: "1号,2号" for 前二号 in the third.

        Branches are those that the text marks; an item that it leaves out, as an excerpt does, is counted.
        """
        index = self._index(position)
        own = self._places[index]
        found = [own.item] if own.item and not offset else []
        step = 1 if offset > 0 else -1
        last = own.item
        while last and len(found) < abs(offset):
            index += step
            is_there = 0 <= index < len(self._places) and self._places[index].paragraph == own.paragraph
            counted = _number(last) + step
            marked = self._places[index].item if is_there else ""
            if marked and _number(marked) in (counted, counted - step):
                last = marked
            elif counted > 0:
                last = f"{counted}号"
                index -= step
            else:
                break
            found.append(last)
        return ",".join(found[::step])

    def _index(self, position: int) -> int:
        return bisect_right(self._places, position, key=lambda place: place.start) - 1


def _item_label(words: str) -> str:
    number, *branches = words.split("の")
    return "の".join([f"{arabic(number)}号", *(str(arabic(branch)) for branch in branches)])


def _number(item: str) -> int:
    return int(item.split("号")[0])


def parts_of(words: str, before: tuple[str, str] = ("", "")) -> tuple[str, str]:
    """Read 第一項、第三項, 第二項から第四項まで, 第一号イ又はロ as the paragraphs and the items of a Target.

    before: the paragraph and the item that 前項 and 前号 mean there.
    """
    paragraphs: list[str] = []
    items: list[str] = []
    through = False
    for part in _READ.finditer(words):
        unit = part["unit"] or part["before"]
        if part[0] == "から":
            through = True
            continue
        if unit == "項":
            number = str(arabic(part["n"])) if part["n"] else before[0]
            paragraphs += _through(paragraphs, number) if through else [number]
        elif unit == "号":
            item = f"{arabic(part['n'])}号{kanji_to_arabic(part['branch'])}" if part["n"] else before[1]
            items += _items_through(items, item) if through else [item]
        elif part["sub"] and items:
            _add_subitem(items, f"{part['sub']}{part['subsub'] or ''}", through=through)
        if unit or part["sub"]:
            through = False
    return ",".join(filter(None, paragraphs)), ",".join(filter(None, items))


def _through(paragraphs: Sequence[str], last: str) -> list[str]:
    """Return the paragraphs behind the last one up to another, inclusive."""
    if not paragraphs or not last.isdecimal() or not paragraphs[-1].isdecimal():
        return [last]
    first = int(paragraphs[-1])
    return [str(n) for n in range(first + 1, min(int(last), first + _MOST) + 1)] or [last]


def _items_through(items: Sequence[str], last: str) -> list[str]:
    if not items or not last:
        return [last]
    first = items[-1].split("号")[0]
    between = _through([first], last.split("号")[0])
    return [*(f"{n}号" for n in between[:-1]), last]


def _add_subitem(items: list[str], sub: str, *, through: bool) -> None:
    """Add イ to the item right before it, ロ beside an earlier イ, and ハ as the end of イからハまで."""
    item = item_of(items[-1])
    last = items[-1].removeprefix(item)[:1]
    if not last:
        items[-1] += sub
        return
    if through:
        items += [f"{item}{one}" for one in _IROHA[_IROHA.index(last) + 1 : _IROHA.index(sub[0])]]
    items.append(f"{item}{sub}")

"""The members of Japanese citations: every anchor in a text that names a provision, with its law and its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from graph.mentions.japanese_kinds import LEVEL
from graph.mentions.japanese_laws import TailLaw, law_before
from graph.mentions.japanese_parts import LABEL, OWN_TAIL, TAIL, N, Places, item_of, label_of_article, parts_of
from graph.mentions.spans import is_inside
from graph.numerals import arabic, kanji_to_arabic
from graph.records import EdgeKind, LawRef, LawRefKind, Mention, Target

__all__ = ["Member", "Scan"]

_FEW = "[二三四五六七八九]"
_ANCHOR = re.compile(
    rf"(?P<number>(?:法律|政令|[省府]令|規則|勅令|告示|条例|条約|訓令|規程)第{N}号)"
    rf"|(?P<label>{LABEL})(?P<parts>{TAIL})"
    rf"|(?P<beside>[前次]{_FEW}?条|前各条|[本同]条|この条)(?![件約例文])(?P<beside_parts>{TAIL})"
    rf"|(?P<paragraph>[前次]{_FEW}?項|前各項|[本同]項|この項)(?P<paragraph_parts>{TAIL})"
    rf"|(?P<item>[前次]{_FEW}?号|前各号|[本同]号|この号)"
    rf"|(?P<annex>別記(?:様式(?:第{N}号?)?|第{N}号様式)(?:の{N})?|様式第{N}号?(?:の{N})?|第{N}号(?:の{N})?様式"
    rf"|別表(?:第{N}(?:の{N}(?!の?項))*|(?=[のにをはとが、）]))|別図第{N})"
    rf"|(?P<own>{OWN_TAIL})"
    rf"|(?P<delegation>{LEVEL}で定め(?:る|た))"
)
_CONNECTIVE = re.compile(r"(?:の規定|まで|から|及び|並びに|又は|若しくは|、|・|と|前段|後段|本文|ただし書)+")
_RANGE = ("から", "ないし", "乃至")
_REPLACING = re.compile(r"」(?:とあるの[はも]|と(?:する|し、|読み替え|、))")
_ADDENDA = "附則"
_LONGEST_GAP = 400  # between two members of an enumeration
_ITSELF = "+0"
_THIS = LawRef(LawRefKind.THIS)


@dataclass(slots=True)
class Member:
    """One anchor that names a provision."""

    start: int
    end: int
    target: Target
    group: int  # members of one enumeration share what the words after it say
    is_parent: bool = False  # the law is one that this one may implement, as far as its words tell


@dataclass(frozen=True, slots=True)
class _Said:
    """What was cited last, for the words that look back."""

    previous: Member | None = None
    article: Member | None = None  # for 同条
    paragraph: Member | None = None  # for 同項
    item: Member | None = None  # for 同号

    def then(self, member: Member) -> _Said:
        """Return what was cited last after one more member."""
        target = member.target
        return _Said(
            member,
            self.article if target.label == _ITSELF else member,
            member if target.paragraph else self.paragraph,
            member if target.item else self.item,
        )


class Scan:
    """Goes through a text once; `members` are what it cites, `delegations` what it leaves to lower laws."""

    def __init__(
        self,
        text: str,
        known_laws: Set[str],
        *,
        brackets: Mapping[int, int],
        quotes: Sequence[tuple[int, int]],
    ) -> None:
        """brackets: where each opening bracket closes. quotes: what stands in 「」, in order."""
        self.members: list[Member] = []
        self.delegations: list[Mention] = []
        self._text = text
        self._known_laws = known_laws
        self._brackets = brackets
        self._places = Places(text)
        self._replaced = [span for span in quotes if _REPLACING.match(text, span[1] - 1)]
        self._said = _Said()
        self._n_groups = 0
        self._scan()

    def _scan(self) -> None:
        openings = iter(sorted(self._brackets.items()))
        opening = next(openings, None)
        interrupted: list[tuple[int, _Said]] = []  # ends of the brackets around, with what was said before each
        for anchor in _ANCHOR.finditer(self._text):
            start = anchor.start()
            while True:
                if interrupted and interrupted[-1][0] < start and (not opening or interrupted[-1][0] < opening[0]):
                    self._said = interrupted.pop()[1]
                elif opening and opening[0] < start:
                    interrupted.append((opening[1], self._said))
                    opening = next(openings, None)
                else:
                    break
            if anchor["delegation"]:
                paragraph, item = self._places.at(start)
                target = Target(LawRef(LawRefKind.FAMILY, anchor[0].split("で定め")[0]), paragraph=paragraph, item=item)
                self.delegations.append(Mention(start, anchor.end(), EdgeKind.DELEGATES, target))
            elif not anchor["number"]:
                self._add(anchor)

    def _add(self, anchor: re.Match[str]) -> None:
        start, end = anchor.span()
        previous = self._said.previous
        floor = previous.end if previous else 0
        looks_back = anchor[0].startswith("同")
        is_own = anchor["paragraph"] or anchor["item"] or anchor["beside"]
        tail = None if is_own else self._law_before(anchor, self.members[-1].end if self.members else 0)
        member_start = tail.start if tail else start
        while self.members and self.members[-1].start >= member_start:
            self.members.pop()  # 第二条 in 金融商品取引法第二条に規定する定義に関する内閣府令
        connected, opens = self._joint(floor, member_start) if previous else (False, False)
        if previous and not tail and self._ends_range(previous, anchor):
            return
        target = self._target(anchor)
        if target is None:
            return
        if not looks_back and is_inside(start, self._replaced):
            if target.label[:1] in ("+", "-"):
                return  # 前項 in the words that replace those of another article is not this one's
            if tail is None and self._said.article:
                tail = TailLaw(start, self._said.article.target.law)
        elif tail is None and previous and (connected or opens):
            target, inherits_article = self._inherited(anchor, target, previous)
            if inherits_article or anchor["label"] or anchor["annex"]:
                tail = TailLaw(start, previous.target.law, previous.is_parent)
        is_parent = tail.is_parent if tail else False
        if looks_back and target.law.kind is not LawRefKind.THIS:
            is_parent = self._said.article.is_parent if self._said.article else False
        elif tail:
            target = replace(target, law=tail.law)
        self._n_groups += not connected
        group = previous.group if connected and previous else self._n_groups - 1
        member = Member(member_start, end, target, group, is_parent)
        self.members.append(member)
        self._said = self._said.then(member)

    def _law_before(self, anchor: re.Match[str], floor: int) -> TailLaw | None:
        start = anchor.start()
        if anchor["own"]:  # 附則第三項; another law's paragraph has its article before it
            place = start - len(_ADDENDA)
            is_addendum = place >= floor and self._text.startswith(_ADDENDA, place)
            return TailLaw(place, LawRef(LawRefKind.OUTSIDE, suffix=_ADDENDA)) if is_addendum else None
        return law_before(self._text, floor, start, self._known_laws)

    def _joint(self, end: int, start: int) -> tuple[bool, bool]:
        """Tell whether connectives and brackets alone join an end to a start, and whether one bracket opens there."""
        if end in self._brackets and end + 1 == start:
            return False, True
        place = end
        while place < start <= end + _LONGEST_GAP:
            if place in self._brackets:
                place = self._brackets[place] + 1
            elif words := _CONNECTIVE.match(self._text, place, start):
                place = words.end()
            else:
                return False, False
        return place == start and start > end, False

    def _ends_range(self, previous: Member, anchor: re.Match[str]) -> bool:
        """Let an anchor end the range that the previous member begins, if it does: 第三条から第七条まで."""
        if self._text[previous.end : anchor.start()] not in _RANGE or previous.target.last_label:
            return False
        last = ""
        if anchor["label"]:
            last = label_of_article(anchor["label"])
        elif anchor["beside"] and anchor[0][0] in "前次" and anchor["beside"][1] == "条":
            last = "-1" if anchor[0][0] == "前" else "+1"
        elif anchor["annex"] and not previous.target.label.endswith("条"):
            last = kanji_to_arabic(anchor["annex"]).replace("第", "")
        if not last or last == previous.target.label:
            return False
        previous.target = replace(previous.target, last_label=last)
        previous.end = anchor.end() + (2 if self._text.startswith("まで", anchor.end()) else 0)
        return True

    def _target(self, anchor: re.Match[str]) -> Target | None:
        """Read what an anchor names by its own words; None if it looks back and nothing is there."""
        paragraph, _ = self._places.at(anchor.start())
        if anchor["label"]:
            return Target(_THIS, label_of_article(anchor["label"]), "", *parts_of(anchor["parts"]))
        if anchor["annex"]:
            return Target(_THIS, kanji_to_arabic(anchor["annex"]).replace("第", ""))
        if anchor["beside"]:
            return self._article_beside(anchor["beside"], anchor["beside_parts"])
        if anchor["paragraph"]:
            items = parts_of(anchor["paragraph_parts"])[1]
            if anchor[0][0] == "同":
                said = self._said.paragraph
                return replace(_last_of(said.target), item=items) if said else None
            numbers = self._places.paragraphs_beside(anchor.start(), _offset(anchor["paragraph"]))
            return Target(_THIS, _ITSELF, "", numbers, items)
        if anchor["item"]:
            if anchor[0][0] == "同":
                said = self._said.item
                return replace(_last_of(said.target), item=item_of(_last_of(said.target).item)) if said else None
            return Target(
                _THIS, _ITSELF, "", paragraph, self._places.items_beside(anchor.start(), _offset(anchor["item"]))
            )
        before = (
            self._places.paragraphs_beside(anchor.start(), -1),
            self._places.items_beside(anchor.start(), -1),
        )
        paragraphs, items = parts_of(anchor["own"], before)
        return Target(_THIS, _ITSELF, "", paragraphs or paragraph, items)

    def _article_beside(self, words: str, parts: str) -> Target | None:
        if words[0] == "同":
            said = self._said.article
            paragraph, item = parts_of(parts)
            return replace(_last_of(said.target), paragraph=paragraph, item=item) if said else None
        offset = _offset(words)
        if words == "前各条":
            return Target(_THIS, "1条", "-1")
        first = f"{offset:+d}" if offset < 0 else f"{min(offset, 1):+d}"
        last = "-1" if offset < -1 else f"{offset:+d}" if offset > 1 else ""
        return Target(_THIS, first, last, *parts_of(parts))

    def _inherited(self, anchor: re.Match[str], target: Target, previous: Member) -> tuple[Target, bool]:
        """Give 第三項 behind 第二条第一項（…）及び its article: the target, and whether it is the previous one's."""
        if not anchor["own"]:
            return target, False
        said = _last_of(previous.target)
        is_item = anchor["own"].split("第")[1].find("号") >= 0 and not parts_of(anchor["own"])[0]
        if is_item and said.paragraph and (said.item or self._opens(previous, anchor)):
            return replace(target, label=said.label, paragraph=said.paragraph), True
        if not is_item and said.paragraph:
            return replace(target, label=said.label), True
        return target, False

    def _opens(self, previous: Member, anchor: re.Match[str]) -> bool:
        return previous.end in self._brackets and previous.end + 1 == anchor.start()


def _last_of(target: Target) -> Target:
    """Return what 同条, 同項 and 同号 mean after a citation: the last article, paragraph and item of a range."""
    return replace(
        target,
        label=target.last_label or target.label,
        last_label="",
        paragraph=target.paragraph.split(",")[-1],
        item=target.item.split(",")[-1],
    )


def _offset(words: str) -> int:
    """Return how far 前二条, 次項 or 本号 are from where they stand; of all before (前各号), as far as any."""
    if words[0] not in "前次":
        return 0
    count = 99 if words[1] == "各" else arabic(words[1]) if len(words) > 2 else 1
    return -count if words[0] == "前" else count

"""The scan of a Korean text for anchors: which provision each names, and of which law it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from graph.mentions.korean_laws import TailLaw, law_before
from graph.mentions.korean_parts import DOT, PART, TAIL, parts_of
from graph.records import EdgeKind, LawRef, LawRefKind, Mention, Target

__all__ = ["ANCHOR", "GLOSS_NAME", "Member", "scan"]

_DELEGATION = r"(?:으로|이|에서)\s?(?:(?:따로|별도로|달리)\s)?정(?:하는|한다|하여|하고|하되|하며|할|한|해)"
# Each branch begins with a literal character, so that the scan skips all others at the speed of a character search.
ANCHOR = re.compile(
    r"「(?P<law>[^「」\n]{1,200})」(?P<gloss>\s?\((?:(?!제\d+조|령으로|고시)[^()「」\n]){1,150}\))?"
    r"|제(?P<n>\d{1,4})조(?:의(?P<branch>\d{1,3}))?(?![합정각치건사직례성작선원])(?P<parts>" + TAIL + ")"
    r"|별표(?:\s?(?P<annex>\d{1,3}(?:의\d{1,3})?)(?P<annex_parts>" + TAIL + r")|(?=[와과에의은는를로\]\s)]))"
    r"|별지\s?(?:제?(?P<form>\d{1,3}호(?:의\d{1,3})?)\s?)?서식"
    r"|같은\s(?P<same>[조표])(?=[\s제에의은는를과와])(?P<same_parts>" + TAIL + ")"
    r"|동(?P<same_old>조)(?=\s?제\d|[에의])(?P<same_old_parts>" + TAIL + ")"
    r"|대통령령" + _DELEGATION + r"|총리령" + _DELEGATION + r"|부령" + _DELEGATION + ""
    r"|정하여\s?고시(?:하는|하여야|해야|한다|하고|할|한)|고시로\s?정(?:하는|한다)"
)
_CONNECTIVE = re.compile(rf"(?:\([^()\n]{{0,150}}\)|의 규정|까지|부터|{PART}|및|또는|와|과|이나|나|[\s,{DOT}])*")
_LONGEST_NAME = 120  # characters before a label that may name its law
_LONGEST_GAP = 400  # between two members of an enumeration
_RANGE = re.compile(r"\s?부터\s?|\s?내지\s?|\s?[~∼～-]\s?")
GLOSS_NAME = re.compile(r"이하\s(?:이 (?P<scope>조|항|호|목|장|절)에서\s)?[\"“](?P<name>[^\"”]{1,40})[\"”]")
_SUFFIX_OUTSIDE = re.compile(r" ?(시행령|시행규칙)? {0,3}")
# The law named is the label's too: 「보험업법」(제193조는 제외한다), 「형법」 제2편제30장 협박의 죄 중 제283조
_LABEL_OF_LAW = re.compile(r" ?\(|의 경우(?:에는)? |(?: (?:제\d{1,3}[편장절관]){1,3}[^「」.\n]{0,40})? 중 ")
_SUFFIX_AFTER = re.compile(r" ?(시행령|시행규칙)")
_FORMER = re.compile(r"(?<![가-힣])(?:종전의|종전|개정되기 전의|개정 전의|개정 전|구)\s?$")
_PURPOSE = re.compile(r"(?:[①-⑳]\s?)?이 (?:영|규칙|규정|령)[은의]")
_PARENT_WORDS = {"법", "영", "령", "규칙", "시행령", "시행규칙"}
# The wording of a law that is applied with changes: 「…법」 제73조 중 "제40조"는 "이 법 제14조"로 본다.
_SUBSTITUTED = re.compile(r"[\"“][^\"“”\n]{1,100}[\"”][은는]")
_IS_APPLIED = re.compile(r"[^.\"“”\n]{0,30}?(?:준용|적용)| 중 [\"“]")
_MOST_REPLACED = 20  # citations of one clause that applies another with changes
_THIS = LawRef(LawRefKind.THIS)


@dataclass(slots=True)
class Member:
    """One anchor that names a provision, with the law it turned out to mean."""

    start: int
    end: int
    target: Target
    group: int  # members of one enumeration share what the words after it say
    is_parent: bool = False  # the law is one that this one may implement, as far as its words tell
    looks_back: bool = False  # "법 제11조에 따른 자 또는 같은 조 단서 및 제34조": 같은 조 looks back, 제34조 does not


def scan(text: str, known_laws: Set[str], closings: Mapping[int, int]) -> Iterator[Member | Mention]:
    """Yield the members of enumerations, and the mentions that need no look at their neighbours, in any order.

    closings: where each bracket closes.
    """
    law_quote: re.Match[str] | None = None  # a 「law」 that no label has followed yet
    previous: Member | None = None
    bracketed: list[tuple[Member, int]] = []  # members with the end of the bracket after them, where theirs go on
    members: list[Member] = []
    applied = _Applied(text)
    n_groups = 0
    for anchor in ANCHOR.finditer(text):
        start, end = anchor.span()
        if anchor["law"]:
            if law_quote:
                yield _whole_law(text, law_quote)
            law_quote = anchor
            continue
        named = _label(anchor)
        if named is None:
            yield from _delegation(text, anchor)
            continue
        label, part_words = named
        while bracketed and start > bracketed[-1][1]:
            previous = bracketed.pop()[0]
        previous_end = previous.end if previous else 0
        tail: TailLaw | None = None
        if law_quote:
            tail = _quoted_law(text, law_quote, start, previous_end)
            if tail is None:
                yield _whole_law(text, law_quote)
                previous_end = max(previous_end, law_quote.end())
                if _LABEL_OF_LAW.fullmatch(text, law_quote.end("law") + 1, start):
                    tail = TailLaw(start, LawRef(LawRefKind.NAMED, law_quote["law"]))
            law_quote = None
        if not label:  # 같은 조, 같은 표
            if previous is None or previous.target.label.startswith("별표") is not ("표" in anchor[0][:4]):
                continue
            label = previous.target.last_label or previous.target.label
            tail = TailLaw(start, previous.target.law, previous.is_parent)
            looks_back = True
        else:
            tail = tail or law_before(text, max(previous_end, start - _LONGEST_NAME), start, known_laws)
            looks_back = False
        member_start = tail.start if tail else start
        is_near = previous is not None and member_start - previous.end <= _LONGEST_GAP
        between = text[previous.end : member_start] if previous and is_near else "\n"
        if previous and _is_range(between, previous, label, tail):
            previous.target = replace(previous.target, last_label=label)
            previous.end = end + (2 if text.startswith("까지", end) else 0)
            continue
        is_same_line = previous is not None and "\n" not in between
        connected = is_same_line and bool(_CONNECTIVE.fullmatch(between))
        opening = previous.end if previous else -1
        farthest = opening + _LONGEST_GAP
        # Past the heading in "제324조의5(미수범)(제324조의 죄만 해당한다)"
        while opening <= farthest and closings.get(opening, start) < start:
            opening = closings[opening] + 1
        opens = opening in closings
        if previous and opens:
            bracketed.append((previous, closings[opening]))
            connected = False
        if tail is None and previous and is_same_line:
            inherits = connected and not previous.looks_back
            inherits = inherits or (opens and bool(_CONNECTIVE.fullmatch(text, opening + 1, member_start)))
            if inherits:
                tail = TailLaw(start, previous.target.law, previous.is_parent)
            elif _SUBSTITUTED.match(text, start - 1) and (law := applied.law(members, start)):
                tail = TailLaw(start, law)
        n_groups += not connected
        group = previous.group if connected and previous else n_groups - 1
        law, is_parent = (tail.law, tail.is_parent) if tail else (_THIS, False)
        target = Target(law, label, "", *parts_of(part_words))
        previous = Member(member_start, end, target, group, is_parent, looks_back=looks_back and not connected)
        members.append(previous)
        yield previous
    if law_quote:
        yield _whole_law(text, law_quote)


class _Applied:
    """Finds the law of the provision whose words a clause replaces: the last one said to be applied."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._n_read = 0  # members whose following words have been looked at
        self._last: tuple[int, Member] | None = None

    def law(self, members: Sequence[Member], position: int) -> LawRef | None:
        """Return the law that words at a position, after these members, are of."""
        for number in range(self._n_read, len(members)):
            if _IS_APPLIED.match(self._text, members[number].end):
                self._last = number, members[number]
        self._n_read = len(members)
        if self._last is None or self._last[0] < len(members) - _MOST_REPLACED:
            return None
        _, member = self._last
        return None if "\n" in self._text[member.end : position] else member.target.law


def _label(anchor: re.Match[str]) -> tuple[str, str] | None:
    """Read the label of an anchor and the words of its parts; "" of 같은 조. None if the anchor is a delegation."""
    if anchor["n"]:
        branch = f"의{int(anchor['branch'])}" if anchor["branch"] else ""
        return f"{int(anchor['n'])}조{branch}", anchor["parts"]
    if anchor["same"] or anchor["same_old"]:
        return "", anchor["same_parts"] or anchor["same_old_parts"] or ""
    if anchor[0].startswith("별표"):
        return f"별표{anchor['annex'] or ''}", anchor["annex_parts"] or ""
    if anchor[0].startswith("별지"):
        return f"별지{anchor['form'] or ''}서식", ""
    return None


def _quoted_law(text: str, law_quote: re.Match[str], label_start: int, floor: int) -> TailLaw | None:
    """Return the law that 「」 before a label name, if nothing but 시행령 or 시행규칙 stands between."""
    suffix = _SUFFIX_OUTSIDE.fullmatch(text, law_quote.end(), label_start)
    if suffix is None:
        return None
    gloss = law_quote["gloss"] or ""
    start, is_former = _former(text, law_quote.start(), floor)
    if is_former or "전의 것" in gloss:
        return TailLaw(start, LawRef(LawRefKind.OUTSIDE, law_quote["law"], "종전"))
    alias = GLOSS_NAME.search(gloss)
    is_parent = bool(alias and alias["name"] in _PARENT_WORDS) or _is_purpose_clause(text, start)
    return TailLaw(start, LawRef(LawRefKind.NAMED, law_quote["law"], suffix[1] or ""), is_parent)


def _is_range(between: str, previous: Member, label: str, tail: TailLaw | None) -> bool:
    """Tell whether a label ends the range that the previous member begins."""
    first = previous.target.label
    if previous.target.last_label or label == first or not _RANGE.fullmatch(between):
        return False
    are_alike = first[:2] == label[:2] if first.startswith("별") else not label.startswith("별")
    return are_alike and not (tail and tail.law != previous.target.law)


def _whole_law(text: str, law_quote: re.Match[str]) -> Mention:
    end = law_quote.end("law") + 1
    start, is_former = _former(text, law_quote.start(), max(0, law_quote.start() - 20))
    suffix = _SUFFIX_AFTER.match(text, end)
    law = LawRef(LawRefKind.NAMED, law_quote["law"], suffix[1] if suffix else "")
    if is_former:
        law = LawRef(LawRefKind.OUTSIDE, law_quote["law"], "종전")
    return Mention(start, suffix.end() if suffix else end, EdgeKind.WHOLE_LAW, Target(law))


def _delegation(text: str, anchor: re.Match[str]) -> Iterator[Mention]:
    start = anchor.start()
    if anchor[0].startswith("부령"):  # the ministry's name is glued before it
        while start > max(0, anchor.start() - 15) and "가" <= text[start - 1] <= "힣":
            start -= 1
    elif start and "가" <= text[start - 1] <= "힣" and anchor[0][0] in "대총":
        return
    word = re.match(r"[가-힣]*령", text[start : anchor.end()])
    level = word[0] if word and not anchor[0].startswith("정") else "고시"
    yield Mention(start, anchor.end(), EdgeKind.DELEGATES, Target(LawRef(LawRefKind.FAMILY, level)))


def _former(text: str, start: int, floor: int) -> tuple[int, bool]:
    """Return where a citation of an earlier wording begins ("종전의 「건축법」"), and whether it is one."""
    former = _FORMER.search(text, max(floor, start - 12), start)
    return (former.start(), True) if former else (start, False)


def _is_purpose_clause(text: str, position: int) -> bool:
    line_start = text.rfind("\n", max(0, position - 300), position) + 1
    return bool(_PURPOSE.match(text, line_start, position))

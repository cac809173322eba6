"""The citation grammar of Korean statutes.

A scan finds the anchors: 「law」, 제N조, 별표 N, 별지 제N호서식, 같은 조, and "대통령령으로 정하는". The words between
two anchors decide the rest: connectives alone (", ", " 및 ", "부터") continue an enumeration, which inherits the law;
the words right before an anchor may name another law ("법", "같은 법 시행령", "건축법"); the words after an enumeration
say what it does ("에도 불구하고"). Every window looked at is bounded, so the time is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from graph.mentions.korean_kinds import kind_of
from graph.mentions.korean_scan import ANCHOR, GLOSS_NAME, Member, scan
from graph.mentions.law_names import Alias
from graph.mentions.spans import closings, is_inside, with_others
from graph.records import EdgeKind, LawRefKind, Mention

__all__ = ["chapter_of", "find_aliases", "find_mentions"]

_PLACE = re.compile(r"^(?:([①-⑳㉑-㉟])|[ \t]*(\d{1,3}(?:의\d{1,3})?)\.\s)", re.MULTILINE)
_QUOTED = re.compile(r"[\"“][^\"“”\n]{1,300}[\"”]")
_BRACKET = re.compile(r"[()\n]")
_SCOPE_ENDS = {"호": re.compile(r"\n[ \t]*\d"), "목": re.compile(r"\n"), "항": re.compile(r"\n[①-㉟]")}
_LONGEST_SCOPE = 5_000  # characters
_CIRCLED = {char: str(n) for n, char in enumerate("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑㉒㉓㉔㉕㉖㉗㉘㉙㉚㉛㉜㉝㉞㉟", start=1)}


def find_mentions(text: str, known_laws: Set[str]) -> list[Mention]:
    """See `graph.mentions.find_mentions`."""
    members: list[Member] = []
    others: list[Mention] = []
    closes_at = closings(text, _BRACKET)
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    for found in scan(text, known_laws, closes_at):
        if isinstance(found, Member):
            members.append(found)
        # What a clause quotes of the act that it implements is no delegation of its own.
        elif found.kind is not EdgeKind.DELEGATES or not is_inside(found.start, quoted):
            others.append(found)
    mentions = _with_kinds(text, members, closes_at)
    mentions.sort(key=lambda mention: mention.start)
    return _with_places(text, with_others(mentions, others))


def find_aliases(text: str) -> list[Alias]:
    """See `graph.mentions.find_aliases`; "이하 이 호에서" and the like hold no longer than the words say."""
    aliases = []
    for anchor in ANCHOR.finditer(text) if "(이하" in text else ():
        if anchor["gloss"] and (name := GLOSS_NAME.search(anchor["gloss"])):
            end = None
            if name["scope"]:
                scope_end = _SCOPE_ENDS.get(name["scope"])
                found = scope_end.search(text, anchor.end(), anchor.end() + _LONGEST_SCOPE) if scope_end else None
                end = found.start() if found else len(text)
            aliases.append(Alias(name["name"], anchor["law"], anchor.end(), end))
    return aliases


def chapter_of(label: str) -> str:
    """See `graph.mentions.chapter_of`: 13조의2 → 제13조의2, 별표4 → 별표 4, 별지3호서식 → 별지 제3호서식."""
    if label.startswith("별표"):
        return f"별표 {label.removeprefix('별표')}".rstrip()
    if label.startswith("별지"):
        rest = label.removeprefix("별지")
        return f"별지 제{rest}" if rest[:1].isdigit() else f"별지 {rest}"
    return f"제{label}"


def _with_kinds(text: str, members: Sequence[Member], closings: Mapping[int, int]) -> list[Mention]:
    """Say what the members of each enumeration do, from the words around it."""
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    last = {member.group: member.end for member in members}
    first = {member.group: member.start for member in reversed(members)}
    known: dict[tuple[int, bool, bool], tuple[EdgeKind, str]] = {}
    mentions = []
    for member in members:
        is_own_annex = member.target.law.kind is LawRefKind.THIS and member.target.label.startswith("별표")
        key = member.group, member.is_parent, is_own_annex
        if key not in known:
            start, end = first[member.group], last[member.group]
            while end in closings:
                end = closings[end] + 1
            line_start = lines[bisect_right(lines, start) - 1]
            known[key] = kind_of(
                text, start, end, line_start=line_start, is_parent=member.is_parent, is_own_annex=is_own_annex
            )
        kind, quoted = known[key]
        mentions.append(Mention(member.start, member.end, kind, member.target, quoted))
    return mentions


def _with_places(text: str, mentions: list[Mention]) -> list[Mention]:
    """Give every delegation the paragraph and item it stands in: by these, provisions below say what they implement."""
    places = _PLACE.finditer(text)
    place = next(places, None)
    paragraph = item = ""
    placed = []
    for mention in mentions:
        while place and place.start() <= mention.start:
            if place[1]:
                paragraph, item = _CIRCLED.get(place[1], ""), ""
            else:
                item = re.sub(r"^(\d+)", r"\1호", place[2])
            place = next(places, None)
        if mention.kind is EdgeKind.DELEGATES and not mention.target.label:
            mention = replace(mention, target=replace(mention.target, paragraph=paragraph, item=item))
        placed.append(mention)
    return placed

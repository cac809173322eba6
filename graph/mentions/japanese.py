"""The citation grammar of Japanese statutes.

A scan finds the anchors: 第五条の二第一項, 前条, 同条, 前項, 第三号, 別表第一, and 政令で定める. The words right before
one may name a law (法, 同法施行令, 民法（明治…第八十九号）); connectives alone between two (及び, から) continue an
enumeration, which inherits the law. What stands in brackets is over for 同条 and 同項 when they close. Citations of the
article itself (前項, この条) are mentions too, with the label "+0": the paragraph that they mean can be told from the
text alone. Every window looked at is bounded, so the time is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set

from graph.mentions.japanese_kinds import kind_of
from graph.mentions.japanese_laws import known_name, unknown_name
from graph.mentions.japanese_scan import Member, Scan
from graph.mentions.law_names import Alias
from graph.mentions.spans import closings, is_inside, with_others
from graph.numerals import kanji
from graph.records import EdgeKind, LawRef, LawRefKind, Mention, Target

__all__ = ["chapter_of", "find_aliases", "find_mentions"]

_BRACKET = re.compile(r"[（）()\n]")
_QUOTED = re.compile(r"「[^「」\n]{1,300}」")
_LAW_END = re.compile(
    r"(?<=[一-鿿々ァ-ヴー])[法律令則例](?:(?![一-鿿々ァ-ヴー])|(?=及び|又は|並びに|若しくは|第.{1,9}章))"
)
_LAW_NUMBER = re.compile(r"（(?:明治|大正|昭和|平成|令和).{1,5}年[^（）\n]{1,12}第")
_ALIAS = re.compile(
    r"（(?:[^（）「」\n]{1,60}。)?以下(?:この(?P<scope>[条項号])において)?「(?P<name>[^「」\n]{1,40})」と(?:いう|総称)"
)
_SCOPE_ENDS = {"項": re.compile(r"\n[　 ]*[0-9０-９①-⑳]"), "号": re.compile(r"\n")}
_LONGEST_SCOPE = 5_000  # characters
_LAST_OF_LAW = frozenset("法律令則例")
_GENERAL = frozenset(
    {"法律", "法令", "政令", "省令", "府令", "規則", "条例", "施行令", "施行規則", "命令", "同法", "同令"}
)


def find_mentions(text: str, known_laws: Set[str]) -> list[Mention]:
    """See `graph.mentions.find_mentions`."""
    brackets = closings(text, _BRACKET)
    quotes = [quote.span() for quote in _QUOTED.finditer(text)]
    scan = Scan(text, known_laws, brackets=brackets, quotes=quotes)
    mentions = _with_kinds(text, scan.members, brackets)
    repeated = _repeated(text, mentions)
    # What a clause quotes of the act that it implements is no delegation of its own.
    delegations = [
        one for one in scan.delegations if not is_inside(one.start, repeated) and not is_inside(one.start, quotes)
    ]
    return with_others(mentions, [*delegations, *_whole_laws(text, known_laws)])


def find_aliases(text: str) -> list[Alias]:
    """See `graph.mentions.find_aliases`: 救急業務法（昭和…法律第…号。以下「業務法」という。）."""
    aliases = []
    for found in _ALIAS.finditer(text) if "以下" in text else ():
        law = unknown_name(text, 0, found.start()) if text[max(0, found.start() - 1)] in _LAST_OF_LAW else None
        if law is None:
            continue
        end = None
        if found["scope"]:
            pattern = _SCOPE_ENDS.get(found["scope"])
            stop = pattern.search(text, found.end(), found.end() + _LONGEST_SCOPE) if pattern else None
            end = stop.start() if stop else len(text)
        aliases.append(Alias(found["name"], law[1], found.end(), end))
    return aliases


def chapter_of(label: str) -> str:
    """See `graph.mentions.chapter_of`: 13条の2 → 第十三条の二, 別表1 → 別表第一, 別記様式2号 → 別記様式第二号."""
    words = re.sub(r"\d{1,18}", lambda number: kanji(int(number[0])), label)
    return re.sub(r"^(別表|別図|別記様式|別記|様式|)(?=[〇一二三四五六七八九十百千])", r"\1第", words)


def _with_kinds(text: str, members: Sequence[Member], brackets: Mapping[int, int]) -> list[Mention]:
    """Say what the members of each enumeration do, from the words around it."""
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    last = {member.group: member.end for member in members}
    first = {member.group: member.start for member in reversed(members)}
    known: dict[tuple[int, bool], tuple[EdgeKind, str]] = {}
    mentions = []
    for member in members:
        is_parent = member.is_parent or member.target.law.kind is LawRefKind.NAMED
        key = member.group, is_parent
        if key not in known:
            start, end = first[member.group], last[member.group]
            while end in brackets:
                end = brackets[end] + 1
            line_start = lines[bisect_right(lines, start) - 1]
            known[key] = kind_of(text, start, end, line_start=line_start, is_parent=is_parent)
        kind, quoted = known[key]
        mentions.append(Mention(member.start, member.end, kind, member.target, quoted))
    return mentions


def _repeated(text: str, mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Return where the words stand that implementing clauses quote."""
    spans: list[tuple[int, int]] = []
    for mention in mentions:
        if mention.quoted:
            start = text.find(mention.quoted, mention.end)
            if not spans or start >= spans[-1][1]:
                spans.append((start, start + len(mention.quoted)))
    return spans


def _whole_laws(text: str, known_laws: Set[str]) -> Iterator[Mention]:
    """Find laws by their names; an unknown one must have its year and number after it."""
    floor = 0
    for last in _LAW_END.finditer(text):
        end = last.end()
        found = known_name(text, floor, end, known_laws)
        if found is None and _LAW_NUMBER.match(text, end):
            found = unknown_name(text, floor, end)
        if found is None or found[1] in _GENERAL:
            continue
        start, name = found
        floor = end
        if text[start - 1 : start] == "「" and text[end : end + 1] == "」":
            continue  # （以下「業務法」という。）: a name given, not a citation
        yield Mention(start, end, EdgeKind.WHOLE_LAW, Target(LawRef(LawRefKind.NAMED, name)))

"""The citation grammar of statutes in English.

    Articles 13-2 to 13-4 of the Act     labels first, then the law they are of, which holds for all of them
    paragraph (2) of Article 5           a part may come before
    Annex 2 to the Decree
    the Building Act                     a law as a whole, by its name
    as prescribed by the Decree          a delegation

The words before a citation say what it does ("notwithstanding", "pursuant to", "as defined in"). Quantifiers are
bounded, so the time is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from graph.mentions.law_names import Alias, name_key
from graph.mentions.spans import with_others
from graph.records import EdgeKind, LawRef, LawRefKind, Mention, Target

__all__ = ["chapter_of", "find_aliases", "find_mentions"]

_LEVEL = r"(?:Act|Decree|Rules?|Notice|Code|Regulations?|Ordinance|Law)"
_WORD = r"[A-Z][A-Za-z'’-]{0,30}"
_NAME = rf"{_WORD}(?: (?:(?:of|and|on|for|the|in|to) ){{0,2}}{_WORD}){{0,8}}"
_NUMBER = r"\d{1,4}(?:-\d{1,3}|[A-Z](?![A-Za-z]))?(?!\d)"
_PARTS = (
    r"(?:\(\w{1,4}\)){0,4}(?: (?:sub)?paragraphs? \(?\w{1,3}\)?| points? \(\w{1,3}\)){0,2}"
    r"(?:(?:,| or| and| to) \(\w{1,4}\)(?:\(\w{1,4}\)){0,3}){0,9}"
)
_HEAD = re.compile(
    r"(?:(?P<article>Articles?|Arts?\.|§§?)|(?<![A-Za-z])(?P<section>[Ss]ections?|ss?\.)"
    r"|(?P<annex>Annex|Annexes|Schedules?|Forms?)) ?"
    rf"(?P<number>{_NUMBER})(?P<parts>{_PARTS})"
)
_COUNTED = (
    r"(?! ?%| (?:days?|weeks?|months?|years?|hours?|minutes?|times|per|percent|persons?|people|square|cubic|metres?|"
    r"meters?|kilograms?|kg|litres?|liters?|storeys|crowns|dollars|euros?)\b)"  # "Article 7, 10 days"
)
_NEXT = re.compile(
    rf"(?P<joint>, (?:and|or) |, | (?:and|or|to|through) | ?[–-] ?)(?>(?P<number>{_NUMBER})(?P<parts>{_PARTS}))"
    + _COUNTED
)
_OF_LAW = re.compile(
    r" (?:of|to) (?:(?P<this>this)|(?P<same>the same|that|the said|said)|the) ?"
    rf"(?P<name>(?:{_NAME} )?{_LEVEL}(?! of the [A-Z]\w+ Act)(?: \d{{4}})?)\b"
)
_LAW_NAME = re.compile(rf"(?:[Tt]he )?(?P<name>{_NAME} {_LEVEL})\b(?: (?P<year>\d{{4}})\b)?")
_PART_FIRST = re.compile(
    r"(?:(?:sub)?paragraphs?|items?|points?|clauses?) \(?(\w{1,3})\)?"
    r"(?: of (?:sub)?paragraph \(?(\w{1,3})\)?)? of (?:the )?$"
)
_SAME_PART = re.compile(
    r"\b(?:sub)?paragraph \(?(?P<part>\w{1,3})\)? of (?:the same|that) (?P<same>paragraph|[Aa]rticle|[Ss]ection)\b"
)
_FORMER = re.compile(r"\bformer $")
_DELEGATION = re.compile(
    r"\b(?:as )?(?:prescribed|provided|specified|determined|designated|set|set out|laid down) (?:by|in) (?:the |a )?"
    r"(?P<level>Decree|Rules?|Notice)\b(?: of the (?:[A-Z]\w{1,20} ?\b){1,4})?(?![\"”]? in (?:Article|[Ss]ection))"
)
_ALIAS = re.compile(
    rf"(?P<law>{_NAME} {_LEVEL}(?: \d{{4}})?) \((?:hereinafter|in this \w{{1,12}},?)[^()\"“”\n]{{0,40}}"
    r"[\"“](?P<name>[^\"”\n]{1,40})[\"”]"
)
_PLACE = re.compile(r"^(?:\((\d{1,3})\)|[ \t]+\(?(\w{1,3})[.)] )", re.MULTILINE)

_EXCEPT = re.compile(
    r"(?:notwithstanding|except (?:where|as provided in|in the cases? of|in cases? under|under)|save as provided in|"
    r"unless) (?:the )?$",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"(?:meaning (?:given|assigned)[a-z ]{0,12} (?:in|by)|meaning (?:as|they have|it has) in|within the meaning of|"
    r"(?:as )?defined in|same meaning as in) (?:the )?$"
)
_PURSUANT = re.compile(
    r"(?:pursuant to|under|\bin|required by|for the purposes? of|in accordance with|by virtue of|in implementation of) "
    r"(?:the )?$",
    re.IGNORECASE,
)
# Without its article, "the period prescribed by the Decree": with marks or without
_QUOTE = re.compile(
    r"(?:[\"“](?:(?:The|the|An?|an?) )?(?P<quoted>[^\"“”\n]{1,120})[\"”]|"
    r"(?:The|the) (?P<said>(?:[a-z]{1,20} ){1,6}prescribed by the (?:Decree|Rule))) in (?:the )?$"
)
_AND = (" and ", " or ", ", ", ", and ", ", or ")
_LEVEL_ONLY = re.compile(rf"{_LEVEL}$")
# A name begins after "the", unless "of the", "on the" keep it going: "Notwithstanding the Building Act".
_NAME_BEGINS = re.compile(r"(?<! of)(?<! on)(?<! for)(?<! in)(?<! to) (?:the )")
_FIRST_WORDS = frozenset(
    (
        "Under",
        "Notwithstanding",
        "Where",
        "When",
        "If",
        "In",
        "For",
        "By",
        "To",
        "On",
        "As",
        "The",
        "This",
        "That",
        "An",
    )
)
_QUOTES = ('"', "“", "”")
_THIS = LawRef(LawRefKind.THIS)


def find_mentions(text: str, known_laws: Set[str]) -> list[Mention]:
    """See `graph.mentions.find_mentions`."""
    mentions: list[Mention] = []
    end = 0
    while head := _HEAD.search(text, end):
        found = _enumeration(text, head, end)
        if mentions and found[0].kind is EdgeKind.CITES and text[end : found[0].start] in _AND:
            found = [_alike(mention, mentions[-1].kind) for mention in found]
        mentions.extend(found)
        end = found[-1].end
    others = [*_delegations(text), *_whole_laws(text, known_laws), *_parts_of_the_same(text, mentions)]
    return with_others(mentions, others)


def find_aliases(text: str) -> list[Alias]:
    """See `graph.mentions.find_aliases`: the Fire Safety Act (hereinafter "the Act")."""
    aliases = _ALIAS.finditer(text) if "(hereinafter" in text or "(in this" in text else ()
    return [Alias(alias["name"], _trimmed(alias["law"])[0], alias.end(), None) for alias in aliases]


def chapter_of(label: str) -> str:
    """See `graph.mentions.chapter_of`: 13-2 → Article 13-2, annex-4 → Annex 4."""
    part, _, number = label.partition("-")
    return f"{part.capitalize()} {number}" if part.isalpha() else f"Article {label}"


def _enumeration(text: str, head: re.Match[str], floor: int) -> list[Mention]:
    """Read the labels that follow one another, the law they are of, and what is done with them."""
    part = ""
    if head["annex"]:
        part = {"A": "annex-", "S": "schedule-", "F": "form-"}[head["annex"][0]]
    number, hyphen, last = head["number"].partition("-")
    is_sections = bool(head["section"] or "§" in head[0])
    target = Target(_THIS, part + head["number"], "", *_parts_of(head["parts"]))
    if is_sections and hyphen and int(last) > int(number.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")):  # "ss. 4-9" is a range
        target = Target(_THIS, number, last)
    start, paragraph, item = _part_before(text, head.start(), floor)
    if paragraph or item:
        target = replace(target, paragraph=paragraph, item=item)
    members = [(start, head.end(), target)]
    while following := _NEXT.match(text, members[-1][1]):
        target = Target(_THIS, part + following["number"], "", *_parts_of(following["parts"]))
        before_start, _, before = members[-1]
        if following["joint"].strip() in ("to", "through", "-", "–") and not before.last_label:
            members[-1] = (before_start, following.end(), replace(before, last_label=target.label))
        else:
            members.append((following.start("number"), following.end(), target))
    law, law_end = _law_after(text, members[-1][1])
    members[-1] = (members[-1][0], law_end, members[-1][2])
    before_words = text[max(floor, start - 60) : start]
    if former := _FORMER.search(before_words):
        law = LawRef(LawRefKind.OUTSIDE, law.name, "former")
        members[0] = (start - (len(before_words) - former.start()), *members[0][1:])
    kind = EdgeKind.CITES
    if _EXCEPT.search(before_words):
        kind = EdgeKind.EXCEPTS
    elif _DEFINED.search(before_words):
        kind = EdgeKind.DEFINES
    elif law.kind is LawRefKind.FAMILY and not part and _PURSUANT.search(before_words):
        kind = EdgeKind.IMPLEMENTS
    quote = _QUOTE.search(text, max(floor, start - 160), start) if kind is EdgeKind.IMPLEMENTS else None
    quoted = (quote["quoted"] or quote["said"]) if quote else ""
    return [Mention(start, end, kind, replace(target, law=law), quoted) for start, end, target in members]


def _alike(mention: Mention, kind: EdgeKind) -> Mention:
    """Let a citation joined to another do what the other does: "under Article 3 of the Act and Article 7 of …"."""
    is_own = mention.target.law.kind is LawRefKind.THIS
    return replace(mention, kind=EdgeKind.CITES if kind is EdgeKind.IMPLEMENTS and is_own else kind)


def _parts_of(words: str) -> tuple[str, str]:
    """Read "(2)(b)" and "(1) subparagraph 3" as a paragraph and an item; "(3) or (5)" as two paragraphs."""
    paragraphs: list[str] = []
    items: list[str] = []
    for part in re.finditer(r"(?P<inner>\))?(?P<word> subparagraph | point )?\(?(\w{1,4})\b", words):
        number = part[3]
        if number in ("or", "and", "to", "paragraph", "paragraphs", "subparagraph", "subparagraphs", "point", "points"):
            continue
        is_item = bool(part["word"]) or (bool(part["inner"]) and words[part.start() + 1] == "(")
        (items if is_item else paragraphs).append(number)
    return ",".join(paragraphs), ",".join(items)


def _part_before(text: str, start: int, floor: int) -> tuple[int, str, str]:
    """Read "paragraph (2) of" before a label: where it begins, its paragraph and its item."""
    window = text[max(floor, start - 60) : start]
    if not window.endswith((" of ", " of the ")) or not (part := _PART_FIRST.search(window)):
        return start, "", ""
    words = (part[1], part[2] or "")
    paragraph, item = words if part[0].startswith("paragraph") else (words[1], words[0])
    return start - (len(window) - part.start()), paragraph, item


def _law_after(text: str, end: int) -> tuple[LawRef, int]:
    """Read the law that follows a label, and where its name ends."""
    found = _OF_LAW.match(text, end)
    if not found:
        return _THIS, end
    name = found["name"]
    if found["this"]:
        return _THIS, found.end()
    if found["same"]:
        return LawRef(LawRefKind.SAME, name), found.end()
    kind = LawRefKind.FAMILY if _LEVEL_ONLY.match(name) else LawRefKind.NAMED
    return LawRef(kind, name), found.end()


def _parts_of_the_same(text: str, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Find "subparagraph 5 of the same paragraph", said of the article cited last."""
    ends = [mention.end for mention in mentions]
    for found in _SAME_PART.finditer(text):
        index = bisect_right(ends, found.start()) - 1
        if index < 0 or "\n\n" in text[ends[index] : found.start()]:
            continue
        before = mentions[index].target
        target = replace(
            before, label=before.last_label or before.label, last_label="", paragraph=found["part"], item=""
        )
        if found["same"] == "paragraph":
            target = replace(target, paragraph=before.paragraph, item=found["part"])
        kind = EdgeKind.CITES
        if before.law.kind is LawRefKind.FAMILY and _PURSUANT.search(text, max(0, found.start() - 60), found.start()):
            kind = EdgeKind.IMPLEMENTS
        yield Mention(found.start(), found.end(), kind, target)


def _delegations(text: str) -> Iterator[Mention]:
    """Find "prescribed by the Decree", with the paragraph and item that it stands in."""
    places = _PLACE.finditer(text)
    place = next(places, None)
    paragraph = item = ""
    for found in _DELEGATION.finditer(text):
        while place and place.start() <= found.start():
            paragraph, item = (place[1], "") if place[1] else (paragraph, place[2])
            place = next(places, None)
        target = Target(LawRef(LawRefKind.FAMILY, found["level"]), paragraph=paragraph, item=item)
        yield Mention(found.start(), found.start() + len(found[0].rstrip()), EdgeKind.DELEGATES, target)


def _whole_laws(text: str, known_laws: Set[str]) -> Iterator[Mention]:
    """Find laws by their names; an unknown one must have a word before its level word that begins no sentence."""
    for found in _LAW_NAME.finditer(text):
        name, cut = _trimmed(found["name"])
        year = f" {found['year']}" if found["year"] else ""
        if name_key(name + year) not in known_laws and name_key(name) in known_laws:
            year = ""
        if _LEVEL_ONLY.match(name) or name.split(" ")[0] in _FIRST_WORDS:
            continue
        start = found.start() if not cut else found.start("name") + cut
        end = found.end("name") + len(year)
        if text[start - 1 : start] in _QUOTES and text[end : end + 1] in _QUOTES:
            continue  # (hereinafter "the Building Act"): a name given, not a citation
        yield Mention(start, end, EdgeKind.WHOLE_LAW, Target(LawRef(LawRefKind.NAMED, name + year)))


def _trimmed(name: str) -> tuple[str, int]:
    """Cut off what a capital letter at the beginning of a sentence put before a name; return also how much it was."""
    cut = shown = 0
    for begin in _NAME_BEGINS.finditer(name):
        cut, shown = begin.end(), begin.start() + 1
    while (word := name[cut:].split(" ", 1)) and len(word) == 2 and word[0] in _FIRST_WORDS:
        cut += len(word[0]) + 1
        shown = cut
    return name[cut:], shown

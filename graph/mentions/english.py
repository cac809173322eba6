"""The citation grammar of statutes in English.

    Articles 13-2 to 13-4 of the Act     labels first, then the law they are of, which holds for all of them
    ss. 4-9, regulation 7(2)             what British acts and instruments call their provisions
    paragraph (2) of Article 5           a part may come before
    the preceding section                counted from the citing one
    Annex 2 to the Decree
    28 U.S.C. § 1331                     an American code stands before its section
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

from graph.mentions.english_laws import aliases_in, former_after, law_after, laws_in
from graph.mentions.english_parts import PARTS, part_before, parts_of
from graph.mentions.law_names import Alias
from graph.mentions.spans import with_others
from graph.records import EdgeKind, LawRef, LawRefKind, Mention, Target

__all__ = ["chapter_of", "find_aliases", "find_mentions"]

_NUMBER = r"\d{1,4}(?:-\d{1,3}|[A-Z](?![A-Za-z]))?(?!\d)"
_CODE_NUMBER = r"\d{1,5}(?:\.\d{1,4})?[a-z]{0,2}(?:-\d{1,3}[a-z]?)?(?!\w)"  # 2000e-5, 240.10b-5
_COUNTED = (
    r"(?! ?%| (?:days?|weeks?|months?|years?|hours?|minutes?|times|per|percent|persons?|people|square|cubic|metres?|"
    r"meters?|m|kilometres?|km|kilograms?|kg|litres?|liters?|storeys|crowns|dollars|pounds|euros?|boats|oars)\b)"
)  # "Article 7, 10 days"
_HEAD = re.compile(
    r"(?:(?:(?P<article>[Aa]rticles?|Arts?\.|§§?)|(?<![\w'’-])(?P<section>[Ss]ections?|[Ss]ecs?\.|ss?\.|ss?(?= \d))"
    r"|(?<![\w-])(?P<regulation>[Rr]egulations?|[Rr]egs?\b\.?)|(?<![\w-])(?P<rule>[Rr]ules?)) ?"
    rf"(?>(?P<number>(?:(?<=ule )|(?<=ules ))\d{{1,3}}\.\d{{1,3}}(?!\w)|{_NUMBER})(?P<parts>{PARTS})){_COUNTED}"
    r"|(?P<annex>Annex|Annexes|Schedules?|Forms?) ?"
    rf"(?P<annex_number>{_NUMBER}|(?<=[xes] )[IVX]{{1,5}}(?!\w))(?P<annex_parts>{PARTS})"
    r"|(?<![\w.])(?P<code>\d{1,2} (?:U\. ?S\. ?C\.|USC|C\. ?F\. ?R\.|CFR)) ?(?:§§? ?|[Ss]ections? |[Pp]arts? )?"
    rf"(?P<code_number>{_CODE_NUMBER})(?P<code_parts>{PARTS}))"
)
_NEXT = re.compile(
    rf"(?P<joint>, (?:and|or) |, | (?:and|or|to|through) | ?[–-] ?)"
    rf"(?P<again>(?<= to )(?:section|article|regulation) )?(?>(?P<number>{_NUMBER})(?P<parts>{PARTS}))"
    + _COUNTED
    + r"(?! (?:U\. ?S\.|USC|C\. ?F\.|CFR))"
)
_NEXT_OF_CODE = re.compile(
    rf"(?P<joint>, (?:and |or )?| and | or )(?P<number>{_CODE_NUMBER})(?P<parts>{PARTS})(?! U| C)"
)
_INCLUSIVE = re.compile(r" \(?inclusive\b\)?")
_RANGES = ("to", "through", "-", "–")
_SAME_PART = re.compile(
    r"\b(?:(?:sub)?paragraph|subsection) \(?(?P<part>\w{1,3})\)? of (?:the same|that) "
    r"(?P<same>paragraph|[Aa]rticle|[Ss]ection|[Rr]egulation)\b"
)
_NEIGHBOUR = re.compile(
    r"\b(?:(?:(?:last|immediately) )?(?P<before>preceding|foregoing|previous)|(?:(?:next|immediately) )?following|"
    r"succeeding|next) (?:[Ss]ection|[Aa]rticle|[Rr]egulation|[Rr]ule)\b"
)
_FORMER = re.compile(r"\bformer $")
_DELEGATION = re.compile(
    r"\b(?:(?:as )?(?:prescribed|provided|specified|determined|designated|set|set out|laid down|made) (?:by|in) "
    r"(?:the |a )?(?:(?P<level>Decree|Rules?|Notice|Regulations|Order)\b(?: of the (?:[A-Z]\w{1,20} ?\b){1,4})?"
    r"|(?P<lower>regulations|rules of court|rules|order)\b)|(?:may|must|shall) by (?P<power>regulations|rules|order)\b)"
    r"(?![\"”]? in (?:Article|[Ss]ection))(?! (?:made )?under )"
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
    r"(?:pursuant to|under|\bin|required by|for the purposes? of|in accordance with|by virtue of|in implementation of|"
    r"conferred by) (?:the )?$",
    re.IGNORECASE,
)
# Without its article, "the period prescribed by the Decree": with marks or without
_QUOTE = re.compile(
    r"(?:[\"“](?:(?:The|the|An?|an?) )?(?P<quoted>[^\"“”\n]{1,120})[\"”]|"
    r"(?:The|the) (?P<said>(?:[a-z]{1,20} ){1,6}prescribed by the (?:Decree|Rule))) in (?:the )?$"
)
_AND = (" and ", " or ", ", ", ", and ", ", or ")
_THIS = LawRef(LawRefKind.THIS)


def find_mentions(text: str, known_laws: Set[str]) -> list[Mention]:
    """See `graph.mentions.find_mentions`."""
    mentions: list[Mention] = []
    end = 0
    while head := _HEAD.search(text, end):
        found = _enumeration(text, head, end, known_laws)
        if mentions and found[0].kind is EdgeKind.CITES and text[end : found[0].start] in _AND:
            found = [_alike(mention, mentions[-1].kind) for mention in found]
        mentions.extend(found)
        end = found[-1].end
    named = (Mention(start, end, EdgeKind.WHOLE_LAW, Target(law)) for start, end, law in laws_in(text, known_laws))
    others = [*_delegations(text), *named, *_parts_of_the_same(text, mentions), *_neighbours(text)]
    return with_others(mentions, others)


def find_aliases(text: str) -> list[Alias]:
    """See `graph.mentions.find_aliases`: the Fire Safety Act (hereinafter "the Act")."""
    return list(aliases_in(text))


def chapter_of(label: str) -> str:
    """See `graph.mentions.chapter_of`: 13-2 → Article 13-2, annex-4 → Annex 4."""
    part, _, number = label.partition("-")
    return f"{part.capitalize()} {number}".rstrip() if part.isalpha() else f"Article {label}"


def _enumeration(text: str, head: re.Match[str], floor: int, known_laws: Set[str]) -> list[Mention]:
    """Read the labels that follow one another, the law they are of, and what is done with them."""
    part = {"A": "annex-", "S": "schedule-", "F": "form-"}[head["annex"][0]] if head["annex"] else ""
    label = part + (head["number"] or head["annex_number"] or head["code_number"])
    noun = _noun(head)
    paragraph, item = parts_of(head["parts"] or head["annex_parts"] or head["code_parts"] or "")
    number, hyphen, last = label.partition("-")
    last_label = ""
    if noun and hyphen and number.isdigit() and int(last) > int(number):  # "ss. 4-9" is a range
        label, last_label = number, last
    start, outer, inner = part_before(text, head.start(), floor)
    if outer or inner:
        paragraph, item = outer or paragraph, ",".join(filter(None, (inner, item)))
    members = [(start, head.end(), Target(_THIS, label, last_label, paragraph, item, noun))]
    is_one = head["section"] in ("section", "Section", "s", "s.") or head["regulation"] in ("regulation", "Regulation")
    joined = _NEXT_OF_CODE if head["code"] else _NEXT
    while following := joined.match(text, members[-1][1]):
        target = Target(_THIS, part + following["number"], "", *parts_of(following["parts"]), noun)
        before_start, _, before = members[-1]
        is_range = following["joint"].strip() in _RANGES
        if is_one and not is_range and not following["parts"]:
            break  # "under section 12, 5 boats"
        if is_range and not before.last_label:
            members[-1] = (before_start, following.end(), replace(before, last_label=target.label))
        else:
            members.append((following.start("number"), following.end(), target))
    if members[-1][2].last_label and (inclusive := _INCLUSIVE.match(text, members[-1][1])):
        members[-1] = (members[-1][0], inclusive.end(), members[-1][2])
    law, law_end = _law_of(text, head, members[-1][1], known_laws)
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


def _noun(head: re.Match[str]) -> str:
    """Return what the law calls the provision, if not Article."""
    if head["section"]:
        return "Section"
    if head["code"] or (head["article"] or "").startswith("§"):
        return "§"
    return "Regulation" if head["regulation"] else "Rule" if head["rule"] else ""


def _law_of(text: str, head: re.Match[str], end: int, known_laws: Set[str]) -> tuple[LawRef, int]:
    """Return the law of labels that end there, and where the words that name it end."""
    if head["code"]:
        code = "U.S.C." if "U" in head["code"] else "C.F.R."
        return LawRef(LawRefKind.NAMED, f"{head['code'].split(' ')[0]} {code}"), end
    found = law_after(text, end, known_laws)
    law, end = (found.law, found.end) if found else (_THIS, end)
    if former := former_after(text, end):
        return LawRef(LawRefKind.OUTSIDE, law.name, "former"), former
    return law, end


def _alike(mention: Mention, kind: EdgeKind) -> Mention:
    """Let a citation joined to another do what the other does: "under Article 3 of the Act and Article 7 of …"."""
    is_own = mention.target.law.kind is LawRefKind.THIS
    return replace(mention, kind=EdgeKind.CITES if kind is EdgeKind.IMPLEMENTS and is_own else kind)


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


def _neighbours(text: str) -> Iterator[Mention]:
    """Find the section before or after: "the last preceding section", "the next Article"."""
    for found in _NEIGHBOUR.finditer(text):
        kind = EdgeKind.EXCEPTS if _EXCEPT.search(text, max(0, found.start() - 60), found.start()) else EdgeKind.CITES
        yield Mention(found.start(), found.end(), kind, Target(_THIS, "-1" if found["before"] else "+1"))


def _delegations(text: str) -> Iterator[Mention]:
    """Find "prescribed by the Decree", with the paragraph and item that it stands in."""
    places = _PLACE.finditer(text)
    place = next(places, None)
    paragraph = item = ""
    for found in _DELEGATION.finditer(text):
        while place and place.start() <= found.start():
            paragraph, item = (place[1], "") if place[1] else (paragraph, place[2])
            place = next(places, None)
        level = found["level"] or (found["lower"] or found["power"]).split(" ")[0].capitalize()
        target = Target(LawRef(LawRefKind.FAMILY, level), paragraph=paragraph, item=item)
        yield Mention(found.start(), found.start() + len(found[0].rstrip()), EdgeKind.DELEGATES, target)

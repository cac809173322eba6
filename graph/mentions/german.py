"""The citation grammar of statutes in German.

    § 823 Abs. 1 Satz 2 BGB                  a section with its parts, then the law
    §§ 31, 823 Abs. 2 und 826 BGB            the law behind the last member is that of all
    Art. 2 Abs. 1 i.V.m. Art. 1 Abs. 1 GG    and of what is read together with it
    des vorstehenden Paragraphen             counted from the citing section
    durch Rechtsverordnung                   a delegation

The words before a citation say what it does ("abweichend von", "auf Grund", "im Sinne"). Quantifiers are bounded, so
the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import pairwise

from graph.mentions.german_laws import aliases_in, former_after, law_after, laws_in
from graph.mentions.german_parts import COUNTED, NUMBER, PART_WORD, PARTS, SPACE, TOGETHER, parts_of
from graph.mentions.law_names import Alias
from graph.mentions.spans import with_others
from graph.records import EdgeKind, LawRef, LawRefKind, Mention, Target

__all__ = ["chapter_of", "find_aliases", "find_mentions"]

_ANNEX_NUMBER = r"(?:\d{1,3}[a-z]?|[IVX]{1,5})(?!\w)"
_HEAD = re.compile(
    rf"(?<![\w§])(?:(?P<section>§§?){SPACE}?|(?P<word>Paragra(?:ph|f)(?:en)?){SPACE}"
    rf"|(?P<article>Art\.{SPACE}?|Artt\.{SPACE}?|Artikel[ns]?{SPACE}))(?P<number>{NUMBER})(?P<parts>{PARTS}){COUNTED}"
    rf"|(?<!\w)(?P<annex>Anlagen?|Anhang(?:es|s)?|Anhänge|Formblatt){SPACE}"
    rf"(?P<annex_number>{_ANNEX_NUMBER})(?P<annex_parts>{PARTS})"
)
_NEXT = re.compile(
    rf"(?P<joint>,{SPACE}(?:und{SPACE}|oder{SPACE})?|{SPACE}(?:und|oder|sowie|bis|beziehungsweise|bzw\.|und/oder){SPACE}"
    rf"|{SPACE}?[–-]{SPACE}?|/)(?P<sign>§§?{SPACE}?)?"
    rf"(?>(?P<number>{NUMBER})(?P<parts>{PARTS})){COUNTED}(?!\.\d|{SPACE}?\.{SPACE}?[A-ZÄ][a-zä]{{2,8}}{SPACE}\d{{4}})"
)
_FOLLOWING = re.compile(rf"{SPACE}?(?:ff|f)\.")
# What joins two citations that one law behind the second may serve: "Art. 2 Abs. 1 i.V.m. Art. 1 Abs. 1 GG"
_JOINED = re.compile(
    rf"(?:,{SPACE}?(?:und|oder|auch|jeweils)?|{SPACE}(?:und|oder|sowie|beziehungsweise|bzw\.)|,?{SPACE}{TOGETHER})"
    rf"(?:{SPACE}(?:de[nmrs]|die))?{SPACE}?"
)
_PARTS_FIRST = re.compile(
    rf"(?<!\w)(?P<parts>{PART_WORD}{SPACE}?\d{{1,2}}[a-z]?(?!\w){PARTS}){SPACE}(?:des|von|der){SPACE}$"
)
_NEIGHBOUR = re.compile(
    rf"(?<!\w)(?P<word>vorhergehende|vorangehende|vorherige|vorstehende|vorige|voranstehende|(?:nach)?folgende|"
    rf"nachstehende|nächste)(?:r?{SPACE}(?:Paragra(?:ph|f)|Artikel)|(?P<plural>n){SPACE}(?:Paragra(?:ph|f)en|Artikels?))"
    r"(?!\w)"
)
_SINGULAR = re.compile(rf"(?<!\w)(?:de[ms]|[Ii]m|[Vv]om|[Zz]um|diese[ms]){SPACE}$")
_DELEGATION = re.compile(
    rf"(?<!\w)(?:[Dd]urch{SPACE}(?:eine{SPACE})?|[Nn]ach{SPACE}(?:näherer{SPACE})?Maßgabe{SPACE}(?:der|einer){SPACE}|"
    rf"(?:regelt|regeln|bestimmt|bestimmen){SPACE}(?:die|eine){SPACE}|[Ii]n{SPACE}(?:der|einer){SPACE}(?=Rechts))"
    rf"(?P<level>(?:Rechtsv|V)erordnung(?:en)?|Verwaltungsvorschrift(?:en)?|Satzung(?:en)?)(?![\wäöü])"
    rf"(?!{SPACE}(?:\(|Nr|(?:nach|gemäß|auf{SPACE}Grund|aufgrund){SPACE}(?:de[sr]{SPACE}|von{SPACE})?§))"
)
_PLACE = re.compile(
    r"^[ \t]*(?:\((?P<paragraph>\d{1,2}[a-z]?)\)|(?P<number>\d{1,3}[a-z]?)\.|(?P<letter>[a-z]{1,2})\))[ \t]", re.M
)

_LINK = rf"{SPACE}(?:(?:von|bei|in|den|dem|des|der|die){SPACE}){{0,2}}$"
_EXCEPT = re.compile(
    rf"(?<!\w)(?:[Aa]bweichend{SPACE}(?:hiervon{SPACE})?von|[Uu]ngeachtet|[Mm]it{SPACE}Ausnahme|[Aa]ußer{SPACE}(?:in|im|nach)|"
    rf"(?:[Ss]oweit|[Ss]ofern|[Ww]enn){SPACE}nicht|[Aa]usgenommen)(?:{SPACE}(?:Fällen|Falle?s?))?{_LINK}"
)
_DEFINES = re.compile(
    rf"(?<!\w)(?:[Ii]m{SPACE}Sinne?|i\.{SPACE}?S\.{SPACE}?(?:d|v)\.|[Bb]egriffsbestimmung(?:en)?){_LINK}"
)
_PURSUANT = re.compile(
    rf"(?<!\w)(?:[Nn]ach|[Gg]emäß|[Aa]uf{SPACE}Grund|[Aa]ufgrund|[Ii]n{SPACE}(?:Ausführung|Durchführung)|"
    rf"[Zz]u[mr]{SPACE}(?:Durchführung|Ausführung|Vollzug)|[Ee]ntsprechend|im{SPACE}Sinne?){_LINK}"
)
_IMPLEMENTS = re.compile(
    rf"(?<!\w)(?:[Aa]uf{SPACE}Grund|[Aa]ufgrund|[Zz]ur{SPACE}(?:Durchführung|Ausführung)|[Ii]n{SPACE}Ausführung){_LINK}"
)
_LONGEST_BEFORE = 60  # characters that may say what a citation does
_THIS = LawRef(LawRefKind.THIS)


@dataclass(slots=True)
class _Member:
    """One label of an enumeration; the fields of a Target."""

    start: int
    end: int
    label: str
    paragraph: str
    item: str
    last_label: str = ""


@dataclass(slots=True)
class _Enumeration:
    """Labels that follow one another, with the law that stands behind them."""

    start: int
    end: int
    members: list[_Member]
    law: LawRef | None
    noun: str
    is_annex: bool
    before: str  # the words that say what it does


def find_mentions(text: str, known_laws: Set[str]) -> list[Mention]:
    """See `graph.mentions.find_mentions`."""
    found: list[_Enumeration] = []
    end = 0
    while head := _HEAD.search(text, end):
        found.append(_enumeration(text, head, end, known_laws))
        end = found[-1].end
    mentions = list(_with_laws(text, found))
    named = (Mention(start, end, EdgeKind.WHOLE_LAW, Target(law)) for start, end, law in laws_in(text, known_laws))
    return with_others(mentions, [*_neighbours(text), *_delegations(text), *named])


def find_aliases(text: str) -> list[Alias]:
    """See `graph.mentions.find_aliases`: Bürgerliches Gesetzbuch (BGB)."""
    return list(aliases_in(text))


def chapter_of(label: str) -> str:
    """See `graph.mentions.chapter_of`: 12a → § 12a, anlage-1 → Anlage 1."""
    part, _, number = label.partition("-")
    return f"{part.capitalize()} {number}".rstrip() if part.isalpha() else f"§ {label}"


def _enumeration(text: str, head: re.Match[str], floor: int, known_laws: Set[str]) -> _Enumeration:
    """Read the labels that follow one another, and the law they are of."""
    part = {"Anl": "anlage-", "Anh": "anhang-", "For": "formblatt-"}[head["annex"][:3]] if head["annex"] else ""
    paragraph, item = parts_of(head["parts"] or head["annex_parts"] or "")
    start = head.start()
    if first := _parts_first(text, floor, start):
        before = parts_of(first["parts"])
        paragraph, item, start = paragraph or before[0], f"{item} {before[1]}".strip(), first.start()
    last = _Member(start, head.end(), _label(part, head["number"] or head["annex_number"]), paragraph, item)
    members = [last]
    are_many = head["section"] == "§§" or head["article"] or head[0].startswith(("Anlagen", "Anhänge", "Paragraphen"))
    while following := _NEXT.match(text, last.end):
        is_range = following["joint"].strip(" \u00a0\u202f") in ("bis", "–", "-")
        if following["sign"] and not is_range:
            break  # an enumeration of its own
        if not (are_many or is_range or following["parts"]) or (part and following["sign"]):
            break
        label = _label(part, following["number"])
        paragraph, item = parts_of(following["parts"])
        if is_range and not last.last_label and not last.paragraph:
            last.last_label, last.end = label, following.end()
        elif _is_paragraph(last, label, paragraph):  # "§§ 4 Abs. 1 und 3"
            last.paragraph, last.item, last.end = f"{last.paragraph},{label}", item, following.end()
        else:
            last = _Member(following.start("number"), following.end(), label, paragraph, item)
            members.append(last)
    if more := _FOLLOWING.match(text, last.end):
        last.end = more.end()
    law = law_after(text, last.end, known_laws)
    ref = law.law if law else None
    last.end = law.end if law else last.end
    if former := former_after(text, last.end):
        ref, last.end = LawRef(LawRefKind.OUTSIDE, ref.name if ref else "", "former"), former
    before_words = text[max(floor, start - _LONGEST_BEFORE) : start]
    return _Enumeration(start, last.end, members, ref, "Art." if head["article"] else "", bool(part), before_words)


def _parts_first(text: str, floor: int, start: int) -> re.Match[str] | None:
    """Find "Absatz 2 des" before a label."""
    if text[max(floor, start - 4) : start - 1] not in ("des", "von", "der"):
        return None
    return _PARTS_FIRST.search(text, max(floor, start - _LONGEST_BEFORE), start)


def _label(part: str, number: str) -> str:
    return part + "".join(number.split())


def _is_paragraph(last: _Member, label: str, paragraph: str) -> bool:
    """Tell whether a number behind a paragraph is one too, as it is smaller than the section it would follow."""
    if not last.paragraph or last.item or paragraph or not label.isdigit():
        return False
    stem = last.label.rstrip("abcdefghijklmnopqrstuvwxyz")
    return stem.isdigit() and int(label) < int(stem)


def _with_laws(text: str, found: list[_Enumeration]) -> Iterator[Mention]:
    """Yield the mentions: a law serves the enumerations joined before it, and what the first does, all of them do."""
    laws = [one.law for one in found]
    joins = [bool(_JOINED.fullmatch(text, one.end, two.start)) for one, two in pairwise(found)]
    for index in range(len(found) - 2, -1, -1):
        if laws[index] is None and joins[index] and not found[index].is_annex and _may_serve(laws[index + 1]):
            laws[index] = laws[index + 1]
    kind = EdgeKind.CITES
    for index, one in enumerate(found):
        law = laws[index] or _THIS
        if not (index and joins[index - 1]):
            kind = _kind(one.before, law, is_annex=one.is_annex)
        own_kind = EdgeKind.CITES if kind is EdgeKind.IMPLEMENTS and law.kind is LawRefKind.THIS else kind
        for member in one.members:
            target = Target(law, member.label, member.last_label, member.paragraph, member.item, one.noun)
            yield Mention(member.start, member.end, own_kind, target)


def _may_serve(law: LawRef | None) -> bool:
    return law is not None and law.kind in (LawRefKind.NAMED, LawRefKind.FAMILY, LawRefKind.SAME)


def _kind(before: str, law: LawRef, *, is_annex: bool = False) -> EdgeKind:
    """Say what a citation does by the words before it."""
    if not before.endswith((" ", "\u00a0")):
        return EdgeKind.CITES
    if _EXCEPT.search(before):
        return EdgeKind.EXCEPTS
    if law.kind is LawRefKind.FAMILY and not is_annex and _PURSUANT.search(before):
        return EdgeKind.IMPLEMENTS
    if law.kind is LawRefKind.NAMED and not is_annex and _IMPLEMENTS.search(before):
        return EdgeKind.IMPLEMENTS
    return EdgeKind.DEFINES if _DEFINES.search(before) else EdgeKind.CITES


def _neighbours(text: str) -> Iterator[Mention]:
    """Find the section before or after: "der vorhergehende Paragraph", "des folgenden Artikels"."""
    for found in _NEIGHBOUR.finditer(text):
        if found["plural"] and not _SINGULAR.search(text, max(0, found.start() - 8), found.start()):
            continue
        label = "+1" if found["word"].startswith(("folg", "nach", "näch")) else "-1"
        kind = _kind(text[max(0, found.start() - _LONGEST_BEFORE) : found.start()], _THIS)
        yield Mention(found.start(), found.end(), kind, Target(_THIS, label))


def _delegations(text: str) -> Iterator[Mention]:
    """Find "durch Rechtsverordnung", with the paragraph and number that it stands in."""
    places = _PLACE.finditer(text)
    place = next(places, None)
    paragraph = number = letter = ""
    for found in _DELEGATION.finditer(text):
        while place and place.start() <= found.start():
            if place["paragraph"]:
                paragraph, number, letter = place["paragraph"], "", ""
            elif place["number"]:
                number, letter = f"Nr. {place['number']}", ""
            else:
                letter = f"Buchst. {place['letter']}"
            place = next(places, None)
        level = found["level"].removesuffix("en").replace("Rechtsverordnung", "Verordnung")
        target = Target(LawRef(LawRefKind.FAMILY, level), "", "", paragraph, f"{number} {letter}".strip())
        yield Mention(found.start(), found.end(), EdgeKind.DELEGATES, target)

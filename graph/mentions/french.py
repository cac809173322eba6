"""The citation grammar of statutes in French, of Belgian and French drafting.

    articles 3, 5, alinéa 2, et 9 du Code civil    labels first, then the law they are of, which holds for all of them
    deuxième alinéa de l'article 7                 a part may come before
    L. 211-1, R. 123-4, 14/1, 5.74, 13 bis         numbers of codes, of Belgian branches, of decimal codes
    article précédent, même article, même code     what looks back
    le Roi détermine, fixée par décret             a delegation

A mention begins at its own noun, after the elided article. The words before it say what it does ("par dérogation à",
"au sens de", "en exécution de"). Quantifiers are bounded, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from graph.mentions.french_kinds import delegations, kind_of
from graph.mentions.french_laws import law_after, law_named_at
from graph.mentions.french_parts import NUMBER, SPACE, TAIL, UNIT, with_parts
from graph.mentions.law_names import Alias, name_key
from graph.mentions.spans import with_others
from graph.records import EdgeKind, LawRef, LawRefKind, Mention, Target
from graph.semantic_id import label_of

__all__ = ["chapter_of", "find_aliases", "find_mentions"]

_S = SPACE
_FEW = {"deux": 2, "trois": 3, "quatre": 4, "cinq": 5}
_HEAD = re.compile(
    rf"(?<!\w)(?i:articles?|arts?\.){_S}{{1,2}}(?P<number>{NUMBER})(?P<parts>{TAIL})"
    rf"|(?<!\w)(?:(?P<few>{'|'.join(_FEW)}){_S})?articles?{_S}(?P<beside>précédents?|suivants?|qui{_S}précèden?t?|qui{_S}suiv?e?n?t)(?!\w)"
    rf"|(?<!\w)(?P<same>même|dudit|ledit|audit){_S}article(?!\w)(?P<same_parts>{TAIL})"
    rf"|(?<!\w)annexes?{_S}(?:n°{_S}?)?(?P<annex>\d{{1,3}}(?:er|bis|ter)?|[IVX]{{1,5}}(?:re|er)?)(?![\w'’])"
    rf"|(?<=l['’])(?P<the_annex>annexe)(?!\w)"
    rf"|(?<![\w.])(?P<bare>[LRD]\*?\.?{_S}?\*?{_S}?\d{{1,4}}(?:-\d{{1,4}}){{1,6}})(?![\w°])(?P<bare_parts>{TAIL})"
)
_COUNTED = (
    rf"(?!{_S}?(?:%|°|€|m²)|{_S}(?:jours?|mois|ans?|années?|semaines?|heures?|minutes?|secondes?|fois|pour{_S}cent|"
    r"personnes?|mètres?|kilomètres?|kg|kilogrammes?|grammes?|litres?|degrés?|euros?|EUR|francs?|écus?|centimes?|"
    r"janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)(?!\w))"
)
_NEXT = re.compile(
    rf"(?P<joint>,?{_S}(?:et|ou|et/ou|ainsi{_S}que){_S}|,{_S}|{_S}(?:à|au){_S}|{_S}?–{_S}?)"
    rf"(?>(?P<number>{NUMBER})(?P<parts>{TAIL})){_COUNTED}"
)
_INCLUSIVE = re.compile(rf"{_S}(?:inclus|inclusivement|compris)(?!\w)")
_PART_BEFORE = re.compile(
    rf"(?<![\w.])(?P<parts>{UNIT}(?:{_S}(?:du|de{_S}la|de{_S}l['’]|des){_S}?{UNIT}){{0,3}})"
    rf"{_S}(?:de{_S}l['’]|du{_S}|des{_S}|de{_S}la{_S}|de{_S})$"
)
_PART_BEFORE_SAID = re.compile(rf"(?<![\w.])(?P<parts>{UNIT}){_S}$")
_OF = re.compile(rf"(?:l['’]|d(?:u|e|es|e{_S}la){_S})$")
_LONGEST_PART = 100  # characters
_FORMER = re.compile(rf"(?<!\w)(?:anciens?|ancienne){_S}$", re.IGNORECASE)
_LAW_BEGINS = re.compile(
    r"(?<![\w-])(?:(?i:lois?|code|décret|arrêté|ordonnance|règlement|directive|convention|traité)(?!\w)|[A-ZÀ-Ý][\wÀ-ÿ]{2,30})"
)
_ALIAS = re.compile(
    rf"{_S}\((?:ci-après|ci-dessous|dénommée?s?)[^()«»\"“”\n]{{0,40}}[«\"“]{_S}?(?:la{_S}|le{_S}|les{_S}|l['’])?"
    rf"(?P<name>[^«»\"“”\n]{{1,60}}?){_S}?[»\"”]\)?"
)
_PARAGRAPH = re.compile(rf"§{_S}?\d{{1,3}}(?:er)?\.{_S}")
_LONGEST_OPENING = 200  # characters of a paragraph before a citation that says what the paragraph carries out
_GIVEN = re.compile(rf"[«\"“]{_S}?(?:l['’]|(?:la|le|les){_S})?$")
_LONGEST_NAME = 200  # characters
_THIS = LawRef(LawRefKind.THIS)


def find_mentions(text: str, known_laws: Set[str]) -> list[Mention]:
    """See `graph.mentions.find_mentions`."""
    if aliases := find_aliases(text):
        known_laws = known_laws | {name_key(alias.name) for alias in aliases}
    mentions: list[Mention] = []
    whole_laws = list(_whole_laws(text, known_laws))
    end = 0
    while head := _HEAD.search(text, end):
        found = _enumeration(text, head, end, known_laws, mentions)
        mentions.extend(found)
        end = found[-1].end if found else head.end()
    merged = with_others(mentions, [*delegations(text), *whole_laws])
    return list(_with_own_code(merged))


def find_aliases(text: str) -> list[Alias]:
    """See `graph.mentions.find_aliases`: la loi du 2 mai 2028 (ci-après « la loi marchés »)."""
    aliases = []
    for found in _ALIAS.finditer(text) if "(" in text else ():
        if law := _law_ending_at(text, found.start()):
            aliases.append(Alias(found["name"], law, found.end(), None))
    return aliases


def chapter_of(label: str) -> str:
    """See `graph.mentions.chapter_of`: 1 → Article 1er, L211-1 → Article L. 211-1, annexe-2 → Annexe 2."""
    if label.startswith("annexe"):
        return f"Annexe {label.removeprefix('annexe').removeprefix('-')}".rstrip()
    lettered = re.match(r"(LO|[LRDA])(\*?)(?=\d)", label)
    if lettered:
        return f"Article {lettered[1]}{lettered[2]}. {label[lettered.end() :]}"
    return "Article 1er" if label == "1" else f"Article {label}"


def _law_ending_at(text: str, end: int) -> str | None:
    """Return the name of the law that ends at a position and no list need hold."""
    for begins in _LAW_BEGINS.finditer(text, max(0, end - _LONGEST_NAME), end):
        law = law_named_at(text, begins.start(), frozenset())
        if law and law.end == end:
            return law.law.name
    return None


def _enumeration(
    text: str, head: re.Match[str], floor: int, known_laws: Set[str], before: Sequence[Mention]
) -> list[Mention]:
    """Read the labels that follow one another, the law they are of, and what is done with them."""
    start, end = head.span()
    words = _words_before(text, start, floor, said=(head["same"] or "").endswith("dit"))
    part_words = words["parts"] if words else ""
    if words:
        start = words.start()
    if head["same"]:
        cited = next((one for one in reversed(before) if one.target.label), None)
        if cited is None:
            return []
        said = replace(cited.target, label=cited.target.last_label or cited.target.label, last_label="")
        target = with_parts(said, part_words, head["same_parts"])
        return [_mention(text, start, end, target, floor)]
    if head["beside"]:
        return [_mention(text, start, end, _beside(head), floor)]
    target = _target(head, part_words)
    former = _FORMER.search(text, max(floor, start - 12), start)
    kind_start = start
    mentions: list[Mention] = []
    members = [(former.start() if former else start, end, target)]
    while members:
        members = _with_following(text, members)
        law = law_after(text, members[-1][1], known_laws)
        ref = law.law if law else _THIS
        if former and not mentions:
            ref = LawRef(LawRefKind.OUTSIDE, ref.name, "ancien")
        begins, ends, last = members[-1]
        members[-1] = (begins, law.end if law else ends, last)
        kind = _kind(text, kind_start, floor, ref)
        mentions += [Mention(begins, ends, kind, replace(one, law=ref)) for begins, ends, one in members]
        # "article 12 de la loi et 5 de l'arrêté royal": a number behind a law is one of another, if that follows it
        following = _NEXT.match(text, mentions[-1].end) if law else None
        members = []
        if following and _leads_to_law(text, following, known_laws):
            target = _numbered(following["number"], following["parts"])
            members = [(following.start("number"), following.end(), target)]
    return mentions


def _with_following(text: str, members: list[tuple[int, int, Target]]) -> list[tuple[int, int, Target]]:
    """Return the members of an enumeration that begins with these: where each begins and ends, and what it names."""
    while following := _NEXT.match(text, members[-1][1]):
        begins, _, last = members[-1]
        target = _numbered(following["number"], following["parts"])
        if following["joint"].strip() in ("à", "au", "–") and not last.last_label:
            inclusive = _INCLUSIVE.match(text, following.end())
            end = inclusive.end() if inclusive else following.end()
            members[-1] = (begins, end, replace(last, last_label=target.label))
        else:
            members.append((following.start("number"), following.end(), target))
    return members


def _leads_to_law(text: str, following: re.Match[str], known_laws: Set[str]) -> bool:
    members = [(following.start("number"), following.end(), Target(_THIS))]
    return law_after(text, _with_following(text, members)[-1][1], known_laws) is not None


def _words_before(text: str, start: int, floor: int, *, said: bool) -> re.Match[str] | None:
    """Return the parts that stand before an article: "b) du 3° de l'"."""
    floor = max(floor, start - _LONGEST_PART)
    if not said and not _OF.search(text, max(floor, start - 6), start):
        return None
    return (_PART_BEFORE_SAID if said else _PART_BEFORE).search(text, floor, start)


def _target(head: re.Match[str], part_words: str) -> Target:
    if head["annex"] or head["the_annex"]:
        return Target(_THIS, label_of(f"Annexe {head['annex'] or ''}".strip(), language="fr"))
    number = head["number"] or head["bare"]
    return with_parts(_numbered(number, ""), part_words, head["parts"] or head["bare_parts"] or "")


def _numbered(number: str, parts: str) -> Target:
    return with_parts(Target(_THIS, label_of(number, language="fr")), "", parts)


def _beside(head: re.Match[str]) -> Target:
    count = _FEW[head["few"]] if head["few"] else 1
    if "préc" in head["beside"]:
        return Target(_THIS, f"-{count}", "-1" if count > 1 else "")
    return Target(_THIS, "+1", f"+{count}" if count > 1 else "")


def _mention(text: str, start: int, end: int, target: Target, floor: int) -> Mention:
    return Mention(start, end, _kind(text, start, floor, target.law), target)


def _kind(text: str, start: int, floor: int, law: LawRef) -> EdgeKind:
    line_start = max(text.rfind("\n", max(0, start - 1_000), start) + 1, start - 1_000)
    for paragraph in _PARAGRAPH.finditer(text, max(line_start, start - _LONGEST_OPENING), start):
        line_start = paragraph.end()
    return kind_of(text, start, floor, line_start=line_start, is_parent=law.kind is not LawRefKind.THIS)


def _whole_laws(text: str, known_laws: Set[str]) -> Iterator[Mention]:
    """Find laws by their names; an unknown code must have a capital letter."""
    end = 0
    for begins in _LAW_BEGINS.finditer(text):
        if begins.start() < end:
            continue
        named = law_named_at(text, begins.start(), known_laws)
        if named is None or (begins[0] == "code" and name_key(named.law.name) not in known_laws):
            continue
        end = named.end
        if _GIVEN.search(text, max(0, begins.start() - 8), begins.start()):
            continue  # (ci-après « la loi marchés »): a name given, not a citation
        yield Mention(begins.start(), end, EdgeKind.WHOLE_LAW, Target(named.law))


def _with_own_code(mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Let "même code" mean the citing one where its articles have been cited and no other law was named."""
    cites_itself = names_another = False
    for mention in mentions:
        kind = mention.target.law.kind
        if mention.kind is EdgeKind.DELEGATES:
            yield mention
            continue
        if kind is LawRefKind.SAME and cites_itself and not names_another:
            yield replace(mention, target=replace(mention.target, law=_THIS))
            continue
        names_another |= kind is not LawRefKind.THIS
        cites_itself |= kind is LawRefKind.THIS
        yield mention

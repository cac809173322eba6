"""What a French citation does with the provision it names, and what a clause leaves to a lower law."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graph.mentions.french_parts import SPACE, Places
from graph.records import EdgeKind, LawRef, LawRefKind, Mention, Target

__all__ = ["delegations", "kind_of"]

_S = SPACE
_TO = rf"(?:à{_S}|aux?{_S}|par{_S}|de{_S}|des{_S}|du{_S})?(?:l['’]|les{_S}|le{_S}|la{_S})?$"
_EXCEPT = re.compile(
    rf"(?:dérogation{_S}|nonobstant{_S}|à{_S}l['’]exception{_S}|excepté{_S}|(?:sauf|hormis){_S}(?:[^.;,:\n]{{1,40}}{_S})?){_TO}",
    re.IGNORECASE,
)
_DEFINED = re.compile(rf"(?:au{_S}sens{_S}|définie?s?{_S}|définition{_S}){_TO}", re.IGNORECASE)
_PURSUANT = re.compile(
    rf"(?:en{_S}(?:exécution|application)|pour{_S}l['’](?:exécution|application)){_S}{_TO}", re.IGNORECASE
)
_PROVIDED = re.compile(
    rf"(?:(?:visé|mentionné|prévu|prescrit|déterminé|fixé)e?s?{_S}|en{_S}vertu{_S}|conformément{_S}){_TO}",
    re.IGNORECASE,
)
_BEFORE = 70  # characters
_LONGEST_OPENING = 150  # characters

_SETS = (
    r"(?:détermine|fixe|arrête|règle|établit|prescrit|précise|définit|désigne|approuve|organise|peut|prend|énumère)"
    r"(?:nt)?(?!\w)"
)
_SET = r"(?:(?:fixé|déterminé|précisé|arrêté|réglé|désigné|prescrit)e?s?|(?:défini|établi|prévu)e?s?)"
_ORDER = (
    rf"décret(?:{_S}en{_S}Conseil{_S}d['’][ÉEée]tat)?|arrêté(?:{_S}(?:royal|ministériel|du{_S}Gouvernement"
    rf"|(?:conjoint{_S})?d(?:u|es){_S}ministres?(?:{_S}[\w'’-]{{1,30}}){{0,8}}?))?"
)
_DELEGATION = re.compile(
    rf"[Ll]e{_S}(?P<who>Roi|ministre|Gouvernement){_S}{_SETS}"
    rf"|(?<!\w)(?P<order>{_ORDER}){_S}{_SETS}"
    rf"|(?<!\w){_SET}{_S}par{_S}(?:un{_S}|le{_S}|voie{_S}de{_S}|voie{_S}d['’])?"
    rf"(?P<by>{_ORDER}|Roi|ministre|Gouvernement)(?!\w|{_S}du{_S}\d)"
)
_LEVELS = {"roi": "arrêté royal", "ministre": "arrêté ministériel", "gouvernement": "arrêté du gouvernement"}


def kind_of(text: str, start: int, floor: int, *, line_start: int, is_parent: bool) -> EdgeKind:
    """Return what the citation that begins at a position does.

    floor: where the citation before it ends. line_start: where its line begins. is_parent: the law is named, and may be
    one that the citing law implements.
    """
    floor = max(floor, start - _BEFORE)
    if _EXCEPT.search(text, floor, start):
        return EdgeKind.EXCEPTS
    if _DEFINED.search(text, floor, start):
        return EdgeKind.DEFINES
    if is_parent:
        opens = start - line_start < _LONGEST_OPENING and ". " not in text[line_start:start]
        if _PURSUANT.search(text, floor, start) or (opens and _PROVIDED.search(text, floor, start)):
            return EdgeKind.IMPLEMENTS
    return EdgeKind.CITES


def delegations(text: str) -> Iterator[Mention]:
    """Yield what a text leaves to a lower law: "Le Roi détermine", "fixée par décret", with where it stands."""
    places: Places | None = None
    for found in _DELEGATION.finditer(text):
        places = places or Places(text)
        paragraph, item = places.at(found.start())
        words = " ".join((found["who"] or found["order"] or found["by"]).lower().split())
        by_order = "décret" if words.startswith("décret") else "arrêté ministériel" if "ministre" in words else words
        level = _LEVELS.get(words, by_order)
        target = Target(LawRef(LawRefKind.FAMILY, level), paragraph=paragraph, item=item)
        yield Mention(found.start(), found.end(), EdgeKind.DELEGATES, target)

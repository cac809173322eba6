"""Which law French words name: la présente loi, le même code, the Code civil, an order by its date, an alias."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import NamedTuple

from graph.mentions.french_parts import SPACE
from graph.mentions.law_names import lengths_of_names
from graph.records import LawRef, LawRefKind

__all__ = ["LEVEL", "NamedLaw", "law_after", "law_named_at"]

LEVEL = rf"(?:loi|code|décret|arrêté(?:{SPACE}(?:royal|ministériel))?|ordonnance|règlement|constitution)"
_LONGEST_NAME = 200  # characters
_S = SPACE
_DATE = (
    rf"(?:1er|\d{{1,2}}){_S}(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"
    rf"{_S}\d{{4}}"
)
_LAW_NOUN = (
    rf"(?:lois?(?:-programme|-cadre)?(?:{_S}(?:spéciale|organique|ordinaire|coordonnées?|communale|provinciale))?"
    rf"|décret(?:-loi)?(?:{_S}(?:royal|impérial))?"
    rf"|arrêté(?:-loi)?(?:{_S}(?:royal|ministériel|grand-ducal|du{_S}(?:Régent|Gouvernement(?:{_S}[a-z][\w-]{{1,20}}){{0,3}})))?"
    rf"|ordonnance|règlement|convention|traité|accord)"
)
_OTHER = (
    r"(?:articles?|art\.|lois?|codes?|décrets?|arrêtés?|ordonnances?|règlements?|conventions?|constitution|alinéas?|§)"
)
# The title of a law has no end of its own: a verb, another citation or a mark of punctuation is the next clause.
_NEXT_CLAUSE = (
    rf"(?:(?:et|ou|ainsi{_S}que){_S}(?:(?:de{_S}|à{_S})?l['’]|de{_S}la{_S}|(?:la|le|les|du|des|aux?|ses){_S})?(?i:{_OTHER})"
    r"|(?:est|sont|a|ont|ne|se|qui|que|dont|lorsque|si|ainsi|il|elle|ils|elles|peut|peuvent|doit|doivent|fixe|fixent|"
    r"prévoit|prévoient|détermine|déterminent|dispose|reste|restent|demeure|impose|interdit|précitée?|susvisée?)(?![\w-])"
    r"|(?:n|s|qu)['’])"
)
_TITLE = (
    rf"(?:relati(?:f|ve|fs|ves)|portant|concernant|sur|modifiant|fixant|organique|instituant|établissant|réglementant|"
    rf"prise?|visant|contenant|organisant|tendant|créant|garantissant|favorisant|approuvant)"
    rf"(?:{_S}(?!{_NEXT_CLAUSE})[^\s,;:.()«»\[\]]{{1,40}}){{1,25}}"
)
_DATED = re.compile(
    rf"(?i:{_LAW_NOUN})(?:{_S}(?:n°|no|nº){_S}?\d[\d/-]{{0,12}}(?:{_S}du{_S}{_DATE})?|{_S}d(?:u|es){_S}{_DATE})"
    rf"(?:{_S}{_TITLE})?"
)
_TITLED = re.compile(rf"(?i:loi|décret|ordonnance){_S}(?!prise?|organique){_TITLE}")
_EU = re.compile(
    rf"(?i:règlement|directive){_S}(?:\((?:UE|CE|CEE)\){_S}(?:n°{_S}?)?\d{{1,4}}/\d{{1,4}}|\d{{2,4}}/\d{{1,4}}/(?:UE|CE|CEE))"
)
_CONSTITUTION = re.compile(r"Constitution(?!\w)")
_ADJECTIVE = (
    rf"(?!{_NEXT_CLAUSE})[a-zà-ÿ]{{1,20}}"
    r"(?:als?|ales?|aux|aires?|ifs?|ives?|els?|elles?|iques?|iers?|ières?|oise?s?|onne?s?|aine?s?|ande?s?|ils?|iles?|"
    r"[ié]en(?:ne)?s?|itime)(?![\w'’-])"
)
_NOUN = rf"(?!(?i:{_OTHER})(?!\w)|(?:présente?s?|mêmes?|dite?s?)(?!\w))[\wÀ-ÿ-]{{2,30}}"
_OF = rf"(?:de{_S}(?:la{_S}|l['’])?|du{_S}|des{_S}|d['’])"
_CODE = re.compile(
    rf"[Cc]ode(?:(?:{_S}[A-ZÀ-Ý][\wÀ-ÿ]{{1,15}}){{1,3}}"
    rf"|(?:{_S}{_ADJECTIVE}){{0,2}}(?:{_S}{_OF}{_NOUN}(?:{_S}et{_S}{_NOUN}{_S}divers)?(?:{_S}{_ADJECTIVE}){{0,2}}"
    rf"(?:{_S}(?:et{_S})?{_OF}{_NOUN}(?:{_S}{_ADJECTIVE}){{0,2}}){{0,3}})?(?:{_S}(?:sur{_S}les{_S}revenus|au{_S}travail))?)"
    r"(?!\w)"
)
# What an article is of may be anything that a capital letter marks as a name: du CIR 92, de la Convention européenne
_CAPITAL = re.compile(
    rf"(?!(?i:livre|titre|chapitre|section|partie|annexe|{LEVEL})(?!\w))[A-ZÀ-Ý][\wÀ-ÿ-]{{1,30}}"
    rf"(?:{_S}(?:{_ADJECTIVE}|[A-ZÀ-Ý][\wÀ-ÿ-]{{1,30}}|\d{{2,4}}(?!\w))){{0,4}}(?:{_S}{_OF}{_NOUN}(?:{_S}{_ADJECTIVE})?){{0,3}}"
)
_ONLY_CODE = re.compile(r"[Cc]ode$")
_OF_LAW = re.compile(
    rf",?{_S}(?:et{_S}(?:suivante?s?|s\.){_S})?(?:de{_S}la{_S}|du{_S}|de{_S}l['’]|des{_S}|de{_S}|à{_S}la{_S}|au{_S}|à{_S}l['’])"
)
_SINGULAR = re.compile(rf"d(?:u|e{_S}la|e{_S}l['’]){_S}?$")
_THIS = re.compile(
    rf"présente?s?{_S}(?i:{LEVEL}|texte|titre|chapitre|section|livre|partie|accord|convention|traité|statut)s?(?!\w)"
)
_SAME = re.compile(
    rf",?{_S}(?:(?:du|de{_S}la|de{_S}l['’]|des){_S}?(?:même|dite?|susdite?){_S}(?P<same>(?i:{LEVEL}))"
    rf"|(?:dudit|de{_S}ladite|de{_S}cett?e?){_S}(?P<said>(?i:{LEVEL}))"
    rf"|(?:du{_S}|de{_S}la{_S}|de{_S}l['’])(?P<cited>(?i:{LEVEL})){_S}(?:précitée?|susvisée?|susmentionnée?))(?!\w)"
)
_FAMILY = re.compile(rf"(?P<level>(?i:{LEVEL}))(?![\w'’-])")
_IGNORED = " \t\n\u00a0\u202f,·•"


class NamedLaw(NamedTuple):
    """A law, and where the words that name it end."""

    law: LawRef
    end: int


def law_after(text: str, end: int, known_laws: Set[str]) -> NamedLaw | None:
    """Return the law that the words behind a label name: "du Code civil", "de la présente loi", "du même arrêté"."""
    if text[end : end + 1] not in (",", " ", "\n", "\u00a0", "\u202f"):
        return None
    if same := _SAME.match(text, end):
        level = same["same"] or same["said"] or same["cited"]
        return NamedLaw(LawRef(LawRefKind.SAME, _plain(level).lower()), same.end())
    of = _OF_LAW.match(text, end)
    if of is None:
        return None
    if this := _THIS.match(text, of.end()):
        return NamedLaw(LawRef(LawRefKind.THIS), this.end())
    if named := law_named_at(text, of.end(), known_laws):
        return named
    if family := _FAMILY.match(text, of.end()):
        return NamedLaw(LawRef(LawRefKind.FAMILY, _plain(family["level"]).lower()), family.end())
    capital = _CAPITAL.match(text, of.end()) if _SINGULAR.search(of[0]) else None
    return NamedLaw(LawRef(LawRefKind.NAMED, _plain(capital[0])), capital.end()) if capital else None


def law_named_at(text: str, start: int, known_laws: Set[str]) -> NamedLaw | None:
    """Return the law whose name begins there: the longest known one, else one with a date, number, title, or a code."""
    if end := _known_until(text, start, known_laws):
        return NamedLaw(LawRef(LawRefKind.NAMED, _plain(text[start:end])), end)
    for pattern in (_DATED, _EU, _CONSTITUTION, _TITLED):
        if found := pattern.match(text, start, start + _LONGEST_NAME):
            return NamedLaw(LawRef(LawRefKind.NAMED, _plain(found[0])), found.end())
    code = _CODE.match(text, start, start + _LONGEST_NAME)
    if code is None or _ONLY_CODE.match(code[0]):
        return None
    return NamedLaw(LawRef(LawRefKind.NAMED, _plain(code[0])), code.end())


def _plain(name: str) -> str:
    """Return a name in one line and with a straight apostrophe, so that it has one semantic_id."""
    return " ".join(name.replace("’", "'").split())


def _known_until(text: str, start: int, known_laws: Set[str]) -> int:
    """Return where the longest known name that begins at a position ends; 0 if none does."""
    if not known_laws:
        return 0
    beginning = "".join(sign for sign in text[start : start + 6] if sign not in _IGNORED)[:4].lower()
    lengths = lengths_of_names(known_laws, 4).get(beginning)
    if not lengths:
        return 0
    places = [place for place in range(start, min(len(text), start + 2 * lengths[0])) if text[place] not in _IGNORED]
    key = "".join(text[place].lower()[:1] for place in places[: lengths[0]]).replace("’", "'")
    for length in lengths:
        if length <= len(key) and key[:length] in known_laws:
            end = places[length - 1] + 1
            if not text[end : end + 1].isalnum():
                return end
    return 0

"""Which law German words name: dieses Gesetzes, des Gesetzes, BGB, des Bürgerlichen Gesetzbuchs (BGB).

A law is named in its dictionary form: "des Brandschutzgesetzes" is the Brandschutzgesetz. Of a name and an abbreviation
that mean one law, the one that the corpus knows is taken, else the one written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from graph.mentions.german_parts import SPACE
from graph.mentions.law_names import Alias, name_key
from graph.records import LawRef, LawRefKind

__all__ = ["LawWords", "aliases_in", "former_after", "law_after", "laws_in"]

_LETTER = "[A-Za-zÄÖÜäöüß]"
_ENDS = r"(?![\wäöüß])"
_SHORT = (
    rf"(?:SGB{SPACE}[IVX]{{1,4}}|(?!(?:EU|EG|EN|ISO|DIN|[IVX]{{1,4}}){_ENDS})"
    rf"[A-ZÄÖÜ](?:{_LETTER}|-(?=[A-Z])){{0,11}}[A-ZÄÖÜ]){_ENDS}"
)
# An abbreviation that stands alone must end as those of laws do, or be known.
_SHORT_ALONE = re.compile(r".*(?:GB|G|GO|PO|VO|[a-z]O|SGB [IVX]+)$")
_KIND = r"(?:gesetzbuch|gesetz|verordnung|ordnung)"
_WORD = rf"[A-ZÄÖÜ](?:{_LETTER}|-){{0,60}}?(?:{_KIND}|-(?:Gesetzbuch|Gesetz|Verordnung|Ordnung))(?:es|e|s)?{_ENDS}"
_DETERMINER = (
    rf"(?:D(?:ie|as|er|es|em|en)|(?:Dies|Jen|Jed|Ein|Kein|Solch|Welch|All|Manch|Sein|Ihr|Ander)(?:e[mnrs]?)?){SPACE}"
)
_ADJECTIVE = rf"(?!{_DETERMINER})[A-ZÄÖÜ][a-zäöüß]{{2,30}}(?:e|en|es|er)"
_ADJECTIVES = rf"(?:{_ADJECTIVE}{SPACE}){{1,2}}"
_NAME = rf"(?P<name>{_ADJECTIVES}(?:{_WORD}|(?:Gesetzbuch|Gesetz|Verordnung|Ordnung)(?:es|s)?{_ENDS})|{_WORD})"
_UNION = (
    rf"(?P<union>(?:(?:Durchführungs|Delegierten?{SPACE})?[Vv]erordnung|Richtlinie){SPACE}(?:\((?:EU|EG|EWG|Euratom)\)"
    rf"{SPACE})?(?:Nr\.{SPACE}?)?\d{{1,4}}/\d{{1,4}}(?:/(?:EU|EG|EWG))?)"
)
_DATED = (
    rf"(?P<dated>(?:Gesetz(?:es)?|Verordnung){SPACE}vom{SPACE}\d{{1,2}}\.{SPACE}?[A-ZÄ][a-zä]{{2,8}}{SPACE}\d{{4}})"
)
# "des Gesetzes über die Haltung von Bienen": nouns, and the small words that lead to the next one
_SMALL = (
    r"(?:der|die|das|des|dem|den|von|vom|zur|zum|zu|und|oder|sowie|für|im|in|mit|gegen|bei|auf|an|am|über|bis|ein|einer|"
    r"eines|[a-zäöüß]{3,20}e[nrsm]?)"
)
_LONG = (
    rf"(?P<long>(?:Gesetz(?:es)?|Verordnung){SPACE}(?:über|zur|zum|betreffend|für|gegen)"
    rf"(?:{SPACE}(?:{_SMALL}{SPACE}){{0,3}}[A-ZÄÖÜ][A-Za-zÄÖÜäöüß-]{{1,40}}{_ENDS}){{1,6}})"
)
# The social code, whose books are cited as laws: "des Achten Buches Sozialgesetzbuch" is SGB VIII
_BOOKS = ("Erst", "Zweit", "Dritt", "Viert", "Fünft", "Sechst", "Siebt", "Acht", "Neunt", "Zehnt", "Elft", "Zwölft")
_BOOK = (
    rf"(?P<book>(?:{'|'.join(_BOOKS)})e[ns]?{SPACE}Buch(?:es|s)?{SPACE}(?:des{SPACE})?Sozialgesetzbuch(?:e?s)?){_ENDS}"
)
_LATIN_NUMBERS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_GLOSS = rf"(?:{SPACE}\((?P<gloss>{_SHORT})(?:,{SPACE}[^()\n]{{1,60}})?\))?"
_GLOSSED = re.compile(_GLOSS)

_OWN = re.compile(
    rf"{SPACE}(?:(?:dieses|des{SPACE}vorliegenden){SPACE}(?:Gesetz(?:es|buche?s)|(?:Staatsv|V)ertrage?s|Abkommens)"
    rf"|(?:dieser|der{SPACE}vorliegenden){SPACE}(?:(?:Rechtsv|V)erordnung|Satzung|Ordnung|Richtlinie|Verfassung)){_ENDS}"
)
_NAMED_BEFORE = r"(?:genannten|gleichen|vorgenannten|vorbezeichneten|vorstehenden|erwähnten|angeführten)"
_SAME = re.compile(
    rf"{SPACE}(?:(?:desselben|jenes|des{SPACE}{_NAMED_BEFORE}){SPACE}(?P<law>Gesetz)(?:es|buche?s)"
    rf"|(?:derselben|jener|der{SPACE}{_NAMED_BEFORE}){SPACE}(?P<order>Verordnung|Satzung|Richtlinie)){_ENDS}"
)
_AFTER = re.compile(
    rf"{SPACE}(?:(?:des|der){SPACE}(?:{_UNION}|{_DATED}|{_LONG}|{_BOOK}|(?P<family>Gesetz)es{_ENDS}"
    rf"|(?:Rechtsv|(?P<order>V))erordnung{_ENDS}|(?P<bylaw>Satzung){_ENDS}|{_NAME})|(?P<short>{_SHORT})){_GLOSS}"
)
_GENITIVE = re.compile(
    rf"{SPACE}(?:des|der){SPACE}(?P<words>[A-ZÄÖÜ]{_LETTER}*(?:{SPACE}(?:{_LETTER}|-){{1,40}}){{0,8}})"
)
_BARE = re.compile(rf"{SPACE}(?P<name>[A-ZÄÖÜ](?:{_LETTER}|-){{0,30}}){_ENDS}")
_ALONE = re.compile(rf"(?<![\w§-])(?:{_UNION}|{_DATED}|{_LONG}|{_BOOK}|{_NAME}|(?P<short>{_SHORT})){_GLOSS}")
_CALLED = re.compile(
    rf"{SPACE}\((?:im{SPACE}Folgenden|nachfolgend|künftig|fortan)(?:{SPACE}(?:als|kurz|nur))?:?{SPACE}"
    r"[„“\"»]?(?P<alias>[^„“”\"»«()\n]{1,40}?)[“”\"«]?\)"
)
_FORMER = re.compile(
    rf"{SPACE}(?:a\.{SPACE}?F\.|aF{_ENDS}|alter{SPACE}Fassung{_ENDS}|in{SPACE}der{SPACE}(?:"
    rf"(?:bis|vor|am){SPACE}[^;()\n]{{1,60}}?(?:geltenden|gültigen){SPACE}Fassung"
    rf"|(?:vorherigen|bisherigen|alten|früheren|ursprünglichen){SPACE}Fassung){_ENDS})"
)
_NO_LAWS = frozenset(
    (
        *("tagesordnung", "rangordnung", "anordnung", "zuordnung", "einordnung", "unterordnung", "überordnung"),
        *("hausordnung", "geschäftsordnung", "rechtsordnung", "grundordnung", "wirtschaftsordnung", "neuordnung"),
        *("gesellschaftsordnung", "größenordnung", "reihenfolgeordnung", "sitzordnung", "abordnung", "beiordnung"),
        *("rechtsverordnung", "durchführungsverordnung", "änderungsverordnung", "ausführungsverordnung", "unordnung"),
        *("ausführungsgesetz", "durchführungsgesetz", "änderungsgesetz", "landesgesetz", "bundesgesetz", "naturgesetz"),
        *("zustimmungsgesetz", "einführungsgesetz", "parlamentsgesetz", "reichsgesetz", "haushaltsordnung"),
    )
)
# What lawyers cite by an abbreviation, each with its name. Both mean one law; which one a corpus bears is its choice.
_NAMES = (
    ("AEUV", "Vertrag über die Arbeitsweise der Europäischen Union"),
    ("AGG", "Allgemeines Gleichbehandlungsgesetz"),
    ("AktG", "Aktiengesetz"),
    ("AO", "Abgabenordnung"),
    ("ArbZG", "Arbeitszeitgesetz"),
    ("BauGB", "Baugesetzbuch"),
    ("BDSG", "Bundesdatenschutzgesetz"),
    ("BGB", "Bürgerliches Gesetzbuch"),
    ("BImSchG", "Bundes-Immissionsschutzgesetz"),
    ("DSGVO", "Verordnung (EU) 2016/679"),
    ("EStG", "Einkommensteuergesetz"),
    ("GewO", "Gewerbeordnung"),
    ("GG", "Grundgesetz"),
    ("HGB", "Handelsgesetzbuch"),
    ("InsO", "Insolvenzordnung"),
    ("KSchG", "Kündigungsschutzgesetz"),
    ("OWiG", "Gesetz über Ordnungswidrigkeiten"),
    ("StGB", "Strafgesetzbuch"),
    ("StPO", "Strafprozessordnung"),
    ("StVG", "Straßenverkehrsgesetz"),
    ("StVO", "Straßenverkehrs-Ordnung"),
    ("UStG", "Umsatzsteuergesetz"),
    ("UWG", "Gesetz gegen den unlauteren Wettbewerb"),
    ("VwGO", "Verwaltungsgerichtsordnung"),
    ("VwVfG", "Verwaltungsverfahrensgesetz"),
    ("WEG", "Wohnungseigentumsgesetz"),
    ("ZPO", "Zivilprozessordnung"),
)
_OTHER_NAME = {name_key(one): other for pair in _NAMES for one, other in (pair, pair[::-1])}


class LawWords(NamedTuple):
    """Words that name a law."""

    start: int
    end: int
    law: LawRef


def law_after(text: str, end: int, known_laws: Set[str]) -> LawWords | None:
    """Return the law that the words right behind a label name: a genitive or an abbreviation."""
    if not text[end : end + 1].isspace():
        return None
    if own := _OWN.match(text, end):
        return LawWords(end, own.end(), LawRef(LawRefKind.THIS))
    if same := _SAME.match(text, end):
        return LawWords(end, same.end(), LawRef(LawRefKind.SAME, same["law"] or same["order"]))
    if found := _known_genitive(text, end, known_laws):
        return found
    if (bare := _BARE.match(text, end)) and name_key(bare["name"]) in known_laws:
        return LawWords(end, bare.end(), LawRef(LawRefKind.NAMED, bare["name"]))
    after = _AFTER.match(text, end)
    if after is None:
        return None
    if any(after[kind] for kind in ("short", "union", "dated", "long", "book", "name")):
        name = _name_of(after, known_laws)
        return LawWords(end, after.end(), LawRef(LawRefKind.NAMED, name))
    level = "Gesetz" if after["family"] else "Satzung" if after["bylaw"] else "Verordnung"
    return LawWords(end, after.end(), LawRef(LawRefKind.FAMILY, level))


def former_after(text: str, end: int) -> int | None:
    """Return where words end that say that an earlier wording is meant: a. F., in der bis zum … geltenden Fassung."""
    former = _FORMER.match(text, end)
    return former.end() if former else None


def laws_in(text: str, known_laws: Set[str]) -> Iterator[LawWords]:
    """Yield the laws that a text names, whether or not labels stand before; of those unknown, what reads like one."""
    for found in _ALONE.finditer(text):
        name, start = _name_of(found, known_laws), found.start()
        is_known = name_key(name) in known_laws
        if found["name"]:
            adjectives, _, last = found["name"].rpartition(" ")
            alone = _as_known([_dictionary_form(last)], known_laws)
            if adjectives and not is_known and name_key(alone) in known_laws:
                name, start, is_known = alone, found.start("name") + len(adjectives) + 1, True
            if not is_known and _dictionary_form(last).lower() in _NO_LAWS | {"gesetz", "verordnung", "ordnung"}:
                continue
        if found["short"] and not is_known and not _SHORT_ALONE.match(found["short"]):
            continue
        yield LawWords(start, found.end(), LawRef(LawRefKind.NAMED, name))


def aliases_in(text: str) -> Iterator[Alias]:
    """Yield the abbreviations and short names that a text gives to laws: Gesetz über … (WaffG), (nachfolgend: …)."""
    if "(" not in text:
        return
    for found in _ALONE.finditer(text):
        if found["short"]:
            continue
        name = _name_of(found, frozenset(), with_gloss=False)
        if found["gloss"]:
            yield Alias(found["gloss"], name, found.end(), None)
        elif called := _CALLED.match(text, found.end()):
            yield Alias(called["alias"], name, called.end(), None)


def _name_of(found: re.Match[str], known_laws: Set[str], *, with_gloss: bool = True) -> str:
    if found["book"]:
        return f"SGB {_LATIN_NUMBERS[_BOOKS.index(re.sub(r'e[ns]?$', '', re.split(SPACE, found['book'])[0]))]}"
    named = found["union"] or found["dated"] or found["long"] or found["name"]
    names = [_dictionary_form(re.sub(SPACE, " ", named))] if named else []
    if with_gloss and found["gloss"]:
        names.append(found["gloss"])
    if found["short"]:
        names.append(re.sub(SPACE, " ", found["short"]))
    return _as_known(names, known_laws)


def _as_known(names: list[str], known_laws: Set[str]) -> str:
    """Return the first of a law's names, or of their abbreviations, that is known; the first of all if none is."""
    for name in names:
        for spelling in (name, _OTHER_NAME.get(name_key(name), "")):
            if spelling and name_key(spelling) in known_laws:
                return spelling
    return names[0]


def _known_genitive(text: str, end: int, known_laws: Set[str]) -> LawWords | None:
    """Return a known law whose name, however it ends, is the longest that follows "des" or "der"."""
    found = _GENITIVE.match(text, end)
    if found is None or not known_laws:
        return None
    for word in reversed(list(re.finditer(r"\S+", found["words"]))):
        written = found["words"][: word.end()]
        for name in (written, written.removesuffix("es"), written.removesuffix("s"), _dictionary_form(written)):
            if name_key(name) in known_laws:
                name_end = found.start("words") + word.end()
                gloss = _GLOSSED.match(text, name_end)
                return LawWords(end, gloss.end() if gloss else name_end, LawRef(LawRefKind.NAMED, name))
    return None


def _dictionary_form(name: str) -> str:
    """Bürgerlichen Gesetzbuchs → Bürgerliches Gesetzbuch, Gesetzes über … → Gesetz über …."""
    if long := re.match(r"(Gesetz|Verordnung)(?:es)? (.*)", name):
        return f"{long[1]} {long[2]}"
    *adjectives, last = name.split(" ")
    last = re.sub(r"([Gg]esetz(?:buch)?)(?:es|s|e)$", r"\1", last)
    ending = "es" if re.search(r"[Gg]esetz(?:buch)?$", last) else "e"
    return " ".join([*(re.sub(r"e[nrs]?$", ending, adjective) for adjective in adjectives), last])

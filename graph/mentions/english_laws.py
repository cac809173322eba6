"""Which law English words name: this Act, the said Act, the Act, the River Tolls Act 2029, Regulation (EU) 2016/679."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from graph.mentions.law_names import Alias, name_key
from graph.records import LawRef, LawRefKind

__all__ = ["LawWords", "aliases_in", "former_after", "law_after", "laws_in"]

_LEVEL = r"(?:Act|Decree|Rules?|Notice|Code|Regulations?|Ordinance|Law|Order(?= \d{4}))"
_WORD = r"[A-Z][A-Za-z'’-]{0,30}"
_NAME = rf"{_WORD}(?: (?:(?:of|and|on|for|the|in|to) ){{0,2}}{_WORD}){{0,8}}"
_UNION = (
    r"(?:(?:Council|Commission) )?(?:(?:Delegated|Implementing) )?"
    r"(?P<union>(?:Framework )?(?:Regulation|Directive|Decision) (?:\((?:EU|EC|EEC|Euratom)(?:, Euratom)?\) )?"
    r"(?:No\.? ?)?\d{1,4}/\d{1,4}(?:/(?:EU|EC|EEC|JHA))?)(?!\w)"
)
_OF_LAW = re.compile(
    r" (?:of|to) (?:(?P<this>this|these)|(?P<same>the same|that|those|the said|said)|the) ?"
    rf"(?P<name>(?:{_NAME} |\d{{4}} )?{_LEVEL}(?! of the [A-Z]\w+ Act)(?: \d{{4}})?|(?:Directive|Decision|Order))\b"
)
_OF_PART = re.compile(r" (?:of|to) this (?:Part|Chapter|Title|Division|Subpart)\b")
_OF_UNION = re.compile(rf" (?:of|to) {_UNION}")
_SHORT = re.compile(r" (?:of the )?(?P<name>[A-Z][A-Za-z]{1,8}[A-Z])\b")
_SHORT_NAMES = frozenset({"GDPR", "TFEU", "TEU", "ECHR"})
_LAW_NAME = re.compile(rf"(?:[Tt]he )?(?P<name>{_NAME} {_LEVEL})\b(?: (?P<year>\d{{4}})\b)?")
_UNION_NAME = re.compile(rf"\b{_UNION}")
_ALIAS = re.compile(
    rf"(?:(?P<law>{_NAME} {_LEVEL}(?: \d{{4}})?)|{_UNION}) "
    r"\((?:(?:hereinafter|in this \w{1,12},?)[^()\"“”\n]{0,40}|(?:the )?)[\"“](?P<name>[^\"”\n]{1,40})[\"”]"
)
_FORMER = re.compile(
    r" as (?:(?:it|they) (?:had effect|stood|read|was in force|were in force)|(?:originally )?enacted|in force)"
    r"(?: (?:immediately )?(?:before|prior to|until|on) [^,.;()\n]{1,40})?"
)
_LEVEL_ONLY = re.compile(rf"(?:{_LEVEL}|Order)$")
# A name begins after "the", unless "of the", "on the" keep it going: "Notwithstanding the Building Act".
_NAME_BEGINS = re.compile(r"(?<! of)(?<! on)(?<! for)(?<! in)(?<! to) (?:the )")
_FIRST_WORDS = frozenset(
    (
        *(
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
        ),
        *("An", "These", "Those"),
    )
)
_QUOTES = ('"', "“", "”")


class LawWords(NamedTuple):
    """Words that name a law."""

    start: int
    end: int
    law: LawRef


def law_after(text: str, end: int, known_laws: Set[str]) -> LawWords | None:
    """Return the law that the words right behind a label name."""
    if not text.startswith(" ", end):
        return None
    if part := _OF_PART.match(text, end):
        return LawWords(end, part.end(), LawRef(LawRefKind.THIS))
    if union := _OF_UNION.match(text, end):
        return LawWords(end, union.end(), LawRef(LawRefKind.NAMED, union["union"]))
    if found := _OF_LAW.match(text, end):
        name = found["name"]
        if found["this"]:
            return LawWords(end, found.end(), LawRef(LawRefKind.THIS))
        if found["same"]:
            return LawWords(end, found.end(), LawRef(LawRefKind.SAME, name))
        kind = LawRefKind.FAMILY if _LEVEL_ONLY.match(name) else LawRefKind.NAMED
        return LawWords(end, found.end(), LawRef(kind, name))
    short = _SHORT.match(text, end)
    if short and (short["name"] in _SHORT_NAMES or name_key(short["name"]) in known_laws):
        return LawWords(end, short.end(), LawRef(LawRefKind.NAMED, short["name"]))
    return None


def former_after(text: str, end: int) -> int | None:
    """Return where words end that say that an earlier wording is meant: as it had effect before 1 May 2030."""
    former = _FORMER.match(text, end)
    return former.end() if former else None


def laws_in(text: str, known_laws: Set[str]) -> Iterator[LawWords]:
    """Yield laws by their names; an unknown one must have a word before its level word that begins no sentence."""
    for found in _UNION_NAME.finditer(text):
        yield LawWords(found.start(), found.end(), LawRef(LawRefKind.NAMED, found["union"]))
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
        yield LawWords(start, end, LawRef(LawRefKind.NAMED, name + year))


def aliases_in(text: str) -> Iterator[Alias]:
    """Yield the short names that a text gives to laws: the Fire Safety Act (hereinafter "the Act")."""
    if not any(opening in text for opening in ("(hereinafter", "(in this", '("', "(“", '(the "', "(the “")):
        return
    for alias in _ALIAS.finditer(text):
        yield Alias(alias["name"], alias["union"] or _trimmed(alias["law"])[0], alias.end(), None)


def _trimmed(name: str) -> tuple[str, int]:
    """Cut off what a capital letter at the beginning of a sentence put before a name; return also how much it was."""
    cut = shown = 0
    for begin in _NAME_BEGINS.finditer(name):
        cut, shown = begin.end(), begin.start() + 1
    while (word := name[cut:].split(" ", 1)) and len(word) == 2 and word[0] in _FIRST_WORDS:
        cut += len(word[0]) + 1
        shown = cut
    return name[cut:], shown

"""The rule that names a provision: `<law slug>_<label>`. What it prints it parses back, and sorts as the law does.

    소방시설 설치 및 관리에 관한 법률 시행령, 제13조의2   소방시설-설치-및-관리에-관한-법률-시행령_13조의2
    Fire Safety Decree, Article 13-2                     fire-safety-decree_13-2
    건축법 시행령, 별표 4                                  건축법-시행령_별표4

Korean names keep their case (NFPC 608); names in other scripts are lower-cased.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from graph.numerals import LATIN_BRANCHES, kanji_to_arabic, roman

__all__ = ["SemanticId", "is_annex", "is_form", "label_of", "law_slug", "parse", "semantic_id", "sort_key"]

_BREAK = re.compile(r"[\sㆍ·‧・]+")
_EDGE_WORD = re.compile(
    r"^(?:article|artikel|section|art\.?|sec\.?|§§?|paragra[pf]h?(?=\s)|regulation|rule|điều)\s*", re.IGNORECASE
)
_NAMED_PART = re.compile(
    r"^(annex|schedule|formblatt|form|anlage|anhang|phụ lục|mẫu số)(?=[\s\d-]|$)[\s-]*(?:0+(?=\d))?", re.IGNORECASE
)
_SPACED_BRANCH = re.compile(r"(?<=\d)\s(?=[a-z]$)")  # § 12 a
# A longer run of digits is no number of a provision, and too long for int(). A letter glued to one is a branch.
_BRANCH_WORDS = "|".join(sorted(LATIN_BRANCHES, key=len, reverse=True))
_NUMBER = re.compile(rf"(\d{{1,18}})(?:({_BRANCH_WORDS}|[A-Za-zđ])(?![^\W\dA-Z_]))?")
_LETTERS = {letter: number for number, letter in enumerate("abcdđefghijklmnopqrstuvwxyz", start=1)}
_BRANCHES = _LETTERS | LATIN_BRANCHES
_FRENCH_EDGE = re.compile(r"^(?:articles?|art\.)\s*", re.IGNORECASE)
_FRENCH_ANNEX = re.compile(r"^annexes?\b\s*", re.IGNORECASE)
_FRENCH_FIRST = re.compile(r"^(?:(1)(?:er|re|ère)|(I)(?:er|re|ère)|premi(?:er|ère))$", re.IGNORECASE)
_CODE_LETTER = re.compile(r"^(L\.?O|[LRDA])\s?\.?\s?(\*?)\s?\.?\s?(?=\d)")
_LETTER_ORDER = {letter: number for number, letter in enumerate(("L", "LO", "R", "D", "A"))}
_MOST = 10**18  # no number of a provision is as great
_JAPANESE_ORDINAL = re.compile(r"第(?=\d)")
_ANNEXES = ("별표", "annex", "schedule", "別表", "別図", "anlage", "anhang", "phụ-lục")
_FORMS = ("별지", "form", "別記", "様式", "mẫu-số")
_FORM = 2  # the last of a law's parts: articles 0, annexes 1, forms 2


class SemanticId(NamedTuple):
    """A parsed semantic id."""

    law: str  # slug of the law's name
    label: str

    def __str__(self) -> str:
        return f"{self.law}_{self.label}"


def law_slug(law_name: str, *, language: str = "ko") -> str:
    """Return the law's part of a semantic id: white space and middle dots become single hyphens, accents stay (NFC)."""
    slug = _BREAK.sub("-", unicodedata.normalize("NFC", law_name.strip()))
    return slug if language == "ko" else unicodedata.normalize("NFC", slug.lower())


def label_of(chapter: str, *, language: str = "ko") -> str:
    """Return the label of a provision as printed: 제13조의2 → 13조의2, Article 13-2 → 13-2, Annex 4 → annex-4."""
    if language == "ko":
        return re.sub(r"\s+|제(?=\d)", "", chapter)
    chapter = chapter.strip()
    if language == "ja":
        return _JAPANESE_ORDINAL.sub("", kanji_to_arabic(re.sub(r"\s+", "", chapter)))
    if language == "fr":
        return _french_label(chapter)
    chapter = unicodedata.normalize("NFC", chapter)
    if part := _NAMED_PART.match(chapter):
        return f"{_BREAK.sub('-', part[1].lower())}-{_BREAK.sub('-', chapter[part.end() :])}".rstrip("-")
    return _BREAK.sub("-", _SPACED_BRANCH.sub("", _EDGE_WORD.sub("", chapter)))


def _french_label(chapter: str) -> str:
    """Article 1er → 1, Article L. 211-1 → L211-1, art. 13 bis → 13bis, Annexe Ire → annexe-I."""
    annex = _FRENCH_ANNEX.match(chapter)
    label = chapter[annex.end() :] if annex else _FRENCH_EDGE.sub("", chapter)
    if first := _FRENCH_FIRST.match(label):
        label = first[1] or first[2] or "1"
    label = _CODE_LETTER.sub(lambda found: f"{found[1].replace('.', '')}{found[2]}", label)
    is_number = any(sign.isdigit() for sign in label[:3])
    label = _BREAK.sub("" if is_number else "-", label)
    return f"annexe-{label}".rstrip("-") if annex else label


def semantic_id(law_name: str, chapter: str, *, language: str = "ko") -> str:
    """Name the provision that a law prints under the label `chapter`; "" for `chapter` names the law as a whole.

    Raises ValueError if either part would be empty or the label holds the separator.

    >>> semantic_id("Fire Safety Decree", "Article 13-2", language="en")
    'fire-safety-decree_13-2'
    >>> semantic_id("건축법 시행령", "별표 4")
    '건축법-시행령_별표4'
    """
    slug = law_slug(law_name, language=language)
    if not slug:
        raise ValueError("a provision needs a law name")
    if not chapter:
        return slug
    label = label_of(chapter, language=language)
    if not label or "_" in label:
        raise ValueError(f"{chapter!r} is no label of a provision")
    return f"{slug}_{label}"


def parse(name: str) -> SemanticId:
    """Split a semantic id; the label is "" for a law as a whole. Raises ValueError on an empty law.

    >>> parse("fire-safety-decree_13-2")
    SemanticId(law='fire-safety-decree', label='13-2')
    """
    law, _, label = name.rpartition("_") if "_" in name else (name, "", "")
    if not law:
        raise ValueError(f"{name!r} is no semantic id: expected <law>_<label>")
    return SemanticId(law, label)


def is_annex(name: str) -> bool:
    """Tell whether a semantic id names an annex, a schedule or a form rather than an article or a law."""
    return _part(parse(name).label) > 0


def is_form(name: str) -> bool:
    """Tell whether a semantic id names a form to be filled in."""
    return _part(parse(name).label) == _FORM


def sort_key(name: str) -> tuple[str, int, tuple[int, ...], str]:
    """Order semantic ids as the law prints them: by law, articles before annexes before forms, then by number."""
    law, label = parse(name)
    return law, _part(label), tuple(_numbers(label)), label


def _numbers(label: str) -> Iterator[int]:
    """Read 13조의2 as 13 and 2, the branch of 12a and 13bis as a number, and L211-1 behind all without a letter."""
    if code := _CODE_LETTER.match(label):
        yield _MOST + _LETTER_ORDER[code[1].replace(".", "")]
    if _part(label) and (number := roman(label.rpartition("-")[2])):
        yield number
    for digits, branch in _NUMBER.findall(label):
        yield int(digits)
        if branch:
            yield _BRANCHES[branch.lower()]


def _part(label: str) -> int:
    if label.startswith(_FORMS) or label.endswith("様式"):
        return _FORM
    return 1 if label.startswith(_ANNEXES) else 0

"""The rule that names a provision: `<law slug>_<label>`. What it prints it parses back, and sorts as the law does.

    소방시설 설치 및 관리에 관한 법률 시행령, 제13조의2   소방시설-설치-및-관리에-관한-법률-시행령_13조의2
    Fire Safety Decree, Article 13-2                     fire-safety-decree_13-2
    건축법 시행령, 별표 4                                  건축법-시행령_별표4

Korean names keep their case (NFPC 608); names in other scripts are lower-cased.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["SemanticId", "is_annex", "label_of", "law_slug", "parse", "semantic_id", "sort_key"]

_BREAK = re.compile(r"[\sㆍ·‧・]+")
_EDGE_WORD = re.compile(r"^(?:article|section|art\.?|§)\s*", re.IGNORECASE)
_NAMED_PART = re.compile(r"^(annex|schedule|form)\s*", re.IGNORECASE)
# A longer run of digits is no number of a provision, and too long for int(). A letter glued to one is a branch.
_NUMBER = re.compile(r"(\d{1,18})(?:([A-Za-zđ])(?![^\W\d_]))?")
_LETTERS = {letter: number for number, letter in enumerate("abcdđefghijklmnopqrstuvwxyz", start=1)}


class SemanticId(NamedTuple):
    """A parsed semantic id."""

    law: str  # slug of the law's name
    label: str

    def __str__(self) -> str:
        return f"{self.law}_{self.label}"


def law_slug(law_name: str, *, language: str = "ko") -> str:
    """Return the law's part of a semantic id: white space and middle dots become single hyphens."""
    slug = _BREAK.sub("-", law_name.strip())
    return slug if language == "ko" else slug.lower()


def label_of(chapter: str, *, language: str = "ko") -> str:
    """Return the label of a provision as printed: 제13조의2 → 13조의2, Article 13-2 → 13-2, Annex 4 → annex-4."""
    if language == "ko":
        return re.sub(r"\s+|제(?=\d)", "", chapter)
    chapter = chapter.strip()
    if part := _NAMED_PART.match(chapter):
        return f"{part[1].lower()}-{_BREAK.sub('-', chapter[part.end() :])}".rstrip("-")
    return _BREAK.sub("-", _EDGE_WORD.sub("", chapter))


def semantic_id(law_name: str, chapter: str, *, language: str = "ko") -> str:
    """Name the provision that a law prints under the label `chapter`; "" for `chapter` names the law as a whole.

    Raises ValueError if either part would be empty or the label holds the separator.
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
    """Split a semantic id; the label is "" for a law as a whole. Raises ValueError on an empty law."""
    law, _, label = name.rpartition("_") if "_" in name else (name, "", "")
    if not law:
        raise ValueError(f"{name!r} is no semantic id: expected <law>_<label>")
    return SemanticId(law, label)


def is_annex(name: str) -> bool:
    """Tell whether a semantic id names an annex, a schedule or a form rather than an article or a law."""
    return _part(parse(name).label) > 0


def sort_key(name: str) -> tuple[str, int, tuple[int, ...], str]:
    """Order semantic ids as the law prints them: by law, articles before annexes before forms, then by number."""
    law, label = parse(name)
    return law, _part(label), tuple(_numbers(label)), label


def _numbers(label: str) -> Iterator[int]:
    """Read 13조의2 as 13 and 2, and the letter of 12a as the number of its branch."""
    for number, letter in _NUMBER.findall(label):
        yield int(number)
        if letter:
            yield _LETTERS[letter.lower()]


def _part(label: str) -> int:
    return 2 if label.startswith(("별지", "form")) else 1 if label.startswith(("별표", "annex", "schedule")) else 0

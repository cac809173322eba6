"""How each language's statutes are written down: the words for an article, an annex and a repealed one, and the fields
of a mirror's front matter. Pure; the readers of Markdown and XML ask here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

__all__ = ["DIALECTS", "Dialect", "dialect_of", "language_of_code"]

_DATE = r"(\d{4})\s*[.-]\s*(\d{1,2})\s*[.-]\s*(\d{1,2})\.?"
_NEVER = re.compile(r"(?!)")
# What follows a label in a heading: (words), （words）, ". words", " - words" or words.
_TAIL = r"(?:\s*[(（](?P<heading>.*)[)）]|(?:\s*[.:–—-])?\s+(?P<words>\S.*)|\.)?$"
_NO_NUMBER = r"(?=\s*(?:$|[(（:.–—-]))"  # an annex that is the only one
_KANJI_NUMBER = r"[〇一二三四五六七八九十百千\d０-９]+"


@dataclass(frozen=True)
class Dialect:
    """How one language's statutes are written."""

    language: str
    article: re.Pattern[str]  # groups: label, and heading or words
    annex: re.Pattern[str]  # the same
    structure: re.Pattern[str]  # a heading as deep as an article's that is none
    addenda: re.Pattern[str]
    repealed: re.Pattern[str]  # whole text of a repealed article; groups: year, month, day
    in_force: re.Pattern[str]  # an article's own in-force date; the same groups
    marks: re.Pattern[str]  # editorial marks that are no part of the law's text
    lower_law: re.Pattern[str]  # what a decree's or rule's name adds to its act's
    title: tuple[str, ...] = ("title", "Title")  # front-matter fields, the first that is there counts
    abbreviation: tuple[str, ...] = ()  # fields whose value names the law in the place of its title
    level: tuple[str, ...] = ("level", "rank")
    effective: tuple[str, ...] = ("effective", "effective_date", "last_updated")
    collection: tuple[str, ...] = ("collection",)
    annexes: tuple[str, ...] = ("annexes",)
    is_complete: bool = False  # whether level and effective date must be there

    def labelled(self, words: str, pattern: re.Pattern[str]) -> tuple[str, str] | None:
        """Return label and heading of a line that `article` or `annex` matches, else None."""
        found = pattern.match(words)
        if found is None:
            return None
        named = found.groupdict()
        return found["label"].strip(), (named["heading"] or named.get("words") or "").strip()

    def repealed_since(self, text: str) -> str | None:
        """Return the ISO date of repeal if a whole text says no more than that, "" if it has no date; None if it says
        more. Raises ValueError if the date is none.
        """
        found = self.repealed.match(text)
        return _iso(found) if found else None

    def own_date(self, text: str) -> str:
        """Return the ISO date that an article gives for its own entry into force; "" if it gives none."""
        found = self.in_force.search(text)
        return _iso(found) if found else ""

    def without_marks(self, text: str) -> str:
        """Return a text without editorial marks, and without the lines that this leaves empty."""
        return "\n".join(line for line in self.marks.sub("", text).split("\n") if line.strip())


def _iso(found: re.Match[str]) -> str:
    try:
        return date(int(found[1]), int(found[2]), int(found[3])).isoformat() if found[1] else ""
    except ValueError as error:
        raise ValueError(f"{found[0]!r} holds no date: {error}") from error


def _repealed(words: str) -> re.Pattern[str]:
    return re.compile(rf"\(?(?:{words})\)?\s*(?:<{_DATE}>\s*)?\.?$", re.IGNORECASE)


DIALECTS: dict[str, Dialect] = {
    one.language: one
    for one in (
        Dialect(
            language="ko",
            article=re.compile(r"(?P<label>제\d+조(?:의\d+)*)(?:\s*\((?P<heading>.*)\))?$"),
            annex=_NEVER,  # listed in the front matter alone
            structure=_NEVER,
            addenda=re.compile(r"부\s*칙"),
            repealed=re.compile(rf"삭제\s*(?:<[^\d<>]*{_DATE}[^<>]*>\s*)?(?:\[[^\]]*\].*)?$", re.DOTALL),
            in_force=re.compile(rf"\[시행일\s*:\s*{_DATE}[^\]]*\]"),
            marks=re.compile(
                r"(?<!\s)\s*<(?:개정|신설|단서|전문|본조|제목|종전|삭제(?= \d))[^<>]*>"
                r"|(?<!\s)\s*\[(?:전문개정|본조신설|제목개정|본조제목개정|종전|제\d+조(?:의\d+)*(?:에서|은|는)|시행일\s*:)[^\[\]]*\]"
            ),
            lower_law=re.compile(r"\s+(?:시행령|시행규칙)$"),
            title=("제목",),
            level=("법령구분",),
            effective=("시행일자",),
            collection=(),
            annexes=("첨부파일",),
            is_complete=True,
        ),
        Dialect(
            language="en",
            article=re.compile(
                rf"(?P<label>(?:(?:Article|Art\.|Section|Sec\.|§|Regulation|Rule)\s*)?\d+[A-Z]*(?:[-.]\d+[A-Z]*)*){_TAIL}"
            ),
            annex=re.compile(
                rf"(?P<label>(?i:Annex|Schedule|Appendix|Form)(?:\s+(?:\d+[A-Z]*|[IVXLC]+|[A-Z])\b|{_NO_NUMBER})){_TAIL}"
            ),
            structure=re.compile(r"(?:Part|Title|Chapter|Subchapter|Subpart|Division|Preamble)\b", re.IGNORECASE),
            addenda=re.compile(r"Supplementary Provisions", re.IGNORECASE),
            repealed=_repealed("Deleted|Repealed"),
            in_force=re.compile(rf"\[In force from {_DATE}\]"),
            marks=re.compile(r"(?<!\s)\s*(?:<(?:Amended|Inserted)[^<>]*>|\[In force from[^\[\]]*\])"),
            lower_law=re.compile(r"\s+(?:Decree|Rule)$"),
        ),
        Dialect(
            language="fr",
            article=re.compile(
                r"(?P<label>(?:Article|Art\.?)\s+(?:premier|préliminaire|unique"
                r"|(?:[A-Z]{1,3}\.?\s?\*{0,2}\s?)?\d+(?:er)?(?:[./-]\d+)*(?:\s?(?:bis|ter|quater|\w{2,5}ies)\b)?[A-Z]?))"
                + _TAIL,
                re.IGNORECASE,
            ),
            annex=re.compile(rf"(?P<label>(?i:Annexe)(?:\s+[\dIVXLC]+(?:[.-]\d+)*[a-z]?\b|{_NO_NUMBER})){_TAIL}"),
            structure=re.compile(
                r"(?:Partie|Livre|Titre|Chapitre|Section|Sous-section|Paragraphe|Sous-paragraphe|Préambule|Annexes)\b",
                re.IGNORECASE,
            ),
            addenda=_NEVER,
            repealed=_repealed("Abrogée?s?"),
            in_force=_NEVER,
            marks=_NEVER,
            lower_law=_NEVER,
        ),
        Dialect(
            language="de",
            article=re.compile(rf"(?P<label>(?:§|Art\.?|Artikel)\s*\d+(?:\s?[a-z]\b)?){_TAIL}"),
            annex=re.compile(rf"(?P<label>(?:Anlage|Anhang)(?:\s+[\dIVX]+[a-z]?\b|{_NO_NUMBER})){_TAIL}"),
            structure=re.compile(
                r"(?:Buch|Teil|Abschnitt|Unterabschnitt|Titel|Untertitel|Kapitel|Eingangsformel|Schlussformel|Präambel"
                r"|Inhaltsübersicht|Inhaltsverzeichnis|(?:Erst|Zweit|Dritt|Viert|Fünft|Sechst|Siebt|Acht|Neunt|Zehnt)e[rs]?"
                r"|\(?§§)(?:\b|\s)"
            ),
            addenda=_NEVER,
            repealed=_repealed("Aufgehoben|weggefallen"),
            in_force=_NEVER,
            marks=_NEVER,
            lower_law=_NEVER,
            abbreviation=("jurabk", "abbreviation"),
        ),
        Dialect(
            language="ja",
            article=re.compile(rf"(?P<label>第{_KANJI_NUMBER}条(?:の{_KANJI_NUMBER})*){_TAIL}"),
            annex=re.compile(
                r"(?P<label>(?:別表|別記様式|別記書式|別記|様式|付表|付録|別図|別紙)"
                rf"(?:第?{_KANJI_NUMBER}号?(?:の{_KANJI_NUMBER})*(?:様式|書式)?)?"
                rf"|第{_KANJI_NUMBER}号(?:の{_KANJI_NUMBER})*(?:様式|書式)){_TAIL}"
            ),
            structure=re.compile(rf"第{_KANJI_NUMBER}[編章節款目]|前文"),
            addenda=re.compile(r"附\s*則"),
            repealed=_repealed("削\\s*除"),
            in_force=_NEVER,
            marks=_NEVER,
            lower_law=re.compile(r"\s*(?:施行令|施行規則)$"),
        ),
        Dialect(
            language="vi",
            article=re.compile(rf"(?P<label>Điều\s+\d+[a-zđ]*){_TAIL}", re.IGNORECASE),
            annex=re.compile(rf"(?P<label>(?i:Phụ lục|Mẫu số|Biểu mẫu)(?:\s+[\dIVXLC]+[a-z]?\b|{_NO_NUMBER})){_TAIL}"),
            structure=re.compile(r"(?:Phần|Chương|Mục|Tiểu mục|Lời nói đầu)\b", re.IGNORECASE),
            addenda=_NEVER,
            repealed=_repealed("(?:Được )?bãi bỏ"),
            in_force=_NEVER,
            marks=_NEVER,
            lower_law=_NEVER,
        ),
    )
}
"""By ISO 639-1 code."""

_COUNTRIES = {"at": "de", "au": "en", "de": "de", "fr": "fr", "ie": "en", "jp": "ja", "kr": "ko", "lu": "fr",
              "nz": "en", "uk": "en", "gb": "en", "us": "en", "vn": "vi"}  # fmt: skip
_LONG_CODES = {"deu": "de", "eng": "en", "fra": "fr", "fre": "fr", "ger": "de", "jpn": "ja", "kor": "ko", "vie": "vi"}


def language_of_code(code: str) -> str:
    """Return the ISO 639-1 code of a language tag: fr-BE, fra and fre are fr; other tags as they stand, lower-cased."""
    primary = code.strip().lower().replace("_", "-").split("-")[0]
    return _LONG_CODES.get(primary, primary)


def dialect_of(front: Mapping[str, Any]) -> Dialect | None:
    """Return how a law with this front matter is written; None for a language that is none of ours.

    The field `language` tells it, or `country`, or the Korean names of the fields; English is the rest.
    """
    if any(name in front for name in DIALECTS["ko"].title):
        return DIALECTS["ko"]
    language, country = front.get("language") or front.get("lang"), front.get("country")
    if isinstance(language, str) and language.strip():
        return DIALECTS.get(language_of_code(language))
    if isinstance(country, str) and country.strip():
        return DIALECTS.get(_COUNTRIES.get(country.strip().lower(), ""))
    return DIALECTS["en"]

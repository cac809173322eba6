"""Calendar dates in a text, whole or in part: 1 March; March 1, 2025; 2024년 7월 1일; 2024. 7. 1.; ngày 1 tháng 7."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from agent.claims.overlap import without_overlaps
from agent.claims.words import words_of

__all__ = ["Date", "FoundDate", "dates"]

_YEAR_FIRST = re.compile(r"(?<![\d.])(\d{4})(?:-|[./] ?)(\d{1,2})(?:-|[./] ?)(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<![\d.])(\d{1,2})[./](\d{1,2})[./](\d{4})(?!\d)")
_KOREAN = re.compile(r"(?:(\d{4}) ?년 ?)?(?<![\d.])(\d{1,2}) ?월(?! ?간)(?: ?(\d{1,2}) ?일)?")
_JAPANESE = re.compile(r"(?:(令和|平成)?(\d{1,4}|元)年)?(?<![\d.])(\d{1,2})月(?!以|間)(?:(\d{1,2})日)?")
_VIETNAMESE = re.compile(
    r"(?:\bngày (?:mùng )?(\d{1,2})(?: tháng | ?[/-] ?)|\btháng )(\d{1,2})\b(?:(?: năm | ?[/-] ?)(\d{4}))?",
    re.IGNORECASE,
)
_ERAS = {"令和": 2018, "平成": 1988}


@dataclass(frozen=True, slots=True)
class Date:
    """A day of the calendar, or what a text says of it; None is what it leaves open."""

    year: int | None
    month: int | None
    day: int | None

    def says(self, other: Date) -> bool:
        """Whether all that `other` says stands in this date."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(said is None or mine == said for mine, said in pairs)


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date at `text[start:end]`; several readings where day and month may be meant in either order."""

    start: int
    end: int
    readings: tuple[Date, ...]


def dates(text: str, language: str) -> list[FoundDate]:
    """Return the dates of a folded text in its order, those that overlap an earlier one left out."""
    return without_overlaps(one for one in _candidates(text, language) if one.readings)


def _candidates(text: str, language: str) -> Iterator[FoundDate]:
    for one in _YEAR_FIRST.finditer(text):
        yield _found(one, (one[1], one[2], one[3]))
    for one in _YEAR_LAST.finditer(text):
        yield _found(one, (one[3], one[2], one[1]), (one[3], one[1], one[2]))
    if language == "ko":
        for one in _KOREAN.finditer(text):
            yield _found(one, (one[1], one[2], one[3]))
    elif language == "ja":
        for one in _JAPANESE.finditer(text):
            year = int(one[2].replace("元", "1")) + _ERAS.get(one[1] or "", 0) if one[2] else None
            yield _found(one, (year, one[3], one[4]))
    elif language == "vi":
        for one in _VIETNAMESE.finditer(text):
            yield _found(one, (one[3], one[2], one[1]))
    elif words_of(language).months:
        yield from _named(text, language)


def _named(text: str, language: str) -> Iterator[FoundDate]:
    day_first, month_first = _named_patterns(language)
    for one in day_first.finditer(text):
        month = _month(one["month"], language)
        yield _found(one, (one["year"], month, one["day"]))
    for one in month_first.finditer(text):
        yield _found(one, (one["year"], _month(one["month"], language), one["day"]))


@cache
def _named_patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    month = rf"(?P<month>{'|'.join(words_of(language).months)})"
    day = r"(?:st|nd|rd|th|er|\.)?"
    day_first = rf"\b(?P<day>\d{{1,2}}){day} (?:of |de )?{month}\b(?:,? (?P<year>\d{{4}}))?"
    month_first = rf"\b{month} (?:(?P<day>\d{{1,2}}){day}(?!\d)(?:,? (?P<year>\d{{4}}))?)"
    return re.compile(day_first, re.IGNORECASE), re.compile(month_first, re.IGNORECASE)


def _month(word: str, language: str) -> int | None:
    patterns = words_of(language).months
    return next((n for n, one in enumerate(patterns, start=1) if re.fullmatch(one, word, re.IGNORECASE)), None)


def _found(match: re.Match[str], *readings: tuple[str | int | None, str | int | None, str | int | None]) -> FoundDate:
    """Keep the readings that a calendar admits."""
    read = []
    for reading in readings:
        year, month, day = (None if part is None else int(part) for part in reading)
        if (
            (month is None or 1 <= month <= 12)
            and (day is None or 1 <= day <= 31)
            and (year, month, day) != (None,) * 3
        ):
            read.append(Date(year, month, day))
    return FoundDate(match.start(), match.end(), tuple(dict.fromkeys(read)))

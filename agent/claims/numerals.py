"""Numbers in a text, in digits or written out: 1,200; 1.200; 1천만; thirty-one; trente et un; 三十; einunddreißig."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

from agent.claims.overlap import without_overlaps
from agent.claims.words import words_of

__all__ = ["Number", "numbers"]

_DIGITS = r"\d+(?:[.,']\d+)*"
_MIXED = re.compile(
    rf"{_DIGITS} ?[십백천만억]+(?: ?(?:{_DIGITS})?[십백천만억]+)*"
    rf"|{_DIGITS}[十百千万億]+(?:(?:{_DIGITS})?[十百千万億]+)*"
)
_FRACTION = re.compile(rf"({_DIGITS}) ?(?:분의|分の) ?({_DIGITS})|(\d+) ?/ ?(\d+)(?![\d/])")
_SCALED = {
    "en": "hundred|thousand|million",
    "fr": "mille|millions?",
    "de": "tausend|millionen?",
    "vi": "trăm|nghìn|ngàn|triệu",
}

_ONES = {
    **dict(zip("일이삼사오육칠팔구", range(1, 10), strict=True)),
    **dict(zip("一二三四五六七八九", range(1, 10), strict=True)),
}
_ONES["〇"] = 0
_SMALL = {"십": 10, "백": 100, "천": 1000, "十": 10, "百": 100, "千": 1000}
_LARGE = {"만": 10**4, "억": 10**8, "万": 10**4, "億": 10**8}
_NATIVE_TENS = {"열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70}
_NATIVE_TENS |= {"여든": 80, "아흔": 90}
_NATIVE_ONES = {"한": 1, "두": 2, "세": 3, "석": 3, "네": 4, "넉": 4}
_NATIVE_ONES |= {"다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9}
_DECIMAL_COMMA = frozenset({"fr", "de", "vi"})
_AMBIGUOUS = frozenset({"neuf", "acht", "mille", "cent", "cents"})  # "new", "respect": numbers before a unit alone
_MOST_DIGITS = 30  # of one number; a longer run of digits is none that a law holds


@dataclass(frozen=True, slots=True)
class Number:
    """A number at `text[start:end]`; several values where its separators can be read in two ways (1.200 in French)."""

    start: int
    end: int
    values: frozenset[Fraction]
    spelled: bool  # written out


def numbers(text: str, language: str) -> list[Number]:
    """Return the numbers of a folded text in its order, those that overlap an earlier one left out."""
    return without_overlaps(one for one in _candidates(text, language) if one.values)


def _candidates(text: str, language: str) -> Iterator[Number]:
    for one in _FRACTION.finditer(text):
        below, above = (one[1], one[2]) if one[1] else (one[4], one[3])
        values = {a / b for a, b in product(_read(above, language), _read(below, language)) if b}
        yield Number(one.start(), one.end(), frozenset(values), False)
    for one in _MIXED.finditer(text):
        yield Number(one.start(), one.end(), frozenset(filter(None, [_ideographic(one[0], language)])), False)
    for one in _plain(language).finditer(text):
        scale = words_of(language).numerals.get((one[2] or "").lower(), 1)
        yield Number(one.start(), one.end(), frozenset(value * scale for value in _read(one[1], language)), False)
    yield from _spelled(text, language)


@cache
def _plain(language: str) -> re.Pattern[str]:
    scales = _SCALED.get(language)
    return re.compile(rf"({_DIGITS})(?:[ -]({scales})\b)?" if scales else rf"({_DIGITS})()", re.IGNORECASE)


def _read(digits: str, language: str) -> frozenset[Fraction]:
    """Return what digits may mean: 1,200 is 1200, 1.5 is 3/2; in French, German and Vietnamese also the reverse."""
    digits = digits.replace("'", "")
    if len(digits) > _MOST_DIGITS:
        return frozenset()
    values = set()
    conventions = [(",", "."), (".", ",")] if language in _DECIMAL_COMMA else [(",", ".")]
    for thousands, decimal in conventions:
        whole, point, part = digits.partition(decimal)
        grouped = re.fullmatch(rf"\d{{1,3}}(?:\{thousands}\d{{3}})+|\d+", whole)
        if grouped and (not point or part.isdigit()):
            values.add(Fraction(f"{whole.replace(thousands, '')}.{part or 0}"))
    if not values and re.fullmatch(r"\d+,\d+", digits):
        values.add(Fraction(digits.replace(",", ".")))  # 1,5 outside of where it belongs
    return frozenset(values)


def _ideographic(run: str, language: str) -> Fraction | None:
    """Read 1천만, 三百五十, 이십: ones and multipliers; a run of ones alone is read by place (二〇二四)."""
    total, section, current = Fraction(0), Fraction(0), None
    for token in re.findall(rf"{_DIGITS}|\S", run):
        if token in _ONES:
            current = Fraction(_ONES[token]) if current is None else current * 10 + _ONES[token]
        elif token in _SMALL:
            section += (1 if current is None else current) * _SMALL[token]
            current = None
        elif token in _LARGE:
            section += current or 0
            total += (section or 1) * _LARGE[token]
            section, current = Fraction(0), None
        elif values := _read(token, language):
            current = max(values)
        else:
            return None
    return total + section + (current or 0)


def _spelled(text: str, language: str) -> Iterator[Number]:
    if language == "ko":
        for one in _korean().finditer(text):
            if one["sino"]:
                value = _ideographic(one["sino"], language)
            else:
                value = Fraction(_NATIVE_TENS.get(one["tens"] or "", 0) + _NATIVE_ONES.get(one["ones"] or "", 0))
            if value:
                yield Number(one.start(), one.start() + len(one["number"]), frozenset({value}), True)
    elif language == "ja":
        for one in _japanese().finditer(text):
            value = _ideographic(one[1], language)
            if value:
                yield Number(one.start(1), one.end(1), frozenset({value}), True)
    elif language == "de":
        for one in _german().finditer(text):
            values = {_german_value(one[1].lower())} - {None}
            yield Number(one.start(1), one.end(1), frozenset(Fraction(value) for value in values if value), True)
    else:
        yield from _spaced(text, language)


@cache
def _korean() -> re.Pattern[str]:
    """Match numerals before a counter alone: the same syllables stand in many words (사회, 만일, 이 일)."""
    unit, tens, ones = words_of("ko").unit, "|".join(_NATIVE_TENS), "|".join(_NATIVE_ONES)
    sino = r"(?P<sino>[일이삼사오육칠팔구십백천만억]{2,}|[일삼사오육칠팔구십백천](?= ))"
    native = rf"(?=(?:{tens}|{ones}))(?P<tens>{tens})?(?P<ones>{ones})?"
    return re.compile(rf"(?<![가-힣\d])(?P<number>{sino}|{native})(?= ?(?:{unit}))")


@cache
def _japanese() -> re.Pattern[str]:
    bounds = "以上|以下|未満|以内|を超"
    return re.compile(rf"(?<!第)([〇一二三四五六七八九十百千万億]+)(?=(?:{words_of('ja').unit})|{bounds})")


@cache
def _german() -> re.Pattern[str]:
    stems = sorted(words_of("de").numerals, key=len, reverse=True)
    return re.compile(
        rf"\b((?:{'|'.join(stems)}|und|ß)+?)(?=\b|-|tägig|jährig|wöchig|monatig|stündig|prozentig)", re.IGNORECASE
    )


def _german_value(word: str) -> int | None:
    """Read einunddreißig: the ones stand before the tens."""
    numerals = words_of("de").numerals
    if word in numerals:
        return numerals[word]
    for scale, factor in (("tausend", 1000), ("hundert", 100)):
        if scale in word:
            before, _, after = word.partition(scale)
            high = _german_value(before) if before else 1
            low = _german_value(after.removeprefix("und")) if after else 0
            return None if high is None or low is None else high * factor + low
    ones, und, tens = word.partition("und")
    if und and numerals.get(ones, 10) < 10 and numerals.get(tens, 0) >= 20:
        return numerals[ones] + numerals[tens]
    return None


def _spaced(text: str, language: str) -> Iterator[Number]:
    """Read runs of numerals of languages that part them: ones and tens add up, scales multiply what came before."""
    numerals = words_of(language).numerals
    for run in _runs(language).finditer(text):
        words = re.findall(r"quatre-vingts?|[^\W\d_]+", run[0].lower())
        end = run.end()
        if language == "vi" and len(words) > 1 and words[-1] == "năm" and words[-2] not in ("mươi", "trăm", "nghìn"):
            end = run.start() + run[0].lower().rfind("năm")  # năm is five, and a year
            words = words[:-1]
        values = [numerals[word] for word in words if word in numerals]
        before_a_unit = _unit_at(language).match(text, end)
        if not values or (len(values) == 1 and (words[0] in _AMBIGUOUS or language == "vi") and not before_a_unit):
            continue
        total, current = 0, 0
        for value in values:
            if value == 10 and language == "vi" and current % 10 > 0:
                current = current - current % 10 + current % 10 * 10  # hai mươi: two tens
            elif value == 100 or value >= 1000:
                current = (current or 1) * value
                if value >= 1000:
                    total, current = total + current, 0
            else:
                current += value
        yield Number(run.start(), end, frozenset({Fraction(total + current)}), True)


@cache
def _runs(language: str) -> re.Pattern[str]:
    numerals = "|".join(sorted(words_of(language).numerals, key=len, reverse=True))
    joints = {"en": r"(?:(?<=hundred) and |(?<=thousand) and |[ -])", "fr": r"(?: et (?=une?\b|onze)|[ -])"}.get(
        language, " "
    )
    return re.compile(rf"\b(?:{numerals})\b(?:{joints}(?:{numerals})\b)*", re.IGNORECASE)


@cache
def _unit_at(language: str) -> re.Pattern[str]:
    return re.compile(rf"[ -]?(?:{words_of(language).unit})", re.IGNORECASE)

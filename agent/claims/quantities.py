"""Numbers with their units, in a form that compares: 30일, thirty days and 三十日 are the same quantity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from agent.claims.numerals import numbers
from agent.claims.words import Scale, words_of

__all__ = ["Quantity", "bare_units", "quantities"]

_SYMBOL_BEFORE = re.compile(r"[€$₩¥₫] ?$")
_SYMBOLS = {"€": "euro", "$": "dollar", "₩": "won", "¥": "yen", "₫": "dong"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at `text[start:end]` with what it counts."""

    start: int
    end: int  # of the unit
    values: frozenset[Fraction]  # as it stands
    scaled: frozenset[Fraction]  # in `base`
    base: str | None  # what it is counted in: second, month, metre; None if its unit is not known
    interval: tuple[str, Fraction] | None = None  # of "twice a year": six months, as base and how many of it
    is_written_one: bool = False  # "one", "한", "une": often an article rather than a number

    def same(self, other: Quantity) -> bool:
        """Whether both may be the same quantity; an unknown unit fits any."""
        if self.base is not None and other.base is not None:
            return self.base == other.base and not self.scaled.isdisjoint(other.scaled)
        return not self.values.isdisjoint(other.values)


def quantities(text: str, language: str) -> list[Quantity]:
    """Return the quantities of a folded text in its order; dates and labels have to be blotted out before."""
    found = list(_whole_words(text, language))
    taken = [(one.start, one.end) for one in found]
    for number in numbers(text, language):
        if any(start < number.end and number.start < end for start, end in taken):
            continue
        unit = _unit_after(text, number.end, language) or _symbol_before(text, number.start)
        end, scale = unit if unit else (number.end, None)
        scaled = frozenset(value * scale.factor for value in number.values) if scale else number.values
        is_one = number.spelled and number.values == {Fraction(1)}
        if is_one and scale is None:
            continue  # "one of them", "une personne": no number is meant
        base = scale.base if scale else "share" if all(0 < value < 1 for value in number.values) else None
        taken.append((number.start, end))  # the 2 of "400 m2" is no number of its own
        found.append(Quantity(number.start, end, number.values, scaled, base, is_written_one=is_one))
    with_intervals = [replace(one, interval=_interval(text, one, language)) for one in found]
    return sorted(with_intervals, key=lambda one: one.start)


def bare_units(text: str, found: list[Quantity], language: str) -> frozenset[str]:
    """Return what the units are counted in that stand without a number, as in "within a year"."""
    units = set()
    ends = {one.end for one in found}
    for one in re.finditer(rf"(?<!\w)(?:{words_of(language).unit})", text, re.IGNORECASE):
        if one.end() not in ends and (scale := _scale_of(one[0], language)):
            units.add(scale.base)
    return frozenset(units)


def _whole_words(text: str, language: str) -> Iterator[Quantity]:
    pattern = _whole_pattern(language)
    for one in pattern.finditer(text) if pattern else ():
        number, scale = words_of(language).whole[one[0].lower()]
        yield Quantity(one.start(), one.end(), frozenset({number}), frozenset({number * scale.factor}), scale.base)


@cache
def _whole_pattern(language: str) -> re.Pattern[str] | None:
    words = sorted(words_of(language).whole, key=len, reverse=True)
    if not words:
        return None
    edge = ("(?<![가-힣])", "") if language in ("ko", "ja") else (r"\b", r"\b")
    return re.compile(edge[0] + f"(?:{'|'.join(map(re.escape, words))})" + edge[1], re.IGNORECASE)


def _unit_after(text: str, end: int, language: str) -> tuple[int, Scale] | None:
    """Return where the unit at a number's end ends, and its scale; the longest that fits."""
    joint = len(text[end : end + 1]) if text[end : end + 1] in (" ", "-") else 0
    best: tuple[int, Scale] | None = None
    for pattern, scale in words_of(language).units:
        if (one := pattern.match(text, end + joint)) and (best is None or one.end() > best[0]):
            best = one.end(), scale
    return best


def _interval(text: str, quantity: Quantity, language: str) -> tuple[str, Fraction] | None:
    """Return how far apart things lie that happen so many times a period."""
    rates = words_of(language).rates
    if quantity.base != "time" or not rates or 0 in quantity.values:
        return None
    period = re.compile(rf" {rates} ?(?P<unit>{words_of(language).unit})", re.IGNORECASE).match(text, quantity.end)
    scale = _scale_of(period["unit"], language) if period else None
    return (scale.base, scale.factor / min(quantity.values)) if scale else None


def _symbol_before(text: str, start: int) -> tuple[int, Scale] | None:
    found = _SYMBOL_BEFORE.search(text[max(0, start - 2) : start])
    return (start, Scale(_SYMBOLS[found[0].strip()], Fraction(1))) if found else None


def _scale_of(word: str, language: str) -> Scale | None:
    return next((scale for pattern, scale in words_of(language).units if pattern.fullmatch(word)), None)

"""Everything that a text claims, read once."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from agent.claims.dates import Date, dates
from agent.claims.folding import fold, text_language
from agent.claims.labels import labels, markers, without_markers
from agent.claims.modality import Force, forces
from agent.claims.quantities import Quantity, bare_units, quantities

__all__ = ["Claims", "claims_of"]

_LETTERLESS = re.compile(r"\d[\d.,']*")


@dataclass(frozen=True, slots=True)
class Claims:
    """What a text claims that can be compared with another text in the same or another language."""

    language: str  # in which it was read
    quantities: tuple[Quantity, ...]
    dates: tuple[tuple[Date, ...], ...]  # each with its readings
    date_parts: frozenset[Fraction]  # days, months and years of the dates, as bare numbers
    labels: Counter[str]  # numbers of the parts of the law that it names, and how often
    markers: frozenset[str]  # numbers that its lines begin with
    forces: Counter[Force]
    bare_units: frozenset[str]  # bases of units without a number: "a year"
    folded: str  # all that was read
    words: str  # the folded text without numbers, dates, labels and modal words


def claims_of(text: str, language: str) -> Claims:
    """Read the claims of a text that is in `language` (ISO 639-1) unless its script says otherwise. Never raises."""
    language = text_language(text, default=language)
    folded = fold(without_markers(text))
    found_dates = dates(folded, language)
    without_dates = _blotted(folded, [(one.start, one.end) for one in found_dates])
    found_labels = labels(without_dates, language)
    rest = _blotted(without_dates, [(one.start, one.end) for one in found_labels])
    found = quantities(rest, language)
    counted, words = forces(rest, language)
    return Claims(
        language=language,
        quantities=tuple(found),
        dates=tuple(one.readings for one in found_dates),
        date_parts=frozenset(part for one in found_dates for reading in one.readings for part in _parts(reading)),
        labels=Counter([number for label in found_labels for number in label.numbers]),
        markers=markers(text),
        forces=counted,
        bare_units=bare_units(rest, found, language),
        folded=folded,
        words=_LETTERLESS.sub("\n", words),
    )


def _parts(date: Date) -> list[Fraction]:
    return [Fraction(part) for part in (date.year, date.month, date.day) if part is not None]


def _blotted(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with every character of the spans made a line break, so that nothing is read across them."""
    parts, last = [], 0
    for start, end in sorted(spans):
        if start < last:
            continue
        parts += [text[last:start], "\n" * (end - start)]
        last = end
    return "".join([*parts, text[last:]])

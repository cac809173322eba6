"""I/O: the words that claims are made of, from `words.toml`, compiled once a language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["LANGUAGES", "Scale", "Words", "words_of"]

LANGUAGES = ("ko", "en", "fr", "ja", "de", "vi")


@dataclass(frozen=True, slots=True)
class Scale:
    """What a unit is counted in, and how many of that it is: a week is 604,800 seconds."""

    base: str
    factor: Fraction


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language."""

    units: tuple[tuple[re.Pattern[str], Scale], ...]
    unit: str  # a pattern that any unit fits
    whole: Mapping[str, tuple[Fraction, Scale]]  # a word -> the number and the unit that it is in one
    numerals: Mapping[str, int]
    months: tuple[str, ...]  # patterns; empty where months are numbered
    labels: str  # a pattern; "" where there is none
    rates: str  # a pattern of what stands between "twice" and "year"; "" where the period comes first
    joints: str  # a pattern of where a segment of a sentence ends, besides its commas
    conditions: str  # a pattern of segments that say when, or of whom, something holds
    modality: tuple[tuple[str, re.Pattern[str]], ...]  # kind -> its words, in the order in which they take them


@cache
def words_of(language: str) -> Words:
    """Return the words of a language (ISO 639-1); of one that is not known, English."""
    table = _table()
    known = language if language in LANGUAGES else "en"
    scales = {name: Scale(base, Fraction(factor)) for name, (base, factor) in table["scales"].items()}
    patterns = [*table["units"]["any"].items(), *table["units"][known].items()]
    whole = table["whole"].get(known, {})
    return Words(
        units=tuple((re.compile(pattern, re.IGNORECASE), scales[name]) for name, pattern in patterns),
        unit="|".join(f"(?:{pattern})" for _, pattern in patterns),
        whole={word: (Fraction(number), scales[unit]) for word, (number, unit) in whole.items()},
        numerals=table["numerals"].get(known, {}),
        months=tuple(table["months"].get(known, ())),
        labels=table["labels"].get(known, ""),
        rates=table["rates"].get(known, ""),
        joints=table["joints"].get(known, ""),
        conditions=table["conditions"].get(known, ""),
        modality=tuple(
            (kind, re.compile("|".join(forms), re.IGNORECASE)) for kind, forms in table["modality"][known].items()
        ),
    )


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("agent.claims") / "words.toml").read_text(encoding="utf-8"))

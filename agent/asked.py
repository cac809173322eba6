"""What kind of thing a question asks for, and whether a clause holds one: a sum, an age, a time, a number, who pays."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from agent.wording import alternatives, pattern

__all__ = [
    "Asked",
    "asked_for",
    "asked_unit",
    "asks_for_detail",
    "held",
    "holds",
    "labels_in",
    "speaks_of_money",
    "without_labels",
]


class Asked(StrEnum):
    """The kinds that can be told from words alone; a question may ask for none of them."""

    AMOUNT = "amount"  # of money
    AGE = "age"  # of a person
    TIME = "time"  # a period, a date, an interval
    NUMBER = "number"  # any other quantity
    PAYER = "payer"  # who bears a cost, makes good a damage


_DIGITS = r"\d[\d.,]*"
_SIGNS = r"[€$£¥₩]\s*\d|\d+\s*(?:per cent|퍼센트|%)"
_LABELS_OF_PARTS = r"^\s*\(?\d+[.)]|[①-⑳]"


def asked_for(question: str) -> Asked | None:
    """Return the kind of thing that a question asks for, or None if its words do not tell.

    The kinds are tried in their order: "how much does it cost" asks for an amount, "how much room" for a number.
    """
    return next((kind for kind in Asked if pattern("asked", kind).search(question)), None)


def asked_unit(question: str) -> str:
    """Return the unit that a question names ("how many litres": litres), or "" if it names none."""
    found = pattern("asked", "unit").search(question)
    return next(filter(None, found.groups()), "") if found else ""


def asks_for_detail(question: str) -> bool:
    """Return whether a question asks for what annexes and forms hold: which ones, a list, a rating, an exact figure."""
    return pattern("asked", "detail").search(question) is not None


def holds(kind: Asked | None, text: str) -> bool:
    """Return whether a text holds such a thing, its labels and citations apart; anything will do for None.

    A currency may be one that nobody knows: where a text speaks of a fine or a fee, a number of what is no time counts.
    """
    if kind is None:
        return True
    words = without_labels(text)
    if held(kind).search(words):
        return True
    return kind is Asked.AMOUNT and speaks_of_money(text) and _count().search(words) is not None


def speaks_of_money(text: str) -> bool:
    """Return whether a text speaks of fines, fees, prices or the like."""
    return pattern("holds", "money").search(text) is not None


def without_labels(text: str) -> str:
    """Return a text without the numbers that are labels: of articles, paragraphs, items, annexes."""
    return _labels().sub(" ", text)


def labels_in(text: str) -> list[str]:
    """Return the labels of provisions and of parts of them that a text names, as it writes them but for white space."""
    return ["".join(found[0].split()).lower() for found in pattern("holds", "labels").finditer(text)]


@cache
def held(kind: Asked) -> re.Pattern[str]:
    """Return what finds a thing of that kind in a text without labels."""
    number = rf"(?:{_DIGITS}|{alternatives('holds', 'numbers')})"
    match kind:
        case Asked.AMOUNT:
            expression = rf"{number}\s*(?:{alternatives('holds', 'currencies')})|{_SIGNS}"
        case Asked.AGE:
            expression = alternatives("holds", "ages")
        case Asked.TIME:
            units = alternatives("holds", "times")
            each = rf"(?:{alternatives('holds', 'times_of_themselves')})(?:\s+\w{{1,5}}\s+(?:{units}))?"
            expression = rf"{each}|(?:{number}|\ban?\b)\s*(?:{units})"
        case Asked.NUMBER:
            expression = number
        case Asked.PAYER:
            expression = alternatives("holds", "payment")
    return re.compile(expression, re.IGNORECASE)


@cache
def _count() -> re.Pattern[str]:
    """Return what finds a number, in digits or words, of something else than time."""
    number = rf"(?:{_DIGITS}|{alternatives('holds', 'numbers')})"
    return re.compile(rf"{number}\s*(?!{alternatives('holds', 'times')}|{number})[^\W\d_]", re.IGNORECASE)


@cache
def _labels() -> re.Pattern[str]:
    return re.compile(f"{alternatives('holds', 'labels')}|{_LABELS_OF_PARTS}", re.IGNORECASE | re.MULTILINE)

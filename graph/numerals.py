"""Numbers as laws write them: kanji, full-width digits, Roman ones, and the Latin words that count branches."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["KANJI_DIGITS", "LATIN_BRANCHES", "arabic", "kanji", "kanji_to_arabic", "roman"]

LATIN_BRANCHES = {
    word: number
    for number, word in enumerate(
        (
            *("bis", "ter", "quater", "quinquies", "sexies", "septies", "octies", "novies", "decies", "undecies"),
            *("duodecies", "terdecies", "quaterdecies", "quindecies", "sexdecies", "septdecies", "octodecies"),
            *("novodecies", "vicies"),
        ),
        start=2,
    )
} | {"nonies": 9, "quinquiesdecies": 15, "sexiesdecies": 16, "septiesdecies": 17, "octiesdecies": 18}
"""What a branch is called, and its number: 13bis is the second article 13."""

KANJI_DIGITS = "〇一二三四五六七八九十百千"
_DIGITS = {sign: number for number, sign in enumerate("〇一二三四五六七八九")}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_RUN = re.compile(rf"[{KANJI_DIGITS}]+")
_MOST_DIGITS = 18


def arabic(words: str) -> int:
    """Return the number that kanji, by units (百二) or by places (一〇二), or digits of any width write.

    Raises ValueError if the words are none, or a longer one than any provision's.
    """
    if words.isdecimal() and len(words) <= _MOST_DIGITS:
        return int(words)
    if not words or len(words) > _MOST_DIGITS:
        raise ValueError(f"{words!r} is no number of a provision")
    total = ones = 0
    for sign in words:
        if sign in _UNITS:
            total += max(ones, 1) * _UNITS[sign]
            ones = 0
        elif sign in _DIGITS or sign.isdecimal():
            ones = ones * 10 + _DIGITS.get(sign, 0) + (unicodedata.decimal(sign, 0))
        else:
            raise ValueError(f"{words!r} is no number of a provision")
    return total + ones


def kanji(number: int) -> str:
    """Return a number as an article's heading writes it: 102 → 百二; from 10,000 on, digit by digit.

    Raises ValueError if it is negative.
    """
    if number < 0:
        raise ValueError(f"{number} is no number of a provision")
    digits = "〇一二三四五六七八九"
    if not 0 < number < 10_000:
        return "".join(digits[int(digit)] for digit in str(number))
    words = ""
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        count, number = divmod(number, unit)
        if count:
            words += ("" if count == 1 and sign else digits[count]) + sign
    return words


def kanji_to_arabic(words: str) -> str:
    """Return the words with every number in digits of simple width: 別表第一の二 → 別表第1の2."""
    words = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in words)
    return _RUN.sub(lambda run: str(arabic(run[0])) if len(run[0]) <= _MOST_DIGITS else run[0], words)


_ROMAN = re.compile(r"(M{0,3})(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_PARTS = {"M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9}
_ROMAN_VALUES = _ROMAN_PARTS | {"V": 5, "IV": 4, "I": 1}


def roman(word: str) -> int | None:
    """Return the number that a Roman one in capitals writes, XIV → 14; None if the word is no such number."""
    if not word or not (parts := _ROMAN.fullmatch(word)):
        return None
    total = 0
    for part in parts.groups():
        if part in _ROMAN_VALUES:
            total += _ROMAN_VALUES[part]
        else:
            total += sum(_ROMAN_VALUES[sign] for sign in part)
    return total

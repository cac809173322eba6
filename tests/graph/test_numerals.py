from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.numerals import KANJI_DIGITS, LATIN_BRANCHES, arabic, kanji, kanji_to_arabic, roman


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("七", 7), ("十", 10), ("二十", 20), ("百二", 102), ("千四十六", 1046), ("二〇", 20), ("一〇二", 102),
        ("13", 13), ("１３", 13), ("〇", 0),
    ],
)  # fmt: skip
def test_kanji_by_units_or_places_and_digits_of_any_width_are_read(words: str, number: int) -> None:
    assert arabic(words) == number


@given(st.integers(0, 99_999))
def test_a_number_written_in_kanji_is_read_back(number: int) -> None:
    assert arabic(kanji(number)) == number


@given(st.text(max_size=30).filter(lambda words: not all(sign.isdecimal() or sign in KANJI_DIGITS for sign in words)))
def test_words_that_are_no_number_are_refused(words: str) -> None:
    with pytest.raises(ValueError, match="is no number of a provision"):
        arabic(words)


def test_a_number_longer_than_any_provision_s_is_refused() -> None:
    with pytest.raises(ValueError, match="is no number of a provision"):
        arabic("九" * 5000)


def test_a_negative_number_is_none_of_a_provision() -> None:
    with pytest.raises(ValueError, match="-1 is no number"):
        kanji(-1)


def test_numbers_inside_a_label_become_digits() -> None:
    assert kanji_to_arabic("別表第一の二") == "別表第1の2"
    assert kanji_to_arabic("第１３条") == "第13条"


def test_latin_branches_count_from_two() -> None:
    assert [LATIN_BRANCHES[word] for word in ("bis", "ter", "quater", "decies", "quindecies", "vicies")] == [
        2, 3, 4, 10, 15, 20,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("I", 1),
        ("IV", 4),
        ("IX", 9),
        ("XIV", 14),
        ("XL", 40),
        ("MCMXC", 1990),
        ("IIII", None),
        ("VX", None),
        ("", None),
    ],
)
def test_a_roman_number_is_read_and_a_word_that_is_none_refused(word: str, number: int | None) -> None:
    assert roman(word) == number

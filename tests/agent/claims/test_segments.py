from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.claims.folding import fold
from agent.claims.segments import segments
from agent.claims.words import LANGUAGES


def cut(text, language):
    return [(text[one.start : one.end].strip(), one.is_condition) for one in segments(fold(text), language)]


def test_a_sentence_is_cut_at_commas_and_before_conjunctions():
    text = "No notice is needed where there is danger; the owner may appeal, and the fire chief pays."
    assert cut(text, "en") == [
        ("No notice is needed", False),
        ("where there is danger;", True),
        ("the owner may appeal,", False),
        ("and the fire chief pays.", False),
    ]


def test_a_condition_in_korean_is_known_by_its_end_and_a_proviso_stays_with_its_first_word():
    text = "다만, 항만이 닫힌 경우에는 신고하지 아니하고, 열리면 신고한다."
    assert cut(text, "ko") == [
        ("다만, 항만이 닫힌 경우에는", True),
        ("신고하지 아니하고,", False),
        ("열리면", True),
        ("신고한다.", False),
    ]


@pytest.mark.parametrize("text", ["", " , ; ", "…"])
def test_what_has_no_letter_has_no_segment(text):
    assert segments(fold(text), "en") == []


@given(st.text(max_size=200), st.sampled_from(LANGUAGES))
def test_segments_are_in_order_and_lose_no_letter(text, language):
    folded = fold(text)
    found = segments(folded, language)
    assert all(one.end <= other.start for one, other in pairwise(found))
    kept = "".join(folded[one.start : one.end] for one in found)
    assert [c for c in kept if c.isalnum()] == [c for c in folded if c.isalnum()]

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agent.sentences import sentences


def parts(text):
    return [(one.words, one.marks) for one in sentences(text)]


def test_a_mark_belongs_to_the_sentence_before_it():
    assert parts("One thing. [1] Another [2]. A third.[3][1]\nA fourth [4]") == [
        ("One thing.", (1,)),
        ("Another .", (2,)),
        ("A third.", (3, 1)),
        ("A fourth", (4,)),
    ]


def test_marks_end_a_sentence_that_a_number_would_not():
    assert parts("Not under 16. [1] The fine is 900. [2][3] So it is.") == [
        ("Not under 16.", (1,)),
        ("The fine is 900.", (2, 3)),
        ("So it is.", ()),
    ]


def test_a_quotation_is_not_cut():
    assert parts("The law says “Stop. Go on.” [1] That is all.") == [
        ("The law says “Stop. Go on.”", (1,)),
        ("That is all.", ()),
    ]


def test_korean_sentences_end_at_their_verb():
    assert parts("등을 켜야 한다. [1] 다만, 낮은 제외한다. [2]") == [
        ("등을 켜야 한다.", (1,)),
        ("다만, 낮은 제외한다.", (2,)),
    ]


@given(st.text(max_size=200))
def test_sentences_stand_in_their_text_in_order(text):
    found = sentences(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.clauses import clauses


def texts(text):
    return [text[clause.start : clause.end] for clause in clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another thing.", ["One thing.", "Another thing."]),
        ("Article 5. and no. 3 of 1.5 metres stay whole.", ["Article 5. and no. 3 of 1.5 metres stay whole."]),
        (
            "① 신고를 하여야 한다. 다만, 긴급한 경우에는 그러하지 아니하다.",
            ["① 신고를 하여야 한다.", "다만, 긴급한 경우에는 그러하지 아니하다."],
        ),
        ("消防署長は命ずる。ただし、この限りでない。", ["消防署長は命ずる。", "ただし、この限りでない。"]),
        ("", []),
        (" \n \n", []),
    ],
)
def test_sentences_end_where_the_law_ends_them(text, expected):
    assert texts(text) == expected


def test_an_item_has_the_sentence_that_it_continues_as_its_lead():
    text = "(1) The following are needed:\n  1. a ladder;\n    a. of wood;\n  2. a rope.\n(2) Other things."
    leads = {text[c.start : c.end]: text[c.lead_start : c.lead_end] for c in clauses(text)}
    assert leads == {
        "(1) The following are needed:": "",
        "1. a ladder;": "(1) The following are needed:",
        "a. of wood;": "  1. a ladder;".strip(),
        "2. a rope.": "(1) The following are needed:",
        "(2) Other things.": "",
    }


@given(st.text(alphabet="가다. \n1(2)a:;A①다만", max_size=80))
def test_clauses_lie_in_order_inside_the_text_and_leave_out_white_space_alone(text):
    found = clauses(text)
    covered = [False] * len(text)
    end = 0
    for clause in found:
        assert end <= clause.start < clause.end <= len(text)
        assert 0 <= clause.lead_start <= clause.lead_end <= clause.start or not clause.has_lead
        covered[clause.start : clause.end] = [True] * (clause.end - clause.start)
        end = clause.end
    assert all(done or text[place].isspace() for place, done in enumerate(covered))

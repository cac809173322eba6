import pytest

from agent.two_in_one import Part, parts_of


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "How wide must it be, and what does it cost to park there?",
            ["How wide must it be", "what does it cost to park there?"],
        ),
        ("Who pays? Also, how many hours is it?", ["Who pays?", "how many hours is it?"]),
        (
            "점검은 얼마나 자주 하고, 결과는 언제까지 보고하나요?",
            ["점검은 얼마나 자주 하고", "결과는 언제까지 보고하나요?"],
        ),
        ("과태료는 얼마인가요? 누가 부과하나요?", ["과태료는 얼마인가요?", "누가 부과하나요?"]),
        ("Wie breit muss sie sein, und was kostet das Parken?", ["Wie breit muss sie sein", "was kostet das Parken?"]),
        ("Combien coûte le permis, et qui le délivre ?", ["Combien coûte le permis", "qui le délivre ?"]),
    ],
)
def test_two_questions_in_one_are_taken_apart(question, asked):
    assert [part.asked for part in parts_of(question)] == asked


@pytest.mark.parametrize(
    "question",
    [
        "Which doors and windows must be kept shut?",
        "Do I have to install it, or is that for my landlord to do?",
        "소방시설과 피난시설은 누가 관리하나요?",
        "x and y",
    ],
)
def test_one_question_is_left_whole(question):
    assert parts_of(question) == [Part(question)]


def test_what_is_said_beside_belongs_to_both_parts():
    first, second = parts_of("I run a bar. How many exits must it have, and how wide must the doors be?")
    assert (first.said, first.before) == ("I run a bar.", "")
    assert second.text == "I run a bar.\nhow wide must the doors be?"


def test_a_part_that_leans_comes_with_the_part_before_it():
    _, second = parts_of("How much do I get for a report, and how much can the shop be fined for it?")
    assert second.before == "How much do I get for a report"


def test_a_single_question_is_told_from_what_was_said_before_it():
    (part,) = parts_of("A letter speaks of Article 11. What does it say?")
    assert part == Part("What does it say?", "A letter speaks of Article 11.")


def test_more_questions_than_three_are_left_together():
    assert len(parts_of("Who pays for it? Who checks it? Who owns it? Who sells it?")) == 1

import pytest

from agent.followup import standalone

FIRST = "How often must a fire extinguisher in a restaurant be inspected?"


@pytest.mark.parametrize(
    "question",
    [
        "And who does it?",
        "What if it is not?",
        "Who pays?",
        "그럼 누가 하나요?",
        "그 경우 과태료는 얼마나 부과되는지 궁금합니다.",
    ],
)
def test_a_question_that_leans_on_the_last_carries_it_along(question):
    assert standalone(question, ["an older one", FIRST]) == f"{FIRST}\n{question}"


@pytest.mark.parametrize(
    "question",
    ["How many exits must a cinema with a hundred seats have?", "소방안전관리자를 선임하지 않으면 어떻게 되나요?"],
)
def test_a_question_that_stands_alone_is_left_alone(question):
    assert standalone(question, [FIRST]) == question


def test_without_a_history_nothing_is_carried():
    assert standalone("And who does it?", []) == "And who does it?"

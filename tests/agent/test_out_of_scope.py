import pytest

from agent.out_of_scope import is_other_task, speaks_of_law


@pytest.mark.parametrize(
    "question",
    [
        "Write a short story about a lighthouse.",
        "Could you recommend a restaurant?",
        "What is 12 plus 30?",
        "Why does ice float?",
        "소설을 하나 써 주세요",
        "12 곱하기 30",
        "Écris-moi un poème sur la mer.",
        "Schreib mir ein Gedicht über das Meer.",
        "海の詩を書いてください",
        "Viết cho tôi một bài thơ",
        "Will it snow on Sunday?",
        "Quel temps fera-t-il demain ?",
        "Wie wird das Wetter morgen?",
        "明日は雨が降りますか。",
        "Trời có mưa không?",
        "내일 비가 올까요?",
    ],
)
def test_a_request_for_something_else_than_law_is_another_task(question):
    assert is_other_task(question)


@pytest.mark.parametrize(
    "question",
    [
        "Write me a summary of what Article 5 requires.",
        "Why does the Act forbid locked doors?",
        "How wide must a lane be?",
        "왜 허가를 받아야 하나요?",
        "Warum muss ich das bezahlen?",
        "Was I wrong to have my line across the path?",
        "雷が鳴りそうなとき、お客さんを泳がせたままでもかまいませんか。",
    ],
)
def test_what_speaks_of_law_is_none(question):
    assert not is_other_task(question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("May I burn leaves?", True),
        ("Will it snow?", False),
        ("허가가 필요한가요?", True),
        ("Qui doit payer ?", True),
        ("Wer haftet? Was sagt das Gesetz?", True),
        ("許可は必要ですか", True),
        ("Tôi có phải nộp phạt không?", True),
    ],
)
def test_words_of_duty_permission_and_cost_speak_of_law(question, expected):
    assert speaks_of_law(question) is expected

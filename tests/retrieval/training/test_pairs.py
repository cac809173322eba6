import pytest

from graph.errors import TrainingError
from graph.records import Question
from retrieval.training.pairs import TrainingPair, batch_columns, held_out, pairs_of_questions


def question(number, text, *gold):
    return Question(question_id=str(number), text=text, gold=gold)


def test_a_question_makes_a_pair_with_each_gold_article_and_knows_them_all():
    pairs = pairs_of_questions([question(1, "who?", "law_1", "law_3")], {"law_1": 0, "law_2": 1, "law_3": 2})
    assert pairs == [TrainingPair("who?", 0, frozenset({0, 2})), TrainingPair("who?", 2, frozenset({0, 2}))]


def test_the_same_words_asked_twice_have_the_gold_of_both_and_each_pair_once():
    asked = [question(1, "who?", "law_1"), question(2, "who?", "law_2"), question(3, "who?", "law_1")]
    pairs = pairs_of_questions(asked, {"law_1": 0, "law_2": 1})
    assert pairs == [TrainingPair("who?", 0, frozenset({0, 1})), TrainingPair("who?", 1, frozenset({0, 1}))]


def test_a_gold_article_outside_the_index_is_an_error_that_names_question_and_article():
    with pytest.raises(TrainingError, match="question 7: its gold article law_9 is not in the index"):
        pairs_of_questions([question(7, "who?", "law_9")], {"law_1": 0})


def test_an_article_that_answers_another_question_of_the_batch_is_its_negative_unless_it_is_as_right():
    batch = [
        TrainingPair("a", 5, frozenset({5, 7})),
        TrainingPair("b", 7, frozenset({7})),
        TrainingPair("c", 5, frozenset({5})),
    ]
    rows, positives, excluded = batch_columns(batch, negatives=[2, 7])
    assert rows == [2, 5, 7]
    assert positives.tolist() == [1, 2, 1]
    assert excluded.tolist() == [[False, True, True], [False, False, True], [False, True, False]]


def test_held_out_questions_are_drawn_by_the_seed_and_none_is_on_both_sides():
    asked = [question(number, f"{number}?", "law_1") for number in range(20)]
    training, dev = held_out(asked, 0.1, seed=3)
    assert len(dev) == 2
    assert sorted([*training, *dev], key=lambda one: int(one.question_id)) == asked
    assert held_out(asked, 0.1, seed=3) == (training, dev)
    assert any(held_out(asked, 0.1, seed=seed)[1] != dev for seed in range(5))


def test_one_question_cannot_be_parted():
    with pytest.raises(TrainingError, match="1 questions with gold cannot be parted"):
        held_out([question(1, "who?", "law_1")], 0.1, seed=0)

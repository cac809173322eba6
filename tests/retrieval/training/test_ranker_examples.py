import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.training.pairs import TrainingPair
from retrieval.training.ranker_examples import ExampleMaker, NegativeSettings

PAIRS = [TrainingPair(f"question {row}?", row, frozenset({row, 19})) for row in range(6)]


def maker(*, n_negatives=3, random_share=0.0, pool=lambda pair: range(8), n_articles=20):
    return ExampleMaker(pool, n_articles, NegativeSettings(n_negatives, 8, random_share))


@given(
    st.integers(0, 1000),
    st.integers(1, 30),
    st.floats(0, 1),
    st.lists(st.integers(0, 19), unique=True, max_size=8),
)
def test_negatives_are_distinct_and_none_answers_the_question(seed, n_negatives, share, pool):
    made = maker(n_negatives=n_negatives, random_share=share, pool=lambda pair: pool)
    for pair, example in zip(PAIRS, made.examples(PAIRS, np.random.default_rng(seed)), strict=True):
        assert (example.question, example.positive) == (pair.question, pair.article)
        assert len(set(example.negatives)) == len(example.negatives) == min(n_negatives, 20 - len(pair.right))
        assert not pair.right & set(example.negatives)
        assert all(0 <= row < 20 for row in example.negatives)


def test_without_a_random_share_they_are_of_the_pool():
    for example in maker().examples(PAIRS, np.random.default_rng(0)):
        assert set(example.negatives) < set(range(8))


def test_a_pool_that_is_too_small_is_used_up_and_filled_from_all_articles():
    (example,) = maker(pool=lambda pair: [4, 5]).examples(PAIRS[:1], np.random.default_rng(0))
    assert {4, 5} < set(example.negatives)
    assert len(example.negatives) == 3


def test_the_random_share_is_the_share_drawn_from_all_articles():
    made = maker(random_share=0.25, n_negatives=1, n_articles=10_000, pool=lambda pair: range(100, 200))
    drawn = [made.examples(PAIRS[:1], np.random.default_rng(seed))[0].negatives[0] for seed in range(1000)]
    of_pool = np.mean([100 <= row < 200 for row in drawn])
    assert of_pool == pytest.approx(0.75 + 0.25 / 100, abs=0.05)


def test_what_a_pair_gets_does_not_depend_on_its_place_in_the_batch():
    made = maker(random_share=0.5)
    forward = made.examples(PAIRS, np.random.default_rng(3))
    assert made.examples(PAIRS[::-1], np.random.default_rng(3)) == forward[::-1]
    assert made.examples(PAIRS, np.random.default_rng(4)) != forward


@pytest.mark.parametrize("wrong", [(0, 8, 0.5), (1, 0, 0.5), (1, 8, 1.5), (1, 8, float("nan"))])
def test_settings_out_of_range_are_an_error(wrong):
    with pytest.raises(ValueError, match="a random share in"):
        NegativeSettings(*wrong)

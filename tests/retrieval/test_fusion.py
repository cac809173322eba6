from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import convex, min_max, reciprocal_rank_fusion, share_of_maximum, weighted_sum
from retrieval.ranking import Ranking, TieOrder, top

N = 8
TIES = TieOrder([f"{row}" for row in range(N)])
ORDERS = st.lists(st.integers(0, N - 1), unique=True, max_size=N)
SCORES = st.lists(st.integers(-50, 50), min_size=N, max_size=N).map(lambda values: np.array(values, dtype=float))


def ranking(rows: list[int]) -> Ranking:
    return Ranking(np.array(rows, dtype=np.int64), np.zeros(len(rows)))


def test_reciprocal_ranks_add_up():
    scores = reciprocal_rank_fusion([ranking([2, 0]), ranking([0])], 3, rank_constant=60)
    assert scores == pytest.approx([1 / 62 + 1 / 61, 0, 1 / 61], abs=1e-15)


@given(st.lists(ORDERS, max_size=5), st.randoms(use_true_random=False))
def test_fusion_ignores_the_order_of_its_rankings_to_the_bit(orders, random):
    shuffled = random.sample(orders, len(orders))
    fused = [reciprocal_rank_fusion([ranking(rows) for rows in given_], N) for given_ in (orders, shuffled)]
    assert fused[0].tobytes() == fused[1].tobytes()


@given(ORDERS)
def test_fusion_of_one_ranking_keeps_its_order(rows):
    fused = reciprocal_rank_fusion([ranking(rows)], N)
    assert top(fused, N, TIES, positive=True).rows.tolist() == rows


def test_an_article_twice_in_one_ranking_is_refused():
    with pytest.raises(ValueError, match="names an article twice"):
        reciprocal_rank_fusion([ranking([1, 1])], 3)


def test_a_negative_rank_constant_is_refused():
    with pytest.raises(ValueError, match="rank_constant must be 0 or more, not -1"):
        reciprocal_rank_fusion([], 3, rank_constant=-1)


def test_the_convex_combination_is_as_worked_by_hand():
    deep, lexical = np.array([0.2, 0.4, 0.3]), np.array([8.0, 0.0, 4.0])
    assert convex(deep, lexical, alpha=0.6) == pytest.approx([0.4, 0.6, 0.5], abs=1e-12)


@given(SCORES, SCORES)
def test_the_weights_zero_and_one_give_the_order_of_one_of_the_two(deep, lexical):
    for alpha, alone in ((0.0, lexical), (1.0, deep)):
        assert top(convex(deep, lexical, alpha=alpha), N, TIES).rows.tolist() == top(alone, N, TIES).rows.tolist()


@given(SCORES, SCORES, st.floats(0, 1))
def test_a_convex_combination_lies_in_the_unit_interval(deep, lexical, alpha):
    combined = convex(deep, lexical, alpha=alpha)
    assert combined.min() >= 0
    assert combined.max() <= 1 + 1e-12


@given(SCORES, SCORES, st.floats(0, 1))
def test_a_convex_combination_is_a_weighted_sum(deep, lexical, alpha):
    expected = convex(deep, lexical, alpha=alpha)
    assert weighted_sum([deep, lexical], [alpha, 1 - alpha]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_a_weight_outside_the_unit_interval_is_refused(alpha):
    with pytest.raises(ValueError, match=r"alpha must lie in \[0, 1\]"):
        convex(np.zeros(2), np.zeros(2), alpha=alpha)


@pytest.mark.parametrize("weights", [[-1, 2], [0, 0]])
def test_weights_that_are_negative_or_all_zero_are_refused(weights):
    with pytest.raises(ValueError, match="weights must be 0 or more and not all 0"):
        weighted_sum([np.zeros(2), np.zeros(2)], weights)


def test_equal_scores_are_all_scaled_to_zero():
    assert min_max(np.array([3.0, 3.0])).tolist() == [0, 0]


def test_scores_are_scaled_to_the_unit_interval():
    assert min_max(np.array([-1.0, 0.0, 3.0])).tolist() == [0, 0.25, 1]


def test_the_share_of_the_maximum_counts_what_is_negative_as_nothing():
    assert share_of_maximum(np.array([-1.0, 2.0, 4.0])).tolist() == [0, 0.5, 1]
    assert share_of_maximum(np.array([-1.0, 0.0])).tolist() == [0, 0]

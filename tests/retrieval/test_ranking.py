from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking import Ranking, TieOrder, top

SCORES = st.lists(st.sampled_from([-1.0, -0.0, 0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=40).map(np.array)


def ties_of(n: int, seed: int = 0) -> tuple[TieOrder, list[str]]:
    """Ids whose order is not that of the rows."""
    names = [f"법_{number}조" for number in np.random.default_rng(seed).permutation(n)]
    return TieOrder(names), names


def test_the_best_come_first_and_equals_by_their_ids():
    ranking = top(np.array([1.0, 3.0, 3.0, 2.0]), 3, TieOrder(["d", "c", "b", "a"]))
    assert ranking.rows.tolist() == [2, 1, 3]
    assert ranking.scores.tolist() == [3, 3, 2]


def test_of_those_that_tie_with_the_last_the_smaller_id_is_taken():
    assert top(np.array([1.0, 1.0, 1.0, 2.0]), 2, TieOrder(["c", "a", "b", "z"])).rows.tolist() == [3, 1]


def test_articles_that_score_nothing_can_be_left_out():
    assert top(np.array([0.0, 1.0, -1.0]), 3, TieOrder(["a", "b", "c"]), positive=True).rows.tolist() == [1]
    assert top(np.array([0.0, 1.0, -1.0]), 3, TieOrder(["a", "b", "c"])).rows.tolist() == [1, 0, 2]


def test_nothing_that_scores_gives_an_empty_ranking():
    assert len(top(np.zeros(3), 2, TieOrder(["a", "b", "c"]), positive=True).rows) == 0


@given(SCORES, st.integers(1, 50), st.booleans(), st.integers(0, 9))
def test_the_top_is_the_head_of_a_full_sort(scores, n, positive, seed):
    ties, names = ties_of(len(scores), seed)
    rows = sorted(range(len(scores)), key=lambda row: (-scores[row], names[row]))
    expected = [row for row in rows if scores[row] > 0 or not positive][:n]
    ranking = top(scores, n, ties, positive=positive)
    assert ranking.rows.tolist() == expected
    assert ranking.scores.tolist() == scores[expected].tolist()


@given(SCORES, st.integers(0, 9))
def test_a_sort_holds_the_rows_it_was_given(scores, seed):
    ties, _ = ties_of(len(scores), seed)
    rows = np.arange(len(scores))[::2]
    assert sorted(ties.sort(rows, scores[rows]).rows.tolist()) == rows.tolist()


def test_the_head_of_a_ranking_is_its_beginning():
    ranking = Ranking(np.array([4, 2, 7]), np.array([3.0, 2.0, 1.0]))
    assert ranking.head(2).rows.tolist() == [4, 2]
    assert ranking.head(9).scores.tolist() == [3, 2, 1]

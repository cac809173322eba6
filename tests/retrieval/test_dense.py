import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.dense import exact_scores, neighbour_recall


def test_a_score_is_an_inner_product():
    queries = np.array([[1, 0], [0.6, 0.8]], dtype=np.float32)
    articles = np.array([[0, 1], [1, 0], [0.8, 0.6]], dtype=np.float32)
    assert exact_scores(queries, articles) == pytest.approx(np.array([[0, 1, 0.8], [0.8, 0.6, 0.96]]), abs=1e-6)


@given(st.integers(0, 2**32 - 1))
def test_scores_of_unit_rows_stay_within_one(seed):
    rows = np.random.default_rng(seed).standard_normal((20, 5)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert np.abs(exact_scores(rows, rows)).max() <= 1


def test_other_dimensions_are_an_error():
    with pytest.raises(ValueError, match=r"\(1, 2\).*\(1, 3\)"):
        exact_scores(np.zeros((1, 2), dtype=np.float32), np.zeros((1, 3), dtype=np.float32))


def test_recall_is_the_share_of_the_exact_best_that_were_found():
    scores = np.array([[0.9, 0.8, 0.1], [0.1, 0.2, 0.3]], dtype=np.float32)
    assert neighbour_recall([["a", "c"], ["c", "b"]], scores, ["a", "b", "c"]) == pytest.approx(0.75, abs=1e-12)


def test_any_of_two_tied_articles_counts_as_found():
    scores = np.array([[0.9, 0.5, 0.5]], dtype=np.float32)
    assert neighbour_recall([["a", "c"]], scores, ["a", "b", "c"]) == 1


def test_recall_over_no_query_is_none():
    assert neighbour_recall([], np.zeros((0, 2), dtype=np.float32), ["a", "b"]) is None

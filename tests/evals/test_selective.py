"""Risk and coverage, against slow loops over all orders of ties, closed forms, and scikit-learn."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.selective import augrc, aurc, auroc, e_aurc, risk_at_coverage, risk_coverage

CASES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=6)
MANY = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1)), min_size=2, max_size=60)


def over_orders(cases: list[tuple[int, int]], measure: Any) -> float:
    """The mean of a measure of losses in order, over all orders that the confidences allow."""
    orders = [order for order in permutations(cases) if [c for c, _ in order] == sorted((c for c, _ in order))[::-1]]
    return float(np.mean([measure([loss for _, loss in order]) for order in orders]))


def plain_aurc(losses: list[int]) -> float:
    return sum(sum(losses[:k]) / k for k in range(1, len(losses) + 1)) / len(losses)


def plain_augrc(losses: list[int]) -> float:
    n = len(losses)
    heights = [sum(losses[:k]) / n for k in range(n + 1)]
    return sum((heights[k] + heights[k + 1]) / 2 / n for k in range(n))


def split(cases: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [c for c, _ in cases], [loss for _, loss in cases]


def test_three_cases_by_hand():
    # In order of confidence: right, wrong, right. Risks 0, 1/2, 1/3; the best order has 0, 0, 1/3.
    confidence, loss = [0.2, 0.9, 0.5], [0, 0, 1]
    assert risk_coverage(confidence, loss).risk == pytest.approx([0, 1 / 2, 1 / 3], abs=1e-12)
    assert risk_coverage(confidence, loss).coverage == pytest.approx([1 / 3, 2 / 3, 1], abs=1e-12)
    assert aurc(confidence, loss) == pytest.approx(5 / 18, abs=1e-12)
    assert e_aurc(confidence, loss) == pytest.approx(5 / 18 - 1 / 9, abs=1e-12)
    assert augrc(confidence, loss) == pytest.approx((0 + 1 / 6 + 1 / 3) / 3, abs=1e-12)
    assert auroc(confidence, [loss == 0 for loss in loss]) == pytest.approx(1 / 2, abs=1e-12)


@given(CASES)
def test_ties_are_the_mean_over_all_orders(cases: list[tuple[int, int]]):
    confidence, loss = split(cases)
    assert aurc(confidence, loss) == pytest.approx(over_orders(cases, plain_aurc), abs=1e-9)
    assert augrc(confidence, loss) == pytest.approx(over_orders(cases, plain_augrc), abs=1e-9)
    best = min(plain_aurc(list(order)) for order in permutations(loss))
    assert e_aurc(confidence, loss) == pytest.approx(over_orders(cases, plain_aurc) - best, abs=1e-9)
    for k in range(1, len(cases) + 1):
        expected = over_orders(cases, lambda losses, k=k: sum(losses[:k]) / k)
        assert risk_at_coverage(confidence, loss, k / len(cases)) == pytest.approx(expected, abs=1e-9)


@given(MANY)
def test_augrc_is_its_closed_form_in_auroc_and_risk(cases: list[tuple[int, int]]):
    confidence, loss = split(cases)
    risk = sum(loss) / len(loss)
    pairs = [(a > b) + (a == b) / 2 for a, x in cases for b, y in cases if (x, y) == (0, 1)]
    above = sum(pairs) / len(pairs) if pairs else 0.0
    assert augrc(confidence, loss) == pytest.approx((1 - above) * risk * (1 - risk) + risk**2 / 2, abs=1e-9)


@given(MANY)
def test_no_figure_depends_on_the_order_of_the_input_and_an_order_is_at_best_perfect(cases: list[tuple[int, int]]):
    confidence, loss = split(cases)
    for measure in (aurc, e_aurc, augrc):
        assert measure(confidence, loss) == pytest.approx(measure(confidence[::-1], loss[::-1]), abs=1e-12)
    assert e_aurc(confidence, loss) >= -1e-12
    assert e_aurc([-one for one in loss], loss) == 0


def test_auroc_agrees_with_scikit_learn_on_random_scores_with_ties():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores, labels = rng.integers(0, 20, 100) / 7, rng.random(100) < 0.3
        assert auroc(scores, labels) == pytest.approx(metrics.roc_auc_score(labels, scores), abs=1e-9)


def test_a_coverage_takes_the_least_number_of_cases_that_makes_it():
    confidence, loss = list(range(100)), [0] * 93 + [1] * 7
    assert risk_at_coverage(confidence, loss, 0.07) == 1
    assert risk_at_coverage(confidence, loss, 0.071) == pytest.approx(7 / 8, abs=1e-12)


@pytest.mark.parametrize(
    ("confidence", "loss", "words"),
    [
        ([], [], "no case"),
        ([1.0], [1, 0], "as many"),
        ([float("nan")], [1], "finite"),
        ([1.0], [-1], "from 0 on"),
    ],
)
def test_what_has_no_risk_is_an_error(confidence: list[float], loss: list[float], words: str):
    with pytest.raises(ValueError, match=words):
        aurc(confidence, loss)


def test_auroc_of_one_class_is_an_error():
    with pytest.raises(ValueError, match="2 positives and 0 negatives"):
        auroc([0.1, 0.2], [True, True])
    with pytest.raises(ValueError, match="coverage lies in"):
        risk_at_coverage([1.0], [0], 0.0)

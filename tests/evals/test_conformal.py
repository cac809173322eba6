"""The guarantees, held against a thousand simulated splits; the thresholds, against their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import beta

from evals.conformal import (
    NEVER,
    conformal_threshold,
    learn_then_test_threshold,
    least_answered,
    selective_p_value,
    threshold_sequence,
)

N_SPLITS = 1000
Floats = NDArray[np.float64]


def drawn(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Confidences, and answers that are wrong with probability 1 - confidence."""
    confidence = rng.random(shape)
    return confidence, (rng.random(shape) > confidence).astype(float)


@pytest.mark.parametrize(("n", "target"), [(60, 0.05), (100, 0.1), (100, 0.2)])
def test_the_mean_marginal_loss_over_a_thousand_splits_is_at_most_the_target(n: int, target: float):
    rng = np.random.default_rng(n)
    losses = []
    for _ in range(N_SPLITS):
        threshold = conformal_threshold(*drawn(rng, (n,)), target)
        losses.append((1 - threshold) ** 2 / 2)  # P(confidence > λ and wrong) = ∫ from λ to 1 of (1 - c) dc
    assert np.mean(losses) <= target + 3 * np.std(losses) / math.sqrt(N_SPLITS)
    assert np.mean(losses) >= target - 2 / (n + 1) - 3 * np.std(losses) / math.sqrt(N_SPLITS)  # and it is no waste


def test_it_holds_too_where_a_question_is_put_several_times_and_its_times_go_together():
    rng = np.random.default_rng(1)
    losses, n, target = [], 50, 0.1
    for _ in range(N_SPLITS):
        hard = rng.random((2 * n, 1)) < 0.5
        confidence = rng.random((2 * n, 4))
        wrong = (hard & (rng.random((2 * n, 4)) < 0.8)).astype(float)
        threshold = conformal_threshold(confidence[:n], wrong[:n], target)
        losses.append(float(((confidence[n:] > threshold) * wrong[n:]).mean()))
    assert np.mean(losses) <= target + 3 * np.std(losses) / math.sqrt(N_SPLITS)


def by_confidence(confidence: Floats) -> Floats:
    return 1 - confidence


def worst_at_the_top(confidence: Floats) -> Floats:
    """A risk that no threshold can be trusted to lower: the surest tenth are often wrong, the next are not."""
    return np.where(confidence > 0.9, 0.35, np.where(confidence > 0.4, 0.05, 0.6))


@pytest.mark.parametrize(("risk", "least_answering"), [(by_confidence, 0.6), (worst_at_the_top, 0.0)])
def test_the_selective_bound_fails_in_at_most_delta_of_a_thousand_splits(
    risk: Callable[[Floats], Floats], least_answering: float
):
    rng, target, delta, n = np.random.default_rng(2), 0.15, 0.1, 500
    grid = (np.arange(20_000) + 0.5) / 20_000
    n_failed = n_answering = 0
    for _ in range(N_SPLITS):
        confidence = rng.random(n)
        wrong = rng.random(n) < risk(confidence)
        thresholds = threshold_sequence(rng.random(100), n, target, delta)
        threshold = learn_then_test_threshold(confidence, wrong, target, delta, thresholds)
        n_answering += threshold < NEVER
        n_failed += threshold < NEVER and risk(grid[grid > threshold]).mean() > target
    assert n_failed / N_SPLITS <= delta + 3 * math.sqrt(delta * (1 - delta) / N_SPLITS)
    assert n_answering / N_SPLITS >= least_answering


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1)), min_size=1, max_size=30), st.sampled_from([0.1, 0.25]))
def test_the_conformal_threshold_is_the_least_that_its_definition_allows(cases: list[tuple[int, int]], target: float):
    confidence, wrong = np.array(cases, dtype=float).T
    confidence /= 8
    n = len(cases)

    def allowed(threshold: float) -> bool:
        return n / (n + 1) * ((confidence > threshold) * wrong).mean() + 1 / (n + 1) <= target + 1e-12

    expected = min((one for one in [0.0, *confidence] if allowed(one)), default=NEVER)
    assert conformal_threshold(confidence, wrong, target) == expected


def test_too_few_cases_answer_nothing_and_nineteen_right_ones_show_five_percent():
    assert conformal_threshold([0.9] * 18, [0] * 18, 0.05) == NEVER
    assert conformal_threshold([0.9] * 19, [0] * 19, 0.05) == 0.0
    assert conformal_threshold([0.5, *[0.9] * 18], [1, *[0] * 18], 0.05) == 0.5


def test_it_takes_forty_five_right_answers_to_show_five_percent_at_ninety():
    assert least_answered(0.05, 0.1) == 45  # 0.95^45 = 0.0994
    assert selective_p_value(45, 0, 0.05) == pytest.approx(0.95**45, abs=1e-12)
    assert selective_p_value(0, 0, 0.05) == 1


@given(st.integers(1, 80), st.integers(0, 80), st.sampled_from([0.05, 0.2]))
def test_a_p_value_is_at_most_delta_just_where_clopper_and_pearsons_bound_is_at_most_the_target(
    n: int, n_wrong: int, target: float
):
    n_wrong, delta = min(n, n_wrong), 0.1
    bound = 1.0 if n_wrong == n else float(beta.ppf(1 - delta, n_wrong + 1, n - n_wrong))
    assert (selective_p_value(n, n_wrong, target) <= delta) == (bound <= target)


def test_testing_ends_at_the_first_threshold_that_fails_though_a_later_one_would_pass():
    confidence = [0.9] * 10 + [0.5] * 200
    wrong = [1] * 3 + [0] * 207
    assert learn_then_test_threshold(confidence, wrong, 0.1, 0.1, [0.6, 0.1]) == NEVER
    assert learn_then_test_threshold(confidence, wrong, 0.1, 0.1, [0.1]) == 0.1


def test_the_sequence_starts_where_enough_answers_are_expected_and_falls_to_zero():
    confidence = [place / 100 for place in range(100)]
    # 45 right answers show 5 % at 90 %, but with one wrong it takes 77: (0.95^77 + 77 · 0.05 · 0.95^76) = 0.097
    sequence = threshold_sequence(confidence, 100, 0.05, 0.1)
    assert sequence[0] == pytest.approx(0.99 - 0.77, abs=1e-12)
    assert sequence == sorted(sequence, reverse=True)
    assert sequence[-1] == 0.0


@pytest.mark.parametrize(
    ("confidence", "wrong", "target", "words"),
    [
        ([], [], 0.1, "no cases"),
        ([0.5], [0, 1], 0.1, "no cases"),
        ([1.5], [0], 0.1, "confidence lies"),
        ([float("nan")], [0], 0.1, "confidence lies"),
        ([0.5], [2], 0.1, "loss lies"),
        ([0.5], [0], 1.0, "target lies"),
    ],
)
def test_what_bounds_nothing_is_an_error(confidence: list[float], wrong: list[float], target: float, words: str):
    with pytest.raises(ValueError, match=words):
        conformal_threshold(confidence, wrong, target)
    with pytest.raises(ValueError, match=words):
        learn_then_test_threshold(confidence, wrong, target, 0.1, [0.5])

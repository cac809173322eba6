from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.intervals import bootstrap_interval, holm, randomisation_test

differences = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.1, 0.25, 1.0]), max_size=8)
p_values = st.lists(st.floats(0, 1), max_size=6)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@given(differences=differences)
def test_few_differences_are_tested_exactly(differences):
    patterns = list(product((-1, 1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(pattern, differences, strict=True))) for pattern in patterns]
    expected = sum(one >= abs(sum(differences)) - 1e-9 for one in sums) / len(patterns)
    assert randomisation_test(differences, rng()) == pytest.approx(expected, abs=1e-12)


def test_three_gains_of_three_have_the_p_value_worked_by_hand():
    assert randomisation_test([0.5, 0.5, 0.5], rng()) == 2 / 8  # all plus or all minus


def test_equal_systems_have_p_of_1():
    assert randomisation_test([], rng()) == 1.0
    assert randomisation_test([0.0] * 50, rng()) == 1.0


def test_many_differences_are_sampled_to_the_exact_value():
    values = [0.3, -0.1, 0.2, 0.4, -0.2, 0.1, 0.5, -0.3, 0.2, 0.1, 0.3, -0.1, 0.2]
    signs = np.array(list(product((-1.0, 1.0), repeat=len(values))))
    exact = (np.abs(signs @ np.array(values)) >= abs(sum(values)) - 1e-12).mean()
    assert randomisation_test(values, rng(), n_samples=50_000) == pytest.approx(exact, abs=0.01)


def test_a_sampled_p_value_is_never_0_and_the_same_from_the_same_generator():
    values = [1.0] * 100
    assert randomisation_test(values, rng(), n_samples=999) == 1 / 1000
    mixed = [0.1, -0.05] * 20
    assert randomisation_test(mixed, rng()) == randomisation_test(mixed, rng())


@given(differences=differences)
def test_the_direction_does_not_matter_to_the_p_value(differences):
    turned = [-one for one in differences]
    assert randomisation_test(differences, rng()) == randomisation_test(turned, rng())


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06], abs=1e-12)
    assert holm([]) == []


@given(p_values=p_values)
def test_holm_rejects_as_its_definition_does(p_values):
    """Step down from the smallest, rejecting while p <= level / (number left)."""
    adjusted = holm(p_values)
    assert all(1 >= after >= before for after, before in zip(adjusted, p_values, strict=True))
    for level in (0.01, 0.05, 0.2):
        rejected = set()
        order = sorted(range(len(p_values)), key=lambda place: p_values[place])
        for n_done, place in enumerate(order):
            if (len(p_values) - n_done) * p_values[place] > level:
                break
            rejected.add(place)
        assert {place for place, p in enumerate(adjusted) if p <= level} == rejected


def test_the_interval_of_a_share_is_near_its_normal_approximation():
    values = [1.0] * 40 + [0.0] * 60
    interval = bootstrap_interval(values, rng())
    spread = 1.96 * (0.4 * 0.6 / 100) ** 0.5
    assert interval.mean == pytest.approx(0.4, abs=1e-12)
    assert interval.low == pytest.approx(0.4 - spread, abs=0.015)
    assert interval.high == pytest.approx(0.4 + spread, abs=0.015)


def test_the_interval_of_two_values_is_that_of_all_resamples():
    interval = bootstrap_interval([0.0, 1.0], rng())  # means 0, 1/2, 1 with shares 1/4, 1/2, 1/4
    assert (interval.low, interval.mean, interval.high) == (0.0, 0.5, 1.0)


def test_equal_values_have_an_interval_of_no_width():
    interval = bootstrap_interval([0.25] * 7, rng(), n_resamples=50)
    assert (interval.low, interval.mean, interval.high) == (0.25, 0.25, 0.25)


@pytest.mark.parametrize(("values", "level"), [([], 0.95), ([1.0], 0.0), ([1.0], 1.0)])
def test_an_interval_of_nothing_is_refused(values, level):
    with pytest.raises(ValueError, match="an interval needs"):
        bootstrap_interval(values, rng(), level=level)

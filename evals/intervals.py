"""Intervals and tests for means over questions, from a random generator passed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

__all__ = ["Interval", "bootstrap_interval", "holm", "randomisation_test"]

_MOST_ENUMERATED = 12  # differences up to which all ways to swap are tried: 4,096
_BLOCK = 1000  # resamples at a time, for the memory's sake
_ROUNDING = 1e-12  # sums of the same differences in another order may differ by it


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and the bounds that it lies within at the level asked for."""

    mean: float
    low: float
    high: float


def bootstrap_interval(
    values: Sequence[float], rng: np.random.Generator, *, level: float = 0.95, n_resamples: int = 10_000
) -> Interval:
    """Return the mean of values, one a question, with the percentile bootstrap interval.

    Raises ValueError if there is no value, or level is outside (0, 1).
    """
    if not len(values) or not 0 < level < 1:
        raise ValueError(f"an interval needs a value and a level in (0, 1), not {len(values)} values, level {level}")
    array = np.asarray(values, dtype=np.float64)
    means = np.concatenate(
        [
            array[rng.integers(0, len(array), size=(min(_BLOCK, n_resamples - done), len(array)))].mean(axis=1)
            for done in range(0, n_resamples, _BLOCK)
        ]
    )
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(array.mean()), float(low), float(high))


def randomisation_test(differences: Sequence[float], rng: np.random.Generator, *, n_samples: int = 20_000) -> float:
    """Return the two-sided p-value of Fisher's paired randomisation test, in (0, 1].

    differences: one a question, second system minus first. Under the null hypothesis each might as well have the other
    sign; p is the share of sign patterns whose mean is at least as far from 0. All patterns are tried where 12 or fewer
    differ; else n_samples random ones, the one observed counted among them, so that p is never 0.
    """
    array = np.asarray(differences, dtype=np.float64)
    array = array[array != 0]  # a zero stays one whatever its sign
    observed = abs(array.sum()) - _ROUNDING
    if len(array) <= _MOST_ENUMERATED:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(array)))).reshape(2 ** len(array), len(array))
        return float((np.abs(signs @ array) >= observed).mean())
    n_as_far = 0
    for done in range(0, n_samples, _BLOCK):
        signs = rng.choice((-1.0, 1.0), size=(min(_BLOCK, n_samples - done), len(array)))
        n_as_far += int((np.abs(signs @ array) >= observed).sum())
    return (n_as_far + 1) / (n_samples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method, in the order given, each at most 1.

    The i-th smallest of m is multiplied by m - i + 1, and none may be below a smaller one's.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for n_done, place in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - n_done) * p_values[place]))
        adjusted[place] = running
    return adjusted

"""Chooses thresholds on one half of a run's questions and measures them on the other. Pure.

A question is one draw, however often it was put: under several conditions, in several orders of its options. Questions
that share their first article go into one half together.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.calibration import Bound, HeldOut
from evals.conformal import conformal_threshold, learn_then_test_threshold, threshold_sequence
from evals.gate_training import folds
from evals.intervals import bootstrap_interval

__all__ = ["Calibrated", "CalibrationCase", "calibrated", "held_out"]


@dataclass(frozen=True, slots=True)
class CalibrationCase:
    """One question, as often as it was put; both sequences have one entry a time."""

    group: Hashable  # questions of one group are never on both sides
    confidence: tuple[float, ...]  # of the answer, in [0, 1]; 0 where the system abstained by itself
    wrong: tuple[bool, ...]  # answered, and wrongly


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Thresholds and what they did on the held-out half."""

    thresholds: dict[Bound, float]
    held_out: dict[Bound, HeldOut]
    n: int
    n_held_out: int


def calibrated(cases: Sequence[CalibrationCase], *, target: float, delta: float, seed: int) -> Calibrated:
    """Choose both thresholds on a random half of the cases.

    marginal: `conformal_threshold`, over the times of each question in the mean. selective:
    `learn_then_test_threshold`, over one time of each question, drawn at random; the sequence of thresholds is made of
    the other half's confidences, whose outcomes are not looked at. seed: of the halves and the times.
    Raises ValueError if there are fewer than two groups, the questions were not all put equally often, or target or
    delta is outside (0, 1).
    """
    if len({len(case.confidence) for case in cases}) > 1:
        raise ValueError("questions that were not all put equally often cannot be calibrated together")
    half_of = folds([case.group for case in cases], seed=seed, n_folds=2)
    first, second = ([c for c, half in zip(cases, half_of, strict=True) if half == which] for which in (0, 1))
    confidence, wrong = _arrays(first)
    rng = np.random.default_rng(seed)
    drawn = np.arange(len(first)), rng.integers(confidence.shape[1], size=len(first))
    sequence = threshold_sequence(_arrays(second)[0], len(first), target, delta)
    thresholds = {
        Bound.MARGINAL: conformal_threshold(confidence, wrong, target),
        Bound.SELECTIVE: learn_then_test_threshold(confidence[drawn], wrong[drawn], target, delta, sequence),
    }
    measured = {bound: held_out(second, threshold, rng) for bound, threshold in thresholds.items()}
    return Calibrated(thresholds, measured, len(first), len(second))


def held_out(cases: Sequence[CalibrationCase], threshold: float, rng: np.random.Generator) -> HeldOut:
    """Return what a threshold does on cases; the intervals are by bootstrap over the questions."""
    confidence, wrong = _arrays(cases)
    answered = confidence > threshold
    failed = answered & (wrong > 0)
    coverage = bootstrap_interval(answered.mean(axis=1).tolist(), rng)
    risk = bootstrap_interval(failed.mean(axis=1).tolist(), rng)
    return HeldOut(
        coverage=coverage.mean,
        coverage_interval=(coverage.low, coverage.high),
        marginal_risk=risk.mean,
        marginal_interval=(risk.low, risk.high),
        selective_risk=float(failed.sum() / answered.sum()) if answered.any() else None,
    )


def _arrays(cases: Sequence[CalibrationCase]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    confidence = np.array([case.confidence for case in cases], dtype=np.float64)
    return confidence, np.array([case.wrong for case in cases], dtype=np.float64)

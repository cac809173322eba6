"""Thresholds with a guarantee: answer where the confidence is above the threshold, abstain elsewhere. Pure.

Two bounds, on different risks, for cases that are exchangeable (conformal risk control) or independent draws of one
distribution (learn then test) with the ones to come:

- marginal: E[1[answered and wrong]] ≤ target, over the calibration cases and the next one together. The loss can only
  fall as the threshold rises, so conformal risk control applies (Angelopoulos, Bates, Fisch, Lei and Schuster, ICLR
  2024).
- selective: P(wrong | answered) ≤ target, with probability at least 1 - δ over the calibration cases. It is not
  monotone, so thresholds are tested one after the other (Angelopoulos, Bates, Candès, Jordan and Lei, 2021).

Thresholds lie in [0, 1]. At 1 nothing is answered, as no confidence is above it; at 0 all but what has confidence 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

__all__ = [
    "NEVER",
    "conformal_threshold",
    "learn_then_test_threshold",
    "least_answered",
    "selective_p_value",
    "threshold_sequence",
]

NEVER = 1.0
"""The threshold that nothing is above."""


def conformal_threshold(confidence: ArrayLike, wrong: ArrayLike, target: float) -> float:
    """Return λ̂ = inf{λ ∈ [0, 1]: n/(n+1) · R̂(λ) + 1/(n+1) ≤ target}, R̂(λ) the mean of 1[confidence > λ] · wrong.

    Then E[1[confidence > λ̂] · wrong] ≤ target for a next case that is exchangeable with these n. The loss is
    right-continuous in λ, never rises, and is at most 1, as the theorem asks.
    confidence, wrong: one entry a case; or, of cases that were put several times, shape (cases, times): the loss of a
    case is then the mean over its times, as they are not exchangeable one by one.
    NEVER if no λ does, so for n < 1/target - 1; the bound holds there, too, as nothing is answered.
    Raises ValueError if there is no case, the shapes differ, a value is outside [0, 1], or target is outside (0, 1).
    """
    confidences, losses = _checked(confidence, wrong)
    _check_level("target", target)
    n = len(confidences)
    values, shares = confidences.ravel(), losses.ravel() / (confidences.size / n)
    budget = target * (n + 1) - 1 + 1e-9  # of the summed loss; its last bits must not cost a case
    if budget < 0:
        return NEVER
    order = np.argsort(-values, kind="stable")
    summed = np.cumsum(shares[order])
    over = np.flatnonzero(summed > budget)
    return float(values[order][over[0]]) if len(over) else 0.0


def least_answered(target: float, delta: float) -> int:
    """Return how many answers, all right, it takes to show a risk of at most target at level δ: ⌈ln δ / ln(1-target)⌉.

    Raises ValueError if either is outside (0, 1).
    """
    _check_level("target", target)
    _check_level("delta", delta)
    return math.ceil(math.log(delta) / math.log(1 - target))


def selective_p_value(n_answered: int, n_wrong: int, target: float) -> float:
    """Return P(Binomial(n_answered, target) ≤ n_wrong), a p-value of "the risk among the answered is above target".

    Exact given how many are answered: of independent cases these are wrong independently, each with that risk. 1 if
    none is answered. It inverts to Clopper and Pearson's upper bound. Raises ValueError if the counts make no sense.
    """
    if not 0 <= n_wrong <= n_answered:
        raise ValueError(f"{n_wrong} wrong of {n_answered} answered is not possible")
    _check_level("target", target)
    return float(binom.cdf(n_wrong, n_answered, target)) if n_answered else 1.0


def threshold_sequence(confidence: ArrayLike, n_calibration: int, target: float, delta: float) -> list[float]:
    """Return the thresholds to test, the highest first, from confidences of other cases than those of the test.

    They are these confidences, from the one above which so many of n_calibration cases are expected that they show the
    target though one is wrong, down to 0: a start higher up fails at the first wrong answer, one lower down gives away
    the surest. As no outcome and no calibration case is
    looked at, the test stays valid whatever they are.
    Raises ValueError as `least_answered` does, and if a confidence is outside [0, 1].
    """
    values = np.sort(_checked(confidence, np.zeros_like(np.asarray(confidence)))[0].ravel())[::-1]
    n_answered = least_answered(target, delta)
    while selective_p_value(n_answered, 1, target) > delta:
        n_answered += 1
    first = min(len(values) - 1, math.ceil(n_answered / max(n_calibration, 1) * len(values)))
    thresholds = [*values[first:].tolist(), 0.0]
    return list(dict.fromkeys(thresholds))


def learn_then_test_threshold(
    confidence: ArrayLike, wrong: ArrayLike, target: float, delta: float, thresholds: Sequence[float]
) -> float:
    """Return the last threshold of a fixed sequence up to which each one's risk is shown; NEVER if not even the first.

    For each in turn, H: P(wrong | confidence > λ) > target is rejected if its `selective_p_value` is at most δ; at the
    first that is not, testing ends. So, with probability at least 1 - δ over these cases, independent draws of one
    distribution, the risk at the returned threshold is at most target (or nothing is answered).
    thresholds: chosen without these cases. wrong: of each case, true or false.
    Raises ValueError if a threshold is outside [0, 1], and as `conformal_threshold` does.
    """
    confidences, losses = _checked(confidence, wrong)
    _check_level("delta", delta)
    if confidences.ndim != 1 or not np.isin(losses, (0.0, 1.0)).all():
        raise ValueError("a test needs independent cases, each right or wrong")
    chosen = NEVER
    for threshold in thresholds:
        if not 0 <= threshold <= 1:
            raise ValueError(f"a threshold lies in [0, 1], not at {threshold}")
        answered = confidences > threshold
        if selective_p_value(int(answered.sum()), int(losses[answered].sum()), target) > delta:
            break
        chosen = threshold
    return chosen


def _checked(confidence: ArrayLike, wrong: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    confidences, losses = np.asarray(confidence, dtype=np.float64), np.asarray(wrong, dtype=np.float64)
    if confidences.shape != losses.shape or confidences.ndim not in (1, 2) or not confidences.size:
        raise ValueError(f"confidences and losses of shapes {confidences.shape} and {losses.shape} are no cases")
    for name, values in (("confidence", confidences), ("loss", losses)):
        if not ((values >= 0) & (values <= 1)).all():  # NaN is neither
            raise ValueError(f"a {name} lies in [0, 1]")
    return confidences, losses


def _check_level(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ValueError(f"{name} lies in (0, 1), not at {value}")

"""How well does a confidence tell right from wrong? Risk and coverage as the threshold moves, and the areas under them.

Conventions, since tools differ in them:

- n cases, each with a confidence (higher is surer, no unit) and a loss (0 or 1, or any number from 0 on).
- Coverage moves over the grid 1/n, 2/n, …, 1. At k/n the k most confident cases are answered.
- Ties: cases of equal confidence are answered in random order, and every figure is its mean over these orders. So the
  sum of losses grows in a straight line through a group of ties, and the order of the input never counts.
- An area is between 0 and the greatest loss, lower is better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

__all__ = ["RiskCoverage", "augrc", "aurc", "auroc", "e_aurc", "risk_at_coverage", "risk_coverage"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """The risk-coverage curve; both arrays have one entry a case, from coverage 1/n to 1."""

    coverage: Floats
    risk: Floats  # mean loss of the cases answered


def risk_coverage(confidence: ArrayLike, loss: ArrayLike) -> RiskCoverage:
    """Return the risk at each coverage k/n: the mean loss of the k most confident cases, ties in random order.

    Raises ValueError if there is no case, the lengths differ, a value is no finite number, or a loss is below 0.
    """
    summed = _summed_losses(confidence, loss)
    answered = np.arange(1, len(summed) + 1)
    return RiskCoverage(coverage=answered / len(summed), risk=summed / answered)


def aurc(confidence: ArrayLike, loss: ArrayLike) -> float:
    """Return the area under the risk-coverage curve: the mean of its n risks (Geifman et al., ICLR 2019).

    The mean over the grid, no trapezoids. Raises ValueError as `risk_coverage` does.
    """
    return float(risk_coverage(confidence, loss).risk.mean())


def e_aurc(confidence: ArrayLike, loss: ArrayLike) -> float:
    """Return AURC less the least that any confidence could reach on these losses; 0 is a perfect order.

    Subtracted is the AURC of the losses in rising order, exactly, not the r + (1 - r) ln(1 - r) that it tends to for
    many cases. Raises ValueError as `risk_coverage` does.
    """
    losses = np.asarray(loss, dtype=np.float64)
    return aurc(confidence, losses) - aurc(-losses, losses)


def augrc(confidence: ArrayLike, loss: ArrayLike) -> float:
    """Return the area under the generalised risk, the mean over all n cases of 1[answered] · loss (Traub et al., 2024).

    By trapezoids over the coverages 0, 1/n, …, 1. For losses of 0 and 1 with mean r this is
    (1 - AUROC) · r · (1 - r) + r² / 2, AUROC being that of right against wrong. Raises ValueError as `risk_coverage`.
    """
    summed = _summed_losses(confidence, loss)
    n = len(summed)
    return float((summed.sum() - summed[-1] / 2) / n**2)


def risk_at_coverage(confidence: ArrayLike, loss: ArrayLike, coverage: float) -> float:
    """Return the mean loss of the most confident cases, as many as make at least this share of all.

    Raises ValueError if the coverage is not in (0, 1], and as `risk_coverage` does.
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"a coverage lies in (0, 1], not at {coverage}")
    risks = risk_coverage(confidence, loss).risk
    n_answered = math.ceil(round(coverage * len(risks), 9))  # 0.07 * 100 is 7.000000000000001
    return float(risks[n_answered - 1])


def auroc(scores: ArrayLike, labels: ArrayLike) -> float:
    """Return how often a positive scores higher than a negative, ties counting half; in [0, 1], 0.5 is chance.

    labels: true for the positives. Raises ValueError if either class is empty, the lengths differ, or a score is no
    finite number.
    """
    values, positive = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool)
    _check(values, positive, "scores", "labels")
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        raise ValueError(f"AUROC needs both classes, not {n_positive} positives and {n_negative} negatives")
    wins = rankdata(values)[positive].sum() - n_positive * (n_positive + 1) / 2  # Mann and Whitney's U
    return float(wins / (n_positive * n_negative))


def _summed_losses(confidence: ArrayLike, loss: ArrayLike) -> Floats:
    """Return, for k = 1, …, n, the expected sum of the losses of the k most confident cases."""
    values, losses = np.asarray(confidence, dtype=np.float64), np.asarray(loss, dtype=np.float64)
    _check(values, losses, "confidences", "losses")
    if not len(values):
        raise ValueError("there is no case to take a risk over")
    if not np.isfinite(losses).all() or losses.min() < 0:
        raise ValueError("a loss must be a finite number from 0 on")
    _, group, sizes = np.unique(-values, return_inverse=True, return_counts=True)
    means = np.bincount(group, weights=losses) / sizes
    return np.cumsum(np.repeat(means, sizes))


def _check(values: Floats, others: NDArray[Any], name: str, other_name: str) -> None:
    if values.ndim != 1 or values.shape != others.shape:
        raise ValueError(f"{name} and {other_name} must be as many: shapes {values.shape} and {others.shape}")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite numbers")

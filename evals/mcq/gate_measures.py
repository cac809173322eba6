"""How well a gate's sufficiencies tell a full context from one that lacks an article."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evals.intervals import Interval
from evals.mcq.gates import GateCase
from evals.mcq.measures import cluster_weights, interval_over_clusters
from evals.mcq.records import Condition

__all__ = ["ALLOWED_OVER_ABSTENTION", "gate_intervals"]

ALLOWED_OVER_ABSTENTION = 0.05  # of full contexts, where abstention on the others is read off


def gate_intervals(
    cases: Sequence[GateCase], sufficiencies: Sequence[float], rng: np.random.Generator
) -> dict[str, Interval]:
    """Return the measures of one gate, each with its 95 % bootstrap interval over questions.

    auroc_C: the probability that a full context is judged more sufficient than one of condition C, ties counting half.
    abstention_C_at_5: the share of C below the threshold that 5 % of the full contexts are below.
    C is partial, partial_target, decoy, distractor or none; one that was not asked is left out. Only questions that can
    be answered, and have an abstain option, count; of C and full those questions that have both.
    unreadable: the share of contexts without a judgement, which are left out of the rest.
    """
    counted = [
        (case, value)
        for case, value in zip(cases, sufficiencies, strict=True)
        if case.question.answerable and case.question.abstain is not None
    ]
    clusters = {cluster: n for n, cluster in enumerate(dict.fromkeys(case.question.cluster for case, _ in counted))}
    if not clusters:
        return {}
    n = len(clusters)
    weights = cluster_weights(n, rng)
    unreadable = sum(math.isnan(value) for _, value in counted) / len(counted)
    found = {"unreadable": Interval(unreadable, unreadable, unreadable)}
    of_condition: dict[Condition, dict[str, tuple[int, float]]] = {one: {} for one in Condition}
    for case, value in counted:
        if not math.isnan(value):
            where = clusters[case.question.cluster]
            of_condition[case.condition][case.question.question_id] = (where, value)
    full = of_condition[Condition.FULL]
    for condition in Condition:
        other = of_condition[condition]
        both = [question_id for question_id in full if question_id in other]
        if not condition.is_incomplete or not both:
            continue
        name = condition.replace("-", "_")
        positive, negative = [full[one] for one in both], [other[one] for one in both]
        found[f"auroc_{name}"] = _auroc(positive, negative, n, weights)
        found[f"abstention_{name}_at_5"] = _abstention(positive, negative, n, weights)
    return found


def _auroc(
    positive: Sequence[tuple[int, float]], negative: Sequence[tuple[int, float]], n: int, weights: NDArray[np.float64]
) -> Interval:
    wins = np.zeros((n, n))  # a pair of clusters: how often a full context of one beats another's lacking one
    pairs = np.zeros((n, n))
    columns, values = np.array([where for where, _ in negative]), np.array([value for _, value in negative])
    for where, value in positive:
        np.add.at(wins[where], columns, (value > values) + 0.5 * (value == values))
        np.add.at(pairs[where], columns, 1.0)
    won, drawn = (((weights @ counts) * weights).sum(axis=1) for counts in (wins, pairs))
    return interval_over_clusters(float(wins.sum() / pairs.sum()), _shares(won, drawn))


def _abstention(
    positive: Sequence[tuple[int, float]], negative: Sequence[tuple[int, float]], n: int, weights: NDArray[np.float64]
) -> Interval:
    """Read off the share of lacking contexts below the threshold; the threshold itself is not resampled."""
    ordered = sorted(value for _, value in positive)
    threshold = ordered[math.floor(ALLOWED_OVER_ABSTENTION * len(ordered))]  # at most 5 % lie below it
    columns = np.array([where for where, _ in negative])
    below = np.array([float(value < threshold) for _, value in negative])
    hits, totals = np.bincount(columns, below, minlength=n), np.bincount(columns, minlength=n)
    return interval_over_clusters(float(below.mean()), _shares(weights @ hits, weights @ totals))


def _shares(hits: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ratios, NaN where they are over nothing."""
    return np.asarray(np.divide(hits, totals, out=np.full(len(hits), np.nan), where=totals > 0))

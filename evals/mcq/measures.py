"""What choices are worth: each measure a ratio of counts over trials, with an interval over questions.

A case is a trial. `right` is the gold letter on full. The questions whose gold on full is the abstain option count in
`full accuracy` alone; the questions without an abstain option, only where abstaining plays no part.

| measure               | over                        | share of                                                |
| --------------------- | --------------------------- | ------------------------------------------------------- |
| full accuracy         | full                        | the gold option                                         |
| answerable accuracy   | full                        | the gold option, which is not abstaining                |
| over-abstention       | full                        | abstained                                               |
| C abstention          | incomplete condition C      | abstained, which is right                               |
| wrong when partial    | partial                     | an option that is wrong even on full                    |
| guessed when partial  | partial                     | the gold option, which the context does not show        |
| balanced accuracy     | full, partial               | mean of right on full and of abstained on partial       |
| balanced decision     | full, partial               | mean of not abstained on full and abstained on partial  |
| abstention precision  | full, partial               | partial among the abstained                             |
| abstention recall     | partial                     | abstained                                               |
| abstention F1         | full, partial               | 2 · both / (abstained + partial)                        |
| joint                 | pairs of full and partial   | right on full and abstained on partial, in the same order |
| C accuracy            | none, retrieved             | the gold option (none: of questions that cannot abstain) |
| retrieved abstention  | retrieved                   | abstained                                               |
| unreadable            | all                         | replies that cannot be read; they are in every other    |
|                       |                             | measure's total and never right                         |
| position bias         | all readable                | total variation between the places chosen and uniform   |
| consistency           | pairs of orders             | the same option in both                                 |
| moved                 | pairs of repeats            | not the same option                                     |
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evals.intervals import Interval
from evals.mcq.records import Condition
from evals.mcq.trials import Choice, Trial

__all__ = [
    "ABSTENTION_OF",
    "Outcome",
    "cluster_weights",
    "clusters_of",
    "interval_over_clusters",
    "intervals",
    "question_values",
]

Outcome: TypeAlias = tuple[Trial, Choice]
Hits: TypeAlias = Mapping[str, list[tuple[str, float]]]
"""Measure → (question id, 0 or 1 of a case), all cases that it is over."""

ABSTENTION_OF = {one: f"{one} abstention" for one in Condition if one is not Condition.FULL}
Floats = NDArray[np.float64]
N_RESAMPLES = 2000


def question_values(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Return question id → measure → value of one system, for the measures that are a plain share of cases."""
    found: dict[str, dict[str, float]] = {trial.question.question_id: {} for trial, _ in outcomes}
    for measure, hits in _hits(outcomes).items():
        by_question: dict[str, list[float]] = defaultdict(list)
        for question_id, hit in hits:
            by_question[question_id].append(hit)
        for question_id, values in by_question.items():
            found[question_id][measure] = sum(values) / len(values)
    return found


def intervals(outcomes: Sequence[Outcome], rng: np.random.Generator) -> dict[str, Interval]:
    """Return the measures of one system with 95 % bootstrap intervals; the questions are resampled, not the trials.

    A measure over nothing is left out. Position bias has no interval of its own: its bounds are its value.
    """
    cluster_of = clusters_of(outcomes)
    weights = cluster_weights(len(set(cluster_of.values())), rng)
    hits = _hits(outcomes)
    ratios = {name: _ratio(ones, cluster_of) for name, ones in hits.items()}
    found = {name: sums.interval(weights) for name, sums in ratios.items()}
    found |= _composed(ratios, weights)
    bias = _position_bias(outcomes)
    if bias is not None:
        found["position bias"] = Interval(bias, bias, bias)
    return found


def clusters_of(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return question id → number of its cluster; the forms of one question share one."""
    clusters = {trial.question.question_id: trial.question.cluster for trial, _ in outcomes}
    number = {cluster: n for n, cluster in enumerate(dict.fromkeys(clusters.values()))}
    return {question_id: number[cluster] for question_id, cluster in clusters.items()}


def interval_over_clusters(value: float, resampled: Floats, *, level: float = 0.95) -> Interval:
    """Return a value with the percentile interval of its resamples; those that are over nothing are left out."""
    resampled = resampled[~np.isnan(resampled)]
    if not len(resampled):
        return Interval(value, value, value)
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high))


def _hits(outcomes: Sequence[Outcome]) -> Hits:
    """Return the cases of every measure that is a share of cases."""
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for trial, choice in outcomes:
        question_id = trial.question.question_id
        found["unreadable"].append((question_id, float(choice.chosen is None)))
        for measure, is_hit in _of_case(trial, choice):
            found[measure].append((question_id, float(is_hit)))
    for measure, question_id, hit in (*_joint(outcomes), *_agreement(outcomes)):
        found[measure].append((question_id, hit))
    return found


def _of_case(trial: Trial, choice: Choice) -> Iterator[tuple[str, bool]]:
    question, condition = trial.question, trial.condition
    right = choice.chosen == question.gold_full
    if condition is Condition.FULL:
        yield "full accuracy", right
    if not question.answerable:
        return
    if question.abstain is None:
        if condition is not Condition.FULL:
            yield f"{condition} accuracy", right
        return
    abstained = choice.chosen == question.abstain
    if condition is Condition.FULL:
        yield "over-abstention", abstained
        yield "answerable accuracy", right
    else:
        yield ABSTENTION_OF[condition], abstained
    if condition is Condition.RETRIEVED:
        yield "retrieved accuracy", right
    if condition is Condition.PARTIAL:
        yield "wrong when partial", choice.chosen is not None and not abstained and not right
        yield "guessed when partial", right


def _joint(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str, float]]:
    by_order: dict[tuple[str, int, int], dict[Condition, Outcome]] = defaultdict(dict)
    for trial, choice in outcomes:
        if trial.question.answerable and trial.question.abstain is not None:
            order = (trial.question.question_id, trial.permutation, trial.repeat)
            by_order[order][trial.condition] = (trial, choice)
    for (question_id, _, _), found in by_order.items():
        if Condition.FULL in found and Condition.PARTIAL in found:
            question = found[Condition.FULL][0].question
            right = found[Condition.FULL][1].chosen == question.gold_full
            silent = found[Condition.PARTIAL][1].chosen == question.abstain
            yield "joint", question_id, float(right and silent)


def _agreement(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str, float]]:
    """Yield, of every two orders of a trial, whether the choice is the same; of two repeats, whether it is not."""
    orders: dict[tuple[str, Condition, int], list[int]] = defaultdict(list)
    repeats: dict[tuple[str, Condition, int], list[int | None]] = defaultdict(list)
    for trial, choice in outcomes:
        question_id = trial.question.question_id
        repeats[question_id, trial.condition, trial.permutation].append(choice.chosen)
        if choice.chosen is not None:
            orders[question_id, trial.condition, trial.repeat].append(choice.chosen)
    for (question_id, _, _), chosen in orders.items():
        for one, other in combinations(chosen, 2):
            yield "consistency", question_id, float(one == other)
    for (question_id, _, _), found in repeats.items():
        for first, second in combinations(found, 2):
            yield "moved", question_id, float(first != second)


def _position_bias(outcomes: Sequence[Outcome]) -> float | None:
    """Return the total variation, in [0, 1], between the places chosen and uniform; None in the file's order.

    Of the questions with the commonest number of options. Means something where each was shown in each place.
    """
    if all(trial.order == tuple(sorted(trial.order)) for trial, _ in outcomes):
        return None
    sizes = Counter(len(trial.order) for trial, choice in outcomes if choice.chosen is not None)
    if not sizes:
        return None
    n_options = max(sizes, key=lambda n: (sizes[n], n))
    places = Counter(
        trial.place_of(choice.chosen)
        for trial, choice in outcomes
        if choice.chosen is not None and len(trial.order) == n_options
    )
    total = sum(places.values())
    return sum(abs(places[n] / total - 1 / n_options) for n in range(n_options)) / 2


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums a cluster of a ratio's numerator and denominator."""

    numerator: Floats
    denominator: Floats

    @property
    def value(self) -> float:
        return float(self.numerator.sum() / self.denominator.sum())

    def resampled(self, weights: Floats) -> Floats:
        """Return the ratio in each resample, NaN where it is over nothing."""
        numerator, denominator = weights @ self.numerator, weights @ self.denominator
        shares = np.divide(numerator, denominator, out=np.full(len(weights), np.nan), where=denominator > 0)
        return np.asarray(shares)

    def interval(self, weights: Floats) -> Interval:
        return interval_over_clusters(self.value, self.resampled(weights))


def _ratio(hits: Sequence[tuple[str, float]], cluster_of: Mapping[str, int]) -> _Sums:
    numerator, denominator = np.zeros((2, max(cluster_of.values()) + 1))
    for question_id, hit in hits:
        numerator[cluster_of[question_id]] += hit
        denominator[cluster_of[question_id]] += 1
    return _Sums(numerator, denominator)


def cluster_weights(n_clusters: int, rng: np.random.Generator) -> Floats:
    """Return how often each cluster is drawn in each resample, shape (resamples, clusters)."""
    drawn = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=N_RESAMPLES)
    return np.asarray(drawn, dtype=np.float64)


def _composed(ratios: Mapping[str, _Sums], weights: Floats) -> dict[str, Interval]:
    """Return the measures made of two shares."""
    if not {"over-abstention", ABSTENTION_OF[Condition.PARTIAL]} <= ratios.keys():
        return {}
    right, over = ratios["answerable accuracy"], ratios["over-abstention"]
    partial = ratios[ABSTENTION_OF[Condition.PARTIAL]]
    decided = _Sums(over.denominator - over.numerator, over.denominator)
    abstained = partial.numerator + over.numerator
    found = {
        "balanced accuracy": _mean_of_shares(right, partial, weights),
        "balanced decision": _mean_of_shares(decided, partial, weights),
        "abstention recall": partial.interval(weights),
        "abstention F1": _Sums(2 * partial.numerator, abstained + partial.denominator).interval(weights),
    }
    if abstained.any():
        found["abstention precision"] = _Sums(partial.numerator, abstained).interval(weights)
    return found


def _mean_of_shares(one: _Sums, other: _Sums, weights: Floats) -> Interval:
    resampled = (one.resampled(weights) + other.resampled(weights)) / 2
    return interval_over_clusters((one.value + other.value) / 2, resampled)

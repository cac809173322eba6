"""Fits the learned gate, and judges each case by a gate that has not seen its question. Needs the extra `learn`.

The labels: full contexts are enough, partial and decoy ones are not. Both classes get the same weight in all, so the
probability is at even odds.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.gate.features import Knowledge
from agent.gate.model import GateModel, Tree
from graph.errors import SettingsError

__all__ = ["GateExample", "GateTraining", "fit_gate", "folds", "out_of_fold"]

Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class GateExample:
    """A context of a question, described."""

    values: Values  # of `agent.gate.features`
    group: Hashable  # never split between folds: the first article
    enough: bool | None  # None: judged, not learned from


@dataclass(frozen=True, slots=True)
class GateTraining:
    """How hard the models are held down: a few hundred questions are little."""

    inverse_l2: float = 0.1  # C of the logistic regression, on standardised features
    n_trees: int = 200
    learning_rate: float = 0.04
    n_leaves: int = 5
    min_leaf: int = 20  # examples in a leaf
    tree_l2: float = 5.0
    feature_fraction: float = 0.3  # drawn for each tree
    bagging_fraction: float = 0.8  # of the examples, drawn anew for each tree


def fit_gate(
    examples: Sequence[GateExample], knowledge: Knowledge, *, seed: int, training: GateTraining | None = None
) -> GateModel:
    """Fit a gate to the examples that have a label.

    Same examples, same seed: the same model, to the byte. Raises ValueError if either label is missing or the examples
    have different features, SettingsError if scikit-learn or lightgbm is not installed.
    """
    training = training or GateTraining()
    learned = [one for one in examples if one.enough is not None]
    labels = np.array([bool(one.enough) for one in learned])
    if not labels.any() or labels.all():
        raise ValueError("a gate needs contexts that are enough and others that are not to learn from")
    names = tuple(learned[0].values)
    if any(tuple(one.values) != names for one in learned):
        raise ValueError("the examples have different features: some with options, others without")
    rows = np.array([list(one.values.values()) for one in learned], dtype=np.float64)
    weights = np.where(labels, len(labels) / (2 * labels.sum()), len(labels) / (2 * (~labels).sum()))
    mean, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)  # a constant column is no feature
    linear = _linear((rows - mean) / scale, labels, weights, training)
    return GateModel(
        knowledge=knowledge,
        names=names,
        mean=tuple(mean.tolist()),
        scale=tuple(scale.tolist()),
        weights=tuple(linear.coef_[0].tolist()),
        bias=float(linear.intercept_[0]),
        trees=_boosted(rows, labels, weights, training, seed),
    )


def out_of_fold(
    examples: Sequence[GateExample],
    knowledge: Knowledge,
    *,
    seed: int,
    n_folds: int = 5,
    training: GateTraining | None = None,
) -> list[float]:
    """Return, an example, the probability that its context is enough, by a gate fitted on the other folds.

    Raises ValueError if there are fewer groups than folds, and as `fit_gate` does.
    """
    fold_of = folds([one.group for one in examples], seed=seed, n_folds=n_folds)
    found = [0.0] * len(examples)
    for fold in range(n_folds):
        rest = [one for one, place in zip(examples, fold_of, strict=True) if place != fold]
        model = fit_gate(rest, knowledge, seed=seed, training=training)
        for place, one in enumerate(examples):
            if fold_of[place] == fold:
                found[place] = model.probability(one.values)
    return found


def folds(groups: Sequence[Hashable], *, seed: int, n_folds: int) -> list[int]:
    """Return a fold, from 0, an entry; one group is in one fold, and the folds' numbers of groups differ by at most 1.

    Raises ValueError if there are fewer groups than folds.
    """
    different = list(dict.fromkeys(groups))
    if len(different) < n_folds:
        raise ValueError(f"{len(different)} first articles cannot be divided into {n_folds} folds")
    order = np.random.default_rng(seed).permutation(len(different))
    fold_of = {different[group]: place % n_folds for place, group in enumerate(order.tolist())}
    return [fold_of[group] for group in groups]


def _linear(
    rows: NDArray[np.float64], labels: NDArray[np.bool_], weights: NDArray[np.float64], training: GateTraining
) -> Any:
    try:
        from sklearn.linear_model import LogisticRegression  # an extra
    except ModuleNotFoundError as error:
        raise SettingsError("the gate is fitted by a package: pip install 'nonliquet[learn]'") from error
    model = LogisticRegression(C=training.inverse_l2, max_iter=5000)
    return model.fit(rows, labels, sample_weight=weights)


def _boosted(
    rows: NDArray[np.float64],
    labels: NDArray[np.bool_],
    weights: NDArray[np.float64],
    training: GateTraining,
    seed: int,
) -> tuple[Tree, ...]:
    try:
        import lightgbm  # an extra
    except ModuleNotFoundError as error:
        raise SettingsError("the gate is fitted by a package: pip install 'nonliquet[learn]'") from error
    parameters = {
        "objective": "binary",
        "boost_from_average": True,
        "learning_rate": training.learning_rate,
        "num_leaves": training.n_leaves,
        "min_data_in_leaf": training.min_leaf,
        "lambda_l2": training.tree_l2,
        "feature_fraction": training.feature_fraction,
        "bagging_fraction": training.bagging_fraction,
        "bagging_freq": 1,
        "use_missing": False,
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbose": -1,
    }
    data = lightgbm.Dataset(rows, labels.astype(np.int32), weight=weights, params={"verbose": -1, "num_threads": 1})
    dumped = lightgbm.train(parameters, data, training.n_trees).dump_model()
    return tuple(_tree(one["tree_structure"]) for one in dumped["tree_info"])


def _tree(node: Mapping[str, Any]) -> Tree:
    """Return a tree of LightGBM's as `agent.gate.model` has it."""
    if "split_feature" not in node:
        return float(node["leaf_value"])
    left, right = _tree(node["left_child"]), _tree(node["right_child"])
    return [int(node["split_feature"]), float(node["threshold"]), left, right]

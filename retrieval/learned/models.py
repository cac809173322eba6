"""The two models whose scores are averaged: a linear one and a few hundred small trees. Pure but for lightgbm's import.

    linear   s(d) = w · z(d), z standardised over all training pairs; w minimises the mean over the questions of
             -Σ_{d gold} 1/|gold| · ln softmax(s)(d), plus λ/2 |w|²  (ListNet with top-one probabilities: Cao et al.,
             ICML 2007)
    trees    LambdaRank by LightGBM (Burges, 2010; Ke et al., NeurIPS 2017)

Each model's scores are standardised over a question's candidates before they are added, as their units differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from graph.errors import SettingsError

__all__ = ["LearningSettings", "Model", "fit"]

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """How hard the models are held down: a hundred questions make few gold pairs."""

    l2: float = 0.3  # λ of the linear model
    n_trees: int = 300
    learning_rate: float = 0.03
    n_leaves: int = 4
    min_leaf: int = 40  # training pairs in a leaf
    tree_l2: float = 10.0
    feature_fraction: float = 0.25  # drawn for each tree
    bagging_fraction: float = 0.8  # of the pairs, drawn anew for each tree


@dataclass(frozen=True)
class Model:
    """A fitted pair of models."""

    mean: Floats  # of the training pairs, one a column
    scale: Floats
    weights: Floats
    trees: str  # as LightGBM prints them

    def scores(self, values: Floats) -> Floats:
        """Score one question's candidates, shape (n_candidates, n_columns); 0 is the mean of them."""
        linear: Floats = ((values - self.mean) / self.scale) @ self.weights
        by_trees = np.asarray(self._booster.predict(values, num_threads=1), dtype=np.float64)
        return (_standardised(linear) + _standardised(by_trees)) / 2

    @cached_property
    def _booster(self) -> Any:
        return _lightgbm().Booster(model_str=self.trees)


def fit(values: Sequence[Floats], labels: Sequence[Labels], *, settings: LearningSettings, seed: int) -> Model:
    """Fit both models to the candidates of some questions, each with at least one gold among them.

    Same data, same seed: the same model, to the byte. Raises ValueError if no question is given, SettingsError if
    lightgbm is not installed.
    """
    if not values:
        raise ValueError("there is no question with a gold article among its candidates to learn from")
    pairs = np.concatenate(values)
    mean, scale = pairs.mean(axis=0), pairs.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)  # a constant column is no feature
    weights = _listwise((pairs - mean) / scale, labels, l2=settings.l2)
    return Model(mean, scale, weights, _trees(pairs, labels, settings, seed))


def _listwise(pairs: Floats, labels: Sequence[Labels], *, l2: float) -> Floats:
    sizes = [len(of_one) for of_one in labels]
    starts, question = np.cumsum([0, *sizes])[:-1], np.repeat(np.arange(len(sizes)), sizes)
    wanted = np.concatenate([of_one / of_one.sum() for of_one in labels])

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = pairs @ weights
        scores -= np.maximum.reduceat(scores, starts)[question]
        exponentials = np.exp(scores)
        totals = np.add.reduceat(exponentials, starts)[question]
        likelihood = (wanted * (scores - np.log(totals))).sum() / len(sizes)
        gradient = pairs.T @ (exponentials / totals - wanted) / len(sizes) + l2 * weights
        return float(l2 / 2 * weights @ weights - likelihood), gradient

    found = minimize(loss, np.zeros(pairs.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x, dtype=np.float64)


def _trees(pairs: Floats, labels: Sequence[Labels], settings: LearningSettings, seed: int) -> str:
    lightgbm = _lightgbm()
    data = lightgbm.Dataset(
        pairs,
        np.concatenate(labels).astype(np.int32),
        group=[len(of_one) for of_one in labels],
        params={"verbose": -1, "num_threads": 1},
    )
    parameters = {
        "objective": "lambdarank",
        "lambdarank_truncation_level": 20,
        "learning_rate": settings.learning_rate,
        "num_leaves": settings.n_leaves,
        "min_data_in_leaf": settings.min_leaf,
        "lambda_l2": settings.tree_l2,
        "feature_fraction": settings.feature_fraction,
        "bagging_fraction": settings.bagging_fraction,
        "bagging_freq": 1,
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbose": -1,
    }
    return str(lightgbm.train(parameters, data, settings.n_trees).model_to_string())


def _standardised(scores: Floats) -> Floats:
    deviation = scores.std()
    return (scores - scores.mean()) / deviation if deviation > 1e-12 else np.zeros_like(scores)


def _lightgbm() -> Any:
    try:
        import lightgbm  # an extra
    except ModuleNotFoundError as error:
        raise SettingsError("the learned ranker needs a package: pip install 'nonliquet[learn]'") from error
    return lightgbm

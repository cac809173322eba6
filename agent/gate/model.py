"""The gate's model: the mean of a logistic regression's and of boosted trees' log-odds. Pure; plain values on disk.

    z_j = (x_j - mean_j) / scale_j        linear(x) = bias + Σ_j weight_j z_j
    boosted(x) = Σ over the trees of the leaf that x falls into
    P(enough) = logistic((linear(x) + boosted(x)) / 2)

A tree is a number, its leaf, or a list [feature, threshold, left, right]: left if the feature is at most the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from agent.gate.features import Knowledge

__all__ = ["GateModel", "Tree"]

Tree: TypeAlias = float | list[Any]


@dataclass(frozen=True, slots=True)
class GateModel:
    """A fitted gate; all sequences but the trees have one entry a feature, in the order of `names`."""

    knowledge: Knowledge
    names: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    trees: tuple[Tree, ...]

    def __post_init__(self) -> None:
        n = len(self.names)
        if not n or any(len(one) != n for one in (self.mean, self.scale, self.weights)):
            raise ValueError(f"a gate of {n} features needs as many means, scales and weights")
        if min(self.scale) <= 0:
            raise ValueError("a scale must be above 0")
        if not all(map(math.isfinite, (*self.mean, *self.scale, *self.weights, self.bias))):
            raise ValueError("a mean, scale, weight or bias is no finite number")
        for tree in self.trees:
            _check(tree, n)

    @property
    def reads_options(self) -> bool:
        """Whether it was fitted on questions with their options, and needs these."""
        return any(name.startswith("choice.") for name in self.names)

    @property
    def reads_vectors(self) -> bool:
        """Whether it needs an index with vectors."""
        return any(".dense" in name for name in self.names)

    def probability(self, values: Mapping[str, float]) -> float:
        """Return the probability that the context is enough, in [0, 1]. Raises KeyError naming a feature not given."""
        row = [values[name] for name in self.names]
        scaled = zip(row, self.mean, self.scale, self.weights, strict=True)
        linear = self.bias + math.fsum(weight * (value - mean) / scale for value, mean, scale, weight in scaled)
        boosted = math.fsum(_leaf(tree, row) for tree in self.trees)
        return 1 / (1 + math.exp(-max(-500.0, min(500.0, (linear + boosted) / 2))))


def _leaf(tree: Tree, row: Sequence[float]) -> float:
    while isinstance(tree, list):
        tree = tree[2] if row[tree[0]] <= tree[1] else tree[3]
    return tree


def _check(tree: Tree, n_features: int) -> None:
    """Raise ValueError if this is no tree over that many features."""
    pending: list[Any] = [tree]
    while pending:
        one = pending.pop()
        if isinstance(one, list) and len(one) == 4 and type(one[0]) is int and 0 <= one[0] < n_features:
            pending += one[2:]
            one = one[1]
        if isinstance(one, bool) or not isinstance(one, (int, float)) or not math.isfinite(one):
            raise ValueError(f"not a tree over {n_features} features: {str(one)[:60]}")

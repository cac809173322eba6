"""Personalised PageRank: a walk along citations that starts at the best candidates and keeps returning to them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array, diags_array

from graph.citation_graph import CitationGraph
from graph.records import EdgeKind
from retrieval.ranking import Scores

__all__ = ["EdgeWeights", "PagerankSettings", "personalised_pagerank", "typed_adjacency"]


@dataclass(frozen=True, slots=True)
class EdgeWeights:
    """How readily the walk takes an edge of each kind."""

    cites: float = 1.0
    delegates: float = 2.0  # the detail that the question asks for stands below
    implements: float = 1.0
    defines: float = 0.5
    excepts: float = 0.5
    implied: float = 0.0

    def __post_init__(self) -> None:
        if not all(0 <= getattr(self, name) < math.inf for name in self.__slots__):
            raise ValueError(f"edge weights must be 0 or more: {self}")


@dataclass(frozen=True, slots=True)
class PagerankSettings:
    """Where the walk goes."""

    damping: float = 0.3  # in [0, 1): how often the walk goes on along a citation instead of back to a candidate
    hub_exponent: float = 0.5  # an edge's weight is divided by the cited article's in-degree to this power
    backward_weight: float = 0.0  # of a citation read from the cited article to the citing one
    n_candidates: int = (
        100  # the best of the base, where the walk starts, each the oftener the more it exceeds the last
    )
    tolerance: float = 1e-10  # the walk's shares are settled when a step changes them by less, in sum
    max_steps: int = 200
    edges: EdgeWeights = field(default_factory=EdgeWeights)

    def __post_init__(self) -> None:
        if not 0 <= self.damping < 1 or not all(
            0 <= one < math.inf for one in (self.hub_exponent, self.backward_weight)
        ):
            raise ValueError(f"PageRank needs damping in [0, 1), hub_exponent and backward_weight >= 0: {self}")
        if min(self.n_candidates, self.max_steps) < 1 or not 0 < self.tolerance < 1:
            raise ValueError(f"PageRank needs n_candidates, max_steps >= 1 and tolerance in (0, 1): {self}")


def typed_adjacency(graph: CitationGraph, settings: PagerankSettings) -> csr_array[np.float64]:
    """Return the steps of the walk: row to column, rows that sum to 1, or to 0 where nothing is linked.

    An edge i -> j of kind t weighs w(t) / in(j)^hub_exponent one way, and backward_weight · w(t) / out(i)^hub_exponent
    back; degrees count the pairs linked by a kind that weighs something. Several kinds between a pair add up.
    """
    weights: Mapping[EdgeKind, float] = {
        kind: getattr(settings.edges, kind.value) for kind in EdgeKind if kind is not EdgeKind.WHOLE_LAW
    }
    n_articles = len(graph.articles)
    forward: csr_array[np.float64] = csr_array((n_articles, n_articles))
    for kind, weight in weights.items():
        if weight > 0:
            forward = csr_array(forward + weight * graph.adjacency(kinds=[kind]))
    n_out = np.diff(forward.indptr)
    n_in = np.bincount(forward.indices, minlength=n_articles)
    into = diags_array(np.maximum(n_in, 1.0) ** -settings.hub_exponent)
    out = diags_array(np.maximum(n_out, 1.0) ** -settings.hub_exponent)
    steps = csr_array(forward @ into + settings.backward_weight * (forward.T @ out))
    totals = np.bincount(steps.tocoo().row, weights=steps.data, minlength=n_articles)
    return csr_array(diags_array(np.divide(1.0, totals, out=np.zeros(n_articles), where=totals > 0)) @ steps)


def personalised_pagerank(start: Scores, steps: csr_array[np.float64], *, settings: PagerankSettings) -> Scores:
    """Return the share of its time that the walk spends at each article: sums to 1, or 0 if `start` is 0 throughout.

    p = (1 - damping) · s + damping · (p · steps, and what stands at articles without links back to s), s being `start`
    scaled to sum 1. Found by iteration from p = s. Raises ValueError if a start is negative or not finite.
    """
    if not (np.isfinite(start).all() and (start >= 0).all()):
        raise ValueError("PageRank starts from scores that are finite and 0 or more")
    total = start.sum()
    if total == 0:
        return np.zeros_like(start)
    share = start / total
    is_end = np.diff(steps.indptr) == 0
    backwards = csr_array(steps.T)
    walk = share
    for _ in range(settings.max_steps):
        gone = backwards @ walk + walk[is_end].sum() * share
        after = (1 - settings.damping) * share + settings.damping * gone
        settled = np.abs(after - walk).sum() < settings.tolerance
        walk = after
        if settled:
            break
    return np.asarray(walk)

"""Questions that lose some of their terms while a model learns: a clause says more than people's questions do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

__all__ = ["without_some_terms"]

_FEWEST_TERMS = 2  # that a text must keep, else it keeps all


def without_some_terms(features: Mapping[str, Any], most: float, rng: np.random.Generator) -> dict[str, Any]:
    """Return what a table of terms is asked for (input_ids and offsets, of all texts), each text thinned out.

    A text's share is drawn uniformly from [0, most], and each of its terms goes with that chance; a text of which
    fewer than two would be left keeps all. At least one text.
    """
    offsets = features["offsets"].numpy().astype(np.int64)
    n_terms = np.diff(offsets, append=len(features["input_ids"]))
    share = np.repeat(rng.uniform(0, most, len(offsets)), n_terms)
    kept = rng.random(len(share)) >= share
    n_kept = _sums(kept, offsets, n_terms)
    kept |= np.repeat(n_kept < _FEWEST_TERMS, n_terms)
    n_kept = _sums(kept, offsets, n_terms)
    return {
        **features,
        "input_ids": features["input_ids"][torch.from_numpy(kept)],
        "offsets": torch.from_numpy((np.cumsum(n_kept) - n_kept).astype(np.int32)),
    }


def _sums(kept: NDArray[np.bool_], offsets: NDArray[np.int64], n_terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many of each text's terms are kept."""
    before = np.concatenate([[0], np.cumsum(kept)])
    sums: NDArray[np.int64] = before[offsets + n_terms] - before[offsets]
    return sums

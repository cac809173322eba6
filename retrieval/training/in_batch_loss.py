"""The in-batch softmax loss: each question's article against the other articles of the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

__all__ = ["in_batch_loss"]


def in_batch_loss(
    questions: Any, articles: Any, positives: NDArray[np.int64], excluded: NDArray[np.bool_], *, temperature: float
) -> Any:
    """Return the mean over the questions of -log exp(q·a⁺/τ) / Σ exp(q·a/τ), the sum over a⁺ and all not excluded.

    questions: tensor (n, d); articles: (m, d), the distinct articles of the batch; rows are scaled to unit length here.
    positives: (n,), the column of each question's own article. excluded: (n, m), true where an article is as right as
    a⁺ and so is no negative; an own article's entry is not looked at. The order of the batch does not matter.
    """
    unit = torch.nn.functional.normalize
    logits = unit(questions, dim=1) @ unit(articles, dim=1).T / temperature
    mask = excluded.copy()
    mask[np.arange(len(positives)), positives] = False
    logits = logits.masked_fill(torch.from_numpy(mask).to(logits.device), float("-inf"))
    return torch.nn.functional.cross_entropy(logits, torch.from_numpy(positives).to(logits.device))

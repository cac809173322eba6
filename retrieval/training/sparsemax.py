"""Sparsemax: scores to weights of which many are exactly 0 (Martins and Astudillo, ICML 2016)."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["sparsemax"]


def sparsemax(scores: Any, mask: Any = None) -> Any:
    """Return the point of the probability simplex that lies nearest to each row of scores, over the last dimension.

    p_i = max(z_i - τ, 0), with the τ that makes them sum to 1 (their eq. 3 and algorithm 1).
    scores: floating tensor (..., n). mask: bool, broadcastable to it; where it is false the weight is 0 and the score
    counts for nothing. A row of which nothing is left is all 0. Differentiable, by the Jacobian Diag(s) - s sᵀ / |S| of
    the support S (their eq. 11).
    """
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    return _Sparsemax.apply(scores, mask.expand_as(scores))


class _Sparsemax(torch.autograd.Function):  # type: ignore[misc]  # untyped package
    @staticmethod
    def forward(context: Any, scores: Any, mask: Any) -> Any:
        lowest = torch.finfo(scores.dtype).min
        shifted = scores - scores.masked_fill(~mask, lowest).amax(dim=-1, keepdim=True)  # the same weights
        z = shifted.masked_fill(~mask, -torch.inf)
        ordered = z.sort(dim=-1, descending=True).values
        sums = ordered.cumsum(dim=-1)
        sizes = torch.arange(1, z.shape[-1] + 1, dtype=z.dtype, device=z.device)
        size = (1 + sizes * ordered > sums).sum(dim=-1, keepdim=True).clamp(min=1)  # of the support
        tau = (sums.gather(-1, size - 1) - 1) / size
        weights = (z - tau).clamp(min=0).masked_fill(~mask, 0)
        context.save_for_backward(weights > 0)
        return weights

    @staticmethod
    def backward(context: Any, *gradients: Any) -> tuple[Any, None]:
        (support,) = context.saved_tensors
        kept = gradients[0] * support
        mean = kept.sum(dim=-1, keepdim=True) / support.sum(dim=-1, keepdim=True).clamp(min=1)
        return (kept - mean) * support, None

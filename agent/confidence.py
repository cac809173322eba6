"""How sure an answer is, as one number: of its retrieval, its writing and its verification."""

from __future__ import annotations

__all__ = ["confidence"]

_UNVERIFIED = 0.5  # what is left of an answer's confidence if almost nothing of its draft held


def confidence(relevance: float, *, probability: float | None, share_kept: float) -> float:
    """Return an answer's confidence in [0, 1]: relevance · probability · (1/2 + share_kept / 2).

    Never falls as one of them rises; what it is worth as a probability, calibration has to say.
    relevance: how well the evidence fits the question, from retrieval and sufficiency. probability: the geometric mean
    of the model's probabilities for the tokens it wrote; None, where it gives none or nothing was written, counts as 1.
    share_kept: the share of the draft's quotes and sentences that held, so that an answer of which half had to be
    dropped counts three quarters. Raises ValueError if one is outside [0, 1].
    """
    written = 1.0 if probability is None else probability
    for name, value in (("relevance", relevance), ("probability", written), ("share_kept", share_kept)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must lie within [0, 1], not {value}")
    return relevance * written * (_UNVERIFIED + (1 - _UNVERIFIED) * share_kept)

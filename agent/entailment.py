"""I/O: an optional second opinion on a sentence: a cross-encoder trained for inference says whether passages entail it.

The model is one of sentence-transformers', such as cross-encoder/nli-deberta-v3-xsmall, or a folder with one. It reads
pairs of passage and sentence and gives either one score, or one for each of contradiction, entailment and neutral.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph.errors import ModelError
from retrieval.loading import without_weight_bar

__all__ = ["open_entailment"]

_ENTAILS = "entail"  # what the name of the right class begins with


def open_entailment(model: str, *, threshold: float = 0.5) -> Callable[[str, str], bool]:
    """Open a model by id or folder; return whether a passage entails a sentence with at least this probability.

    Raises ModelError with what to do if it cannot be opened or tells no entailment.
    """
    try:
        import sentence_transformers
    except ModuleNotFoundError as error:
        raise ModelError(
            "entailment_model needs sentence-transformers: pip install 'nonliquet[dense]'; or leave that setting out"
        ) from error
    try:
        with without_weight_bar():
            encoder: Any = sentence_transformers.CrossEncoder(model)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(
            f"entailment model {model} cannot be loaded: {reason}; it must be the id of a model that can be downloaded "
            "or is in the cache, or a folder with a cross-encoder"
        ) from error
    labels = {int(place): str(name).lower() for place, name in encoder.model.config.id2label.items()}
    place = next((place for place, name in labels.items() if name.startswith(_ENTAILS)), None)
    if place is None and len(labels) > 1:
        raise ModelError(f"entailment model {model}: none of its classes is entailment: {', '.join(labels.values())}")

    def entails(passage: str, sentence: str) -> bool:
        scores = np.asarray(
            encoder.predict([(passage, sentence)], show_progress_bar=False, convert_to_numpy=True), dtype=np.float64
        ).ravel()
        return bool(_probability(scores, place or 0, is_logit=len(labels) > 1) >= threshold)

    return entails


def _probability(scores: np.ndarray[Any, np.dtype[np.float64]], place: int, *, is_logit: bool) -> float:
    """Return the probability of a class: softmax over several scores; one score is a probability as it is."""
    if not is_logit:
        return float(scores[0])
    shifted = np.exp(scores - scores.max())
    return float(shifted[place] / shifted.sum())

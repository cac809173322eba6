"""I/O: cross-encoders of sentence-transformers: models that read question and article together and score the pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.encoder import article_text, clean_text
from retrieval.loading import without_weight_bar
from retrieval.ranking import Scores

__all__ = ["CrossEncoder", "open_cross_encoder"]


class CrossEncoder(Protocol):
    """Scores pairs."""

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        """Return one score an article, higher for a better fit, comparable within one question."""


class SentenceTransformerCrossEncoder:
    """A model of sentence-transformers; articles longer than its window are cut by its tokenizer."""

    def __init__(self, model: str) -> None:
        self._name = model
        try:
            import sentence_transformers
        except ImportError as error:
            raise EncoderError(
                f"cross:{model} needs sentence-transformers ({error}): pip install 'nonliquet[dense]'"
            ) from error
        try:
            with without_weight_bar():
                self._model: Any = sentence_transformers.CrossEncoder(model)
        except (OSError, ValueError, KeyError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise EncoderError(
                f"cross:{model} cannot be loaded: {reason}; it must be the id of a model that can be downloaded or is "
                "in the cache, or a folder with a cross-encoder"
            ) from error

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        """Return one score an article. Raises EncoderError if the model gives several, as one for inference does."""
        if not articles:
            return np.zeros(0)
        pairs = [(clean_text(question), article_text(article)) for article in articles]
        found = np.asarray(self._model.predict(pairs, show_progress_bar=False), dtype=np.float64)
        if found.size != len(pairs):
            n_scores = found.size // len(pairs)
            raise EncoderError(
                f"cross:{self._name} gives {n_scores} scores a pair: a cross-encoder that ranks gives one"
            )
        return found.reshape(len(pairs))


def open_cross_encoder(model: str) -> CrossEncoder:
    """Open a model by id or folder. Raises EncoderError with what to do if it cannot be opened."""
    return SentenceTransformerCrossEncoder(model)

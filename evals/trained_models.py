"""What reports say of a trained model: its kind, and whether it was trained on the very questions that it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from retrieval.article_ranker import training_config
from retrieval.methods import Method
from retrieval.retriever import Retriever

__all__ = ["in_words", "of_methods", "seen_in_training"]


def of_methods(retriever: Retriever, methods: Sequence[Method], files: Mapping[str, str]) -> dict[str, str]:
    """Return method -> its model in words and how it is fused, for the methods that name a trained one.

    files: of the questions, name -> sha256. Raises EncoderError with what to do if a model cannot be opened.
    """
    settings = retriever.settings.trained
    fusion = f"α {settings.alpha:g} over the best {settings.n_candidates}"
    return {
        str(method): f"{fusion} of {method.base}; {in_words(retriever, method.model, files)}"
        for method in methods
        if method.reranker == "trained" and method.model is not None
    }


def in_words(retriever: Retriever, model: str, files: Mapping[str, str]) -> str:
    """Return what a model says of itself, and a warning if it has seen one of these question files."""
    seen = seen_in_training(model, files)
    warning = f"; it was trained on questions asked here ({', '.join(seen)}), so read its figures as a fit"
    return retriever.models.ranker(model).description + (warning if seen else "")


def seen_in_training(model: str, files: Mapping[str, str]) -> list[str]:
    """Return those of the files, name -> sha256, that `nonliquet train` made the model from or stopped it by.

    None are known where the model does not say what it was made of.
    """
    used = training_config(model).get("files")
    if not isinstance(used, dict):
        return []
    seen = [Path(name).name for name, digest in files.items() if digest in used.values()]
    return [name for name in seen if name != "queries.jsonl"]  # BEIR's, which holds the questions of all splits

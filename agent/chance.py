"""How near do questions come to the articles of an index that have nothing to do with them?

Cosines are no measure of their own: in one language unrelated texts lie nearer to each other than in another, and of
more articles the nearest is nearer. So a dozen questions that no statute answers are held against the index in the
language of the question, and their mean is what chance gives; speaker verification does so with impostors (Z-norm).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from retrieval.dense import exact_scores
from retrieval.encoder import Encoder
from retrieval.retriever import Retriever

__all__ = ["Chance", "above_chance", "chance", "unrelated_questions"]


@dataclass(frozen=True, slots=True)
class Chance:
    """The mean over unrelated questions of the best article's cosine."""

    similarity: float  # by dense vectors
    sparse: float | None  # by learned sparse vectors; None where the index or the language has none


def chance(retriever: Retriever, encoder: Encoder, language: str) -> Chance:
    """Return what unrelated questions in a language reach on an index with vectors. encoder: of the questions.

    Sparse vectors are compared only in the language of the articles: they are of words. Raises KeyError if there are
    no questions in the language.
    """
    questions, manifest = unrelated_questions(language), retriever.index.manifest
    cosines = exact_scores(encoder.encode_queries(questions), retriever.index.matrix)
    sparse = None
    if manifest.sparse and language == manifest.language:
        sparse = float(np.mean([retriever.sparse_similarities(question).max() for question in questions]))
    return Chance(float(cosines.max(axis=1).mean()), sparse)


def above_chance(cosine: float, by_chance: float) -> float:
    """Return the share of the way from chance to the very same words that a cosine has come; below chance, negative."""
    return (cosine - by_chance) / (1.0 - by_chance)


@cache
def unrelated_questions(language: str) -> tuple[str, ...]:
    """Return questions that no statute answers. Raises KeyError naming a language of which there are none."""
    text = (files("agent") / "unrelated_questions.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)[language])

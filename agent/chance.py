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
from numpy.typing import NDArray

from retrieval.dense import exact_scores
from retrieval.encoder import Encoder
from retrieval.lexical import LexicalIndex
from retrieval.retriever import Retriever

__all__ = ["Chance", "above_chance", "beyond_chance", "chance", "shared_words", "unrelated_questions"]


@dataclass(frozen=True, slots=True)
class Chance:
    """The means over unrelated questions of what the best article reaches."""

    similarity: float  # cosine, by dense vectors
    sparse: float | None  # cosine, by learned sparse vectors; None where the index or the language has none
    words: float  # BM25, in words that one article alone has


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
    words = float(np.mean([shared_words(retriever.index.lexical, question).max() for question in questions]))
    return Chance(float(cosines.max(axis=1).mean()), sparse, words)


def above_chance(cosine: float, by_chance: float) -> float:
    """Return the share of the way from chance to the very same words that a cosine has come; below chance, negative."""
    return (cosine - by_chance) / (1.0 - by_chance)


def shared_words(lexical: LexicalIndex, question: str) -> NDArray[np.float64]:
    """Return how much each article says of a question: its BM25, in words that one article alone has, said once."""
    return lexical.bm25(question) / lexical.rarest_idf


def beyond_chance(words: float, by_chance: float) -> float:
    """Return how many rare words an article shares beyond chance and the one that any question may have; at least 0."""
    return max(0.0, words - by_chance - 1.0)


@cache
def unrelated_questions(language: str) -> tuple[str, ...]:
    """Return questions that no statute answers. Raises KeyError naming a language of which there are none."""
    text = (files("agent") / "unrelated_questions.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)[language])

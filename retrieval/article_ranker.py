"""Trained models that score articles for a question: what they all offer, and how a name opens one.

I/O. A folder that `nonliquet train` made says in `ranker.json` which kind it holds; one without that file, and an id,
name a sentence-transformers model, which is a bi-encoder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.encoder import Encoder, open_encoder
from retrieval.ranking import Scores

__all__ = ["ArticleRanker", "AttendedSentence", "BiEncoderRanker", "open_article_ranker"]


@dataclass(frozen=True, slots=True)
class AttendedSentence:
    """A sentence of an article that a model looked at."""

    text: str
    weight: float  # above 0; those of an article sum to 1


class ArticleRanker(Protocol):
    """A trained model that scores articles for a question."""

    description: str
    """Its kind, and whether its encoder was frozen or fine-tuned; reports show it."""

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        """Return one score an article, higher for a better fit, comparable within one question, on any scale."""
        ...

    def attended(self, question: str, article: Provision) -> tuple[AttendedSentence, ...]:
        """Return the sentences of weight above 0, in the article's order; none if the kind does not attend."""
        ...


class BiEncoderRanker:
    """Cosines of an encoder's vectors. An article is encoded once, when it is first scored."""

    def __init__(self, encoder: Encoder, description: str) -> None:
        self.description = description
        self._encoder = encoder
        self._vectors: dict[Provision, NDArray[np.float32]] = {}

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        """Return the cosine of the question and each article."""
        new = list(dict.fromkeys(article for article in articles if article not in self._vectors))
        if new:
            self._vectors.update(zip(new, self._encoder.encode_articles(new), strict=True))
        (query,) = self._encoder.encode_queries([question]).astype(np.float64)
        return np.array([self._vectors[article].astype(np.float64) @ query for article in articles], dtype=np.float64)

    def attended(self, question: str, article: Provision) -> tuple[AttendedSentence, ...]:
        """Return nothing: an article is one vector."""
        return ()


def open_article_ranker(model: str) -> ArticleRanker:
    """Open a trained model by its folder or id. Raises EncoderError naming it, with what mends it."""
    file = Path(model) / "ranker.json"
    if not file.is_file():
        return _bi_encoder(model)
    kind = _kind(file)
    if kind not in _OPENERS:
        raise EncoderError(f"{file}: unknown kind {kind!r}; known: {', '.join(_OPENERS)}")
    return _OPENERS[kind](Path(model))


def _bi_encoder(model: str) -> ArticleRanker:
    try:
        encoder = open_encoder(f"st:{model}")
    except EncoderError as error:
        raise EncoderError(f"trained:{model}: {error}") from error
    assert encoder is not None  # `none` alone opens none
    return BiEncoderRanker(encoder, _trained_as(Path(model)))


def _trained_as(folder: Path) -> str:
    """Return what was trained, and from which base, if `nonliquet train` made the folder."""
    file = folder / "training" / "config.json"
    if not file.is_file():
        return "bi-encoder, not trained here"
    config = _json(file)
    trained = "trained from nothing" if config.get("base") == "static" else "fine-tuned"
    return f"{config.get('kind', 'bi-encoder')}, {trained}"


def _kind(file: Path) -> str:
    return str(_json(file).get("kind"))


def _json(file: Path) -> dict[str, object]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EncoderError(f"{file}: cannot be read: {error}; name a folder that nonliquet train made") from error
    if not isinstance(found, dict):
        raise EncoderError(f"{file}: holds no object; name a folder that nonliquet train made")
    return found


def _opener(module: str, name: str) -> Callable[[Path], ArticleRanker]:
    """Return what opens a kind whose module needs torch, and imports it then."""

    def opened(folder: Path) -> ArticleRanker:
        try:
            found: Callable[[Path], ArticleRanker] = getattr(import_module(module), name)
        except ImportError as error:
            raise EncoderError(f"trained:{folder} needs torch ({error}): pip install 'nonliquet[dense]'") from error
        return found(folder)

    return opened


_OPENERS: dict[str, Callable[[Path], ArticleRanker]] = {
    "attentive-cnn": _opener("retrieval.training.attentive_cnn", "open_attentive_cnn"),
    "paraformer": _opener("retrieval.training.paraformer", "open_paraformer"),
}

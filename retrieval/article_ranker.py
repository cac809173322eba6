"""Trained models that score articles for a question: what they all offer, and how a name opens one.

I/O. What `nonliquet train` made, a folder or its copy on the Hugging Face Hub, says in `ranker.json` which kind it is;
without that file it is a sentence-transformers model, a bi-encoder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.encoder import Encoder, open_encoder
from retrieval.ranking import Scores
from retrieval.training.model_files import hub_file, hub_folder

__all__ = ["ArticleRanker", "AttendedSentence", "BiEncoderRanker", "open_article_ranker", "training_config"]


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
    file = _file_of(model, "ranker.json")
    if file is None:
        return _bi_encoder(model)
    kind = str(_json(file).get("kind"))
    if kind not in _OPENERS:
        raise EncoderError(f"{file}: unknown kind {kind!r}; known: {', '.join(_OPENERS)}")
    try:
        return _OPENERS[kind](Path(model) if Path(model).is_dir() else hub_folder(model))
    except ImportError as error:
        raise EncoderError(f"trained:{model} needs torch ({error}): pip install 'nonliquet[dense]'") from error


def training_config(model: str) -> dict[str, object]:
    """Return what a model says it was trained on, by its folder or id; empty if `nonliquet train` did not make it.

    Raises EncoderError if the file cannot be read.
    """
    file = _file_of(model, "training/config.json")
    return {} if file is None else _json(file)


def _file_of(model: str, name: str) -> Path | None:
    """Return a file of a model's folder, or of its copy on the Hub; None if it has none."""
    file = Path(model) / name
    try:
        return file if file.is_file() else hub_file(model, name)
    except ImportError:  # opening it as a bi-encoder says what is to be installed
        return None
    except OSError as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise EncoderError(f"trained:{model}: cannot be fetched: {reason}") from error


def _bi_encoder(model: str) -> ArticleRanker:
    try:
        encoder = open_encoder(f"st:{model}")
    except EncoderError as error:
        raise EncoderError(f"trained:{model}: {error}") from error
    assert encoder is not None  # `none` alone opens none
    return BiEncoderRanker(encoder, _trained_as(training_config(model)))


def _trained_as(config: dict[str, object]) -> str:
    """Return what was trained, and from which base."""
    if not config:
        return "bi-encoder, not trained here"
    trained = "trained from nothing" if config.get("base") == "static" else "fine-tuned"
    return f"{config.get('kind', 'bi-encoder')}, {trained}"


def _json(file: Path) -> dict[str, object]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EncoderError(f"{file}: cannot be read: {error}; name a folder that nonliquet train made") from error
    if not isinstance(found, dict):
        raise EncoderError(f"{file}: holds no object; name a folder that nonliquet train made")
    return found


def _attentive_cnn(folder: Path) -> ArticleRanker:
    from retrieval.training.attentive_cnn import open_attentive_cnn

    return open_attentive_cnn(folder)


def _paraformer(folder: Path) -> ArticleRanker:
    from retrieval.training.paraformer import open_paraformer

    return open_paraformer(folder)


_OPENERS: dict[str, Callable[[Path], ArticleRanker]] = {"attentive-cnn": _attentive_cnn, "paraformer": _paraformer}

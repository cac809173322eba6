"""The Attentive CNN as it learns, and as a ranker of articles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graph.records import Provision
from retrieval.article_ranker import AttendedSentence
from retrieval.ranking import Scores
from retrieval.training.attentive_cnn_model import AttentiveCnnModel
from retrieval.training.pairs import TrainingPair
from retrieval.training.ranker_examples import ExampleMaker
from retrieval.training.settings import TrainingSettings

__all__ = ["ATTENTIVE_CNN_SETTINGS", "AttentiveCnnLearner", "AttentiveCnnRanker", "open_attentive_cnn"]

ATTENTIVE_CNN_SETTINGS = TrainingSettings(
    n_epochs=10, batch_size=32, learning_rate=1e-3, weight_decay=0.0, n_warmup_steps=50, patience=3
)


class AttentiveCnnLearner:
    """Learns by equation (8): the softmax of the score over an article that answers the question and K that do not."""

    def __init__(self, model: AttentiveCnnModel, articles: Sequence[Provision], examples: ExampleMaker) -> None:
        """articles: those whose rows the pairs name. examples: draws the negatives."""
        self.model = model
        self.module = model.network
        self._articles = articles
        self._examples = examples

    def loss(self, batch: Sequence[TrainingPair], rng: np.random.Generator) -> Any:
        """Return the batch's mean of -log exp(s⁺) / Σ exp(s) of the scores s of the example's articles."""
        examples = self._examples.examples(batch, rng)
        rows = sorted({row for one in examples for row in (one.positive, *one.negatives)})
        column = {row: place for place, row in enumerate(rows)}
        questions = self.model.questions([one.question for one in examples])
        scores = self.model.network.scores(questions, self.model.articles([self._articles[row] for row in rows]))
        own = np.zeros((len(examples), len(rows)), dtype=np.bool_)
        for number, example in enumerate(examples):
            own[number, [column[row] for row in (example.positive, *example.negatives)]] = True
        scores = scores.masked_fill(torch.from_numpy(~own).to(scores.device), float("-inf"))
        positives = torch.tensor([column[one.positive] for one in examples], device=scores.device)
        return torch.nn.functional.cross_entropy(scores, positives)

    def ranker(self) -> AttentiveCnnRanker:
        """Return the model as it is now, as a ranker."""
        return AttentiveCnnRanker(self.model)

    def save(self, folder: Path) -> None:
        """Write the model."""
        self.model.save(folder)


class AttentiveCnnRanker:
    """Scores by the cosine. No vector depends on another text's, so an article is encoded once, when first scored."""

    def __init__(self, model: AttentiveCnnModel) -> None:
        """The model must not be trained any further."""
        self.description = model.description
        self._model = model
        self._vectors: dict[Provision, NDArray[np.float64]] = {}  # of unit length

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        """Return the scaled cosine of the question's vector with each article's."""
        network = self._model.network.eval()
        with torch.no_grad():
            new = list(dict.fromkeys(article for article in articles if article not in self._vectors))
            for part in self._model.in_parts(new):
                self._vectors.update(zip(part, _unit(self._model.articles(part)), strict=True))
            query = float(network.log_scale.exp()) * _unit(self._model.questions([question]))[0]
        return np.array([self._vectors[article] @ query for article in articles], dtype=np.float64)

    def attended(self, question: str, article: Provision) -> tuple[AttendedSentence, ...]:
        """Return the sentences of weight above 0, whatever the question."""
        return self._model.attended(article)


def _unit(vectors: Any) -> NDArray[np.float64]:
    return np.asarray(torch.nn.functional.normalize(vectors.double(), dim=1).cpu().numpy())


def open_attentive_cnn(folder: Path) -> AttentiveCnnRanker:
    """Open the model in a folder as a ranker. Raises EncoderError naming the file that is missing or foreign."""
    return AttentiveCnnRanker(AttentiveCnnModel.open(folder))

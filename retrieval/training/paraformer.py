"""The Paraformer as it learns, and as a ranker of articles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from graph.records import Provision
from retrieval.article_ranker import AttendedSentence
from retrieval.ranking import Scores
from retrieval.training.article_sentences import article_sentences
from retrieval.training.pairs import TrainingPair
from retrieval.training.paraformer_model import ParaformerModel
from retrieval.training.ranker_examples import ExampleMaker
from retrieval.training.settings import TrainingSettings

__all__ = ["PARAFORMER_SETTINGS", "ParaformerLearner", "ParaformerRanker", "open_paraformer"]

PARAFORMER_SETTINGS = TrainingSettings(
    n_epochs=30, batch_size=16, learning_rate=1e-3, weight_decay=0.01, n_warmup_steps=20, patience=5
)

_ARTICLES_AT_ONCE = 64


class ParaformerLearner:
    """Learns by binary cross-entropy: does an article answer the question, or was it drawn as one that does not?"""

    def __init__(self, model: ParaformerModel, articles: Sequence[Provision], examples: ExampleMaker) -> None:
        """articles: those whose rows the pairs name. examples: draws the negatives."""
        self.model = model
        self.module = model.module
        self._articles = articles
        self._examples = examples

    def loss(self, batch: Sequence[TrainingPair], rng: np.random.Generator) -> Any:
        """Return the mean over the examples of the mean over each one's articles of -log p(is right, or is wrong)."""
        examples = self._examples.examples(batch, rng)
        rows = sorted({row for one in examples for row in (one.positive, *one.negatives)})
        column = {row: place for place, row in enumerate(rows)}
        questions = self.model.questions([one.question for one in examples])
        sentences, mask = self.model.sentences([self._articles[row] for row in rows])
        pairs = [(number, row) for number, one in enumerate(examples) for row in (one.positive, *one.negatives)]
        number = torch.tensor([one for one, _ in pairs], device=questions.device)
        place = torch.tensor([column[row] for _, row in pairs], device=questions.device)
        logits = self.model.network(questions[number], sentences[place], mask[place])
        labels = torch.tensor([float(row == examples[one].positive) for one, row in pairs], device=logits.device)
        weights = torch.tensor([1 / (1 + len(examples[one].negatives)) for one, _ in pairs], device=logits.device)
        losses = torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), labels, reduction="none")
        return (losses * weights).sum() / len(examples)

    def ranker(self) -> ParaformerRanker:
        """Return the model as it is now, as a ranker."""
        return ParaformerRanker(self.model)

    def save(self, folder: Path) -> None:
        """Write the model."""
        self.model.save(folder)


class ParaformerRanker:
    """Scores by the logit that an article answers a question. An article's sentences are encoded once."""

    def __init__(self, model: ParaformerModel) -> None:
        """The model must not be trained any further."""
        self.description = model.description
        self._model = model
        self._sentences: dict[Provision, Any] = {}

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        """Return the logit of each article."""
        found: list[float] = []
        with torch.no_grad():
            query = self._query(question)
            for start in range(0, len(articles), _ARTICLES_AT_ONCE):
                part = articles[start : start + _ARTICLES_AT_ONCE]
                sentences, mask = self._padded(part)
                found += self._model.network(query.expand(len(part), -1), sentences, mask).tolist()
        return np.array(found, dtype=np.float64)

    def attended(self, question: str, article: Provision) -> tuple[AttendedSentence, ...]:
        """Return the sentences of weight above 0 for this question, in the article's order."""
        with torch.no_grad():
            sentences, mask = self._padded([article])
            (weights,) = self._model.network.weights(self._query(question), sentences, mask).tolist()
        pairs = zip(article_sentences(article), weights, strict=True)
        return tuple(AttendedSentence(text, weight) for text, weight in pairs if weight > 0)

    def _query(self, question: str) -> Any:
        self._model.module.eval()
        return self._model.questions([question])

    def _padded(self, articles: Sequence[Provision]) -> tuple[Any, Any]:
        new = list(dict.fromkeys(article for article in articles if article not in self._sentences))
        for start in range(0, len(new), _ARTICLES_AT_ONCE):
            part = new[start : start + _ARTICLES_AT_ONCE]
            vectors, mask = self._model.sentences(part)
            self._sentences.update((one, vectors[n][mask[n]]) for n, one in enumerate(part))
        own = [self._sentences[article] for article in articles]
        places = torch.arange(max(map(len, own)), device=own[0].device)
        mask = places < torch.tensor([len(one) for one in own], device=own[0].device)[:, None]
        return torch.nn.utils.rnn.pad_sequence(own, batch_first=True), mask


def open_paraformer(folder: Path) -> ParaformerRanker:
    """Open the model in a folder as a ranker. Raises EncoderError naming the file that is missing or foreign."""
    return ParaformerRanker(ParaformerModel.open(folder))

"""How the gains of `retrieval.graph_vectors` are learned; the vectors of articles and of questions stay as they are.

An article that a training question is taken from has edges to the article that it asks for, and a heading in common
with others: its own words would come back to it through them. So the articles whose words are asked with in a batch are
nobody's neighbours in it, and none of them is a negative of its own question.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graph.errors import TrainingError
from retrieval.encoder import unit_rows
from retrieval.graph_vectors import RELATIONS, Neighbourhoods, smoothed
from retrieval.training.in_batch_loss import in_batch_loss
from retrieval.training.pairs import TrainingPair, batch_columns
from retrieval.training.settings import TrainingSettings

__all__ = ["GRAPH_SETTINGS", "GraphLearner", "Propagation"]

GRAPH_SETTINGS = TrainingSettings(
    n_epochs=20, batch_size=64, learning_rate=0.02, weight_decay=0.0, n_warmup_steps=10, patience=5
)
_MOST_ARTICLES = 1000  # that a batch is ranked among: all of a smaller index, else its own and others by chance
_FITTED_PAIRS = 256  # about
_TEMPERATURES = tuple(0.2 / 2**place for place in range(8))  # down to 0.0016


class Propagation(torch.nn.Module):  # type: ignore[misc]  # untyped package
    """One gain a relation, all 0 to begin with: untrained, vectors stay as they are.

    The loss's temperature is learned beside them. Were it fixed, an encoder whose cosines lie close together would gain
    more by spreading them, right or wrong, than by ranking better.
    """

    def __init__(self, temperature: float) -> None:
        super().__init__()
        self.gains = torch.nn.Parameter(torch.zeros(len(RELATIONS)))
        self.log_temperature = torch.nn.Parameter(torch.tensor(math.log(temperature)))

    def forward(self, vectors: Any, means: Any) -> Any:
        """Return the vectors (n, d) with the neighbours' means (n_relations, n, d), each times its gain, added."""
        return vectors + torch.tensordot(self.gains, means, dims=1)


class GraphLearner:
    """Learns the gains by the in-batch loss, each question's article against up to 1,000 others of the index."""

    def __init__(
        self,
        vectors: NDArray[np.float32],
        neighbourhoods: Neighbourhoods,
        question_vectors: Mapping[str, NDArray[np.float32]],
        settings: TrainingSettings,
    ) -> None:
        """vectors: the base's of all articles, (n_articles, d). question_vectors: the base's of every pair's words."""
        self.module: Any = Propagation(settings.temperature)
        self._vectors = vectors.astype(np.float64)
        self._neighbourhoods = neighbourhoods
        self._question_vectors = question_vectors

    def loss(self, batch: Sequence[TrainingPair], rng: np.random.Generator) -> Any:
        """Return the batch's mean loss."""
        n_articles = len(self._vectors)
        drawn = rng.choice(n_articles, size=min(n_articles, _MOST_ARTICLES), replace=False).tolist()
        rows, positives, excluded = batch_columns(batch, drawn)
        column = {row: place for place, row in enumerate(rows)}
        for number, pair in enumerate(batch):
            excluded[number, [column[row] for row in pair.sources if row in column]] = True
        sources = {row for pair in batch for row in pair.sources}
        means = self._neighbourhoods.means(self._vectors, rows=np.array(rows), without=sources)
        dtype = self.module.gains.dtype
        articles = self.module(_tensor(self._vectors[rows], dtype), _tensor(means, dtype))
        questions = _tensor(np.stack([self._question_vectors[pair.question] for pair in batch]), dtype)
        return in_batch_loss(questions, articles, positives, excluded, temperature=self.module.log_temperature.exp())

    def start_from(self, pairs: Sequence[TrainingPair]) -> None:
        """Begin with the temperature, of some that lie apart by a half, at which the loss over the base is least.

        Raises TrainingError if there is no pair.
        """
        if not pairs:
            raise TrainingError(
                "there is nothing to train on: the dev metric took every pair; name other questions for it with --dev"
            )
        some = pairs[:: max(1, len(pairs) // _FITTED_PAIRS)]
        with torch.no_grad():
            losses = {}
            for temperature in _TEMPERATURES:
                self.module.log_temperature.fill_(math.log(temperature))
                losses[temperature] = float(self.loss(some, np.random.default_rng(0)))
            self.module.log_temperature.fill_(math.log(min(losses, key=lambda one: losses[one])))

    def article_vectors(
        self, *, rows: NDArray[np.int64] | None = None, without: Collection[int] = ()
    ) -> NDArray[np.float32]:
        """Return articles' vectors with the gains as they are now, unit rows.

        rows: of which articles; None takes all. without: rows of articles that are nobody's neighbours.
        """
        return unit_rows(smoothed(self._vectors, self._neighbourhoods, self.gains, rows=rows, without=without))

    @property
    def gains(self) -> dict[str, float]:
        """The gains as they are now, by relation."""
        return dict(zip(RELATIONS, self.module.gains.detach().tolist(), strict=True))


def _tensor(values: NDArray[np.floating], dtype: torch.dtype) -> Any:
    return torch.from_numpy(values).to(dtype)

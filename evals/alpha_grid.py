"""The grid of a trained model over a base: α down, the number of candidates across, as Nguyen et al. (2022) show it.

Choosing the best of 44 cells on the questions that it is then read on flatters it; so beside the best there is what
choosing is worth on questions that had no part in the choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evals.intervals import Interval, bootstrap_interval
from evals.ranking import measure
from evals.realworld_report import rng
from graph.records import Question
from retrieval.methods import Method
from retrieval.model_rerankers import fused
from retrieval.ranking import Ranking
from retrieval.retriever import Retriever
from retrieval.settings import TrainedSettings

__all__ = ["ALPHAS", "MEASURES", "AlphaGrid", "Choice", "alpha_grid"]

ALPHAS: tuple[float, ...] = tuple(step / 10 for step in range(11))
"""The values tried, 0 (the base alone) to 1 (the model alone, on the base's candidates)."""

MEASURES = ("macroF2@1", "macroF2@20", "nDCG@20", "R@10")

_DEPTH = 20  # articles a question: as deep as the deepest measure looks
_ROUNDING = 12  # decimals: means of the same values may differ beyond

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """The best cell by one measure, and what choosing it so is worth."""

    alpha: float
    n_candidates: int
    base: float  # the mean of the base alone
    fitted: float  # of the cell on the very questions that it was chosen on, so too high
    held_out: float  # with each fold's questions answered by the cell chosen on the others
    gain: Interval  # held_out less the base, question by question, with its 95 % bootstrap interval


@dataclass(frozen=True, slots=True)
class AlphaGrid:
    """Each question's values in each cell."""

    n_candidates: tuple[int, ...]  # the columns
    values: Mapping[str, NDArray[np.float64]]  # measure -> one an α, a column and a question

    def choice(self, measure_name: str, fold: NDArray[np.int64]) -> Choice:
        """Return the best cell by a measure. fold: that of each question, 0 and up."""
        values = self.values[measure_name]
        alone = values[0, 0]  # an α of 0 leaves the base's order as it is
        held_out = np.empty(len(fold))
        for number in np.unique(fold):
            held_out[fold == number] = values[self._best(values[:, :, fold != number])][fold == number]
        cell = self._best(values)
        return Choice(
            alpha=ALPHAS[cell[0]],
            n_candidates=self.n_candidates[cell[1]],
            base=float(alone.mean()),
            fitted=float(values[cell].mean()),
            held_out=float(held_out.mean()),
            gain=bootstrap_interval((held_out - alone).tolist(), rng()),
        )

    @staticmethod
    def _best(values: NDArray[np.float64]) -> tuple[int, int]:
        """Return the cell of the highest mean; of equals the one nearest to the base: the lowest α, then the first."""
        means = values.mean(axis=2).round(_ROUNDING)
        place = int(means.argmax())
        return place // means.shape[1], place % means.shape[1]


def alpha_grid(
    retriever: Retriever,
    questions: Sequence[Question],
    model: str,
    base: str,
    n_candidates: Sequence[int],
    *,
    progress: Progress = lambda step, done, total: None,
) -> AlphaGrid:
    """Rank every question in every cell. The model reads each question's candidates once.

    n_candidates: how many of the base's best the model reorders, each at least 1. Raises EncoderError if the model
    cannot be opened, IndexFolderError if the base needs vectors that the index lacks.
    """
    ranker, index, most = retriever.models.ranker(model), retriever.index, max(n_candidates)
    asked: list[tuple[Ranking, Ranking]] = []
    for n_done, question in enumerate(questions):
        progress("reading", n_done, len(questions))
        (order,) = retriever.rankings([question.text], Method(base), depth=max(most, _DEPTH))
        rows = order.head(most).rows
        asked.append((Ranking(rows, ranker.score(question.text, [index.articles[row] for row in rows])), order))
    progress("reading", len(questions), len(questions))
    shape = (len(ALPHAS), len(n_candidates), len(questions))
    values = {name: np.empty(shape) for name in MEASURES}
    for cell in np.ndindex(shape[:2]):
        progress("measuring", int(np.ravel_multi_index(cell, shape[:2])), shape[0] * shape[1])
        settings = TrainedSettings(alpha=ALPHAS[cell[0]], n_candidates=n_candidates[cell[1]])
        rankings = [fused(deep, order, index.ties, settings).head(_DEPTH) for deep, order in asked]
        for name, of_questions in _measured(index.graph.articles, questions, rankings).items():
            values[name][cell] = of_questions
    progress("measuring", shape[0] * shape[1], shape[0] * shape[1])
    return AlphaGrid(tuple(n_candidates), values)


def _measured(
    names: Sequence[str], questions: Sequence[Question], rankings: Sequence[Ranking]
) -> dict[str, list[float]]:
    run = {q.question_id: [names[row] for row in r.rows.tolist()] for q, r in zip(questions, rankings, strict=True)}
    found = measure({q.question_id: dict.fromkeys(q.gold, 1) for q in questions}, run)
    return {name: [found[question.question_id][name] for question in questions] for name in MEASURES}

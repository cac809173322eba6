"""Ranker: a ranker trained on questions whose gold is known. Nothing trained ships: the user's own call writes it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from graph.errors import SettingsError
from graph.records import Question
from retrieval.learned.features import GROUPS, LawPrior
from retrieval.learned.models import LearningSettings, Model, fit
from retrieval.learned.pairs import Candidates, PairMaker, check_groups
from retrieval.ranking import Ranking, top
from retrieval.retriever import Retriever

__all__ = ["Ranker", "continued"]

_FORMAT = 1
DEPTH = 1000  # articles of a ranking, unless another number is asked for


@dataclass(frozen=True)
class Ranker:
    """Ranks the candidates of a question by features; see `features.py` for these and `models.py` for the rest."""

    maker: PairMaker
    groups: tuple[str, ...]
    columns: tuple[str, ...]  # names of what the model reads, in order
    model: Model
    prior: LawPrior | None

    @classmethod
    def train(
        cls,
        retriever: Retriever,
        questions: Sequence[Question],
        *,
        groups: Collection[str] = GROUPS,
        settings: LearningSettings | None = None,
        seed: int = 0,
    ) -> Self:
        """Train on questions with gold; those whose gold is not among the candidates teach nothing.

        Raises ValueError on an unknown group or if no question teaches anything, SettingsError without lightgbm.
        """
        maker = PairMaker(retriever)
        return cls.fit(maker, [maker.candidates(one) for one in questions], groups, settings, seed)

    @classmethod
    def fit(
        cls,
        maker: PairMaker,
        many: Sequence[Candidates],
        groups: Collection[str],
        settings: LearningSettings | None = None,
        seed: int = 0,
    ) -> Self:
        """Train as `train` does, on candidates made before."""
        groups = check_groups(groups)
        values: list[NDArray[np.float64]] = []
        labels: list[NDArray[np.bool_]] = []
        for place, one in enumerate(many):
            # The prior that a question is trained with must not count its own gold: it would give the answer away.
            prior = maker.prior([*many[:place], *many[place + 1 :]]) if "prior" in groups else None
            rows, matrix = maker.matrix(one, groups, prior)
            gold = one.labels(rows)
            if gold.any():
                values.append(matrix)
                labels.append(gold)
        model = fit(values, labels, settings=settings or LearningSettings(), seed=seed)
        prior = maker.prior(many) if "prior" in groups else None
        return cls(maker, groups, tuple(maker.names(groups)), model, prior)

    def rankings(self, questions: Sequence[Question], *, depth: int = DEPTH) -> list[Ranking]:
        """Rank the articles for each question, `depth` long: the candidates, then the base's order."""
        return [self.ranking(self.maker.candidates(one), depth=depth) for one in questions]

    def ranking(self, one: Candidates, *, depth: int = DEPTH) -> Ranking:
        """Rank for one question whose candidates were made before."""
        rows, scores = self.scores(one)
        return continued(self.maker, one, rows, scores, depth)

    def scores(self, one: Candidates) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the candidates' rows and scores; standardised, so the mean is 0."""
        rows, matrix = self.maker.matrix(one, self.groups, self.prior)
        if len(self.columns) != matrix.shape[1]:
            raise SettingsError(
                f"the ranker reads {len(self.columns)} features and this index gives {matrix.shape[1]}: train it on "
                "an index with the same encoder, headings and graph"
            )
        return rows, self.model.scores(matrix)

    def save(self, path: Path) -> None:
        """Write the ranker as JSON, aside and then renamed."""
        prior = self.prior and [self.prior.n_questions, self.prior.by_law, self.prior.by_family]
        model = {name: getattr(self.model, name).tolist() for name in ("mean", "scale", "weights")}
        record = {
            "format": _FORMAT,
            "groups": self.groups,
            "columns": self.columns,
            "encoder": _encoder_of(self.maker.retriever),
            "model": {**model, "trees": self.model.trees},
            "prior": prior,
        }
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        aside.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
        aside.replace(path)

    @classmethod
    def load(cls, path: Path, retriever: Retriever) -> Self:
        """Open a saved ranker for an index.

        Raises SettingsError if the file is none of ours, or was trained with another encoder.
        """
        try:
            record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if record["format"] != _FORMAT:
                raise SettingsError(f"{path}: a ranker of format {record['format']}; this version reads {_FORMAT}")
            saved, prior = record["model"], record["prior"]
            mean, scale, weights = (np.array(saved[name], dtype=np.float64) for name in ("mean", "scale", "weights"))
            model = Model(mean, scale, weights, saved["trees"])
            groups, columns = check_groups(record["groups"]), tuple(record["columns"])
            encoder = record["encoder"]
        except OSError as error:
            raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise SettingsError(f"{path}: no ranker that `Ranker.save` wrote: {error!r}") from error
        if encoder != _encoder_of(retriever):
            raise SettingsError(f"{path}: trained with encoder {encoder}, the index has {_encoder_of(retriever)}")
        return cls(PairMaker(retriever), groups, columns, model, LawPrior(*prior) if prior else None)


def continued(
    maker: PairMaker, one: Candidates, rows: NDArray[np.int64], scores: NDArray[np.float64], depth: int
) -> Ranking:
    """Order candidates by score, ties by semantic id, and let the base's order go on below the lowest of them."""
    ties = maker.retriever.index.ties
    ranked = ties.sort(rows, scores)
    if len(rows) < depth:
        rest = top(one.base, depth + len(rows), ties)
        is_new = ~np.isin(rest.rows, rows)
        below = scores.min() - 2 + rest.scores[is_new]  # base scores are at most 1
        ranked = Ranking(np.concatenate([ranked.rows, rest.rows[is_new]]), np.concatenate([ranked.scores, below]))
    return ranked.head(depth)


def _encoder_of(retriever: Retriever) -> str | None:
    identity = retriever.index.manifest.encoder
    return str(identity) if identity else None

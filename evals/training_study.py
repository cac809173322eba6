"""I/O: does training help a bi-encoder? Each question ranked by models trained without it, from several seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np

from evals.intervals import Interval, bootstrap_interval
from evals.ranking import measure
from evals.run_folder import RunFolder
from evals.training import Encode, train_model, training_versions
from graph.records import Question
from retrieval.dense import exact_scores
from retrieval.encoder import article_text, clean_text, unit_rows
from retrieval.index import Index
from retrieval.learned.cross_validation import folds
from retrieval.ranking import top
from retrieval.training.citations import citation_pairs
from retrieval.training.pairs import pairs_of_questions
from retrieval.training.settings import TrainingSettings

__all__ = ["BiEncoderPlan", "Study", "study", "summary"]

MEASURE = "nDCG@10"
BASE = "base"
_RECORDS = "study.jsonl"

Study: TypeAlias = dict[str, dict[int, dict[str, float]]]
"""Kind, or "base" (whose seed is 0) -> seed -> question id -> nDCG@10 by dense ranking."""


@dataclass(frozen=True, slots=True)
class BiEncoderPlan:
    """What is trained, on what, and how often."""

    kinds: tuple[str, ...]  # of bi-encoder and two-tower
    base: str
    settings: TrainingSettings
    n_citation_epochs: int = 0  # passes over the index's own citations before the questions
    n_seeds: int = 5
    n_folds: int = 4


def study(
    index: Index,
    questions: Sequence[Question],
    plan: BiEncoderPlan,
    out: Path,
    *,
    sources: Mapping[str, Any],
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Study:
    """Train each kind anew for every seed and fold, and measure the fold left out. What `out` holds is not done again.

    A seed draws the folds as well as what training draws. No dev metric chooses among epochs: all are run. The base is
    measured in the same way, untrained. sources: what else the figures depend on, for the run's configuration.
    Raises QuestionsError if `out` holds a run of another configuration.
    """
    config = {"study": asdict(plan), "index": index.manifest.content_hash, "versions": training_versions(), **sources}
    found: Study = {}
    with RunFolder.writing(out, config) as run:
        run.drop_unfinished_line(_RECORDS)
        for record in run.records(_RECORDS):
            found.setdefault(record["kind"], {}).setdefault(record["seed"], {}).update(record["values"])
        for kind, seed, values in _measured_anew(index, questions, plan, found, progress):
            run.append_record(_RECORDS, {"kind": kind, "seed": seed, "values": values})
            found.setdefault(kind, {}).setdefault(seed, {}).update(values)
    return found


def summary(found: Study, rng: np.random.Generator) -> dict[str, tuple[Interval, list[float]]]:
    """Return kind -> the gain over the base, a question's being its mean over the seeds, and each seed's mean gain.

    The interval is the 95 % bootstrap interval over the questions. Only seeds that ranked all questions count.
    """
    base = found[BASE][0]
    result = {}
    for kind, by_seed in found.items():
        whole = [values for values in by_seed.values() if values.keys() == base.keys()]
        if kind == BASE or not whole:
            continue
        gains = np.array([[values[name] - base[name] for name in base] for values in whole])
        result[kind] = (bootstrap_interval(gains.mean(axis=0).tolist(), rng), gains.mean(axis=1).tolist())
    return result


def _measured_anew(
    index: Index,
    questions: Sequence[Question],
    plan: BiEncoderPlan,
    found: Study,
    progress: Callable[[str, int, int], None],
) -> Iterator[tuple[str, int, dict[str, float]]]:
    """Yield kind, seed and a fold's values for what is not found yet."""
    if BASE not in found:
        progress("base", 0, 1)
        learner = _learner(index, plan.kinds[0], plan.base, plan.settings)
        yield BASE, 0, _measured(learner.encode, questions, index)
    texts = [question.text for question in questions]
    n_trainings, n_done = len(plan.kinds) * plan.n_seeds * plan.n_folds, 0
    for kind in plan.kinds:
        for seed in range(plan.n_seeds):
            fold = folds(texts, index.lexical.analyze, n_folds=plan.n_folds, seed=seed).tolist()
            done = found.get(kind, {}).get(seed, {})
            trainer: _SeedTrainer | None = None
            for number in range(plan.n_folds):
                progress("training", n_done, n_trainings)
                n_done += 1
                asked = [question for question, own in zip(questions, fold, strict=True) if own == number]
                if asked[0].question_id in done:
                    continue
                others = [question for question, own in zip(questions, fold, strict=True) if own != number]
                trainer = trainer or _SeedTrainer(index, kind, plan, seed)
                yield kind, seed, trainer.values(others, asked)


class _SeedTrainer:
    """One seed's model before any question, after the citations if those come first: each fold begins from it."""

    def __init__(self, index: Index, kind: str, plan: BiEncoderPlan, seed: int) -> None:
        self._index, self._kind, self._settings = index, kind, replace(plan.settings, seed=seed)
        self._learner = _learner(index, kind, plan.base, self._settings)
        if plan.n_citation_epochs:
            self._train(citation_pairs(index.articles), n_epochs=plan.n_citation_epochs)
        self._initial = deepcopy(self._learner.module.state_dict())

    def values(self, training: Sequence[Question], asked: Sequence[Question]) -> dict[str, float]:
        """Train on questions, and return what the model then makes of others."""
        self._learner.module.load_state_dict(self._initial)
        self._train(pairs_of_questions(training, self._index.row_of), n_epochs=self._settings.n_epochs)
        return _measured(self._learner.encode, asked, self._index)

    def _train(self, pairs: Sequence[Any], *, n_epochs: int) -> None:
        settings = replace(self._settings, n_epochs=n_epochs)
        with TemporaryDirectory() as folder:
            train_model(
                self._learner,
                pairs,
                settings,
                Path(folder) / "model",
                {"kind": self._kind},
                save=lambda path: None,
                plots=False,
            )


def _learner(index: Index, kind: str, base: str, settings: TrainingSettings) -> Any:
    from retrieval.training.bi_encoder import BiEncoderLearner, new_model

    language, two_tower = index.manifest.language, kind == "two-tower"
    model = new_model(base, index.articles, two_tower=two_tower, language=language, seed=settings.seed)
    return BiEncoderLearner(model, index.articles, settings)


def _measured(encode: Encode, questions: Sequence[Question], index: Index) -> dict[str, float]:
    names = [article.semantic_id for article in index.articles]
    matrix = unit_rows(encode([article_text(article) for article in index.articles], "document"), names)
    asked = unit_rows(encode([clean_text(question.text) for question in questions], "query"))
    run = {
        question.question_id: [names[row] for row in top(scores.astype(np.float64), 10, index.ties).rows.tolist()]
        for question, scores in zip(questions, exact_scores(asked, matrix), strict=True)
    }
    qrels = {question.question_id: dict.fromkeys(question.gold, 1) for question in questions}
    return {question_id: values[MEASURE] for question_id, values in measure(qrels, run).items()}

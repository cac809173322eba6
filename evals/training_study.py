"""I/O: does training help? Each question ranked by models that were trained without it, from several seeds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np

from agent.aside import write_aside
from evals.intervals import Interval, bootstrap_interval
from evals.ranking import measure
from evals.training import Encode, train_model
from graph.records import Question
from retrieval.dense import exact_scores
from retrieval.encoder import article_text, clean_text, unit_rows
from retrieval.index import Index
from retrieval.learned.cross_validation import folds
from retrieval.ranking import top
from retrieval.training.pairs import pairs_of_questions
from retrieval.training.settings import TrainingSettings

__all__ = ["Study", "study", "summary"]

MEASURE = "nDCG@10"
BASE = "base"

Study: TypeAlias = dict[str, dict[int, dict[str, float]]]
"""Kind, or "base" (whose seed is 0) -> seed -> question id -> nDCG@10 by dense ranking."""


def study(
    index: Index,
    questions: Sequence[Question],
    base: str,
    kinds: Sequence[str],
    settings: TrainingSettings,
    out: Path,
    *,
    n_seeds: int = 5,
    n_folds: int = 4,
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Study:
    """Train each kind anew for every seed and fold, and measure the fold left out. What `out` holds is not done again.

    kinds: of bi-encoder and two-tower. A seed draws the folds as well as what training draws. No dev metric chooses
    among epochs: all are run. The base is measured in the same way, untrained.
    """
    from retrieval.training.bi_encoder import BiEncoderLearner, new_model

    def learner_of(kind: str, settings: TrainingSettings) -> BiEncoderLearner:
        language, two_tower = index.manifest.language, kind == "two-tower"
        model = new_model(base, index.articles, two_tower=two_tower, language=language, seed=settings.seed)
        return BiEncoderLearner(model, index.articles, settings)

    found: Study = {}
    for kind, seed, values in _done(out):
        found.setdefault(kind, {}).setdefault(seed, {}).update(values)
    n_trainings = len(kinds) * n_seeds * n_folds
    progress("base", 0, 1)
    if BASE not in found:
        learner = learner_of(BASE, settings)
        found[BASE] = {0: _measured(learner.encode, questions, index)}
        _note(out, BASE, 0, found[BASE][0])
    texts = [question.text for question in questions]
    n_done = 0
    for seed in range(n_seeds):
        fold = folds(texts, index.lexical.analyze, n_folds=n_folds, seed=seed).tolist()
        for number in range(n_folds):
            asked = [question for question, own in zip(questions, fold, strict=True) if own == number]
            training = [question for question, own in zip(questions, fold, strict=True) if own != number]
            for kind in kinds:
                progress("training", n_done, n_trainings)
                n_done += 1
                if asked[0].question_id in found.get(kind, {}).get(seed, {}):
                    continue
                own_settings = replace(settings, seed=seed)
                learner = learner_of(kind, own_settings)
                with TemporaryDirectory() as folder:
                    train_model(
                        learner,
                        pairs_of_questions(training, index.row_of),
                        own_settings,
                        Path(folder) / "model",
                        {"kind": kind, "base": base},
                        save=lambda path: None,
                        plots=False,
                    )
                values = _measured(learner.encode, asked, index)
                found.setdefault(kind, {}).setdefault(seed, {}).update(values)
                _note(out, kind, seed, values)
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


def _done(out: Path) -> Iterator[tuple[str, int, dict[str, float]]]:
    """Yield what the folder holds, after cutting off a line that a kill left unfinished."""
    file = out / "study.jsonl"
    content = file.read_text() if file.exists() else ""
    whole = content[: content.rfind("\n") + 1]
    if whole != content:
        write_aside(file, whole)
    for record in map(json.loads, whole.splitlines()):
        yield record["kind"], record["seed"], record["values"]


def _note(out: Path, kind: str, seed: int, values: dict[str, float]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with (out / "study.jsonl").open("a") as file:
        file.write(json.dumps({"kind": kind, "seed": seed, "values": values}) + "\n")

"""I/O: does an article ranker help BM25? Questions ranked by models trained without them, from several seeds.

For each seed the questions are parted into folds. Of each fold's training questions a part, the inner questions, is not
trained on either: the loss on them ends training and keeps the best weights, and α is chosen on them. Only then is the
fold ranked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from evals.intervals import Interval, bootstrap_interval
from evals.ranker_training import RankerKind, RankerLearner, new_learner
from evals.ranking import measure
from evals.run_folder import RunFolder
from evals.training import DEV_LOSS, loss_dev_metric, train_model, training_versions
from graph.records import Question
from retrieval.index import Index
from retrieval.learned.cross_validation import folds
from retrieval.model_rerankers import fused
from retrieval.ranking import Ranking, top
from retrieval.settings import TrainedSettings
from retrieval.training.citations import citation_pairs, held_out_clauses
from retrieval.training.pairs import held_out, pairs_of_questions
from retrieval.training.ranker_examples import NegativeSettings
from retrieval.training.settings import TrainingSettings

if TYPE_CHECKING:
    from retrieval.article_ranker import ArticleRanker

__all__ = ["ALPHAS", "FoldOutcome", "Gains", "StudyPlan", "chosen_alpha", "gains", "ranker_study"]

MEASURE = "nDCG@10"
ALPHAS = tuple(step / 10 for step in range(11))
"""What α is chosen from, as in the paper: 0 is BM25's own order, 1 the model's alone."""

_INNER_SHARE = 1 / 3  # of the training questions
_N_CLAUSES = 500  # held out of the citations, a tenth of them at most
_RECORDS = "trainings.jsonl"
_N_RANKED = 10


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """What is trained, on what, and how it is measured."""

    kind: RankerKind
    base: str
    frozen: bool
    settings: TrainingSettings  # each seed in place of its own
    negatives: NegativeSettings
    citations_first: bool  # train on the index's own citations before the questions
    n_candidates: int = 50  # that BM25 ranks first, and the model reorders
    n_seeds: int = 5
    n_folds: int = 4


@dataclass(frozen=True, slots=True)
class FoldOutcome:
    """What one training came to."""

    seed: int
    fold: int
    alpha: float  # chosen on the inner questions
    loss_untrained: float  # on the inner questions, before any training
    loss_before: float  # before training on questions: after the citations, if those came first
    loss: float  # of the weights that were kept
    bm25: Mapping[str, float]  # question of the fold -> nDCG@10
    fused: Mapping[str, float]
    alone: Mapping[str, float]  # by the model alone, over the candidates
    untrained: Mapping[str, float]  # as fused, by the model before any training, with an α chosen for it alike


@dataclass(frozen=True, slots=True)
class Gains:
    """What was gained over BM25, a question's gain being its mean over the seeds."""

    gain: Interval  # 95 % bootstrap interval over the questions
    by_seed: Sequence[float]  # mean gain
    bm25: float  # means of nDCG@10
    fused: float
    alone: float
    untrained: float


def ranker_study(
    index: Index,
    questions: Sequence[Question],
    plan: StudyPlan,
    out: Path,
    *,
    sources: Mapping[str, Any],
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> list[FoldOutcome]:
    """Train a model for every seed and fold, and measure the fold left out. What `out` holds is not done again.

    sources: what else the figures depend on, for the run's configuration. Raises QuestionsError if `out` holds a run of
    another configuration.
    """
    config = {"study": asdict(plan), "index": index.manifest.content_hash, "versions": training_versions(), **sources}
    texts = [question.text for question in questions]
    with RunFolder.writing(out, config) as run:
        run.drop_unfinished_line(_RECORDS)
        found = {(one["seed"], one["fold"]): FoldOutcome(**one) for one in run.records(_RECORDS)}
        for seed in range(plan.n_seeds):
            if all((seed, number) in found for number in range(plan.n_folds)):
                continue
            progress("training", len(found), plan.n_seeds * plan.n_folds)
            trainer = _SeedTrainer(index, plan, seed)
            fold = folds(texts, index.lexical.analyze, n_folds=plan.n_folds, seed=seed).tolist()
            for number in range(plan.n_folds):
                if (seed, number) in found:
                    continue
                asked = [question for question, own in zip(questions, fold, strict=True) if own == number]
                others = [question for question, own in zip(questions, fold, strict=True) if own != number]
                outcome = trainer.outcome(number, asked, others)
                run.append_record(_RECORDS, asdict(outcome))
                found[seed, number] = outcome
                progress("training", len(found), plan.n_seeds * plan.n_folds)
    return [found[place] for place in sorted(found)]


def gains(outcomes: Sequence[FoldOutcome], rng: np.random.Generator) -> Gains:
    """Return the gain over BM25. Raises ValueError if the seeds did not rank the same questions."""
    by_seed: dict[int, dict[str, tuple[float, ...]]] = {}
    for one in outcomes:
        values = {name: (one.bm25[name], one.fused[name], one.alone[name], one.untrained[name]) for name in one.bm25}
        by_seed.setdefault(one.seed, {}).update(values)
    names = sorted(by_seed[min(by_seed)])
    if any(sorted(values) != names for values in by_seed.values()):
        raise ValueError("the seeds did not rank the same questions")
    table = np.array([[values[name] for name in names] for values in by_seed.values()])  # seeds, questions, 4
    difference = table[:, :, 1] - table[:, :, 0]
    interval = bootstrap_interval(difference.mean(axis=0).tolist(), rng)
    return Gains(interval, difference.mean(axis=1).tolist(), *table.mean(axis=(0, 1)).tolist())


def chosen_alpha(means: Mapping[float, float]) -> float:
    """Return the α of the highest mean; of several, the one nearest to BM25's own order."""
    return min(means, key=lambda alpha: (-means[alpha], alpha))


class _SeedTrainer:
    """One seed's untrained model, which each fold's training begins from, after the citations if those come first."""

    def __init__(self, index: Index, plan: StudyPlan, seed: int) -> None:
        self._index, self._plan, self._seed = index, plan, seed
        self._settings = replace(plan.settings, seed=seed)
        self._learner: RankerLearner = new_learner(
            plan.kind, plan.base, index, frozen=plan.frozen, negatives=plan.negatives, seed=seed
        )
        self._untrained = deepcopy(self._learner.module.state_dict())
        if plan.citations_first:
            pairs, clauses = held_out_clauses(citation_pairs(index.articles), index.articles, _N_CLAUSES, seed=seed)
            self._train(pairs, clauses)
        self._initial = deepcopy(self._learner.module.state_dict())

    def outcome(self, fold: int, asked: Sequence[Question], others: Sequence[Question]) -> FoldOutcome:
        """Train on a part of the others, choose α on the rest of them, and rank what is asked."""
        training, inner = held_out(others, _INNER_SHARE, seed=self._seed)
        self._learner.module.load_state_dict(self._untrained)
        loss_untrained = self._loss(inner)
        alpha, values = self._fused(inner, asked)
        untrained = values[alpha]
        self._learner.module.load_state_dict(self._initial)
        found = self._train(pairs_of_questions(training, self._index.row_of), inner)
        alpha, values = self._fused(inner, asked)
        return FoldOutcome(
            seed=self._seed,
            fold=fold,
            alpha=alpha,
            loss_untrained=loss_untrained,
            loss_before=found[f"dev {DEV_LOSS} before"],
            loss=found[f"dev {DEV_LOSS}"],
            bm25=values[0.0],
            fused=values[alpha],
            alone=values[1.0],
            untrained=untrained,
        )

    def _fused(
        self, inner: Sequence[Question], asked: Sequence[Question]
    ) -> tuple[float, dict[float, dict[str, float]]]:
        """Return the α that is best for the inner questions, and α -> values of what is asked for 0, that α and 1."""
        ranker = self._learner.ranker()
        by_alpha = {alpha: _mean(values) for alpha, values in self._values(ranker, inner, ALPHAS).items()}
        alpha = chosen_alpha(by_alpha)
        return alpha, self._values(ranker, asked, (0.0, alpha, 1.0))

    def _train(self, pairs: Sequence[Any], dev: Sequence[Question]) -> dict[str, float]:
        metric = loss_dev_metric(self._learner, pairs_of_questions(dev, self._index.row_of), self._settings)
        with TemporaryDirectory() as folder:
            return train_model(
                self._learner,
                pairs,
                self._settings,
                Path(folder) / "model",
                {"kind": self._plan.kind},
                save=lambda path: None,
                dev=metric,
                dev_name=DEV_LOSS,
                plots=False,
            )

    def _loss(self, questions: Sequence[Question]) -> float:
        import torch

        self._learner.module.eval()
        pairs = pairs_of_questions(questions, self._index.row_of)
        with torch.no_grad():
            return -loss_dev_metric(self._learner, pairs, self._settings)()

    def _values(
        self, ranker: ArticleRanker, questions: Sequence[Question], alphas: Sequence[float]
    ) -> dict[float, dict[str, float]]:
        """Return α -> question -> nDCG@10 of BM25's candidates in the order that α gives them."""
        index, n = self._index, self._plan.n_candidates
        rankings: dict[float, dict[str, list[str]]] = {alpha: {} for alpha in alphas}
        for question in questions:
            order = top(index.lexical.bm25(question.text), max(n, _N_RANKED), index.ties, positive=True)
            rows = order.rows[:n]
            deep = Ranking(rows, ranker.score(question.text, [index.articles[row] for row in rows]))
            for alpha in alphas:
                ranking = fused(deep, order, index.ties, TrainedSettings(alpha=alpha, n_candidates=n))
                names = [index.articles[row].semantic_id for row in ranking.rows[:_N_RANKED]]
                rankings[alpha][question.question_id] = names
        qrels = {question.question_id: dict.fromkeys(question.gold, 1) for question in questions}
        return {
            alpha: {name: values[MEASURE] for name, values in measure(qrels, run).items()}
            for alpha, run in rankings.items()
        }


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values())))

"""`python -m evals.ours`: what the learned ranker gains over its base, and what each group of features adds to it.

python -m evals.ours --index DIR --questions FILE                       cross-validated
python -m evals.ours --index DIR --questions FILE --train OTHER         trained on other questions
python -m evals.ours --index DIR --train FILE --train-out ranker.json   trained and saved
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
import typer
from numpy.typing import NDArray

from agent.cli import command
from evals.commands.options import need_measures
from evals.dataset_files import read_questions
from evals.intervals import bootstrap_interval
from evals.ranking import measure
from graph.errors import QuestionsError
from graph.records import Question
from retrieval.learned.cross_validation import cross_validated_scores
from retrieval.learned.features import GRAPH_GROUPS, GROUPS
from retrieval.learned.pairs import Candidates, PairMaker, check_groups
from retrieval.learned.ranker import Ranker, continued
from retrieval.ranking import Ranking, top
from retrieval.retriever import Retriever

__all__ = ["NAMES", "rows_of"]

NAMES = {"R@10": "R@10", "R@20": "R@20", "nDCG@10": "nDCG@10", "RR@10": "MRR@10"}
"""The measures of the table, by ir-measures' names, and how they are printed."""

_DEPTH = 100
_SEEDS = (0, 1, 2)

Values: TypeAlias = Mapping[str, NDArray[np.float64]]
"""Measure -> one value a question, the mean over the seeds."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ours", epilog="Example: python -m evals.ours --index index/ --questions questions.jsonl")(_command)


def _command(
    index: Annotated[Path, typer.Option("--index", metavar="DIR", help="The index to search.")],
    questions: Annotated[
        Path | None, typer.Option("--questions", metavar="FILE", help="Questions with gold, to be ranked for.")
    ] = None,
    train: Annotated[
        Path | None, typer.Option("--train", metavar="FILE", help="Train on these instead of by cross-validation.")
    ] = None,
    train_out: Annotated[
        Path | None, typer.Option("--train-out", metavar="FILE", help="Save the ranker trained on --train here.")
    ] = None,
    n_folds: Annotated[int, typer.Option("--folds", min=2, help="Folds of the cross-validation.")] = 5,
    ablation: Annotated[bool, typer.Option("--ablation", help="Also without each group of features.")] = False,
) -> None:
    """Train a ranker, and say what it gains."""
    if (train_out and not train) or not (questions or train_out):
        raise typer.BadParameter("give --questions FILE to measure on, or --train FILE with --train-out FILE")
    need_measures()
    retriever = Retriever.open(index)
    training = read_questions(train, retriever.index.graph) if train else []
    if train_out:
        Ranker.train(retriever, training).save(train_out)
        typer.echo(f"{train_out}: a ranker trained on {len(training)} questions")
    if questions:
        judged = [one for one in read_questions(questions, retriever.index.graph) if one.gold]
        if not judged:
            raise QuestionsError(f"{questions}: no question has gold in the index")
        for line in rows_of(retriever, judged, training, n_folds=n_folds, ablation=ablation):
            typer.echo(line)


def rows_of(
    retriever: Retriever,
    questions: Sequence[Question],
    training: Sequence[Question] = (),
    *,
    n_folds: int = 5,
    ablation: bool = False,
) -> list[str]:
    """Return the lines of the table; training: none cross-validates on the questions, three partings into folds.

    A difference is the mean over the questions with its 95 % bootstrap interval, in points.
    """
    maker = PairMaker(retriever)
    many = [maker.candidates(one) for one in questions]
    known = [maker.candidates(one) for one in training]

    def values(groups: Sequence[str]) -> Values:
        return _values(maker, many, known, check_groups(groups), n_folds)

    ties = retriever.index.ties
    base = _measured(maker, many, [top(one.base, _DEPTH, ties) for one in many])
    ours = values(GROUPS)
    without = values([group for group in GROUPS if group not in GRAPH_GROUPS])
    how = "trained on other questions" if training else f"{n_folds} folds, mean of {len(_SEEDS)} seeds"
    lines = [
        f"{len(many)} questions, {how}; in %",
        "",
        f"| method | {' | '.join(NAMES.values())} |",
        f"| --- |{' ---: |' * len(NAMES)}",
        _row("base: convex" if retriever.index.has_vectors else "base: bm25", base),
        _row("ours", ours),
        _row("ours-no-graph", without),
    ]
    if ablation:
        lines += [
            _row(f"ours without {group}", values([other for other in GROUPS if other != group])) for group in GROUPS
        ]
    rng = np.random.default_rng(0)
    lines += [
        "",
        f"| difference | {' | '.join(NAMES.values())} |",
        f"| --- |{' ---: |' * len(NAMES)}",
        _difference("ours - base", ours, base, rng),
        _difference("ours - ours-no-graph", ours, without, rng),
    ]
    return lines


def _values(
    maker: PairMaker, many: Sequence[Candidates], known: Sequence[Candidates], groups: Sequence[str], n_folds: int
) -> Values:
    by_seed = []
    for seed in _SEEDS:
        if known:
            ranker = Ranker.fit(maker, known, groups, seed=seed)
            scored = [ranker.scores(one) for one in many]
        else:
            scored = cross_validated_scores(maker, many, seed=seed, n_folds=n_folds, groups=groups)
        rankings = [continued(maker, one, *pair, _DEPTH) for one, pair in zip(many, scored, strict=True)]
        by_seed.append(_measured(maker, many, rankings))
    return {name: np.mean([of_seed[name] for of_seed in by_seed], axis=0) for name in NAMES}


def _measured(maker: PairMaker, many: Sequence[Candidates], rankings: Sequence[Ranking]) -> Values:
    qrels = {one.question.question_id: dict.fromkeys(one.question.gold, 1) for one in many}
    run_ = {
        one.question.question_id: [maker.articles[row].semantic_id for row in ranking.rows.tolist()]
        for one, ranking in zip(many, rankings, strict=True)
    }
    measured = measure(qrels, run_)
    return {name: np.array([measured[question_id][name] for question_id in qrels]) for name in NAMES}


def _row(method: str, values: Values) -> str:
    return f"| {method} | {' | '.join(f'{100 * values[name].mean():.1f}' for name in NAMES)} |"


def _difference(name: str, values: Values, others: Values, rng: np.random.Generator) -> str:
    cells = []
    for measure_name in NAMES:
        found = bootstrap_interval((100 * (values[measure_name] - others[measure_name])).tolist(), rng)
        cells.append(f"{found.mean:+.1f} ({found.low:+.1f} to {found.high:+.1f})")
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    command([register])(args=["ours", *sys.argv[1:]], prog_name="python -m evals")

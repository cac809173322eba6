"""`python -m evals ours`: what the learned ranker gains over its rivals, and what each group of features adds to it.

python -m evals ours --index DIR --questions FILE                       cross-validated
python -m evals ours --index DIR --questions FILE --train OTHER         trained on other questions
python -m evals ours --index DIR --train FILE --train-out ranker.json   trained and saved

Its rivals: the convex combination as it is and with its α tuned on the very folds that the ranker learns from, and
itself without the graph; at the same k and in the same budget of tokens.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from agent.cli import command
from evals.commands.options import need_measures
from evals.dataset_files import read_questions
from evals.intervals import bootstrap_interval
from evals.markdown import table
from evals.ours_values import COLUMNS, SEEDS, TOKENS_OF_TEN, Systems, Values
from graph.errors import QuestionsError
from graph.records import Question
from retrieval.learned.features import GRAPH_GROUPS, GROUPS
from retrieval.learned.ranker import Ranker
from retrieval.retriever import Retriever

__all__ = ["rows_of"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ours", epilog="Example: python -m evals ours --index index/ --questions questions.jsonl")(_command)


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
    training = read_questions(train, retriever.index.graph, split="train") if train else []
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
    """Return the lines of the report; training: none cross-validates on the questions, three partings into folds.

    A difference is the mean over the questions with its 95 % bootstrap interval, in points. Recall in a budget of
    tokens is `evals.token_budget.recall_within`, over the best 100 articles.
    """
    systems = Systems(retriever, questions, training, n_folds=n_folds)
    has_vectors = retriever.index.has_vectors
    values = {f"convex, α {retriever.settings.fusion.alpha:g}" if has_vectors else "bm25": systems.base()}
    if has_vectors:
        values["convex, α tuned"] = systems.tuned_convex()
    values["ours-no-graph"] = systems.learned([group for group in GROUPS if group not in GRAPH_GROUPS])
    rivals = list(values)
    values["ours"] = systems.learned(GROUPS)
    lengths = [f"{method} {of_method[TOKENS_OF_TEN].mean():,.0f}" for method, of_method in values.items()]
    if ablation:
        for group in GROUPS:
            values[f"ours without {group}"] = systems.learned([other for other in GROUPS if other != group])
    rng = np.random.default_rng(0)
    rows = [
        [name, *(f"{100 * of_method[column].mean():.1f}" for column in COLUMNS)] for name, of_method in values.items()
    ]
    rows += [[f"ours - {rival}", *_differences(values["ours"], values[rival], rng)] for rival in rivals]
    how = "trained on other questions" if training else f"{n_folds} folds, mean of {len(SEEDS)} seeds"
    return [
        f"{len(questions)} questions, {how}; in %, differences in points with 95 % intervals",
        "",
        *table(["", *COLUMNS], rows).splitlines(),
        "",
        f"Tokens that the ten best articles take: {', '.join(lengths)}.",
    ]


def _differences(values: Values, others: Values, rng: np.random.Generator) -> list[str]:
    cells = []
    for column in COLUMNS:
        found = bootstrap_interval((100 * (values[column] - others[column])).tolist(), rng)
        cells.append(f"{found.mean:+.1f} ({found.low:+.1f} to {found.high:+.1f})")
    return cells


if __name__ == "__main__":
    command([register])(args=["ours", *sys.argv[1:]], prog_name="python -m evals")

"""`nonliquet train graph-aware`: gains by which an index's article vectors are smoothed over its graph."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from agent.commands.options import IndexOption, index_folder
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import need_measures
from evals.commands.train.options import (
    BatchOption,
    DevOption,
    EpochsOption,
    ModelOutOption,
    PatienceOption,
    PlotsOption,
    RateOption,
    SeedOption,
    SupervisionOption,
    TrainQuestionsOption,
    need_torch,
    settings_with,
)

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("graph-aware", epilog="Example: nonliquet train graph-aware --supervision citations --out MODEL")(
        _train
    )


def _train(
    out: ModelOutOption,
    index: IndexOption = None,
    questions: TrainQuestionsOption = None,
    supervision: SupervisionOption = "questions",
    dev: DevOption = None,
    most_pairs: Annotated[
        int, typer.Option("--pairs", min=1, help="Pairs at most, of citations: each clause must be encoded.")
    ] = 4000,
    epochs: EpochsOption = None,
    batch_size: BatchOption = None,
    learning_rate: RateOption = None,
    patience: PatienceOption = None,
    seed: SeedOption = 0,
    plots: PlotsOption = True,
) -> None:
    """Learn how much an article's vector takes from those it cites, that cite it, or that share its headings.

    The index needs vectors, which stay as they are; the questions' do, too.
    """
    if (questions is None) != (supervision == "citations"):
        raise typer.BadParameter("name --questions FILE to train on, or --supervision citations, not both")
    need_torch()
    need_measures()
    from evals.graph_training import train_graph_aware
    from evals.training import DEV_METRIC
    from evals.training_data import data_of_citations, data_of_questions
    from retrieval.index import Index
    from retrieval.training.graph_learner import GRAPH_SETTINGS

    settings = settings_with(
        GRAPH_SETTINGS,
        n_epochs=epochs,
        batch_size=batch_size,
        learning_rate=learning_rate,
        patience=patience,
        seed=seed,
    )
    with Index.open(index_folder(index)) as opened, build_progress(with_rate=True) as progress:
        progress("pairs", 0, 1)
        data = (
            data_of_citations(opened, dev, seed=seed, between_articles=True, most_pairs=most_pairs)
            if questions is None
            else data_of_questions(opened, questions, dev, seed=seed)
        )
        found, gains = train_graph_aware(opened, data, settings, out, plots=plots, progress=progress)
    show(
        f"{out}: {len(data.pairs)} pairs, {found['steps']} steps, dev {DEV_METRIC} "
        f"{found[f'dev {DEV_METRIC} before']:.3f} to {found[f'dev {DEV_METRIC}']:.3f}"
    )
    show("Gains: " + ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items() if gain))
    show(f"Use: nonliquet index SOURCE --index DIR --encoder graph:{shlex.quote(str(out))}")

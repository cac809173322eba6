"""`nonliquet train graph-aware`: gains by which an index's article vectors are smoothed over its graph."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from agent.commands.option_groups import Without, grouped
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import need_measures
from evals.commands.train.options import DataOptions, PlotsOption, ScheduleOptions, need_torch

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("graph-aware", epilog="Example: nonliquet train graph-aware --supervision citations --out MODEL")(
        grouped(_train)
    )


def _train(
    given: DataOptions,
    schedule: Annotated[ScheduleOptions, Without({"base_share"})],
    most_pairs: Annotated[
        int, typer.Option("--pairs", min=1, help="Pairs at most, of citations: each clause must be encoded.")
    ] = 4000,
    plots: PlotsOption = True,
) -> None:
    """Learn how much an article's vector takes from those it cites, that cite it, or that share its headings.

    The index needs vectors, which stay as they are; the questions' do, too.
    """
    folder = given.folder
    need_torch()
    need_measures()
    from evals.graph_training import train_graph_aware
    from evals.training import DEV_METRIC
    from retrieval.index import Index
    from retrieval.training.graph_learner import GRAPH_SETTINGS

    settings = schedule.settings(GRAPH_SETTINGS)
    with Index.open(folder) as opened, build_progress(with_rate=True) as progress:
        progress("pairs", 0, 1)
        data = given.read(opened, seed=settings.seed, between_articles=True, most_pairs=most_pairs)
        found, gains = train_graph_aware(opened, data, settings, given.out, plots=plots, progress=progress)
    show(
        f"{given.out}: {len(data.pairs)} pairs, {found['steps']} steps, dev {DEV_METRIC} "
        f"{found[f'dev {DEV_METRIC} before']:.3f} to {found[f'dev {DEV_METRIC}']:.3f}"
    )
    show("Gains: " + ", ".join(f"{name} {gain:+.3f}" for name, gain in gains.items() if gain))
    show(f"Use: nonliquet index SOURCE --index DIR --encoder graph:{shlex.quote(str(given.out))}")

"""What the verbs that train article rankers do with their options."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import need_measures
from evals.commands.train.options import DataOptions, NegativeOptions, ScheduleOptions, need_torch

if TYPE_CHECKING:
    from evals.ranker_training import RankerKind

__all__ = ["train"]


def train(
    kind: RankerKind,
    base: str,
    given: DataOptions,
    schedule: ScheduleOptions,
    negatives: NegativeOptions,
    *,
    most_pairs: int | None,
    frozen: bool,
    plots: bool,
) -> None:
    """Train a ranker of a kind and say what came of it."""
    folder = given.folder
    need_torch()
    need_measures()
    from evals.ranker_training import default_negatives, default_settings, train_ranker
    from retrieval.index import Index

    settings = schedule.settings(default_settings(kind))
    drawn = negatives.settings(default_negatives(kind))
    with Index.open(folder) as opened, build_progress(with_rate=True) as progress:
        progress("pairs", 0, 1)
        data = given.read(opened, seed=settings.seed, most_pairs=most_pairs)
        progress("base", 0, 1)
        found = train_ranker(
            kind, base, opened, data, settings, drawn, given.out, frozen=frozen, plots=plots, progress=progress
        )
    show(
        f"{given.out}: {'frozen' if frozen else 'fine-tuned'} base, {len(data.pairs)} pairs, {found['steps']} steps, "
        f"loss {found['first loss']:.3f} to {found['last loss']:.3f}, dev loss {found['dev loss before']:.3f} to "
        f"{found['dev loss']:.3f}"
    )
    show(f"Use: nonliquet search QUESTION --method {shlex.quote(f'trained:{given.out}:bm25')} --why")

"""What the verbs that train article rankers do with their options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from agent.commands.options import index_folder
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import need_measures
from evals.commands.train.options import need_torch, negatives_with, settings_with

if TYPE_CHECKING:
    from evals.ranker_training import RankerKind

__all__ = ["train"]


def train(
    kind: RankerKind,
    base: str,
    out: Path,
    index: Path | None,
    questions: Path | None,
    supervision: Literal["questions", "citations"],
    dev: Path | None,
    *,
    most_pairs: int | None,
    settings: Mapping[str, int | float | None],
    negatives: Mapping[str, int | float | None],
    frozen: bool,
    plots: bool,
) -> None:
    """Train a ranker of a kind and say what came of it; the options that are None have the kind's defaults."""
    if (questions is None) != (supervision == "citations"):
        raise typer.BadParameter("name --questions FILE to train on, or --supervision citations, not both")
    need_torch()
    need_measures()
    from evals.ranker_training import default_negatives, default_settings, train_ranker
    from evals.training_data import data_of_citations, data_of_questions
    from retrieval.index import Index

    chosen = settings_with(default_settings(kind), **settings)
    drawn = negatives_with(default_negatives(kind), **negatives)
    with Index.open(index_folder(index)) as opened, build_progress(with_rate=True) as progress:
        progress("pairs", 0, 1)
        data = (
            data_of_citations(opened, dev, seed=chosen.seed, most_pairs=most_pairs)
            if questions is None
            else data_of_questions(opened, questions, dev, seed=chosen.seed)
        )
        progress("base", 0, 1)
        found = train_ranker(
            kind, base, opened, data, chosen, drawn, out, frozen=frozen, plots=plots, progress=progress
        )
    show(
        f"{out}: {'frozen' if frozen else 'fine-tuned'} base, {len(data.pairs)} pairs, {found['steps']} steps, loss "
        f"{found['first loss']:.3f} to {found['last loss']:.3f}, dev loss {found['dev loss before']:.3f} to "
        f"{found['dev loss']:.3f}"
    )
    show(f"Use: nonliquet search QUESTION --method {shlex.quote(f'trained:{out}:bm25')} --why")

"""`nonliquet evals trained`: a base and what training makes of it, question by question, over folds and seeds."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import typer

from agent.commands.options import IndexOption, index_folder
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import BUILTIN_QUESTIONS, OutOption, QuestionsOption, need_measures
from evals.commands.train.options import BaseOption, BatchOption, EpochsOption, RateOption, need_torch, settings_with
from retrieval.training.settings import TrainingSettings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("trained", epilog="Example: nonliquet evals trained --base MODEL --epochs 5 --out study")(_trained)


def _trained(
    out: OutOption,
    base: BaseOption,
    index: IndexOption = None,
    questions: QuestionsOption = None,
    kind: Annotated[Literal["bi-encoder", "two-tower", "both"], typer.Option(help="What is trained.")] = "both",
    epochs: EpochsOption = None,
    batch_size: BatchOption = None,
    learning_rate: RateOption = None,
    seeds: Annotated[int, typer.Option(min=1, help="How often the questions are parted and models trained.")] = 5,
    n_folds: Annotated[int, typer.Option("--folds", min=2, help="A model for each, trained on the others.")] = 4,
) -> None:
    """Train on three folds of the questions and measure on the fourth, several times. Goes on where it was killed."""
    if index is not None and questions is None:
        raise typer.BadParameter("questions on that index are needed: --questions FILE")
    need_torch()
    need_measures()
    from evals.dataset_files import read_questions
    from evals.realworld import judged
    from evals.training_study import MEASURE, study, summary
    from retrieval.index import Index

    settings = settings_with(TrainingSettings(), n_epochs=epochs, batch_size=batch_size, learning_rate=learning_rate)
    kinds = ["bi-encoder", "two-tower"] if kind == "both" else [kind]
    with Index.open(index_folder(index)) as opened, build_progress() as progress:
        read = judged(read_questions(questions or BUILTIN_QUESTIONS, opened.graph), skip_unjudged=True)
        asked = [question for question in read if not question.abstention]
        found = study(opened, asked, base, kinds, settings, out, n_seeds=seeds, n_folds=n_folds, progress=progress)
    show(f"{len(asked)} questions, {MEASURE} of the base {100 * np.mean(list(found['base'][0].values())):.1f}")
    for name, (gain, by_seed) in summary(found, np.random.default_rng(0)).items():
        of_seeds = ", ".join(f"{100 * one:+.1f}" for one in by_seed)
        show(f"{name}: {100 * gain.mean:+.1f} ({100 * gain.low:+.1f} to {100 * gain.high:+.1f}); by seed {of_seeds}")

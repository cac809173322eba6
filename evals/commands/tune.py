"""`nonliquet evals tune`: questions -> a settings file, and what it is worth on questions it was not chosen on."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from agent.commands.options import IndexOption, SettingsOption, index_folder
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import SkipOption, need_measures, retrieval_settings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("tune", epilog="Example: nonliquet evals tune --train qa.jsonl --index law --out settings.toml")(_tune)


def _tune(
    train: Annotated[Path, typer.Option("--train", metavar="FILE", help="Questions with their gold articles.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE.toml", help="The settings file to write.")],
    index: IndexOption = None,
    measure: Annotated[str, typer.Option(metavar="NAME", help="What is to be high, as in metrics.json.")] = "nDCG@10",
    folds: Annotated[int, typer.Option(min=2, help="Parts for cross-validation.")] = 5,
    seed: Annotated[int, typer.Option(help="Deals the questions into folds.")] = 0,
    skip_unjudged: SkipOption = False,
    settings: SettingsOption = None,
) -> None:
    """Choose BM25's, the fusion's and SAR's settings on questions with known articles."""
    need_measures()
    import numpy as np

    from agent.aside import write_aside
    from evals.dataset_files import read_questions
    from evals.ranking import MEASURES
    from evals.realworld import judged
    from evals.remembering import remembering
    from evals.settings_file import settings_toml
    from evals.tune import Tuner, tune
    from retrieval.retriever import Retriever

    if measure not in MEASURES or measure.startswith("both-gold"):
        raise typer.BadParameter(f"measure {measure!r} is none that every question has, such as R@10 and nDCG@10")
    folder = index_folder(index)
    with Retriever.open(folder, settings=retrieval_settings(settings)) as opened:
        questions = judged(read_questions(train, opened.index.graph, split="train"), skip_unjudged=skip_unjudged)
        retriever = remembering(opened) if opened.index.has_vectors else opened
        if len(questions) < folds:
            raise typer.BadParameter(f"{len(questions)} questions are too few for {folds} folds")
        with build_progress() as progress:
            found = tune(
                Tuner(retriever, questions, measure),
                len(questions),
                opened.settings,
                np.random.default_rng(seed),
                measure_name=measure,
                n_folds=folds,
                progress=progress,
            )
    note = (
        f"Chosen by `nonliquet evals tune` on {len(questions)} questions: {measure} by {found.method} "
        f"{found.before:.3f} before, {found.fitted:.3f} on the same questions, {found.held_out:.3f} cross-validated."
    )
    write_aside(out, settings_toml(found.settings, method=str(found.method), note=note))
    file = shlex.quote(str(out))
    show(note)
    for name, (before, after) in found.changed.items():
        show(f"  {name}: {before:g} -> {after:g}")
    if any(name.startswith("lexical.") for name in found.changed):
        show(f"BM25's take effect when an index is made: nonliquet index SOURCE --index DIR --settings {file}")
    show(f'Ask: nonliquet ask "…" --index {shlex.quote(str(folder))} --settings {file}')

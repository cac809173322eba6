"""I/O: `nonliquet evals …`, which is `python -m evals …`: measurements, a verb each. Importing this is quick."""

from __future__ import annotations

import typer

from evals.commands import (
    alpha,
    answers,
    calibrate,
    compare,
    export_beir,
    mcq,
    mutations,
    realworld,
    report,
    standalone,
    train,
    trained,
    tune,
)

__all__ = ["register", "register_verbs"]


def register(app: typer.Typer) -> None:
    """Add the sub-commands `evals` and `train`."""
    evals = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)

    @evals.callback(epilog="Example: nonliquet evals realworld --index law --questions qa.jsonl --out run")
    def describe() -> None:
        """Measure how often retrieval and answers are right, on questions whose articles are known."""

    register_verbs(evals)
    app.add_typer(evals, name="evals")
    train.register(app)


def register_verbs(app: typer.Typer) -> None:
    """Add the verbs themselves."""
    for verb in (
        realworld,
        mcq,
        compare,
        tune,
        answers,
        calibrate,
        mutations,
        report,
        export_beir,
        standalone,
        trained,
        alpha,
    ):
        verb.register(app)

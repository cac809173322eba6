"""`nonliquet train attentive-cnn`: filters over words, attention over words and sparse attention over sentences."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from agent.commands.option_groups import grouped
from evals.commands.train.options import (
    DataOptions,
    FrozenOption,
    NegativeOptions,
    PairsOption,
    PlotsOption,
    ScheduleOptions,
)
from evals.commands.train.rankers import train

__all__ = ["register"]

WordsOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--base",
        metavar="MODEL",
        help="Where the word vectors are from: a model of train bi-encoder --base static, or static, random ones.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "attentive-cnn",
        help="Train filters over words, and attention over words and sentences, without a language model.",
        epilog="Example: nonliquet train attentive-cnn --questions train.jsonl --out MODEL",
    )(grouped(_attentive_cnn))


def _attentive_cnn(
    given: DataOptions,
    schedule: ScheduleOptions,
    negatives: NegativeOptions,
    base: WordsOption = "static",
    frozen: FrozenOption = False,
    pairs: PairsOption = None,
    plots: PlotsOption = True,
) -> None:
    train("attentive-cnn", base, given, schedule, negatives, most_pairs=pairs, frozen=frozen, plots=plots)

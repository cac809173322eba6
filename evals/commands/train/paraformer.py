"""`nonliquet train paraformer`: a question's sparse attention over an article's encoded sentences."""

from __future__ import annotations

import typer

from agent.commands.option_groups import grouped
from evals.commands.train.options import (
    BaseOption,
    DataOptions,
    FrozenOption,
    NegativeOptions,
    PairsOption,
    PlotsOption,
    ScheduleOptions,
)
from evals.commands.train.rankers import train

__all__ = ["register"]

_BASE = "sentence-transformers/paraphrase-xlm-r-multilingual-v1"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "paraformer",
        help="Train a sparse attention over an article's sentences, as a pretrained model encodes them (Paraformer).",
        epilog="Example: nonliquet train paraformer --questions train.jsonl --out MODEL",
    )(grouped(_paraformer))


def _paraformer(
    given: DataOptions,
    schedule: ScheduleOptions,
    negatives: NegativeOptions,
    base: BaseOption = _BASE,
    frozen: FrozenOption = True,
    pairs: PairsOption = None,
    plots: PlotsOption = True,
) -> None:
    train("paraformer", base, given, schedule, negatives, most_pairs=pairs, frozen=frozen, plots=plots)

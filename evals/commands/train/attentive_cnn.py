"""`nonliquet train attentive-cnn`: filters over words, attention over words and sparse attention over sentences."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from agent.commands.options import IndexOption
from evals.commands.train.options import (
    BatchOption,
    DevOption,
    EpochsOption,
    FrozenOption,
    ModelOutOption,
    NegativesOption,
    PairsOption,
    PatienceOption,
    PlotsOption,
    PoolOption,
    RandomShareOption,
    RateOption,
    SeedOption,
    SupervisionOption,
    TrainQuestionsOption,
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
    )(_attentive_cnn)


def _attentive_cnn(
    out: ModelOutOption,
    index: IndexOption = None,
    questions: TrainQuestionsOption = None,
    supervision: SupervisionOption = "questions",
    base: WordsOption = "static",
    frozen: FrozenOption = False,
    dev: DevOption = None,
    pairs: PairsOption = None,
    epochs: EpochsOption = None,
    batch_size: BatchOption = None,
    learning_rate: RateOption = None,
    negatives: NegativesOption = None,
    pool: PoolOption = None,
    random_share: RandomShareOption = None,
    patience: PatienceOption = None,
    seed: SeedOption = 0,
    plots: PlotsOption = True,
) -> None:
    train(
        "attentive-cnn",
        base,
        out,
        index,
        questions,
        supervision,
        dev,
        most_pairs=pairs,
        settings={
            "n_epochs": epochs,
            "batch_size": batch_size,
            "learning_rate": learning_rate,
            "patience": patience,
            "seed": seed,
        },
        negatives={"n_negatives": negatives, "n_pool": pool, "random_share": random_share},
        frozen=frozen,
        plots=plots,
    )

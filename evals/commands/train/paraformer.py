"""`nonliquet train paraformer`: a question's sparse attention over an article's encoded sentences."""

from __future__ import annotations

import typer

from agent.commands.options import IndexOption
from evals.commands.train.options import (
    BaseOption,
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

_BASE = "sentence-transformers/paraphrase-xlm-r-multilingual-v1"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "paraformer",
        help="Train a sparse attention over an article's sentences, as a pretrained model encodes them (Paraformer).",
        epilog="Example: nonliquet train paraformer --questions train.jsonl --out MODEL",
    )(_paraformer)


def _paraformer(
    out: ModelOutOption,
    index: IndexOption = None,
    questions: TrainQuestionsOption = None,
    supervision: SupervisionOption = "questions",
    base: BaseOption = _BASE,
    frozen: FrozenOption = True,
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
        "paraformer",
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

"""The options that the verbs of `train` share."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from graph.errors import TrainingError
from retrieval.training.ranker_examples import NegativeSettings
from retrieval.training.settings import TrainingSettings

__all__ = [
    "BaseOption",
    "BaseShareOption",
    "BatchOption",
    "DevOption",
    "EpochsOption",
    "FrozenOption",
    "ModelOutOption",
    "NegativesOption",
    "PairsOption",
    "PatienceOption",
    "PlotsOption",
    "PoolOption",
    "RandomShareOption",
    "RateOption",
    "SeedOption",
    "SupervisionOption",
    "TrainQuestionsOption",
    "need_torch",
    "negatives_with",
    "settings_with",
]

ModelOutOption: TypeAlias = Annotated[Path, typer.Option("--out", metavar="MODEL", help="The model's folder.")]
BaseOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--base",
        metavar="MODEL",
        help="The sentence-transformers model to start from, by id or folder; static, untrained vectors of terms.",
    ),
]
SupervisionOption: TypeAlias = Annotated[
    Literal["questions", "citations"],
    typer.Option(help="Learn from --questions, or from what the index's articles say of one another."),
]
TrainQuestionsOption: TypeAlias = Annotated[
    Path | None, typer.Option("--questions", metavar="FILE", help="Questions with their gold, to train on.")
]
DevOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--dev",
        metavar="FILE",
        help="Questions that say when to stop.",
        show_default="a tenth of the questions, held out",
    ),
]
EpochsOption: TypeAlias = Annotated[int | None, typer.Option("--epochs", min=1, help="Passes over the pairs at most.")]
BatchOption: TypeAlias = Annotated[int | None, typer.Option("--batch-size", min=1, help="Pairs in a step.")]
RateOption: TypeAlias = Annotated[float | None, typer.Option("--learning-rate", help="At its highest.")]
PatienceOption: TypeAlias = Annotated[
    int | None, typer.Option("--patience", min=1, help="Epochs without a better dev metric before training ends.")
]
BaseShareOption: TypeAlias = Annotated[
    float | None,
    typer.Option("--base-share", help="Of the base in the mean of its weights and the trained ones that is kept."),
]
PairsOption: TypeAlias = Annotated[
    int | None, typer.Option("--pairs", min=1, help="Pairs of citations at most; of more, as many drawn by chance.")
]
SeedOption: TypeAlias = Annotated[int, typer.Option("--seed", min=0, help="Of all that is drawn by chance.")]
PlotsOption: TypeAlias = Annotated[
    bool, typer.Option("--plots/--no-plots", help="Draw the loss, where matplotlib is there.")
]


FrozenOption: TypeAlias = Annotated[
    bool, typer.Option("--frozen/--fine-tune", help="Leave the base as it is, or train it too.")
]
NegativesOption: TypeAlias = Annotated[
    int | None, typer.Option("--negatives", min=1, help="Articles a pair that do not answer its question.")
]
PoolOption: TypeAlias = Annotated[
    int | None, typer.Option("--pool", min=1, help="How many that BM25 ranks first they are drawn from.")
]
RandomShareOption: TypeAlias = Annotated[
    float | None,
    typer.Option("--random-share", min=0, max=1, help="How many of them are drawn from all articles instead."),
]


def need_torch() -> None:
    """Raise TrainingError with what to install if models cannot be trained."""
    if find_spec("torch") is None or find_spec("sentence_transformers") is None:
        raise TrainingError("training needs torch and sentence-transformers: pip install 'nonliquet[dense]'")


def settings_with(settings: TrainingSettings, **given: int | float | None) -> TrainingSettings:
    """Return the settings with those options that were given. A value out of range is wrong usage."""
    try:
        return replace(settings, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def negatives_with(settings: NegativeSettings, **given: int | float | None) -> NegativeSettings:
    """Return the settings with those options that were given."""
    return replace(settings, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]

"""The options that the verbs of `train` share, in groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from agent.commands.options import IndexOption, index_folder
from graph.errors import TrainingError
from retrieval.training.ranker_examples import NegativeSettings
from retrieval.training.settings import TrainingSettings

if TYPE_CHECKING:
    from evals.training_data import TrainingData
    from retrieval.index import Index

__all__ = [
    "BaseOption",
    "DataOptions",
    "FrozenOption",
    "NegativeOptions",
    "PairsOption",
    "PlotsOption",
    "ScheduleOptions",
    "need_torch",
]

BaseOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--base",
        metavar="MODEL",
        help="The sentence-transformers model to start from, by id or folder; static, untrained vectors of terms.",
    ),
]
PairsOption: TypeAlias = Annotated[
    int | None, typer.Option("--pairs", min=1, help="Pairs of citations at most; of more, as many drawn by chance.")
]
PlotsOption: TypeAlias = Annotated[
    bool, typer.Option("--plots/--no-plots", help="Draw the loss, where matplotlib is there.")
]
FrozenOption: TypeAlias = Annotated[
    bool, typer.Option("--frozen/--fine-tune", help="Leave the base as it is, or train it too.")
]


@dataclass(frozen=True, slots=True)
class DataOptions:
    """Where the model is written, and what it learns from."""

    out: Annotated[Path, typer.Option("--out", metavar="MODEL", help="The model's folder.")]
    index: IndexOption = None
    questions: Annotated[
        Path | None, typer.Option("--questions", metavar="FILE", help="Questions with their gold, to train on.")
    ] = None
    supervision: Annotated[
        Literal["questions", "citations"],
        typer.Option(help="Learn from --questions, or from what the index's articles say of one another."),
    ] = "questions"
    dev: Annotated[
        Path | None,
        typer.Option(
            "--dev",
            metavar="FILE",
            help="Questions that say when to stop.",
            show_default="a tenth of the questions, held out",
        ),
    ] = None

    @property
    def folder(self) -> Path:
        """The index's folder. A question file and citations, or neither, are wrong usage."""
        if (self.questions is None) != (self.supervision == "citations"):
            raise typer.BadParameter("name --questions FILE to train on, or --supervision citations, not both")
        return index_folder(self.index)

    def read(
        self, index: Index, *, seed: int, between_articles: bool = False, most_pairs: int | None = None
    ) -> TrainingData:
        """Return the pairs and dev questions on the opened index, as `evals.training_data` makes them."""
        from evals.training_data import data_of_citations, data_of_questions

        if self.questions is not None:
            return data_of_questions(index, self.questions, self.dev, seed=seed)
        return data_of_citations(index, self.dev, seed=seed, between_articles=between_articles, most_pairs=most_pairs)


@dataclass(frozen=True, slots=True)
class ScheduleOptions:
    """How long and how hard the model is trained; None leaves what the kind has by default."""

    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the pairs at most.")] = None
    batch_size: Annotated[int | None, typer.Option(min=1, help="Pairs in a step.")] = None
    learning_rate: Annotated[float | None, typer.Option(help="At its highest.")] = None
    base_share: Annotated[
        float | None,
        typer.Option(help="Of the base in the mean of its weights and the trained ones that is kept."),
    ] = None
    patience: Annotated[
        int | None, typer.Option(min=1, help="Epochs without a better dev metric before training ends.")
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn by chance.")] = 0

    def settings(self, default: TrainingSettings, **more: float | None) -> TrainingSettings:
        """Return a kind's settings with those that were given. A value out of range is wrong usage."""
        given = {
            "n_epochs": self.epochs,
            "batch_size": self.batch_size,
            "learning_rate": self.learning_rate,
            "base_share": self.base_share,
            "patience": self.patience,
            "seed": self.seed,
            **more,
        }
        try:
            return replace(default, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error


@dataclass(frozen=True, slots=True)
class NegativeOptions:
    """What an article ranker learns to tell from the right article; None leaves what the kind has by default."""

    negatives: Annotated[int | None, typer.Option(min=1, help="Articles a pair that do not answer its question.")] = (
        None
    )
    pool: Annotated[int | None, typer.Option(min=1, help="How many that BM25 ranks first they are drawn from.")] = None
    random_share: Annotated[
        float | None, typer.Option(min=0, max=1, help="How many of them are drawn from all articles instead.")
    ] = None

    def settings(self, default: NegativeSettings) -> NegativeSettings:
        """Return a kind's settings with those that were given."""
        given = {"n_negatives": self.negatives, "n_pool": self.pool, "random_share": self.random_share}
        return replace(default, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]


def need_torch() -> None:
    """Raise TrainingError with what to install if models cannot be trained."""
    if find_spec("torch") is None or find_spec("sentence_transformers") is None:
        raise TrainingError("training needs torch and sentence-transformers: pip install 'nonliquet[dense]'")

"""Article rankers by their kind: a new one to train, and one training run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from evals.training import DEV_LOSS, loss_dev_metric, train_model
from evals.training_data import TrainingData, lexical_negatives
from retrieval.index import Index
from retrieval.training.pairs import TrainingPair, pairs_of_questions
from retrieval.training.ranker_examples import (
    ATTENTIVE_CNN_NEGATIVES,
    PARAFORMER_NEGATIVES,
    ExampleMaker,
    NegativeSettings,
)
from retrieval.training.settings import TrainingSettings

if TYPE_CHECKING:
    import numpy as np

    from retrieval.article_ranker import ArticleRanker
    from retrieval.training.trainer import Progress

__all__ = [
    "KINDS",
    "RankerKind",
    "RankerLearner",
    "default_negatives",
    "default_settings",
    "new_learner",
    "train_ranker",
]

RankerKind: TypeAlias = Literal["attentive-cnn", "paraformer"]

KINDS: tuple[RankerKind, ...] = ("attentive-cnn", "paraformer")


class RankerLearner(Protocol):
    """A learner of pairs whose model ranks articles."""

    module: Any

    def loss(self, batch: Sequence[TrainingPair], rng: np.random.Generator) -> Any:
        """Return the batch's mean loss."""
        ...

    def ranker(self) -> ArticleRanker:
        """Return the model as it is now, as a ranker."""
        ...

    def save(self, folder: Path) -> None:
        """Write the model."""
        ...


def default_settings(kind: RankerKind) -> TrainingSettings:
    """Return how long and how hard a kind is trained."""
    if kind == "paraformer":
        from retrieval.training.paraformer import PARAFORMER_SETTINGS

        return PARAFORMER_SETTINGS
    from retrieval.training.attentive_cnn import ATTENTIVE_CNN_SETTINGS

    return ATTENTIVE_CNN_SETTINGS


def default_negatives(kind: RankerKind) -> NegativeSettings:
    """Return how a kind's negatives are drawn, after its paper."""
    return PARAFORMER_NEGATIVES if kind == "paraformer" else ATTENTIVE_CNN_NEGATIVES


def new_learner(
    kind: RankerKind, base: str, index: Index, *, frozen: bool, negatives: NegativeSettings, seed: int
) -> RankerLearner:
    """Return an untrained model of a kind. Raises EncoderError if the base cannot be opened or does not fit."""
    examples = ExampleMaker(lexical_negatives(index, negatives.n_pool), len(index.articles), negatives)
    language = index.manifest.language
    if kind == "paraformer":
        from retrieval.training.paraformer import ParaformerLearner
        from retrieval.training.paraformer_model import new_paraformer

        paraformer = new_paraformer(base, index.articles, language=language, seed=seed, frozen=frozen)
        return ParaformerLearner(paraformer, index.articles, examples)
    from retrieval.training.attentive_cnn import AttentiveCnnLearner
    from retrieval.training.attentive_cnn_model import new_attentive_cnn

    cnn = new_attentive_cnn(base, index.articles, language=language, seed=seed, frozen=frozen)
    return AttentiveCnnLearner(cnn, index.articles, examples)


def train_ranker(
    kind: RankerKind,
    base: str,
    index: Index,
    data: TrainingData,
    settings: TrainingSettings,
    negatives: NegativeSettings,
    out: Path,
    *,
    frozen: bool,
    plots: bool = True,
    progress: Progress = lambda step, done, total: None,
) -> dict[str, float]:
    """Train a new model of a kind into a folder, as `train_model` does; early stopping is by the loss on `data.dev`."""
    learner = new_learner(kind, base, index, frozen=frozen, negatives=negatives, seed=settings.seed)
    return train_model(
        learner,
        data.pairs,
        settings,
        out,
        {"kind": kind, "base": base, "frozen": frozen, "negatives": negatives.to_json(), **data.sources},
        save=learner.save,
        dev=loss_dev_metric(learner, pairs_of_questions(data.dev, index.row_of), settings),
        dev_name=DEV_LOSS,
        usage="nonliquet search QUESTION --index DIR --method trained:{model}:bm25 --why",
        plots=plots,
        progress=progress,
    )

"""`nonliquet train bi-encoder` and `train two-tower`: questions and articles encoded apart."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from agent.commands.options import IndexOption, index_folder
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import need_measures
from evals.commands.train.options import (
    BaseOption,
    BaseShareOption,
    BatchOption,
    DevOption,
    EpochsOption,
    ModelOutOption,
    PatienceOption,
    PlotsOption,
    RateOption,
    SeedOption,
    SupervisionOption,
    TrainQuestionsOption,
    need_torch,
    settings_with,
)
from retrieval.training.settings import TrainingSettings

__all__ = ["register"]

_BASE = "sentence-transformers/all-MiniLM-L6-v2"

Kind: TypeAlias = Literal["bi-encoder", "two-tower"]

TemperatureOption = Annotated[float | None, typer.Option(help="τ of the in-batch loss.")]
PoolingOption = Annotated[
    Literal["base", "cls"],
    typer.Option("--pooling", help="A chunk's vector: as the base pools its tokens, or the first token's (BSARD)."),
]
NegativesOption = Annotated[
    int | None, typer.Option("--hard-negatives", min=0, help="A pair, drawn from the 50 that BM25 ranks first.")
]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command(
        "bi-encoder",
        help="Train one model that encodes questions and articles alike (siamese).",
        epilog="Example: nonliquet train bi-encoder --questions train.jsonl --out MODEL",
    )(_verb("bi-encoder"))
    app.command(
        "two-tower",
        help="Train two models, one that encodes questions and one that encodes articles, from the same base.",
        epilog="Example: nonliquet train two-tower --questions train.jsonl --out MODEL",
    )(_verb("two-tower"))


def _verb(kind: Kind) -> Callable[..., None]:
    """Return the verb that trains a kind: both take the same options."""

    def verb(
        out: ModelOutOption,
        index: IndexOption = None,
        questions: TrainQuestionsOption = None,
        supervision: SupervisionOption = "questions",
        base: BaseOption = _BASE,
        pooling: PoolingOption = "base",
        dev: DevOption = None,
        epochs: EpochsOption = None,
        batch_size: BatchOption = None,
        learning_rate: RateOption = None,
        temperature: TemperatureOption = None,
        hard_negatives: NegativesOption = None,
        base_share: BaseShareOption = None,
        patience: PatienceOption = None,
        seed: SeedOption = 0,
        plots: PlotsOption = True,
    ) -> None:
        given = {
            "n_epochs": epochs,
            "batch_size": batch_size,
            "learning_rate": learning_rate,
            "temperature": temperature,
            "n_hard_negatives": hard_negatives,
            "base_share": base_share,
            "patience": patience,
            "seed": seed,
        }
        _train(kind, out, index, questions, supervision, base, pooling, dev, given, plots=plots)

    return verb


def _train(
    kind: Kind,
    out: Path,
    index: Path | None,
    questions: Path | None,
    supervision: Literal["questions", "citations"],
    base: str,
    pooling: Literal["base", "cls"],
    dev: Path | None,
    given: dict[str, int | float | None],
    *,
    plots: bool,
) -> None:
    if (questions is None) != (supervision == "citations"):
        raise typer.BadParameter("name --questions FILE to train on, or --supervision citations, not both")
    if base == "static" and kind == "two-tower":
        raise typer.BadParameter("the static base is for bi-encoder alone")
    if base == "static" and pooling == "cls":
        raise typer.BadParameter("the static base has no first token: leave out --pooling cls")
    need_torch()
    need_measures()
    from evals.training import DEV_METRIC, dense_dev_metric, train_model
    from evals.training_data import data_of_citations, data_of_questions, lexical_negatives
    from retrieval.index import Index
    from retrieval.training.bi_encoder import STATIC, STATIC_SETTINGS, BiEncoderLearner, new_model

    settings = settings_with(STATIC_SETTINGS if base == STATIC else TrainingSettings(), **given)
    with Index.open(index_folder(index)) as opened, build_progress(with_rate=True) as progress:
        progress("pairs", 0, 1)
        data = (
            data_of_citations(opened, dev, seed=settings.seed)
            if questions is None
            else data_of_questions(opened, questions, dev, seed=settings.seed)
        )
        progress("base", 0, 1)
        language, two_tower = opened.manifest.language, kind == "two-tower"
        seed = settings.seed
        model = new_model(base, opened.articles, two_tower=two_tower, language=language, seed=seed, pooling=pooling)
        negatives = lexical_negatives(opened) if settings.n_hard_negatives else None
        learner = BiEncoderLearner(model, opened.articles, settings, hard_negatives=negatives)
        found = train_model(
            learner,
            data.pairs,
            settings,
            out,
            {"kind": kind, "base": base, "pooling": pooling, **data.sources},
            save=learner.save,
            dev=dense_dev_metric(learner.encode, data.dev, opened.articles, seed=settings.seed),
            plots=plots,
            progress=progress,
        )
    show(
        f"{out}: {len(data.pairs)} pairs, {found['steps']} steps, loss {found['first loss']:.3f} to "
        f"{found['last loss']:.3f}, dev {DEV_METRIC} {found[f'dev {DEV_METRIC} before']:.3f} to "
        f"{found[f'dev {DEV_METRIC}']:.3f}"
    )
    show(f"Use: nonliquet index SOURCE --index DIR --encoder st:{shlex.quote(str(out))}")

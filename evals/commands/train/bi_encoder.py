"""`nonliquet train bi-encoder` and `train two-tower`: questions and articles encoded apart."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import typer

from agent.commands.option_groups import grouped
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import need_measures
from evals.commands.train.options import BaseOption, DataOptions, PlotsOption, ScheduleOptions, need_torch
from retrieval.training.settings import TrainingSettings

__all__ = ["register"]

_BASE = "sentence-transformers/all-MiniLM-L6-v2"

Kind: TypeAlias = Literal["bi-encoder", "two-tower"]


@dataclass(frozen=True, slots=True)
class _ModelOptions:
    """What is trained, by which loss."""

    base: BaseOption = _BASE
    pooling: Annotated[
        Literal["base", "cls"],
        typer.Option(help="A chunk's vector: as the base pools its tokens, or the first token's (BSARD)."),
    ] = "base"
    temperature: Annotated[float | None, typer.Option(help="τ of the in-batch loss.")] = None
    hard_negatives: Annotated[
        int | None, typer.Option(min=0, help="A pair, drawn from the 50 that BM25 ranks first.")
    ] = None

    def check(self, kind: Kind) -> None:
        """Raise BadParameter if the static base is asked for what it does not have."""
        if self.base == "static" and kind == "two-tower":
            raise typer.BadParameter("the static base is for bi-encoder alone")
        if self.base == "static" and self.pooling == "cls":
            raise typer.BadParameter("the static base has no first token: leave out --pooling cls")


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

    def verb(given: DataOptions, model: _ModelOptions, schedule: ScheduleOptions, plots: PlotsOption = True) -> None:
        _train(kind, given, model, schedule, plots=plots)

    return grouped(verb)


def _train(kind: Kind, given: DataOptions, asked: _ModelOptions, schedule: ScheduleOptions, *, plots: bool) -> None:
    folder = given.folder
    asked.check(kind)
    need_torch()
    need_measures()
    from evals.training import DEV_METRIC, dense_dev_metric, train_model
    from evals.training_data import lexical_negatives
    from retrieval.index import Index
    from retrieval.training.bi_encoder import STATIC, STATIC_SETTINGS, BiEncoderLearner, new_model

    settings = schedule.settings(
        STATIC_SETTINGS if asked.base == STATIC else TrainingSettings(),
        temperature=asked.temperature,
        n_hard_negatives=asked.hard_negatives,
    )
    with Index.open(folder) as opened, build_progress(with_rate=True) as progress:
        progress("pairs", 0, 1)
        data = given.read(opened, seed=settings.seed)
        progress("base", 0, 1)
        model = new_model(
            asked.base,
            opened.articles,
            two_tower=kind == "two-tower",
            language=opened.manifest.language,
            seed=settings.seed,
            pooling=asked.pooling,
        )
        negatives = lexical_negatives(opened) if settings.n_hard_negatives else None
        learner = BiEncoderLearner(model, opened.articles, settings, hard_negatives=negatives)
        found = train_model(
            learner,
            data.pairs,
            settings,
            given.out,
            {"kind": kind, "base": asked.base, "pooling": asked.pooling, **data.sources},
            save=learner.save,
            dev=dense_dev_metric(learner.encode, data.dev, opened.articles, seed=settings.seed),
            plots=plots,
            progress=progress,
        )
    show(
        f"{given.out}: {len(data.pairs)} pairs, {found['steps']} steps, loss {found['first loss']:.3f} to "
        f"{found['last loss']:.3f}, dev {DEV_METRIC} {found[f'dev {DEV_METRIC} before']:.3f} to "
        f"{found[f'dev {DEV_METRIC}']:.3f}"
    )
    show(f"Use: nonliquet index SOURCE --index DIR --encoder st:{shlex.quote(str(given.out))}")

"""`nonliquet evals trained`: what training makes of a base, question by question, over folds and seeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from agent.commands.options import IndexOption, index_folder
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import BUILTIN_QUESTIONS, OutOption, QuestionsOption, need_measures
from evals.commands.train.options import (
    BaseOption,
    BaseShareOption,
    BatchOption,
    EpochsOption,
    FrozenOption,
    NegativesOption,
    PatienceOption,
    PoolOption,
    RandomShareOption,
    RateOption,
    need_torch,
    negatives_with,
    settings_with,
)
from retrieval.training.settings import TrainingSettings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("trained", epilog="Example: nonliquet evals trained --base MODEL --epochs 5 --out study")(_trained)


def _trained(
    out: OutOption,
    base: BaseOption,
    index: IndexOption = None,
    questions: QuestionsOption = None,
    kind: Annotated[
        Literal["bi-encoder", "two-tower", "both", "attentive-cnn", "paraformer"],
        typer.Option(help="What is trained: bi-encoders are measured against the base, the others beside BM25."),
    ] = "both",
    epochs: EpochsOption = None,
    batch_size: BatchOption = None,
    learning_rate: RateOption = None,
    base_share: BaseShareOption = None,
    patience: PatienceOption = None,
    frozen: FrozenOption = True,
    negatives: NegativesOption = None,
    pool: PoolOption = None,
    random_share: RandomShareOption = None,
    citations_first: Annotated[
        bool,
        typer.Option(
            "--citations-first/--questions-only", help="Train on the index's own citations before the questions."
        ),
    ] = True,
    citation_epochs: Annotated[
        int, typer.Option(min=1, help="bi-encoder, two-tower: passes over the citations, if those come first.")
    ] = 2,
    candidates: Annotated[
        int, typer.Option(min=1, help="attentive-cnn, paraformer: how many that BM25 ranks first they reorder.")
    ] = 50,
    seeds: Annotated[int, typer.Option(min=1, help="How often the questions are parted and models trained.")] = 5,
    n_folds: Annotated[int, typer.Option("--folds", min=2, help="A model for each, trained on the others.")] = 4,
) -> None:
    """Train on all folds of the questions but one and measure on that one, several times. Goes on where it was killed.

    Beside BM25, α is chosen on a third of the training questions, which the model was not trained on.
    """
    if index is not None and questions is None:
        raise typer.BadParameter("questions on that index are needed: --questions FILE")
    need_torch()
    need_measures()
    from evals.dataset_files import read_questions
    from evals.ranker_study import StudyPlan
    from evals.ranker_training import default_negatives, default_settings
    from evals.realworld import judged
    from evals.training_study import BiEncoderPlan
    from retrieval.index import Index

    given = {
        "n_epochs": epochs,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
        "base_share": base_share,
        "patience": patience,
    }
    file = questions or BUILTIN_QUESTIONS
    with Index.open(index_folder(index)) as opened, build_progress() as progress:
        read = judged(read_questions(file, opened.graph), skip_unjudged=True)
        asked = [question for question in read if not question.abstention]
        if kind == "attentive-cnn" or kind == "paraformer":
            plan = StudyPlan(
                kind=kind,
                base=base,
                frozen=frozen,
                settings=settings_with(default_settings(kind), **given),
                negatives=negatives_with(
                    default_negatives(kind), n_negatives=negatives, n_pool=pool, random_share=random_share
                ),
                citations_first=citations_first,
                n_candidates=candidates,
                n_seeds=seeds,
                n_folds=n_folds,
            )
            _ranker(opened, asked, plan, out, file, progress=progress)
            return
        bi_encoders = BiEncoderPlan(
            kinds=("bi-encoder", "two-tower") if kind == "both" else (kind,),
            base=base,
            settings=settings_with(TrainingSettings(), **given),
            n_citation_epochs=citation_epochs if citations_first else 0,
            n_seeds=seeds,
            n_folds=n_folds,
        )
        _bi_encoders(opened, asked, bi_encoders, out, file, progress=progress)


def _bi_encoders(index: Any, asked: Sequence[Any], plan: Any, out: Path, file: Path, *, progress: Any) -> None:
    from evals.training_study import MEASURE, study, summary

    found = study(index, asked, plan, out, sources=_sources(file), progress=progress)
    show(f"{len(asked)} questions, {MEASURE} of the base {100 * np.mean(list(found['base'][0].values())):.1f}")
    for name, (gain, by_seed) in summary(found, np.random.default_rng(0)).items():
        show(f"{name}: {_interval(gain)}; by seed {_in_points(by_seed)}")


def _ranker(index: Any, asked: Sequence[Any], plan: Any, out: Path, file: Path, *, progress: Any) -> None:
    from evals.ranker_study import MEASURE, gains, ranker_study

    outcomes = ranker_study(index, asked, plan, out, sources=_sources(file), progress=progress)
    found = gains(outcomes, np.random.default_rng(0))
    untrained, before, after = (
        np.array([getattr(one, name) for one in outcomes]) for name in ("loss_untrained", "loss_before", "loss")
    )
    show(
        f"{len(asked)} questions, {plan.kind}, {'frozen' if plan.frozen else 'fine-tuned'} base, "
        f"{len(outcomes)} trainings, BM25's best {plan.n_candidates}"
    )
    show(
        f"dev loss: untrained {untrained.mean():.3f}, before the questions {before.mean():.3f}, after "
        f"{after.mean():.3f}; it fell in {(after < untrained).sum()} of {len(outcomes)}"
    )
    show(f"α chosen: {', '.join(f'{one.alpha:.1f}' for one in outcomes)}")
    show(
        f"{MEASURE}: BM25 {100 * found.bm25:.1f}, fused {100 * found.fused:.1f}, alone {100 * found.alone:.1f}, "
        f"fused without training {100 * found.untrained:.1f}"
    )
    show(f"gain over BM25: {_interval(found.gain)}; by seed {_in_points(found.by_seed)}")


def _sources(file: Path) -> dict[str, Any]:
    from evals.dataset_files import question_files
    from evals.run_folder import sha256_of

    return {"files": {path.name: sha256_of(path) for path in question_files(file)}}


def _interval(gain: Any) -> str:
    return f"{100 * gain.mean:+.1f} ({100 * gain.low:+.1f} to {100 * gain.high:+.1f})"


def _in_points(values: Sequence[float]) -> str:
    return ", ".join(f"{100 * one:+.1f}" for one in values)

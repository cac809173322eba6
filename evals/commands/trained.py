"""`nonliquet evals trained`: what training makes of a base, question by question, over folds and seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import typer

from agent.commands.option_groups import Without, grouped
from agent.commands.options import IndexOption, index_folder
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import BUILTIN_QUESTIONS, OutOption, QuestionsOption, need_measures
from evals.commands.train.options import BaseOption, FrozenOption, NegativeOptions, ScheduleOptions, need_torch
from retrieval.training.settings import TrainingSettings

if TYPE_CHECKING:
    from evals.ranker_study import StudyPlan
    from evals.ranker_training import RankerKind
    from evals.training_study import BiEncoderPlan

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("trained", epilog="Example: nonliquet evals trained --base MODEL --epochs 5 --out study")(
        grouped(_trained)
    )


@dataclass(frozen=True, slots=True)
class _StudyOptions:
    """What is trained, on what, how often."""

    base: BaseOption
    kind: Annotated[
        Literal["bi-encoder", "two-tower", "both", "attentive-cnn", "paraformer"],
        typer.Option(help="What is trained: bi-encoders are measured against the base, the others beside BM25."),
    ] = "both"
    frozen: FrozenOption = True
    citations_first: Annotated[
        bool | None,
        typer.Option(
            "--citations-first/--questions-only",
            help="Train on the index's own citations before the questions.",
            show_default="citations-first for attentive-cnn and paraformer",
        ),
    ] = None
    citation_epochs: Annotated[
        int, typer.Option(min=1, help="bi-encoder, two-tower: passes over the citations, if those come first.")
    ] = 2
    candidates: Annotated[
        int, typer.Option(min=1, help="attentive-cnn, paraformer: how many that BM25 ranks first they reorder.")
    ] = 50
    seeds: Annotated[int, typer.Option(min=1, help="How often the questions are parted and models trained.")] = 5
    folds: Annotated[int, typer.Option(min=2, help="A model for each, trained on the others.")] = 4

    def of_bi_encoders(self, schedule: ScheduleOptions) -> BiEncoderPlan:
        """Return the plan of a study against the base."""
        from evals.training_study import BiEncoderPlan

        return BiEncoderPlan(
            kinds=("bi-encoder", "two-tower") if self.kind == "both" else (self.kind,),
            base=self.base,
            settings=schedule.settings(TrainingSettings()),
            n_citation_epochs=self.citation_epochs if self.citations_first else 0,
            n_seeds=self.seeds,
            n_folds=self.folds,
        )

    def of_rankers(self, kind: RankerKind, schedule: ScheduleOptions, negatives: NegativeOptions) -> StudyPlan:
        """Return the plan of a study beside BM25."""
        from evals.ranker_study import StudyPlan
        from evals.ranker_training import default_negatives, default_settings

        return StudyPlan(
            kind=kind,
            base=self.base,
            frozen=self.frozen,
            settings=schedule.settings(default_settings(kind)),
            negatives=negatives.settings(default_negatives(kind)),
            citations_first=self.citations_first is not False,
            n_candidates=self.candidates,
            n_seeds=self.seeds,
            n_folds=self.folds,
        )


def _trained(
    out: OutOption,
    of: _StudyOptions,
    schedule: Annotated[ScheduleOptions, Without({"seed"})],
    negatives: NegativeOptions,
    index: IndexOption = None,
    questions: QuestionsOption = None,
) -> None:
    """Train on all folds of the questions but one and measure on that one, several times. Goes on where it was killed.

    Beside BM25, α is chosen on a third of the training questions, which the model was not trained on.
    """
    if index is not None and questions is None:
        raise typer.BadParameter("questions on that index are needed: --questions FILE")
    need_torch()
    need_measures()
    from evals.dataset_files import read_questions
    from evals.realworld import judged
    from retrieval.index import Index

    file = questions or BUILTIN_QUESTIONS
    with Index.open(index_folder(index)) as opened, build_progress() as progress:
        read = judged(read_questions(file, opened.graph), skip_unjudged=True)
        asked = [question for question in read if not question.abstention]
        if of.kind == "attentive-cnn" or of.kind == "paraformer":
            _ranker(opened, asked, of.of_rankers(of.kind, schedule, negatives), out, file, progress=progress)
        else:
            _bi_encoders(opened, asked, of.of_bi_encoders(schedule), out, file, progress=progress)


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

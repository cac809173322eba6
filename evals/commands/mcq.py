"""`nonliquet evals mcq`: choice questions under full and partial contexts -> a run folder, or an export."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from agent.commands.option_groups import grouped
from agent.commands.options import IndexOption, SettingsOption, settings_of
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.mcq_options import BUILTIN_CHOICES, GateOptions, ReaderOptions, TrialOptions, plan_of
from evals.commands.options import PlotsOption, can_draw, need_measures, one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.mcq.model_choice import ChoicePrompts
    from evals.mcq.trials import Trial
    from evals.run_folder import RunFolder

__all__ = ["BUILTIN_CHOICES", "register"]

_FORMS = ("inspect", "lm-eval")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "mcq",
        epilog="Example: nonliquet evals mcq --index law --questions mcq.jsonl --conditions full,partial,decoy "
        "--reader model --model http://127.0.0.1:8000/v1 --gate structural --out run",
    )(grouped(_mcq))


def _mcq(
    asked: TrialOptions,
    reading: ReaderOptions,
    gating: GateOptions,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run's folder.")] = None,
    index: IndexOption = None,
    plots: PlotsOption = True,
    export: Annotated[
        tuple[str, Path] | None,
        typer.Option(metavar="inspect|lm-eval DIR", help="Write the trials as a task of that tool instead of running."),
    ] = None,
    settings: SettingsOption = None,
) -> None:
    """Ask choice questions under full and partial contexts; the same command goes on with a run that was killed."""
    need_measures()
    from agent.aside import write_aside
    from evals.mcq import opening
    from evals.mcq.model_choice import ChoicePrompts
    from evals.mcq.report import page
    from evals.mcq.run import contexts_of, run_choices
    from evals.mcq.trials import trials_of

    file = asked.file(index)
    if (out is None) == (export is None):
        raise typer.BadParameter("name the run's folder with --out, or an export with --export")
    reading.check(asks=export is None)
    plan = plan_of(asked, gating, file)
    with ExitStack() as stack:
        sources = stack.enter_context(asked.opened(file, index))
        retrieve = opening.retrieve(sources.retriever, settings_of(settings)) if sources.retriever else None
        progress = stack.enter_context(build_progress(with_rate=True))
        found = contexts_of(sources, plan.conditions, retrieve, progress)
        trials = trials_of(
            sources.questions, found, n_permutations=plan.n_permutations, n_repeats=plan.n_repeats, seed=plan.seed
        )
        if export is not None:
            _export(export, trials, ChoicePrompts(sources, None, seed=plan.seed))
            return
        asking = stack.enter_context(reading.asking(sources, seed=plan.seed))
        run, outcomes = run_choices(
            sources,
            reading.opened(sources, asking),
            gating.opened(sources, plan, asking, progress),
            plan,
            trials,
            cast(Path, out),
            source=file,
            training=gating.train,
            reader_config=reading.config(asking, trials),
            progress=progress,
        )
    drawn: list[str] = []
    if can_draw(plots):
        from evals.mcq.plots import draw

        drawn = draw(run, outcomes)
    write_aside(run.path / "report.md", page(run, plots=drawn))
    _show(run)


def _export(wanted: tuple[str, Path], trials: Sequence[Trial], prompts: ChoicePrompts) -> None:
    from evals.mcq.export import export_inspect, export_lm_eval

    form, folder = wanted
    write = export_inspect if one_of(_FORMS, form, "--export") == "inspect" else export_lm_eval
    for path in write(folder, trials, prompts):
        show(str(path))


def _show(run: RunFolder) -> None:
    from evals.mcq.report import SUMMARY_COLUMNS, measured, summary_rows

    lines = [["in %", *SUMMARY_COLUMNS], *summary_rows(run)]
    for line in zip(*lines, strict=True):
        if line[0] == "in %" or any(cell != "–" for cell in line[1:]):
            show("".join(f"{cell:>{max(map(len, column)) + 2}}" for cell, column in zip(line, lines, strict=True)))
    for gate, values in measured(run)["gates"].items():
        show(f"gate {gate}: " + ", ".join(f"{name} {value:.3f}" for name, value in values.items()))
    show(f"Report: {run.path / 'report.md'}")

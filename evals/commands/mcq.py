"""`nonliquet evals mcq`: choice questions under full and partial contexts -> a run folder, or an export."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from agent.commands.options import IndexOption, SettingsOption, index_folder, settings_of
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import need_measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evals.mcq.model_choice import ChoicePrompts
    from evals.mcq.records import Condition
    from evals.mcq.trials import Trial
    from evals.run_folder import RunFolder

__all__ = ["register"]

BUILTIN_CHOICES = Path(__file__).parents[1] / "builtin" / "multihop_qa_mcq.jsonl"

_READERS = ("overlap", "extractive", "model")  # evals.mcq.opening.READERS, whose import is slow
_FORMS = ("inspect", "lm-eval")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "mcq",
        epilog="Example: nonliquet evals mcq --index law --questions mcq.jsonl --conditions full,partial,decoy "
        "--reader model --model http://127.0.0.1:8000/v1 --gate structural --out run",
    )(_mcq)


def _mcq(
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run's folder.")] = None,
    index: IndexOption = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="FILE",
            help="SearchFireSafety's multihop .jsonl, or lawqa_jp's .json, which needs no index.",
            show_default="those on the built-in law",
        ),
    ] = None,
    conditions: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Separated by commas: full, partial, partial-target, decoy, none, distractor, retrieved.",
            show_default="full,partial,partial-target,decoy,none,distractor; full,none where there is no index",
        ),
    ] = "",
    reader: Annotated[str, typer.Option(metavar="|".join(_READERS), help="Who chooses.")] = "overlap",
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="URL|serve", help="The OpenAI-compatible server of --reader model."),
    ] = None,
    revision: Annotated[
        str | None,
        typer.Option(metavar="HASH", help="The model's revision, for the manifest, if the server is silent."),
    ] = None,
    choice: Annotated[
        str, typer.Option(metavar="constrained|logprob|both", help="By a schema of letters, or by their probability.")
    ] = "both",
    permutations: Annotated[
        int, typer.Option(min=0, metavar="P", help="Orders of the options a question; 0 is the file's own.")
    ] = 5,
    seed: Annotated[int, typer.Option(metavar="S", help="Of the orders, of random, and of the model.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, metavar="C", help="Requests in flight at once.")] = 16,
    repeats: Annotated[
        int, typer.Option(min=1, metavar="K", help="How often each request is asked, to count what moves.")
    ] = 1,
    timeout: Annotated[float, typer.Option(min=0.001, metavar="SECONDS", help="Of one try of a request.")] = 120.0,
    retries: Annotated[int, typer.Option(min=0, metavar="N", help="Tries after the first, ever later.")] = 4,
    cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Keep the server's replies for other runs.")] = True,
    gate: Annotated[
        str, typer.Option(metavar="none|structural|learned|self|all", help="The sufficiency step before the reader.")
    ] = "none",
    gate_knowledge: Annotated[str, typer.Option(metavar="corpus|context", help="What a gate may look at.")] = "corpus",
    gate_threshold: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="T", help="Abstain on contexts of lower sufficiency.")
    ] = 0.5,
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            metavar="FILE",
            help="Questions that the learned gate learns from.",
            show_default="those asked, five folds grouped by first article",
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Ask the first N questions alone.")] = None,
    plots: Annotated[bool, typer.Option("--plots/--no-plots", help="Draw plots, where matplotlib is there.")] = True,
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
    from evals.mcq.choice_client import ClientSettings
    from evals.mcq.choice_files import brings_its_articles, read_choice_questions
    from evals.mcq.gates import Knowledge
    from evals.mcq.manifest import Plan
    from evals.mcq.model_choice import ChoicePrompts, Way
    from evals.mcq.open_gates import GateInputs, open_gates
    from evals.mcq.report import page
    from evals.mcq.run import contexts_of, run_choices
    from evals.mcq.sources import Sources
    from evals.mcq.trials import trials_of
    from evals.plots import has_matplotlib
    from retrieval.retriever import Retriever

    source = questions or BUILTIN_CHOICES
    if index is not None and questions is None:
        raise typer.BadParameter("questions on that index are needed: --questions FILE")
    if (out is None) == (export is None):
        raise typer.BadParameter("name the run's folder with --out, or an export with --export")
    if export is None and reader == "model" and model is None:
        raise typer.BadParameter("--reader model asks a server; name it with --model URL")
    _one_of(_READERS, reader, "--reader")
    ways = tuple(Way) if choice == "both" else (Way(_one_of((*Way, "both"), choice, "--choice")),)
    plan = Plan(
        _conditions(conditions, brings_its_articles(source)),
        n_permutations=permutations,
        n_repeats=repeats,
        seed=seed,
        gate=gate,
        knowledge=Knowledge(_one_of(Knowledge, gate_knowledge, "--gate-knowledge")),
        gate_threshold=gate_threshold,
    )
    with ExitStack() as stack:
        needs_index = index is not None or not brings_its_articles(source)
        retriever = stack.enter_context(Retriever.open(index_folder(index))) if needs_index else None
        asked = read_choice_questions(source, retriever.index.graph if retriever else None)[:limit]
        sources = Sources(asked, retriever)
        retrieve = opening.retrieve(retriever, settings_of(settings)) if retriever else None
        progress = stack.enter_context(build_progress(with_rate=True))
        found = contexts_of(sources, plan.conditions, retrieve, progress)
        trials = trials_of(asked, found, n_permutations=permutations, n_repeats=repeats, seed=seed)
        if export is not None:
            form, folder = export
            _export(_one_of(_FORMS, form, "--export"), folder, trials, ChoicePrompts(sources, None, seed=seed))
            return
        kept = stack.enter_context(opening.kept_replies()) if cache and model else None
        client = ClientSettings(concurrency, timeout, retries)
        asking = opening.asking(model, sources, client, revision=revision, seed=seed, cache=kept) if model else None
        try:
            gates = open_gates(gate, GateInputs(sources, plan.knowledge, train, asking, progress, seed))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
        run, outcomes = run_choices(
            sources,
            opening.reader(reader, sources, asking, ways),
            gates,
            plan,
            trials,
            cast(Path, out),
            source=source,
            training=train,
            reader_config={"reader": reader, **(asking.config(trials) if asking else {"model": None})},
            progress=progress,
        )
    drawn: list[str] = []
    if plots and has_matplotlib():
        from evals.mcq.plots import draw

        drawn = draw(run, outcomes)
    elif plots:
        typer.echo("No plots: they need matplotlib, pip install 'nonliquet[plots]'", err=True)
    write_aside(run.path / "report.md", page(run, plots=drawn))
    _show(run)


def _one_of(allowed: Iterable[str], value: str, option: str) -> str:
    names = list(allowed)
    if value not in names:
        raise typer.BadParameter(f"{option} {value!r} is none of {', '.join(names)}")
    return value


def _conditions(names: str, brings_its_articles: bool) -> tuple[Condition, ...]:
    from evals.mcq.records import Condition

    if not names.strip():
        given = (Condition.FULL, Condition.NONE)
        return given if brings_its_articles else tuple(one for one in Condition if one is not Condition.RETRIEVED)
    stripped = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    return tuple(Condition(_one_of(Condition, name, "--conditions")) for name in stripped)


def _export(form: str, folder: Path, trials: Sequence[Trial], prompts: ChoicePrompts) -> None:
    from evals.mcq.export import export_inspect, export_lm_eval

    write = export_inspect if form == "inspect" else export_lm_eval
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

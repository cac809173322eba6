"""`nonliquet evals realworld`: every method over the same questions -> a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.commands.options import IndexOption, SettingsOption, index_folder
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import (
    OutOption,
    PlotsOption,
    QuestionsOption,
    SkipOption,
    can_draw,
    need_measures,
    questions_file,
    retrieval_settings,
)
from retrieval.methods import BASES, RERANKERS, parse_method

if TYPE_CHECKING:
    from evals.learned import Learned
    from retrieval.methods import Method

__all__ = ["register"]

ALL = "all"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "realworld",
        epilog="Example: nonliquet evals realworld --index law --questions qa.jsonl --methods bm25,sar --out run",
    )(_realworld)


def methods_of(names: str) -> list[Method | Learned]:
    """Read a list of methods, separated by commas; several of one name count once. A wrong one is wrong usage."""
    from evals.learned import LEARNED, Learned

    stripped = [name.strip() for name in names.split(",") if name.strip()]
    try:
        return list(dict.fromkeys(Learned(name) if name in LEARNED else parse_method(name) for name in stripped))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _realworld(
    out: OutOption,
    index: IndexOption = None,
    questions: QuestionsOption = None,
    methods: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help=f"Separated by commas: {', '.join(BASES)}; or, with :BASE, {', '.join(RERANKERS)}. "
            f"{ALL} takes each that the index has what is needed for. ours and ours-no-graph are trained.",
        ),
    ] = ALL,
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            metavar="FILE",
            help="Questions to train ours on.",
            show_default="the questions asked, five-fold cross-validated",
        ),
    ] = None,
    skip_unjudged: SkipOption = False,
    plots: PlotsOption = True,
    settings: SettingsOption = None,
) -> None:
    """Run retrieval methods over questions with known articles. The same command goes on with a run that was killed."""
    need_measures()
    chosen = methods_of(methods) if methods != ALL else []
    if methods != ALL and not chosen:
        raise typer.BadParameter("no method is named; see --help")
    source = questions_file(questions, index)
    from agent.aside import write_aside
    from evals.dataset_files import read_questions
    from evals.learned import Learned
    from evals.realworld import available_methods, judged, run_methods
    from evals.realworld_report import page
    from retrieval.retriever import Retriever

    with Retriever.open(index_folder(index), settings=retrieval_settings(settings)) as retriever:
        asked = judged(read_questions(source, retriever.index.graph), skip_unjudged=skip_unjudged or questions is None)
        learned_from = read_questions(train, retriever.index.graph, split="train") if train else []
        training = judged(learned_from, skip_unjudged=True) if train else []
        systems: list[Method | Learned] = [
            Learned(str(one), tuple(training)) if isinstance(one, Learned) else one
            for one in chosen or available_methods(retriever)
        ]
        with build_progress() as progress:
            run = run_methods(retriever, asked, systems, out, source=source, training=train, progress=progress)
    drawn: list[str] = []
    if can_draw(plots):
        from evals.plots import draw

        drawn = draw(run)
    write_aside(out / "report.md", page(run, plots=drawn))
    _show(out, run.metrics())


def _show(out: Path, metrics: dict[str, dict[str, float]]) -> None:
    width = max(len(name) for name in metrics)
    names = ("R@10", "R@20", "R@100", "nDCG@10", "RR@10")
    show(f"{'in %':{width}}" + "".join(f"{name:>9}" for name in names))
    for method, values in metrics.items():
        show(f"{method:{width}}" + "".join(f"{values[name] * 100:9.1f}" for name in names))
    show(f"Report: {out / 'report.md'}")

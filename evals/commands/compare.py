"""`nonliquet evals compare`: two runs -> differences, and the questions that moved."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.rendering import printable

if TYPE_CHECKING:
    from evals.run_folder import RunFolder
    from graph.records import Question
    from retrieval.retriever import Retriever

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("compare", epilog="Example: nonliquet evals compare run-without run-with --moved 5")(_compare)


def _compare(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="Another's, or the same to compare its methods.")],
    measures: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Measures, separated by commas, as in metrics.json.",
            show_default="R@10,nDCG@10; of choice questions full accuracy,partial abstention,joint",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--pair", metavar="FROM,TO", help="Compare only this method of the first and that of the second."),
    ] = None,
    moved: Annotated[int, typer.Option(min=0, metavar="N", help="How many questions to show a pair.")] = 3,
) -> None:
    """Compare two runs question by question: paired differences, bootstrap intervals, randomisation tests."""
    from evals.compare import MOVED_BY, System, compare, mismatches, moves, pairs, show_comparisons, show_move
    from evals.run_folder import RunFolder

    one, other = RunFolder(first), RunFolder(second)
    for run in (one, other):
        run.metrics()  # raises if the run is not finished
    kind = one.config.get("kind")
    if kind != other.config.get("kind"):
        raise typer.BadParameter(f"a run of kind {kind} and one of {other.config.get('kind')} cannot be compared")
    names = _measures(measures, one)
    moved_by = names[0] if kind == "mcq" else MOVED_BY
    chosen = [(System(one, a), System(other, b)) for a, b in _named(only, one, other)] or pairs(one, other)
    for sentence in mismatches(one, other):
        typer.echo(f"Note: {sentence}", err=True)
    try:
        comparisons = compare(chosen, names)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    typer.echo(show_comparisons(comparisons))
    with ExitStack() as stack:
        retriever, questions = _sources(other, stack) if moved and kind == "realworld" else (None, {})
        for a, b in chosen if moved else ():
            typer.echo(f"{a} → {b}: moved most in {moved_by}\n")
            for move in moves(a, b, at_most=moved, measure=moved_by):
                typer.echo(printable(show_move(move, questions.get(move.question_id), b, retriever)), nl=False)
            typer.echo()


def _measures(measures: str | None, run: RunFolder) -> list[str]:
    """Return the measures to compare in; one that no question has a value of is wrong usage."""
    from evals.mcq.manifest import KIND
    from evals.mcq.report import LEADING_MEASURES as OF_CHOICES
    from evals.ranking import MEASURES
    from evals.realworld_report import LEADING_MEASURES

    of_choices = run.config.get("kind") == KIND
    results = (result for method in run.methods for result in run.results(method)) if of_choices else ()
    known = list(dict.fromkeys(name for result in results for name in result.values)) if of_choices else list(MEASURES)
    if measures is None:
        return [name for name in (OF_CHOICES if of_choices else LEADING_MEASURES) if name in known]
    names = [name.strip() for name in measures.split(",") if name.strip()]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise typer.BadParameter(f"measure {', '.join(unknown) or 'list'!r} is none of {', '.join(known)}")
    return names


def _named(only: list[str] | None, one: RunFolder, other: RunFolder) -> list[tuple[str, str]]:
    found = []
    for pair in only or ():
        first, _, second = pair.partition(",")
        if first not in one.methods or second not in other.methods:
            raise typer.BadParameter(
                f"{pair!r}: expected a method of the first run ({', '.join(one.methods)}), a comma, and one of the "
                f"second ({', '.join(other.methods)})"
            )
        found.append((first, second))
    return found


def _sources(run: RunFolder, stack: ExitStack) -> tuple[Retriever | None, dict[str, Question]]:
    """Open the index and the questions of a run again, if they are still what they were."""
    from evals.dataset_files import read_questions
    from evals.run_folder import sha256_of
    from graph.errors import NonLiquetError
    from retrieval.retriever import Retriever
    from retrieval.settings import RetrievalSettings, settings_from

    config = run.config
    try:
        settings = settings_from(config["settings"], RetrievalSettings, place=str(run.path / "config.json"))
        retriever = Retriever.open(Path(config["index"]["folder"]), settings=settings)
        stack.enter_context(retriever)
        files = {Path(path): sha256 for path, sha256 in config["questions"]["files"].items()}
        same = all(path.is_file() and sha256_of(path) == sha256 for path, sha256 in files.items())
        if not same or retriever.index.manifest.content_hash != config["index"]["sha256"]:
            raise NonLiquetError("the index or the questions have changed since")
        questions = read_questions(list(files)[-1], retriever.index.graph)  # of BEIR's two, the qrels
    except NonLiquetError as error:
        typer.echo(f"Note: which seed voted cannot be told: {error}", err=True)
        return None, {}
    return retriever, {question.question_id: question for question in questions}

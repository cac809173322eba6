"""The options that several verbs share, and what they open."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from agent.commands.options import settings_of
from graph.errors import NonLiquetError

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

__all__ = [
    "BUILTIN_QUESTIONS",
    "OutOption",
    "PlotsOption",
    "QuestionsOption",
    "SkipOption",
    "can_draw",
    "need_measures",
    "one_of",
    "questions_file",
    "retrieval_settings",
]

BUILTIN_QUESTIONS = Path(__file__).parents[1] / "builtin" / "questions.jsonl"

QuestionsOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        help="Questions with their gold: SearchFireSafety's .jsonl, BSARD's .csv, a BEIR folder, hf:OWNER/NAME/FILE.",
        show_default="those on the built-in law",
    ),
]
OutOption: TypeAlias = Annotated[Path, typer.Option("--out", metavar="RUN", help="The run's folder.")]
SkipOption: TypeAlias = Annotated[
    bool, typer.Option("--skip-unjudged", help="Leave out questions that have no gold article in the index.")
]
PlotsOption: TypeAlias = Annotated[
    bool, typer.Option("--plots/--no-plots", help="Draw plots, where matplotlib is there.")
]


def one_of(allowed: Iterable[str], value: str, option: str) -> str:
    """Return the value of an option; one that is not allowed is wrong usage."""
    names = list(allowed)
    if value not in names:
        raise typer.BadParameter(f"{option} {value!r} is none of {', '.join(names)}")
    return value


def questions_file(questions: Path | None, index: Path | None, *, builtin: Path = BUILTIN_QUESTIONS) -> Path:
    """Return the file of the questions. Those that are built in are on the built-in law, so an index needs its own."""
    if index is not None and questions is None:
        raise typer.BadParameter("questions on that index are needed: --questions FILE")
    return questions or builtin


def can_draw(plots: bool) -> bool:
    """Whether plots are to be drawn; where they are wanted and cannot be, stderr has what to install."""
    from evals.plots import has_matplotlib

    if plots and not has_matplotlib():
        typer.echo("No plots: they need matplotlib, pip install 'nonliquet[plots]'", err=True)
    return plots and has_matplotlib()


def need_measures() -> None:
    """Raise NonLiquetError with what to install if the measures cannot be computed."""
    if find_spec("ir_measures") is None:
        raise NonLiquetError("the measures need ir-measures: pip install 'nonliquet[evals]'")


def retrieval_settings(path: Path | None) -> RetrievalSettings | None:
    """Return the retrieval settings of a settings file. Raises SettingsError naming file and setting."""
    chosen = settings_of(path)
    return chosen.retrieval if chosen else None

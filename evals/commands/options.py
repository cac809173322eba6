"""The options that several verbs share, and what they open."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from agent.commands.options import settings_of
from graph.errors import NonLiquetError

if TYPE_CHECKING:
    from retrieval.settings import RetrievalSettings

__all__ = ["BUILTIN_QUESTIONS", "OutOption", "QuestionsOption", "SkipOption", "need_measures", "retrieval_settings"]

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


def need_measures() -> None:
    """Raise NonLiquetError with what to install if the measures cannot be computed."""
    if find_spec("ir_measures") is None:
        raise NonLiquetError("the measures need ir-measures: pip install 'nonliquet[evals]'")


def retrieval_settings(path: Path | None) -> RetrievalSettings | None:
    """Return the retrieval settings of a settings file. Raises SettingsError naming file and setting."""
    chosen = settings_of(path)
    return chosen.retrieval if chosen else None

"""The options that several verbs share, and how their values are read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from agent.progress import build_progress
from graph.edition import iso_date

if TYPE_CHECKING:
    from agent.settings import AgentSettings

__all__ = [
    "AsOfOption",
    "IndexOption",
    "JsonOption",
    "SettingsOption",
    "edition_folder",
    "index_folder",
    "question_of",
    "settings_of",
]

IndexOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--index", metavar="DIR", help="The index.", show_default="the built-in fire-safety law"),
]
SettingsOption: TypeAlias = Annotated[
    Path | None, typer.Option("--settings", metavar="FILE.toml", help="Settings that differ from the defaults.")
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]


def _iso_date(words: str | None) -> str | None:
    try:
        return None if words is None else iso_date(words)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


AsOfOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="DATE",
        callback=_iso_date,
        help="The law as of this date: an edition of a law-as-git history, else by the articles' own dates.",
        show_default="as the sources stand",
    ),
]


def index_folder(index: Path | None) -> Path:
    """Return the index to use; without one, that of the built-in law, which the first use builds."""
    if index is not None:
        return index
    from agent.default_index import builtin_index

    with build_progress("The built-in law is indexed, this once.") as progress:
        return builtin_index(progress)


def edition_folder(index: Path | None, as_of: str | None) -> Path:
    """Return the index to use, or the one of another edition of its law, which its first use builds.

    Sources that are no histories have one edition alone, whatever the date.
    """
    folder = index_folder(index)
    if as_of is None:
        return folder
    from agent.editions import edition_index, is_history
    from retrieval.index_folder import read_manifest

    if not is_history(read_manifest(folder)):
        return folder

    with build_progress(f"The law as of {as_of} is indexed, this once.") as progress:
        return edition_index(folder, as_of, progress=progress)


def question_of(words: str) -> str:
    """Return the question without the white space around it; an empty one is wrong usage."""
    if not words.strip():
        raise typer.BadParameter("the question is empty")
    return words.strip()


def settings_of(path: Path | None) -> AgentSettings | None:
    """Read a settings file, if there is one. Raises SettingsError naming file and setting."""
    if path is None:
        return None
    from agent.settings import AgentSettings
    from retrieval.settings import read_settings

    return read_settings(path, AgentSettings)

"""The options that several verbs share, and how their values are read."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from agent.progress import build_progress
from graph.edition import iso_date

if TYPE_CHECKING:
    from agent.legal_agent import LegalAgent
    from agent.settings import AgentSettings

__all__ = [
    "AsOfOption",
    "CalibrationOption",
    "IndexOption",
    "JsonOption",
    "Mode",
    "ModeOption",
    "ModelOption",
    "SelfCheckOption",
    "SettingsOption",
    "edition_folder",
    "index_folder",
    "open_agent",
    "question_of",
    "settings_of",
]


class Mode(StrEnum):
    """How the articles are gathered."""

    PLAIN = "plain"
    AGENTIC = "agentic"


IndexOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--index", metavar="DIR", help="The index.", show_default="the built-in fire-safety law"),
]
SettingsOption: TypeAlias = Annotated[
    Path | None, typer.Option("--settings", metavar="FILE.toml", help="Settings that differ from the defaults.")
]
ModelOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="URL|serve|PROVIDER:NAME",
        help="The language model that writes: a server's address such as http://127.0.0.1:8000/v1, serve for the one "
        "that `nonliquet serve-model` runs here, or a model that LangChain knows.",
        show_default="none: the statutes are quoted",
    ),
]
ModeOption: TypeAlias = Annotated[
    Mode | None, typer.Option("--mode", help="agentic lets the model search, open articles and follow citations.")
]
SelfCheckOption: TypeAlias = Annotated[
    bool, typer.Option("--self-check", help="Ask the model, before it answers, whether the evidence is enough.")
]
CalibrationOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--calibration",
        metavar="FILE",
        help="Answer only what is sure enough by this file of `nonliquet evals calibrate`.",
        show_default="none: replies are uncalibrated",
    ),
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


def open_agent(
    index: Path | None,
    as_of: str | None,
    settings: Path | None,
    *,
    model: str | None = None,
    mode: Mode | None = None,
    self_check: bool = False,
    calibration: Path | None = None,
) -> LegalAgent:
    """Open the agent that the options of a verb describe. --mode and --self-check without --model are wrong usage."""
    from agent.legal_agent import LegalAgent
    from agent.settings import AgentSettings

    if model is None and (self_check or mode is Mode.AGENTIC):
        raise typer.BadParameter("--mode agentic and --self-check ask a language model; name one with --model")
    if model == "serve":
        from agent.model_server.running import running_server

        model = running_server()
    chosen = settings_of(settings) or AgentSettings()
    chosen = replace(chosen, mode=mode or chosen.mode, self_check=self_check or chosen.self_check)
    if calibration is not None:
        chosen = replace(chosen, calibration=str(calibration))
    return LegalAgent.open(edition_folder(index, as_of), model=model, settings=chosen, as_of=as_of)


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

"""The options that say which agent a verb asks, and the agent that they describe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.commands.options import AsOfOption, IndexOption, SettingsOption, edition_folder, settings_of

if TYPE_CHECKING:
    from agent.legal_agent import LegalAgent

__all__ = ["AgentOptions", "Mode"]


class Mode(StrEnum):
    """How the articles are gathered."""

    PLAIN = "plain"
    AGENTIC = "agentic"


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """The agent that a verb asks."""

    index: IndexOption = None
    as_of: AsOfOption = None
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="URL|serve|PROVIDER:NAME",
            help="The language model that writes: a server's address such as http://127.0.0.1:8000/v1, serve for the "
            "one that `nonliquet serve-model` runs here, or a model that LangChain knows.",
            show_default="none: the statutes are quoted",
        ),
    ] = None
    mode: Annotated[
        Mode | None, typer.Option("--mode", help="agentic lets the model search, open articles and follow citations.")
    ] = None
    self_check: Annotated[
        bool, typer.Option("--self-check", help="Ask the model, before it answers, whether the evidence is enough.")
    ] = False
    calibration: Annotated[
        Path | None,
        typer.Option(
            "--calibration",
            metavar="FILE",
            help="Answer only what is sure enough by this file of `nonliquet evals calibrate`.",
            show_default="none: replies are uncalibrated",
        ),
    ] = None
    settings: SettingsOption = None

    def open(self) -> LegalAgent:
        """Open the agent. --mode agentic and --self-check without --model are wrong usage."""
        from agent.legal_agent import LegalAgent
        from agent.settings import AgentSettings

        if self.model is None and (self.self_check or self.mode is Mode.AGENTIC):
            raise typer.BadParameter("--mode agentic and --self-check ask a language model; name one with --model")
        model = self.at_its_address().model
        chosen = settings_of(self.settings) or AgentSettings()
        chosen = replace(chosen, mode=self.mode or chosen.mode, self_check=self.self_check or chosen.self_check)
        if self.calibration is not None:
            chosen = replace(chosen, calibration=str(self.calibration))
        folder = edition_folder(self.index, self.as_of)
        return LegalAgent.open(folder, model=model, settings=chosen, as_of=self.as_of)

    def at_its_address(self) -> AgentOptions:
        """Return the options with the address that a model of `serve` means. Raises ServiceUnavailable if none runs."""
        if self.model != "serve":
            return self
        from agent.model_server.running import running_server

        return replace(self, model=running_server())

"""`nonliquet ask`: a question -> an answer with its citations, or an abstention."""

from __future__ import annotations

from typing import Annotated

import typer

from agent.commands.agent_options import AgentOptions
from agent.commands.exit_codes import ExitCode
from agent.commands.option_groups import grouped
from agent.commands.options import JsonOption, question_of
from agent.rendering import print_json, show_fallbacks, show_reply, show_trace

__all__ = ["register"]

_LONGEST_QUESTION = 1_000_000  # bytes of stdin


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("ask", epilog='Example: nonliquet ask "How often must a fire extinguisher be checked?"')(grouped(_ask))


def _question(words: str) -> str:
    if words == "-":
        read = typer.get_binary_stream("stdin").read(_LONGEST_QUESTION + 1)
        if len(read) > _LONGEST_QUESTION:
            raise typer.BadParameter(f"stdin holds more than {_LONGEST_QUESTION} bytes, which is no question")
        words = read.decode("utf-8-sig", errors="replace")
    return question_of(words)


def _ask(
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", callback=_question, help="The question; - reads it from stdin.")
    ],
    options: AgentOptions,
    json: JsonOption = False,
    why: Annotated[bool, typer.Option("--why", help="Print what was done to find the answer, too.")] = False,
) -> None:
    """Answer a question, or say what is missing for it."""
    with options.open() as agent:
        reply = agent.ask(question)
    show_fallbacks(reply.trace)
    if json:
        print_json(reply.to_json())
    else:
        show_reply(reply)
        if why:
            show_trace(reply.trace)
    if reply.abstained:
        raise typer.Exit(ExitCode.ABSTAINED)

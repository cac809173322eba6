"""`nonliquet replay`: a reply's trace -> the same steps again, and what comes out otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.commands.exit_codes import ExitCode
from agent.commands.options import IndexOption, JsonOption, index_folder
from agent.rendering import print_json, show, show_reply

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "replay", epilog="Example: nonliquet ask --json 'May I lock the exit?' > t.json; nonliquet replay t.json"
    )(_replay)


def _replay(
    path: Annotated[Path, typer.Argument(metavar="TRACE", help="What `nonliquet ask --json` printed.")],
    index: IndexOption = None,
    json: JsonOption = False,
) -> None:
    """Do everything again that led to a reply, with the model's words as they were, and compare the outcome.

    Exit code 0 if decision, citations and text are the same, 1 if one of them differs, which is printed.
    """
    from agent.replay import differences, read_trace, replay

    trace = read_trace(path)
    reply = replay(trace, index_folder(index))
    found = differences(trace, reply)
    if json:
        print_json({"same": not found, "differences": found, "reply": reply.to_json()})
    elif found:
        for difference in found:
            show(difference)
    else:
        show_reply(reply)
        show()
        show("The same decision, citations and text as in the trace.")
    if found:
        raise typer.Exit(ExitCode.ERROR)

"""`nonliquet chat`: questions one after the other, each read with those before it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agent.commands.agent_options import AgentOptions
from agent.commands.option_groups import grouped
from agent.conversation import Chat
from agent.rendering import show

__all__ = ["Chat", "register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("chat", epilog="Example: nonliquet chat --index index/")(grouped(_chat))


def _chat(
    options: AgentOptions,
    history: Annotated[
        bool, typer.Option("--history/--no-history", help="Remember what is typed for later sessions.")
    ] = True,
) -> None:
    """Answer questions one after the other (/help lists more)."""
    with options.open() as agent:
        if sys.stdin.isatty() and sys.stdout.isatty():
            from agent.line_editing import LineEditor, history_file

            chat = Chat(agent, _line_of_pipe, interactive=True)
            editor = LineEditor(chat.completions, history_file() if history else None)
            chat.next_line = lambda: editor.line(chat.prompt)
            show(("Ask about the law; /help lists what else can be typed, Ctrl-D leaves.", "dim"))
            chat.run()
        else:
            Chat(agent, _line_of_pipe, interactive=False).run()


def _line_of_pipe() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line

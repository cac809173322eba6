"""`nonliquet chat`: questions one after the other, each read with those before it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer

from agent.commands.options import (
    CalibrationOption,
    IndexOption,
    ModelOption,
    ModeOption,
    SelfCheckOption,
    SettingsOption,
    open_agent,
)
from agent.rendering import (
    show,
    show_error,
    show_fallbacks,
    show_provision,
    show_reply,
    show_stream,
    show_table,
    show_trace,
)
from agent.reply import Answer, Citation, Reply
from graph.errors import NonLiquetError

if TYPE_CHECKING:
    from agent.legal_agent import LegalAgent

__all__ = ["Chat", "register"]

_HELP = {
    "/open N": "the whole article that [N] cites, its quote marked",
    "/why": "what was done for the last reply",
    "/help": "this",
    "/quit": "leave; so does Ctrl-D, while Ctrl-C ends an answer or the line being typed",
}


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("chat", epilog="Example: nonliquet chat --index index/")(_chat)


def _chat(
    index: IndexOption = None,
    model: ModelOption = None,
    mode: ModeOption = None,
    self_check: SelfCheckOption = False,
    calibration: CalibrationOption = None,
    settings: SettingsOption = None,
) -> None:
    """Answer questions one after the other (/help lists more)."""
    with open_agent(
        index, None, settings, model=model, mode=mode, self_check=self_check, calibration=calibration
    ) as agent:
        if sys.stdin.isatty() and sys.stdout.isatty():
            import readline  # noqa: F401 - gives input() its line editing and its memory

            show(("Ask about the law; /help lists what else can be typed, Ctrl-D leaves.", "dim"))
            Chat(agent, lambda: input("> "), interactive=True).run()
        else:
            Chat(agent, _line_of_pipe, interactive=False).run()


def _line_of_pipe() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


@dataclass
class Chat:
    """One conversation.

    next_line: blocks until there is one; raises EOFError at the end, KeyboardInterrupt on Ctrl-C.
    interactive: whether somebody is there who can go on after an interruption or an error; else they end the chat.
    """

    agent: LegalAgent
    next_line: Callable[[], str]
    interactive: bool
    questions: list[str] = field(default_factory=list)  # answered or abstained on, oldest first
    reply: Reply | None = None  # the last one

    def run(self) -> None:
        """Take lines until there are none left or one says to leave."""
        while True:
            try:
                line = self.next_line().strip()
                if line == "/quit":
                    return
                if line:
                    self._take(line)
            except EOFError:
                return
            except KeyboardInterrupt:
                if not self.interactive:
                    raise
                show()
            except NonLiquetError as error:
                if not self.interactive:
                    raise
                show_error(str(error))

    def _take(self, line: str) -> None:
        if not line.startswith("/"):
            history = tuple(self.questions)
            if self.interactive and self.agent.model is not None:
                self.reply = show_stream(self.agent.stream(line, history=history))
            else:
                self.reply = self.agent.ask(line, history=history)
                show_reply(self.reply)
            show_fallbacks(self.reply.trace)
            self.questions.append(line)
            show()
            return
        match line.split():
            case ["/open", number]:
                self._open(number)
            case ["/why"]:
                if self.reply is None:
                    show("Nothing has been asked yet.")
                else:
                    show_trace(self.reply.trace)
            case ["/help"]:
                show_table(_HELP)
            case _:
                show(f"{line} is no command; there are {', '.join(_HELP)}.")

    def _open(self, number: str) -> None:
        cited = self._cited()
        if number not in map(str, range(1, len(cited) + 1)):
            there_are = f"[1] to [{len(cited)}]" if cited else "none"
            show(f"/open {number}: the last reply has no such citation; there are {there_are}.")
            return
        citation = cited[int(number) - 1]
        article = self.agent.retriever.article(citation.semantic_id)
        show_provision(article, start=citation.start, end=citation.end)

    def _cited(self) -> tuple[Citation, ...]:
        """Return the citations of the last reply, as they are numbered on the screen."""
        if self.reply is None:
            return ()
        return self.reply.citations if isinstance(self.reply, Answer) else self.reply.found

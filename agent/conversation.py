"""One conversation on a terminal or through a pipe: questions, each read with those before it, and commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from agent.aside import write_aside
from agent.commands.options import edition_folder
from agent.rendering import (
    show,
    show_error,
    show_fallbacks,
    show_provision,
    show_reply,
    show_stream,
    show_table,
    show_trace,
    waiting,
)
from agent.reply import Answer, Citation, Reply
from graph.edition import iso_date
from graph.errors import NonLiquetError
from graph.records import Provision

if TYPE_CHECKING:
    from agent.legal_agent import LegalAgent

__all__ = ["Chat"]

_HELP = {
    "/open N": "the whole article that [N] cites, its quote marked; or any, by its id",
    "/graph N": "what it cites and what cites it, as a tree; or any, by its id",
    "/why": "what was done for the last reply",
    "/asof DATE": "from now on the law as of a date, such as 2024-07-01; without one, as the chat began",
    "/save FILE": "all questions and replies as Markdown",
    "/help": "this",
    "/quit": "leave; so does Ctrl-D, while Ctrl-C ends an answer or the line being typed",
}
_N_COMPLETIONS = 100

T = TypeVar("T")


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
    replies: list[Reply] = field(default_factory=list)  # to these

    def __post_init__(self) -> None:
        self._asked = self.agent  # who answers: the agent, or one over the law of another date
        self._answered = self.agent  # who gave the last reply
        self._saved: set[Path] = set()
        self.prompt = "> "

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

    def completions(self, line: str, word: str) -> list[str]:
        """Return what the last word of a line may become: a command, with the space before its argument, or an id."""
        names: Iterable[str] = ()
        if line.startswith(("/open ", "/graph ")):
            names = self._provisions
        elif line.startswith("/") and line == word:
            names = (usage[: usage.find(" ") + 1] or usage for usage in _HELP)
        return [name for name in names if name.startswith(word)][:_N_COMPLETIONS]

    def _take(self, line: str) -> None:
        if not line.startswith("/"):
            self._ask(line)
            return
        command, _, rest = line.partition(" ")
        match command, rest.split():
            case "/open", [which]:
                self._open(which)
            case "/graph", [which]:
                self._graph(which)
            case "/why", []:
                if self.replies:
                    show_trace(self.replies[-1].trace)
                else:
                    show("Nothing has been asked yet.")
            case "/asof", [] | [_] as words:
                self._as_of(*words)
            case "/save", [_, *_]:
                self._save(Path(rest.strip()).expanduser())
            case "/help", []:
                show_table(_HELP)
            case _:
                show(f"{line} is no command; there are {', '.join(_HELP)}.")

    def _ask(self, question: str) -> None:
        history = tuple(self.questions)
        if self.interactive and self._asked.model is not None:
            reply = show_stream(_first_awaited(self._asked.stream(question, history=history)))
        elif self.interactive:
            with waiting():
                reply = self._asked.ask(question, history=history)
            show_reply(reply)
        else:
            reply = self._asked.ask(question, history=history)
            show_reply(reply)
        show_fallbacks(reply.trace)
        self._answered = self._asked
        self.questions.append(question)
        self.replies.append(reply)
        show()

    def _open(self, which: str) -> None:
        if which in self._cited():
            citation = self._cited()[which]
            show_provision(self._provisions[citation.semantic_id], start=citation.start, end=citation.end)
        elif which in self._provisions:
            show_provision(self._provisions[which])
        else:
            self._not_there(f"/open {which}")

    def _graph(self, which: str) -> None:
        from agent.graph_tree import show_tree
        from graph.neighbourhood import neighbourhood

        name = self._cited()[which].semantic_id if which in self._cited() else which
        if name in self._provisions:
            graph = self._answered.retriever.index.graph
            show_tree(neighbourhood(graph, name, depth=1), graph)
        else:
            self._not_there(f"/graph {which}")

    def _not_there(self, line: str) -> None:
        cited = self._cited()
        there_are = f"the citations [1] to [{len(cited)}]" if cited else "no citations"
        show(f"{line}: that is no provision's id, and the last reply has {there_are}.")

    def _as_of(self, words: str | None = None) -> None:
        if words is None:
            self._asked, self.prompt = self.agent, "> "
            show(("The law is as when the chat began.", "dim"))
            return
        try:
            day = iso_date(words)
        except ValueError as error:
            raise NonLiquetError(f"/asof {words}: {error}") from error
        edition_folder(self.agent.retriever.index.folder, day)  # built with a progress bar, if it is not there
        self._asked, self.prompt = self.agent.edition(day), f"{day}> "
        show((f"The law is as of {day}.", "dim"))

    def _save(self, path: Path) -> None:
        from agent.reply_markdown import conversation_markdown

        if path.exists() and path not in self._saved:
            raise NonLiquetError(f"{path}: is there already; give /save another name")
        try:
            write_aside(path, conversation_markdown(self.replies))
        except OSError as error:
            raise NonLiquetError(f"{path}: cannot be written: {error.strerror}; give /save another place") from error
        self._saved.add(path)
        show((f"{path}: {len(self.replies)} questions and replies", "dim"))

    @property
    def _provisions(self) -> dict[str, Provision]:
        return self._answered.retriever.index.graph.provisions

    def _cited(self) -> dict[str, Citation]:
        """Return the citations of the last reply, by their numbers on the screen."""
        if not self.replies:
            return {}
        last = self.replies[-1]
        cited = last.citations if isinstance(last, Answer) else last.found
        return {str(number): citation for number, citation in enumerate(cited, start=1)}


def _first_awaited(parts: Iterator[T]) -> Iterator[T]:
    """Yield the parts of a stream; until the first is there, the terminal shows that it is waited for."""
    with waiting():
        first = next(parts)
    yield first
    yield from parts

"""I/O: a reply's trace replayed: everything is done again but the model's words, and the outcome compared."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.agentic import hits_of
from agent.case import CaseMaker
from agent.chat_model import ChatModel, ModelReply, ModelRequest
from agent.legal_agent import LegalAgent
from agent.recording import ASKED, MODEL, reply_of
from agent.reply import Reply, Step
from agent.settings import AgentSettings
from graph.errors import ModelError, TraceError
from graph.records import Hit
from retrieval.encoder import Encoder
from retrieval.retriever import Retriever
from retrieval.settings import settings_from

__all__ = ["Trace", "differences", "read_trace", "replay"]

_COMPARED = ("abstained", "kind", "text", "citations", "missing")


@dataclass(frozen=True, slots=True)
class Trace:
    """A reply as it was written, and what it depended on."""

    place: str  # where it was read, for errors
    reply: Mapping[str, Any]  # as `Reply.to_json` has it
    question: str
    history: tuple[str, ...]
    as_of: str | None
    index: str  # hash of the index's content
    settings: AgentSettings
    model: str | None
    context_tokens: int | None
    replies: tuple[ModelReply, ...]
    counted: tuple[int | None, ...]  # tokens of the requests, as the model's server counted them
    opened: tuple[tuple[str, ...], ...]  # articles that the model opened, each time that it gathered


def read_trace(path: Path) -> Trace:
    """Read what `nonliquet ask --json` printed. Raises TraceError naming the file and what it lacks."""
    try:
        reply = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise TraceError(f"{path}: is not one JSON object: {error}; write one with: nonliquet ask --json") from error
    return trace_of(reply, place=str(path))


def trace_of(reply: Any, *, place: str) -> Trace:
    """Return what a reply's JSON tells of how it came about. Raises TraceError naming `place` and what is missing."""
    try:
        steps = [dict(step) for step in reply["trace"]]
        (asked,) = [step for step in steps if step["step"] == ASKED]
        said = [step for step in steps if step["step"] == MODEL]
        return Trace(
            place=place,
            reply=reply,
            question=str(reply["question"]),
            history=tuple(map(str, asked["history"])),
            as_of=asked["as of"],
            index=str(asked["index"]),
            settings=settings_from(asked["settings"], AgentSettings, place=f"{place}: settings"),
            model=asked["model"],
            context_tokens=asked["context tokens"],
            replies=tuple(reply_of(step["reply"]) for step in said),
            counted=tuple(count for step in said for count in step["counted"]),
            opened=tuple(tuple(step["opened"]) for step in steps if step["step"] == "gather" and "opened" in step),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TraceError(
            f"{place}: holds no trace that can be replayed ({type(error).__name__}: {error}); write one with: "
            "nonliquet ask --json"
        ) from error


def replay(trace: Trace, index: str | Path | None = None, *, encoder: Encoder | None = None) -> Reply:
    """Ask the question of a trace again, over the same index and with the model's words as they were.

    index: a folder, as `LegalAgent.open` takes it. Raises TraceError if it holds another index than the trace was made
    with, naming both, or if the same steps would ask the model for more than it said.
    """
    with LegalAgent.open(index, settings=trace.settings, encoder=encoder) as opened:
        manifest = opened.retriever.index.manifest
        edition = opened
        if trace.as_of is not None and trace.as_of != manifest.edition:
            edition = opened.edition(trace.as_of)
        found = edition.retriever.index.manifest.content_hash
        if found != trace.index:
            raise TraceError(
                f"{trace.place}: was made with the index {trace.index}, and {edition.retriever.index.folder} holds "
                f"{found}; name the index it was made with: nonliquet replay TRACE --index DIR"
            )
        agent = _ReplayedAgent(edition.retriever, trace)
        try:
            return agent.ask(trace.question, history=trace.history)
        except _OutOfScript as error:
            raise TraceError(f"{trace.place}: {error}") from error


def differences(trace: Trace, reply: Reply) -> list[str]:
    """Return in words where a replayed reply decides, cites or says something else; empty if nowhere."""
    now = json.loads(json.dumps(reply.to_json()))
    return [
        f"{name}: was {json.dumps(trace.reply.get(name), ensure_ascii=False)}, is now "
        f"{json.dumps(now.get(name), ensure_ascii=False)}"
        for name in _COMPARED
        if trace.reply.get(name) != now.get(name)
    ]


class _OutOfScript(Exception):
    """The steps ask the model for something that the trace does not hold."""


class _ReplayedModel:
    """Says what a trace says that a model said."""

    def __init__(self, trace: Trace) -> None:
        self.name = trace.model or ""
        self.context_tokens = trace.context_tokens
        self._replies = list(trace.replies)
        self._counted = list(trace.counted)

    def n_tokens(self, request: ModelRequest) -> int | None:
        if not self._counted:
            raise _OutOfScript("the steps make more requests than the trace holds")
        return self._counted.pop(0)

    def with_tools(self) -> Any:
        raise ModelError("a replayed model calls no tools")

    def complete(self, request: ModelRequest) -> ModelReply:
        if not self._replies:
            raise _OutOfScript("the steps ask the model more often than the trace holds replies")
        return self._replies.pop(0)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        return self.complete(request)

    def stream(self, request: ModelRequest) -> Iterator[str]:
        yield self.complete(request).text

    async def astream(self, request: ModelRequest) -> AsyncIterator[str]:
        yield self.complete(request).text


class _ReplayedCases(CaseMaker):
    """Takes the articles that the model opened from the trace."""

    opened: Sequence[Sequence[str]] = ()

    def _gathered(self, question: str, language: str, trace: list[Step]) -> list[Hit]:
        if self.settings.mode != "agentic" or not self.opened:
            return super()._gathered(question, language, trace)
        names, self.opened = self.opened[0], self.opened[1:]
        return hits_of(names)


class _ReplayedAgent(LegalAgent):
    def __init__(self, retriever: Retriever, trace: Trace) -> None:
        model: ChatModel | None = _ReplayedModel(trace) if trace.model is not None else None
        super().__init__(retriever, model=model, settings=trace.settings, as_of=trace.as_of)
        self._cases = _ReplayedCases(retriever, model, trace.settings, as_of=self.as_of)
        self._cases.opened = trace.opened

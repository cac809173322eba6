"""Puts a client's question to the agent: checked, in its turn, within its time, and no longer than the client waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from agent.legal_agent import LegalAgent
from agent.reply import Reply
from agent.server.errors import RefusedError, error_of
from agent.server.limits import Admission, ServerSettings
from agent.server.observing import Observer
from graph.errors import NonLiquetError

__all__ = ["Asked", "Asking"]

_LOOK_S = 0.25  # how often it is looked whether the client still waits

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that may be put to the agent."""

    question: str
    history: tuple[str, ...] = ()
    as_of: str | None = None


class Asking:
    """The agent, behind the limits of a server."""

    def __init__(self, agent: LegalAgent, settings: ServerSettings, observer: Observer) -> None:
        self.agent = agent
        self.settings = settings
        self.admission = Admission(settings)
        self._observer = observer

    def check(self, question: str, history: Sequence[str] = (), as_of: str | None = None) -> Asked:
        """Return what may be asked. Raises RefusedError (400) naming the field that is empty or too long."""
        longest, most = self.settings.max_question_chars, self.settings.max_history
        for name, text in (("question", question), *((f"history.{n}", one) for n, one in enumerate(history))):
            if len(text) > longest:
                raise RefusedError(400, f"{name} has {len(text)} characters; at most {longest} are read", param=name)
        if not question.strip():
            raise RefusedError(400, "the question is empty", param="question")
        if len(history) > most:
            raise RefusedError(400, f"{len(history)} earlier messages; at most {most} are read", param="history")
        if as_of is not None and not self.settings.build_editions and not self.agent.has_edition(as_of):
            message = f"the law as of {as_of} is not indexed here; build it with: nonliquet ask … --as-of {as_of}"
            raise RefusedError(400, message, param="as_of")
        return Asked(question, tuple(history), as_of)

    async def reply(self, asked: Asked, client_is_gone: Callable[[], Awaitable[bool]]) -> Reply:
        """Return the agent's reply. Raises RefusedError; the work ends when the client goes away."""
        working = asyncio.create_task(self._reply(asked))
        try:
            while not (await asyncio.wait({working}, timeout=_LOOK_S))[0]:
                if await client_is_gone():
                    raise RefusedError(499, "the client went away")
            reply = working.result()
        finally:
            working.cancel()
        self._observer.replied(reply)
        return reply

    async def stream(self, asked: Asked) -> AsyncIterator[str | Reply]:
        """Yield a draft's words as they come, then the reply. Raises RefusedError; closing it ends the work."""
        try:
            async with (
                self.admission.one(),
                aclosing(self.agent.astream(asked.question, as_of=asked.as_of, history=asked.history)) as parts,
            ):
                async for part in parts:
                    if not isinstance(part, str):
                        self._observer.replied(part)
                    yield part
        except (NonLiquetError, ValueError) as error:
            raise error_of(error) from error

    async def apart(self, work: Callable[[], T]) -> T:
        """Do blocking work in a thread, in its turn."""
        async with self.admission.one():
            return await asyncio.to_thread(work)

    async def _reply(self, asked: Asked) -> Reply:
        try:
            async with self.admission.one():
                return await self.agent.aask(asked.question, as_of=asked.as_of, history=asked.history)
        except (NonLiquetError, ValueError) as error:
            raise error_of(error) from error

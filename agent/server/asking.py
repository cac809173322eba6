"""Puts a client's question to the agent: checked, in its turn, within its time, and no longer than the client waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import anyio

from agent.legal_agent import LegalAgent
from agent.reply import Reply
from agent.server.errors import RefusedError, error_of
from agent.server.limits import Admission, ServerSettings
from agent.server.observing import Observer
from graph.errors import NonLiquetError

if TYPE_CHECKING:
    from agent.server.token_count import TokenCount

__all__ = ["Asked", "Asking"]

_LOOK_S = 0.25  # how often it is looked whether the client still waits

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that may be put to the agent."""

    question: str
    history: tuple[str, ...] = ()
    as_of: str | None = None
    count: TokenCount | None = None  # takes the tokens of its reply; None where no model writes

    def begin(self) -> None:
        """Count the tokens of the reply from now on, in this task."""
        if self.count is not None:
            self.count.begin()


class Asking:
    """The agent, behind the limits of a server."""

    def __init__(self, agent: LegalAgent, settings: ServerSettings, observer: Observer) -> None:
        self.agent = agent
        self.settings = settings
        self.admission = Admission(settings)
        self.observer = observer

    def check(self, question: str, history: Sequence[str] = (), as_of: str | None = None) -> Asked:
        """Return what may be asked. Raises RefusedError (400) naming the field that is empty or too long."""
        longest, most = self.settings.max_question_chars, self.settings.max_history
        for name, text in (("question", question), *((f"history.{place}", one) for place, one in enumerate(history))):
            if len(text) > longest:
                raise RefusedError(400, f"{name} has {len(text)} characters; at most {longest} are read", param=name)
        if not question.strip():
            raise RefusedError(400, "the question is empty", param="question")
        if len(history) > most:
            raise RefusedError(400, f"{len(history)} earlier messages; at most {most} are read", param="history")
        self._check_edition(as_of)
        return Asked(question, tuple(history), as_of, self._count())

    async def edition(self, as_of: str | None) -> LegalAgent:
        """Return the agent over the law as of a date; None: as it is. Raises RefusedError (400) if it is not there."""
        self._check_edition(as_of)
        if as_of is None:
            return self.agent
        try:
            return await self.apart(lambda: self.agent.edition(as_of))
        except (NonLiquetError, ValueError) as error:
            raise error_of(error) from error

    def check_room(self) -> None:
        """Raise RefusedError (503) if there are too many questions: a stream that has begun has no status any more."""
        self.admission.check_room()

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
        self.observer.replied(reply)
        return reply

    async def stream(self, asked: Asked, server_ends: anyio.Event | None = None) -> AsyncGenerator[str | Reply, None]:
        """Yield the words of an answer, each sentence once it is checked, then the reply that holds.

        server_ends: set when no reply can be waited for any more. Raises RefusedError; closing it ends the work.
        """
        # The work has a task of its own, so that neither its time nor the server's end waits for a client that is slow.
        parts: asyncio.Queue[str | Reply | RefusedError] = asyncio.Queue()
        working = asyncio.create_task(self._stream(asked, parts.put_nowait))
        ending = asyncio.create_task(_ending(server_ends, parts.put_nowait))
        try:
            while True:
                part = await parts.get()
                if isinstance(part, RefusedError):
                    raise part
                yield part
                if not isinstance(part, str):
                    return
        finally:
            working.cancel()
            ending.cancel()

    async def apart(self, work: Callable[[], T]) -> T:
        """Do blocking work in a thread, in its turn."""
        async with self.admission.one():
            return await asyncio.to_thread(work)

    def _count(self) -> TokenCount | None:
        if self.agent.model is None:
            return None
        from agent.server.token_count import TokenCount  # LangChain, which takes long to import

        return TokenCount()

    def _check_edition(self, as_of: str | None) -> None:
        if as_of is None or self.settings.build_editions:
            return
        try:
            is_there = self.agent.has_edition(as_of)
        except (NonLiquetError, ValueError) as error:
            raise error_of(error) from error
        if not is_there:
            message = f"the law as of {as_of} is not indexed here; build it with: nonliquet ask … --as-of {as_of}"
            raise RefusedError(400, message, param="as_of")

    async def _stream(self, asked: Asked, put: Callable[[str | Reply | RefusedError], None]) -> None:
        asked.begin()
        try:
            async with (
                self.admission.one(),
                aclosing(self.agent.astream(asked.question, as_of=asked.as_of, history=asked.history)) as parts,
            ):
                async for part in parts:
                    if not isinstance(part, str):
                        self.observer.replied(part)
                    put(part)
        except Exception as error:  # noqa: BLE001  # whatever it is, the client must not wait for more
            if (refused := error_of(error)).status == 500:
                self.observer.failed(error)
            put(refused)

    async def _reply(self, asked: Asked) -> Reply:
        asked.begin()
        try:
            async with self.admission.one():
                return await self.agent.aask(asked.question, as_of=asked.as_of, history=asked.history)
        except (NonLiquetError, ValueError) as error:
            raise error_of(error) from error


async def _ending(server_ends: anyio.Event | None, put: Callable[[RefusedError], None]) -> None:
    if server_ends is not None:
        await server_ends.wait()
        put(RefusedError(503, "the server ends; ask again", retry_after_s=5))

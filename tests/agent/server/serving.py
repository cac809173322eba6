"""The server on a port of its own, in a thread of this process; a model that takes its time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn

from agent.chat_model import ModelReply, ModelRequest
from agent.legal_agent import LegalAgent
from agent.server.app import create_app
from agent.server.limits import ServerSettings
from tests.agent.scripted_model import ScriptedModel, answer

QUESTION = "May fireworks be sold to a person under 16 years of age?"
ARTICLE = "fire-safety-act_13-2"
QUOTE = "Fireworks shall not be sold or given to a person under 16 years of age."
WRITTEN = answer("They shall not be sold to a person under 16. [1]", (ARTICLE, QUOTE))


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs."""

    url: str
    agent: LegalAgent


@contextmanager
def serving(agent: LegalAgent, settings: ServerSettings | None = None) -> Iterator[Served]:
    """Serve an agent, which is closed with the server."""
    config = uvicorn.Config(create_app(agent, settings), host="127.0.0.1", port=0, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    waiting = threading.Event()
    while not server.started:
        assert thread.is_alive()
        waiting.wait(0.02)
    try:
        yield Served(f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", agent)
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        assert not thread.is_alive()


class SlowModel(ScriptedModel):
    """Says its script after `wait_s`; tells when it was asked, and when a request to it was cancelled."""

    def __init__(self, *script: str, wait_s: float) -> None:
        super().__init__(*script)
        self.wait_s = wait_s
        self.asked = threading.Semaphore(0)
        self.cancelled = threading.Semaphore(0)

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        await self._wait()
        return self.complete(request)

    async def astream(self, request: ModelRequest) -> AsyncIterator[str]:
        await self._wait()
        async for chunk in super().astream(request):
            yield chunk

    async def _wait(self) -> None:
        self.asked.release()
        try:
            await asyncio.sleep(self.wait_s)
        except asyncio.CancelledError:
            self.cancelled.release()
            raise


def wait_until(holds: Callable[[], bool], *, at_most_s: float = 10.0) -> bool:
    """Return whether something comes to hold within some time."""
    end = time.monotonic() + at_most_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True

"""What the server lets in: who may ask, how much at once, and for how long; what is refused is refused in words."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agent.server.errors import RefusedError

__all__ = ["Admission", "ServerSettings", "check_key", "is_loopback"]

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The limits of one server process, and what it shows of an answer before it is verified."""

    api_key: str | None = None  # what clients must send as a bearer token; None: nothing
    max_body_bytes: int = 1_000_000
    max_question_chars: int = 20_000
    max_history: int = 50  # earlier messages of a conversation
    concurrency: int = 8  # questions answered at once
    queue: int = 64  # questions that wait; one more is told to come again
    timeout_s: float = 120.0  # for a question, its waiting included
    stream_drafts: bool = False  # send a model's words to OpenAI clients before they are verified
    build_editions: bool = False  # build the law of a date when a question asks for it; else it must be there

    def __post_init__(self) -> None:
        for name in ("max_body_bytes", "max_question_chars", "concurrency"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.queue < 0 or self.max_history < 0 or not self.timeout_s > 0:
            raise ValueError("queue and max_history must be 0 or more, timeout_s above 0")


class Admission:
    """Lets so many questions in at once, so many more wait, and none stay longer than the time allowed."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._free = asyncio.Semaphore(settings.concurrency)
        self.n_inside = 0  # answered or waiting

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a free place and hold it. Raises RefusedError (503) if too many wait, or the time is over."""
        if self.n_inside >= self._settings.concurrency + self._settings.queue:
            raise RefusedError(503, f"{self.n_inside} questions are being answered or wait; ask again", retry_after_s=1)
        self.n_inside += 1
        try:
            async with asyncio.timeout(self._settings.timeout_s), self._free:
                yield
        except TimeoutError as error:
            message = f"no answer within {self._settings.timeout_s:g} s"
            raise RefusedError(503, message, retry_after_s=5) from error
        finally:
            self.n_inside -= 1


def check_key(authorization: str | None, api_key: str | None) -> None:
    """Raise RefusedError (401) unless the header carries the key; in constant time."""
    if api_key is None:
        return
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not secrets.compare_digest(token.strip().encode(), api_key.encode()):
        raise RefusedError(401, "the API key is missing or wrong; send it as: Authorization: Bearer KEY")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    return host in _LOOPBACK or host.startswith("127.")

"""What the server lets in: who may ask, how much at once, and for how long; what is refused is refused in words."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.server.errors import RefusedError, error_response
from retrieval.methods import Method, parse_method

__all__ = ["Admission", "BodyLimit", "OnlyLocalNames", "ServerSettings", "check_key", "is_loopback", "offered_method"]

_SLOW = frozenset({"bm25-rank"})  # takes seconds on a large index


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The limits of one server process, and what it shows of an answer before it is verified."""

    api_key: str | None = None  # what clients must send as a bearer token; None: nothing
    max_body_bytes: int = 1_000_000
    max_question_chars: int = 20_000
    max_history: int = 50  # earlier questions of a conversation
    concurrency: int = 8  # questions answered at once
    queue: int = 64  # questions that wait; one more is told to come again
    timeout_s: float = 120.0  # for a question, its waiting included
    stream_drafts: bool = False  # send OpenAI clients each sentence once it is checked, before the whole answer is
    build_editions: bool = False  # build the law of a date when a question asks for it; else it must be there

    def __post_init__(self) -> None:
        for name in ("max_body_bytes", "max_question_chars", "concurrency"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.api_key is not None and not (self.api_key and self.api_key.isascii() and self.api_key.isprintable()):
            raise ValueError("the API key must be printable ASCII and not empty, as a header can hold nothing else")
        if self.queue < 0 or self.max_history < 0 or not self.timeout_s > 0:
            raise ValueError("queue and max_history must be 0 or more, timeout_s above 0")


class Admission:
    """Lets so many questions in at once, so many more wait, and none stay longer than the time allowed."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._free = asyncio.Semaphore(settings.concurrency)
        self.n_inside = 0  # answered or waiting

    def check_room(self) -> None:
        """Raise RefusedError (503) if too many wait already."""
        if self.n_inside >= self._settings.concurrency + self._settings.queue:
            raise RefusedError(503, f"{self.n_inside} questions are being answered or wait; ask again", retry_after_s=1)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a free place and hold it. Raises RefusedError (503) if too many wait, or the time is over."""
        self.check_room()
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


def offered_method(name: str) -> Method:
    """Read a retrieval method that a client may ask for.

    Raises ValueError if there is none of that name, or on one that would load a model, or take seconds.
    """
    method = parse_method(name)
    if method.model is not None or method.base in _SLOW:
        raise ValueError(f"method {name!r} is not offered to clients; `nonliquet search` has it")
    return method


def is_loopback(host: str) -> bool:
    """Whether only this machine can be reached by an address, or by that one name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class OnlyLocalNames:
    """ASGI middleware: takes only requests to this machine's own addresses, so that no page elsewhere can send any.

    A page could else reach the server under a name of its own that it lets point here.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, or refuse it."""
        host = Request(scope).url.hostname if scope["type"] == "http" else "localhost"
        if is_loopback(host or ""):
            await self._app(scope, receive, send)
            return
        message = "without an API key only requests to 127.0.0.1, [::1] or localhost are taken; see the header Host"
        await error_response(RefusedError(400, message))(scope, receive, send)


class BodyLimit:
    """ASGI middleware: reads no more than so many bytes of a body. FastAPI's own answers in plain text, not as JSON."""

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._message = f"the body is too large; at most {max_bytes} bytes are read"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, or refuse it: by what its header says, else by what comes."""
        announced = Headers(scope=scope).get("content-length", "") if scope["type"] == "http" else ""
        if announced.isdecimal() and int(announced) > self._max_bytes:
            await error_response(RefusedError(413, self._message))(scope, receive, send)
            return
        n_bytes = 0

        async def counted() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > self._max_bytes:
                raise HTTPException(413, self._message)  # the one kind that FastAPI lets through from reading a body
            return message

        await self._app(scope, counted, send)

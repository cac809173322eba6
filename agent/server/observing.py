"""What can be seen of the server from outside: a log line and an id for each request, counts for Prometheus, spans.

Neither questions nor answers are logged, nor are the words of an exception, which may quote them. FastAPI makes the
OpenTelemetry spans of requests where the SDK is set up, without what was asked; a reply adds its kind and confidence.
"""

from __future__ import annotations

import os
import re
import time
import traceback
import uuid
from pathlib import Path
from typing import Any

import structlog
from opentelemetry import trace
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.reply import Abstention, Reply
from agent.server.errors import error_of, error_response

__all__ = ["METRICS_TYPE", "Observer", "RequestLog"]

METRICS_TYPE = CONTENT_TYPE_LATEST

_REQUEST_ID = re.compile(r"[\w.-]{1,64}")
_LIVE_FILE = re.compile(r"gauge_live\w*_(\d+)\.db")  # of a process, as prometheus_client names it
_N_FRAMES = 5  # of a traceback that are logged
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Observer:
    """The counts of one server process.

    several_processes: the counts of all of them are added up, in the folder $PROMETHEUS_MULTIPROC_DIR.
    """

    def __init__(self, *, several_processes: bool = False) -> None:
        self.registry = CollectorRegistry()
        self.log: Any = structlog.get_logger("nonliquet.server")
        self._counts = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]) if several_processes else None
        if several_processes:
            MultiProcessCollector(self.registry)  # type: ignore[no-untyped-call]
        where = None if several_processes else self.registry
        self.requests = Counter(
            "nonliquet_requests", "Requests by route and status.", ["route", "status"], registry=where
        )
        self.seconds = Histogram(
            "nonliquet_request_seconds",
            "Time of a request, to its last byte.",
            ["route"],
            buckets=_SECONDS,
            registry=where,
        )
        self.in_flight = Gauge(
            "nonliquet_requests_in_flight", "Requests being answered.", registry=where, multiprocess_mode="livesum"
        )
        self.replies = Counter("nonliquet_replies", "Replies by outcome.", ["outcome"], registry=where)

    def replied(self, reply: Reply) -> None:
        """Count a reply: `answer`, or the kind of abstention."""
        outcome = reply.kind.value if isinstance(reply, Abstention) else "answer"
        self.replies.labels(outcome).inc()
        span = trace.get_current_span()
        span.set_attribute("nonliquet.outcome", outcome)
        span.set_attribute("nonliquet.confidence", reply.confidence)

    def failed(self, error: Exception) -> None:
        """Log a fault of the program: what it is and where it comes from."""
        frames = traceback.extract_tb(error.__traceback__)[-_N_FRAMES:]
        where = " > ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)
        self.log.error("fault", error=type(error).__name__, where=where)

    def page(self) -> bytes:
        """Return the counts as Prometheus reads them; a process that died has no requests in flight any more."""
        if self._counts is not None:
            for file in self._counts.glob("gauge_live*.db"):
                found = _LIVE_FILE.fullmatch(file.name)
                if found and not _is_alive(int(found[1])):
                    mark_process_dead(int(found[1]), str(self._counts))  # type: ignore[no-untyped-call]
        return generate_latest(self.registry)


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


class RequestLog:
    """ASGI middleware: gives every request an id, which its reply carries in `X-Request-Id`, a log line and counts.

    An id that the client sends is kept if it is short and plain. An exception that nobody foresaw is a 500.
    """

    def __init__(self, app: ASGIApp, observer: Observer) -> None:
        self._app = app
        self._observer = observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        status: int | None = None

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (b"x-request-id", request_id.encode())]}
            await send(message)

        if scope["query_string"]:
            trace.get_current_span().set_attribute("url.query", "REDACTED")  # it may be a question
        began = time.perf_counter()
        self._observer.in_flight.inc()
        try:
            with structlog.contextvars.bound_contextvars(request_id=request_id):
                try:
                    await self._app(scope, receive, marked)
                except Exception as error:  # noqa: BLE001  # nothing stands above this but the server itself
                    self._observer.failed(error)
                    if status is None:
                        await error_response(error_of(error))(scope, receive, marked)
        finally:
            took = time.perf_counter() - began
            self._observer.in_flight.dec()
            route = getattr(scope.get("route"), "path", "none")
            self._observer.requests.labels(route, status).inc()
            self._observer.seconds.labels(route).observe(took)
            self._observer.log.info(
                "request",
                request_id=request_id,
                method=scope["method"],
                route=route,
                status=status,
                ms=round(took * 1000, 1),
            )

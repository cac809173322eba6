"""A response of server-sent events that ends in words when the server does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import anyio
from sse_starlette import EventSourceResponse, ServerSentEvent

__all__ = ["events"]

_FAREWELL_S = 2.0  # for the last event after the server was told to end


def events(make: Callable[[anyio.Event], AsyncIterator[ServerSentEvent | str]]) -> EventSourceResponse:
    """Return the response.

    make: makes the stream, of events or of their data, from what is set when the server ends; the stream then should.
    """
    server_ends = anyio.Event()
    return EventSourceResponse(make(server_ends), shutdown_event=server_ends, shutdown_grace_period=_FAREWELL_S)

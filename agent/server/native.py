"""Questions by the protocol of our own: ask, at once or as events, and search."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from sse_starlette import ServerSentEvent

from agent.server.access import AskingOfApp
from agent.server.asking import Asked, Asking
from agent.server.bodies import AskBody, HitBody, ReplyBody, SearchBody
from agent.server.errors import RefusedError, error_body, refusals
from agent.server.events import events
from agent.server.limits import offered_method

__all__ = ["native_routes"]

native_routes = APIRouter(prefix="/v1", tags=["law"], responses=refusals(400, 401, 413, 503))


@native_routes.post(
    "/ask",
    response_model=ReplyBody,
    responses={200: {"content": {"text/event-stream": {}}}},
    summary="Answer a question, or abstain",
)
async def ask(body: AskBody, request: Request, asking: AskingOfApp) -> Response:
    """With `stream`, server-sent events: `draft` any number of times, then `reply`, or else `error`.

    A `draft` holds the next words of an answer that is being written. Each of its sentences has been checked
    against what it cites; the answer as a whole has not, and may still be withdrawn. Only `reply` holds.
    """
    asked = asking.check(body.question, body.history, body.as_of)
    if body.stream:
        asking.check_room()
        return events(lambda server_ends: _events(asking, asked, server_ends))
    return JSONResponse((await asking.reply(asked, request.is_disconnected)).to_json())


@native_routes.get("/search", response_model=SearchBody, summary="The articles that fit a question best")
async def search(
    asking: AskingOfApp,
    question: Annotated[str, Query(min_length=1)],
    top_k: Annotated[int, Query(ge=1, le=1000)] = 10,
    method: Annotated[str | None, Query(examples=["sar:hybrid"])] = None,
) -> SearchBody:
    retriever = asking.agent.retriever
    asked = asking.check(question)
    try:
        chosen = str(offered_method(method) if method else retriever.default_method)
        hits = await asking.apart(lambda: retriever.search(asked.question, top_k=top_k, method=chosen))
    except ValueError as error:
        raise RefusedError(400, str(error), param="method") from error
    return SearchBody(
        question=asked.question,
        method=chosen,
        hits=[HitBody.of(rank, hit, retriever.article(hit.semantic_id)) for rank, hit in enumerate(hits, start=1)],
    )


async def _events(asking: Asking, asked: Asked, server_ends: anyio.Event) -> AsyncIterator[ServerSentEvent]:
    try:
        async with aclosing(asking.stream(asked, server_ends)) as parts:
            async for part in parts:
                if isinstance(part, str):
                    yield _event("draft", {"text": part})
                else:
                    yield _event("reply", part.to_json())
    except RefusedError as error:
        yield _event("error", error_body(error))


def _event(name: str, data: dict[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(event=name, data=json.dumps(data, ensure_ascii=False))

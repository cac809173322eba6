"""The routes of our own: ask, search, an article with its citations, and the picture of its neighbourhood."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, TypeAlias

import anyio
from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from sse_starlette import ServerSentEvent

from agent.graph_svg import svg_of
from agent.server.asking import Asked, Asking
from agent.server.bodies import ArticleBody, AskBody, CitationEdge, HitBody, IsoDate, Language, ReplyBody, SearchBody
from agent.server.errors import RefusedError, error_body, refusals
from agent.server.events import events
from agent.server.limits import offered_method
from graph.citation_graph import CitationGraph
from graph.neighbourhood import neighbourhood

__all__ = ["native_routes"]

AsOf: TypeAlias = Annotated[IsoDate | None, Query(description="In the law of this date.")]

"""Methods that take seconds a question on a large corpus."""


def native_routes(asking: Asking) -> APIRouter:
    """Return the routes over an agent."""
    routes = APIRouter(prefix="/v1", tags=["law"], responses=refusals(400, 401, 413, 503))
    retriever = asking.agent.retriever

    @routes.post(
        "/ask",
        response_model=ReplyBody,
        responses={200: {"content": {"text/event-stream": {}}}},
        summary="Answer a question, or abstain",
    )
    async def ask(body: AskBody, request: Request) -> Response:
        """With `stream`, server-sent events: `draft` any number of times, then `reply`, or else `error`.

        A `draft` holds the next words of an answer that is being written. Each of its sentences has been checked
        against what it cites; the answer as a whole has not, and may still be withdrawn. Only `reply` holds.
        """
        asked = asking.check(body.question, body.history, body.as_of)
        if body.stream:
            asking.check_room()
            return events(lambda server_ends: _events(asking, asked, server_ends))
        return JSONResponse((await asking.reply(asked, request.is_disconnected)).to_json())

    @routes.get("/search", response_model=SearchBody, summary="The articles that fit a question best")
    async def search(
        question: Annotated[str, Query(min_length=1)],
        top_k: Annotated[int, Query(ge=1, le=1000)] = 10,
        method: Annotated[str | None, Query(examples=["sar:hybrid"])] = None,
    ) -> SearchBody:
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

    async def graph_with(semantic_id: str, as_of: str | None) -> CitationGraph:
        graph = (await asking.edition(as_of)).retriever.index.graph
        if semantic_id not in graph.provisions:
            raise RefusedError(404, f"this index knows no provision {semantic_id}", param="semantic_id")
        return graph

    # An id may hold a slash, as "art. 14/1" of Belgian law does.
    @routes.get(
        "/articles/{semantic_id:path}", response_model=ArticleBody, responses=refusals(404), summary="A provision"
    )
    async def article(semantic_id: str, as_of: AsOf = None) -> ArticleBody:
        graph = await graph_with(semantic_id, as_of)
        return ArticleBody.of(
            graph.provisions[semantic_id],
            cites=[
                CitationEdge.of(edge, graph.provisions[edge.target]) for edge in graph.cites(semantic_id) if edge.target
            ],
            cited_by=[CitationEdge.of(edge, graph.provisions[edge.source]) for edge in graph.cited_by(semantic_id)],
        )

    @routes.get(
        "/neighbourhood/{semantic_id:path}",
        response_class=Response,
        responses={200: {"content": {"image/svg+xml": {}}}, **refusals(404)},
        summary="The citations around a provision, drawn",
    )
    async def picture(
        semantic_id: str,
        depth: Annotated[int, Query(ge=0, le=3)] = 1,
        most: Annotated[int, Query(ge=1, le=20)] = 5,
        language: Annotated[Language, Query(description="Of the legend.")] = "en",
        as_of: AsOf = None,
    ) -> Response:
        graph = await graph_with(semantic_id, as_of)
        drawn = await asking.apart(
            lambda: svg_of(
                neighbourhood(graph, semantic_id, depth=depth, most=most), graph.provisions, language=language
            )
        )
        return Response(drawn, media_type="image/svg+xml")

    return routes


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

"""The routes of our own: ask, search, an article with its citations, and the picture of its neighbourhood."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from sse_starlette import EventSourceResponse, ServerSentEvent

from agent.graph_svg import svg_of
from agent.server.asking import Asking
from agent.server.bodies import ArticleBody, AskBody, CitationEdge, HitBody, ReplyBody, SearchBody
from agent.server.errors import ErrorBody, RefusedError, error_body
from graph.neighbourhood import neighbourhood
from graph.records import Edge, Provision
from retrieval.methods import parse_method

__all__ = ["native_routes"]

_REFUSED: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorBody},
    401: {"model": ErrorBody},
    413: {"model": ErrorBody},
    503: {"model": ErrorBody},
}
_UNKNOWN: dict[int | str, dict[str, Any]] = {404: {"model": ErrorBody}}


def native_routes(asking: Asking) -> APIRouter:
    """Return the routes over an agent."""
    routes = APIRouter(prefix="/v1", tags=["law"], responses=_REFUSED)
    retriever = asking.agent.retriever
    graph = retriever.index.graph

    @routes.post("/ask", response_model=ReplyBody, summary="Answer a question, or abstain")
    async def ask(body: AskBody, request: Request) -> Response:
        """With `stream`, server-sent events: `draft` (words not verified yet), then `reply`, or `error`."""
        asked = asking.check(body.question, body.history, body.as_of)
        if body.stream:
            return EventSourceResponse(_events(asking.stream(asked)))
        return JSONResponse((await asking.reply(asked, request.is_disconnected)).to_json())

    @routes.get("/search", response_model=SearchBody, summary="The articles that fit a question best")
    async def search(
        question: Annotated[str, Query(min_length=1)],
        top_k: Annotated[int, Query(ge=1, le=1000)] = 10,
        method: Annotated[str | None, Query(examples=["sar:hybrid"])] = None,
    ) -> SearchBody:
        asked = asking.check(question)
        try:
            chosen = str(parse_method(method)) if method else str(retriever.default_method)
            hits = await asking.apart(lambda: retriever.search(asked.question, top_k=top_k, method=chosen))
        except ValueError as error:
            raise RefusedError(400, str(error), param="method") from error
        return SearchBody(
            question=asked.question,
            method=chosen,
            hits=[HitBody.of(rank, hit, retriever.article(hit.semantic_id)) for rank, hit in enumerate(hits, start=1)],
        )

    def known(semantic_id: str) -> Provision:
        if semantic_id not in graph.provisions:
            raise RefusedError(404, f"this index knows no provision {semantic_id}", param="semantic_id")
        return graph.provisions[semantic_id]

    # An id may hold a slash, as "art. 14/1" of Belgian law does.
    @routes.get("/articles/{semantic_id:path}", response_model=ArticleBody, responses=_UNKNOWN, summary="A provision")
    async def article(semantic_id: str) -> ArticleBody:
        provision = known(semantic_id)
        return ArticleBody.of(
            provision,
            cites=[_edge(edge, edge.target) for edge in graph.cites(semantic_id) if edge.target],
            cited_by=[_edge(edge, edge.source) for edge in graph.cited_by(semantic_id)],
        )

    @routes.get(
        "/neighbourhood/{semantic_id:path}",
        response_class=Response,
        responses={200: {"content": {"image/svg+xml": {}}}, **_UNKNOWN},
        summary="The citations around a provision, drawn",
    )
    async def picture(
        semantic_id: str,
        depth: Annotated[int, Query(ge=0, le=3)] = 1,
        most: Annotated[int, Query(ge=1, le=20)] = 5,
    ) -> Response:
        known(semantic_id)
        drawn = svg_of(neighbourhood(graph, semantic_id, depth=depth, most=most), graph.provisions)
        return Response(drawn, media_type="image/svg+xml")

    return routes


def _edge(edge: Edge, other: str) -> CitationEdge:
    return CitationEdge(semantic_id=other, kind=edge.kind, start=edge.start, end=edge.end, text=edge.text)


async def _events(parts: AsyncIterator[Any]) -> AsyncIterator[ServerSentEvent]:
    try:
        async for part in parts:
            if isinstance(part, str):
                yield ServerSentEvent(event="draft", data=json.dumps({"text": part}, ensure_ascii=False))
            else:
                yield ServerSentEvent(event="reply", data=json.dumps(part.to_json(), ensure_ascii=False))
    except RefusedError as error:
        yield ServerSentEvent(event="error", data=json.dumps(error_body(error), ensure_ascii=False))

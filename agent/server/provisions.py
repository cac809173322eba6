"""The law itself: a provision with its citations, and the picture of its neighbourhood."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Query
from fastapi.responses import Response

from agent.graph_svg import svg_of
from agent.server.access import AskingOfApp
from agent.server.asking import Asking
from agent.server.bodies import ArticleBody, CitationEdge, IsoDate, Language
from agent.server.errors import RefusedError, refusals
from graph.citation_graph import CitationGraph
from graph.neighbourhood import neighbourhood

__all__ = ["provision_routes"]

provision_routes = APIRouter(prefix="/v1", tags=["law"], responses=refusals(400, 401, 413, 503))

AsOf: TypeAlias = Annotated[IsoDate | None, Query(description="In the law of this date.")]


# An id may hold a slash, as "art. 14/1" of Belgian law does.
@provision_routes.get(
    "/articles/{semantic_id:path}", response_model=ArticleBody, responses=refusals(404), summary="A provision"
)
async def article(semantic_id: str, asking: AskingOfApp, as_of: AsOf = None) -> ArticleBody:
    graph = await _graph_with(asking, semantic_id, as_of)
    return ArticleBody.of(
        graph.provisions[semantic_id],
        cites=CitationEdge.out_of(semantic_id, graph),
        cited_by=CitationEdge.into(semantic_id, graph),
    )


@provision_routes.get(
    "/neighbourhood/{semantic_id:path}",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {}}}, **refusals(404)},
    summary="The citations around a provision, drawn",
)
async def picture(
    semantic_id: str,
    asking: AskingOfApp,
    depth: Annotated[int, Query(ge=0, le=3)] = 1,
    most: Annotated[int, Query(ge=1, le=20)] = 5,
    language: Annotated[Language, Query(description="Of the legend.")] = "en",
    as_of: AsOf = None,
) -> Response:
    graph = await _graph_with(asking, semantic_id, as_of)
    drawn = await asking.apart(
        lambda: svg_of(neighbourhood(graph, semantic_id, depth=depth, most=most), graph.provisions, language=language)
    )
    return Response(drawn, media_type="image/svg+xml")


async def _graph_with(asking: Asking, semantic_id: str, as_of: str | None) -> CitationGraph:
    graph = (await asking.edition(as_of)).retriever.index.graph
    if semantic_id not in graph.provisions:
        raise RefusedError(404, f"this index knows no provision {semantic_id}", param="semantic_id")
    return graph

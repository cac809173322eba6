"""What whoever runs the server looks at: whether it answers, and its counts."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import APIRouter
from fastapi.responses import Response

from agent.server.access import ONLY_KNOWN, AskingOfApp
from agent.server.bodies import HealthBody
from agent.server.errors import refusals
from agent.server.observing import METRICS_TYPE

__all__ = ["operation_routes"]

operation_routes = APIRouter(tags=["operation"])


@operation_routes.get("/healthz", responses=refusals(), summary="Whether the server answers, and from what")
async def health(asking: AskingOfApp) -> HealthBody:
    agent = asking.agent
    manifest = agent.retriever.index.manifest
    return HealthBody(
        status="ok",
        version=version("nonliquet"),
        articles=len(agent.retriever.index.articles),
        edition=manifest.edition,
        encoder=manifest.encoder.name if manifest.encoder else None,
        model=agent.model.name.rpartition("#")[2] if agent.model else None,  # not where it is served
    )


@operation_routes.get(
    "/metrics",
    dependencies=[ONLY_KNOWN],
    response_class=Response,
    responses={200: {"content": {METRICS_TYPE: {}}}, **refusals(401)},
    summary="Counts for Prometheus",
)
async def metrics(asking: AskingOfApp) -> Response:
    return Response(asking.observer.page(), media_type=METRICS_TYPE)

"""The server as one FastAPI app over one agent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Security
from fastapi.responses import Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from agent.legal_agent import LegalAgent
from agent.server.asking import Asking
from agent.server.bodies import HealthBody
from agent.server.errors import add_error_handlers, refusals
from agent.server.limits import BodyLimit, OnlyLocalNames, ServerSettings, check_key
from agent.server.native import native_routes
from agent.server.observing import METRICS_TYPE, Observer, RequestLog
from agent.server.openai_chat import openai_routes
from agent.web.page import add_page

__all__ = ["create_app"]

_BEARER = HTTPBearer(auto_error=False, description="The key that the server was started with, if it was.")


def create_app(
    agent: LegalAgent, settings: ServerSettings | None = None, *, several_processes: bool = False
) -> FastAPI:
    """Return the app: OpenAI's chat protocol, the routes of our own, health and metrics.

    The agent is closed with the app. Without an API key only requests to names of this machine are taken, so that no
    web page can reach the server under a name of its own.
    """
    chosen = settings or ServerSettings()
    observer = Observer(several_processes=several_processes)
    asking = Asking(agent, chosen, observer)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        threads = ThreadPoolExecutor(chosen.concurrency, thread_name_prefix="asking")
        asyncio.get_running_loop().set_default_executor(threads)
        with agent:
            try:
                yield
            finally:
                threads.shutdown(wait=True, cancel_futures=True)

    app = FastAPI(
        title="Non Liquet",
        version=version("nonliquet"),
        summary="Answers questions about statutes, cites the articles, and abstains when the evidence is not there.",
        lifespan=lifespan,
        telemetry={"logs": False, "operation_spans": False},  # its logs would hold what exceptions say
    )
    add_error_handlers(app)

    async def may_ask(sent: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]) -> None:
        check_key(f"{sent.scheme} {sent.credentials}" if sent else None, chosen.api_key)

    only_known: list[Any] = [Depends(may_ask)]
    app.include_router(openai_routes(asking), dependencies=only_known)
    app.include_router(native_routes(asking), dependencies=only_known)
    add_page(app, agent, chosen, only_known=only_known)

    @app.get("/healthz", tags=["operation"], responses=refusals(), summary="Whether the server answers, and from what")
    async def health() -> HealthBody:
        manifest = agent.retriever.index.manifest
        return HealthBody(
            status="ok",
            version=version("nonliquet"),
            articles=len(agent.retriever.index.articles),
            edition=manifest.edition,
            encoder=manifest.encoder.name if manifest.encoder else None,
            model=agent.model.name.rpartition("#")[2] if agent.model else None,  # not where it is served
        )

    @app.get(
        "/metrics",
        tags=["operation"],
        dependencies=only_known,
        response_class=Response,
        responses={200: {"content": {METRICS_TYPE: {}}}, **refusals(401)},
        summary="Counts for Prometheus",
    )
    async def metrics() -> Response:
        return Response(observer.page(), media_type=METRICS_TYPE)

    if chosen.api_key is None:
        app.add_middleware(OnlyLocalNames)
    app.add_middleware(BodyLimit, max_bytes=chosen.max_body_bytes)
    app.add_middleware(RequestLog, observer=observer)
    return app

"""The server as one FastAPI app over one agent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline

from agent.legal_agent import LegalAgent
from agent.server.access import ONLY_KNOWN, give_asking
from agent.server.asking import Asking
from agent.server.errors import add_error_handlers
from agent.server.limits import BodyLimit, OnlyLocalNames, ServerSettings
from agent.server.native import native_routes
from agent.server.observing import Observer, RequestLog
from agent.server.openai_chat import openai_routes
from agent.server.operation import operation_routes
from agent.server.provisions import provision_routes
from agent.web.page import add_page

__all__ = ["create_app"]


def create_app(
    agent: LegalAgent, settings: ServerSettings | None = None, *, several_processes: bool = False
) -> FastAPI:
    """Return the app: OpenAI's chat protocol, the routes of our own, health and metrics.

    The agent is closed with the app. Without an API key only requests to names of this machine are taken, so that no
    web page can reach the server under a name of its own.
    """
    chosen = settings or ServerSettings()
    observer = Observer(several_processes=several_processes)
    app = FastAPIOffline(
        redoc_url=None,
        swagger_ui_parameters={"validatorUrl": None},  # else the page asks another host what it thinks of it
        title="Non Liquet",
        version=version("nonliquet"),
        summary="Answers questions about statutes, cites the articles, and abstains when the evidence is not there.",
        lifespan=_lifespan(agent, n_threads=chosen.concurrency),
        telemetry={"logs": False, "operation_spans": False},  # its logs would hold what exceptions say
    )
    give_asking(app, Asking(agent, chosen, observer))
    add_error_handlers(app)
    for routes in (openai_routes, native_routes, provision_routes):
        app.include_router(routes, dependencies=[ONLY_KNOWN])
    add_page(app, agent, chosen)
    app.include_router(operation_routes)
    if chosen.api_key is None:
        app.add_middleware(OnlyLocalNames)
    app.add_middleware(BodyLimit, max_bytes=chosen.max_body_bytes)
    app.add_middleware(RequestLog, observer=observer)
    return app


def _lifespan(agent: LegalAgent, *, n_threads: int) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return what gives the app its threads, and closes the agent with it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        threads = ThreadPoolExecutor(n_threads, thread_name_prefix="asking")
        asyncio.get_running_loop().set_default_executor(threads)
        with agent:
            try:
                yield
            finally:
                threads.shutdown(wait=True, cancel_futures=True)

    return lifespan

"""I/O: one server process: how it was started, in an environment variable; the agent it opens; its log on stderr."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass

import structlog
from fastapi import FastAPI
from pydantic import TypeAdapter

from agent.commands.agent_options import AgentOptions
from agent.server.app import create_app
from agent.server.limits import ServerSettings

__all__ = ["START", "Start", "app_of_process"]

START = "NONLIQUET_SERVER_START"


@dataclass(frozen=True, slots=True)
class Start:
    """What the command line said; a worker reads it, as it starts from nothing else."""

    server: ServerSettings
    agent: AgentOptions
    workers: int = 1

    def to_environment(self) -> None:
        """Leave it for the processes that this one starts."""
        os.environ[START] = TypeAdapter(Start).dump_json(self).decode()


def app_of_process() -> FastAPI:
    """Return the app of this process, as $NONLIQUET_SERVER_START says; uvicorn calls it in each worker."""
    start = TypeAdapter(Start).validate_json(os.environ[START])
    _log_as_json()
    return create_app(start.agent.open(), start.server, several_processes=start.workers > 1)


def _log_as_json() -> None:
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *names: structlog.PrintLogger(sys.stderr),  # looked up anew, as it may be replaced
    )

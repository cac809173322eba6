"""`nonliquet web`: the page, for the person at this machine."""

from __future__ import annotations

import logging
import socket
import webbrowser
from typing import Annotated

import typer

from agent.commands.agent_options import AgentOptions
from agent.commands.extras import of_extra
from agent.commands.option_groups import Without, grouped
from agent.rendering import show
from graph.errors import NonLiquetError

__all__ = ["register"]

_HOST = "127.0.0.1"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("web", epilog="Example: nonliquet web --index law")(grouped(_web))


def _web(
    options: Annotated[AgentOptions, Without({"as_of"})],
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = 8080,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Show the page in the browser, for this machine alone, until Ctrl-C. `serve` shows it to others."""
    with of_extra("web"):
        import structlog
        import uvicorn

        from agent.server.app import create_app
    with _listening(port) as listening:
        agent = options.open()
        address = f"http://{_HOST}:{listening.getsockname()[1]}/"
        show((f"The page is at {address}; Ctrl-C ends it.", "dim"))
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
        if browser:
            webbrowser.open(address)  # it waits at the port, which is open
        config = uvicorn.Config(create_app(agent), access_log=False, server_header=False, log_level="warning")
        uvicorn.Server(config).run(sockets=[listening])


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((_HOST, port))
    except OSError as error:
        raise NonLiquetError(f"port {port} cannot be had: {error.strerror}; choose another with --port") from error

"""`nonliquet mcp`: the agent as tools and resources of an MCP server."""

from __future__ import annotations

from typing import Annotated

import typer

from agent.commands.agent_options import AgentOptions
from agent.commands.extras import of_extra
from agent.commands.option_groups import grouped
from agent.commands.serving import KeyOption, TimeoutOption, server_settings

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("mcp", epilog="Example: nonliquet mcp --index law")(grouped(_mcp))


def _mcp(
    options: AgentOptions,
    http: Annotated[bool, typer.Option("--http", help="Listen at http://HOST:PORT/mcp instead of on stdin.")] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Of --http; another than this machine's own needs a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Of --http.")] = 8081,
    api_key: KeyOption = None,
    timeout: TimeoutOption = 120,
) -> None:
    """Serve the tools search, open_article, follow_citations and ask, and each article as a resource, by MCP."""
    with of_extra("mcp"):
        from agent.mcp_server.http import serve_http
        from agent.mcp_server.server import create_mcp_server
    limits = server_settings(host if http else "127.0.0.1", api_key=api_key, timeout_s=timeout)
    with options.open() as agent:
        server = create_mcp_server(agent, limits)
        if http:
            typer.echo(f"Serving on http://{host}:{port}/mcp", err=True)
            serve_http(server, limits, host=host, port=port)
        else:
            server.run("stdio")

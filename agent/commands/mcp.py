"""`nonliquet mcp`: the agent as tools and resources of an MCP server."""

from __future__ import annotations

from typing import Annotated

import typer

from agent.commands.options import (
    AsOfOption,
    CalibrationOption,
    IndexOption,
    ModelOption,
    ModeOption,
    SelfCheckOption,
    SettingsOption,
    open_agent,
)
from graph.errors import NonLiquetError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("mcp", epilog="Example: nonliquet mcp --index law")(_mcp)


def _mcp(
    index: IndexOption = None,
    as_of: AsOfOption = None,
    model: ModelOption = None,
    mode: ModeOption = None,
    self_check: SelfCheckOption = False,
    calibration: CalibrationOption = None,
    settings: SettingsOption = None,
    http: Annotated[bool, typer.Option("--http", help="Listen at http://HOST:PORT/mcp instead of on stdin.")] = False,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Of --http; another than this machine's own needs a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Of --http.")] = 8081,
    api_key: Annotated[
        str | None,
        typer.Option(
            "--api-key",
            envvar="NONLIQUET_API_KEY",
            metavar="KEY",
            help="Of --http: what clients must send.",
            show_default="none",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="For a question, its waiting included.")
    ] = 120,
) -> None:
    """Serve the tools search, open_article, follow_citations and ask, and each article as a resource, by MCP."""
    try:
        from agent.mcp_server.http import serve_http
        from agent.mcp_server.server import create_mcp_server
        from agent.server.limits import ServerSettings, is_loopback
    except ImportError as error:
        raise NonLiquetError(f"{error.name} is not installed; pip install 'nonliquet[mcp]'") from error
    if http and api_key is None and not is_loopback(host):
        raise typer.BadParameter(f"{host} can be reached from other machines; set a key with --api-key")
    try:
        limits = ServerSettings(api_key=api_key, timeout_s=timeout)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    with open_agent(
        index, as_of, settings, model=model, mode=mode, self_check=self_check, calibration=calibration
    ) as agent:
        server = create_mcp_server(agent, limits)
        if http:
            typer.echo(f"Serving on http://{host}:{port}/mcp", err=True)
            serve_http(server, limits, host=host, port=port)
        else:
            server.run("stdio")

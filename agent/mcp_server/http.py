"""I/O: the MCP server over streamable HTTP: for this machine alone, or with a key."""

from __future__ import annotations

import uvicorn
from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from agent.server.errors import RefusedError, error_response
from agent.server.limits import ServerSettings, check_key

__all__ = ["http_app", "serve_http"]

PATH = "/mcp"
_LOCAL_NAMES = ["127.0.0.1:*", "localhost:*", "[::1]:*"]


def http_app(server: MCPServer, settings: ServerSettings) -> ASGIApp:
    """Return the app. Without a key only requests to names of this machine are taken, so that no web page can reach it.

    It keeps nothing between two requests, so any number of processes can stand behind one address.
    """
    local = TransportSecuritySettings(
        allowed_hosts=_LOCAL_NAMES, allowed_origins=[f"http://{name}" for name in _LOCAL_NAMES]
    )
    anywhere = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        max_request_body_size=settings.max_body_bytes,
        transport_security=anywhere if settings.api_key else local,
    )
    return _KeyRequired(app, settings.api_key) if settings.api_key else app


def serve_http(server: MCPServer, settings: ServerSettings, *, host: str, port: int) -> None:
    """Serve until interrupted."""
    uvicorn.run(http_app(server, settings), host=host, port=port, access_log=False, log_level="warning")


class _KeyRequired:
    """ASGI middleware: nobody gets in without the key."""

    def __init__(self, app: ASGIApp, api_key: str) -> None:
        self._app = app
        self._api_key = api_key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                check_key(Headers(scope=scope).get("authorization"), self._api_key)
            except RefusedError as error:
                await error_response(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

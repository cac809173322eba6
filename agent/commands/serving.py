"""The options of the verbs that listen for others, and the limits that they describe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

if TYPE_CHECKING:
    from agent.server.limits import ServerSettings

__all__ = ["KeyOption", "TimeoutOption", "server_settings"]

KeyOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--api-key",
        envvar="NONLIQUET_API_KEY",
        metavar="KEY",
        help="What clients must send over HTTP.",
        show_default="none",
    ),
]
TimeoutOption: TypeAlias = Annotated[
    float, typer.Option("--timeout", min=1, metavar="SECONDS", help="For a question, its waiting included.")
]


def server_settings(host: str, *, api_key: str | None, **limits: Any) -> ServerSettings:
    """Return the settings of a server that listens at a host.

    limits: by the names of ServerSettings. One out of range is wrong usage, and so is no key where others can come.
    """
    from agent.server.limits import ServerSettings, is_loopback

    if api_key is None and not is_loopback(host):
        raise typer.BadParameter(f"{host} can be reached from other machines; set a key with --api-key")
    try:
        return ServerSettings(api_key=api_key, **limits)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error

"""`nonliquet serve`: the agent over HTTP: OpenAI's chat protocol and routes of its own."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from typing import Annotated

import typer

from agent.commands.options import (
    IndexOption,
    ModelOption,
    ModeOption,
    SelfCheckOption,
    SettingsOption,
    index_folder,
    open_agent,
)
from agent.rendering import show
from graph.errors import NonLiquetError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("serve", epilog="Example: nonliquet serve --index law --port 8080")(_serve)


def _serve(
    index: IndexOption = None,
    model: ModelOption = None,
    mode: ModeOption = None,
    self_check: SelfCheckOption = False,
    settings: SettingsOption = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where it listens; another than this machine's own needs a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8080,
    api_key: Annotated[
        str | None,
        typer.Option(
            "--api-key", envvar="NONLIQUET_API_KEY", metavar="KEY", help="What clients must send.", show_default="none"
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes.")] = 1,
    concurrency: Annotated[int, typer.Option(min=1, metavar="N", help="Questions a process answers at once.")] = 8,
    queue: Annotated[int, typer.Option(min=0, metavar="N", help="Questions that wait besides; more get 503.")] = 64,
    timeout: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="For a question, its waiting included.")
    ] = 120,
    stream_drafts: Annotated[
        bool,
        typer.Option("--stream-drafts", help="Send OpenAI clients each sentence once it is checked."),
    ] = False,
    build_editions: Annotated[
        bool, typer.Option("--build-editions", help="Index the law of a date when a question asks for it.")
    ] = False,
) -> None:
    """Answer over HTTP, until Ctrl-C. `/docs` describes the routes."""
    try:
        import uvicorn

        from agent.server.limits import ServerSettings, is_loopback
        from agent.server.process import Start
    except ImportError as error:
        raise NonLiquetError(f"{error.name} is not installed; pip install 'nonliquet[web]'") from error
    if api_key is None and not is_loopback(host):
        raise typer.BadParameter(f"{host} can be reached from other machines; set a key with --api-key")
    try:
        server = ServerSettings(
            api_key=api_key,
            concurrency=concurrency,
            queue=queue,
            timeout_s=timeout,
            stream_drafts=stream_drafts,
            build_editions=build_editions,
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    if model == "serve":
        from agent.model_server.running import running_server

        model = running_server()
    folder = index_folder(index)
    if workers > 1:  # what is wrong is said once, not by every process
        open_agent(folder, None, settings, model=model, mode=mode, self_check=self_check).close()
    Start(server, folder, settings, model, mode, self_check, workers).to_environment()
    show((f"Serving on http://{host}:{port}; its routes are described at /docs.", "dim"))
    with ExitStack() as stack:
        if workers > 1:  # one process alone ends by the signal that ends it, and would leave the folder behind
            counts = tempfile.TemporaryDirectory(prefix="nonliquet-counts-")
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = stack.enter_context(counts)
        uvicorn.run(
            "agent.server.process:app_of_process",
            factory=True,
            host=host,
            port=port,
            workers=workers,
            access_log=False,
            server_header=False,
            log_level="warning",
            timeout_graceful_shutdown=10,
        )

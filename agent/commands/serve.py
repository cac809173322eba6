"""`nonliquet serve`: the agent over HTTP: OpenAI's chat protocol and routes of its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Annotated

import typer

from agent.commands.agent_options import AgentOptions
from agent.commands.extras import of_extra
from agent.commands.option_groups import Without, grouped
from agent.commands.options import index_folder
from agent.commands.serving import KeyOption, TimeoutOption, server_settings
from agent.rendering import show

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("serve", epilog="Example: nonliquet serve --index law --port 8080")(grouped(_serve))


@dataclass(frozen=True, slots=True)
class _Limits:
    """What each process takes on, and what it does with it."""

    concurrency: Annotated[int, typer.Option(min=1, metavar="N", help="Questions a process answers at once.")] = 8
    queue: Annotated[int, typer.Option(min=0, metavar="N", help="Questions that wait besides; more get 503.")] = 64
    timeout_s: TimeoutOption = 120
    stream_drafts: Annotated[
        bool, typer.Option("--stream-drafts", help="Send OpenAI clients each sentence once it is checked.")
    ] = False
    build_editions: Annotated[
        bool, typer.Option("--build-editions", help="Index the law of a date when a question asks for it.")
    ] = False


def _serve(
    options: Annotated[AgentOptions, Without({"as_of", "calibration"})],
    limits: _Limits,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where it listens; another than this machine's own needs a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535)] = 8080,
    api_key: KeyOption = None,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes.")] = 1,
) -> None:
    """Answer over HTTP, until Ctrl-C. `/docs` describes the routes."""
    with of_extra("web"):
        import uvicorn

        from agent.server.process import Start
    server = server_settings(host, api_key=api_key, **asdict(limits))
    asked = replace(options.at_its_address(), index=index_folder(options.index))
    if workers > 1:  # what is wrong is said once, not by every process
        asked.open().close()
    Start(server, asked, workers).to_environment()
    show((f"Serving on http://{host}:{port}; its routes are described at /docs.", "dim"))
    with _counted_together(workers):
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


@contextmanager
def _counted_together(workers: int) -> Iterator[None]:
    """Give several processes a folder for their counts; one alone ends by a signal, and would leave it behind."""
    if workers == 1:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="nonliquet-counts-") as counts:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = counts
        yield

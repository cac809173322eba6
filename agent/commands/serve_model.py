"""`nonliquet serve-model`: a language model -> a vLLM server on this machine that `ask` can be pointed at."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Annotated

import typer

from agent.rendering import show

__all__ = ["register"]

_OURS = ("--model", "--served-model-name", "--port")  # vLLM's, that are said by our own arguments


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "serve-model",
        epilog="Example: nonliquet serve-model models/SmolLM2.gguf --max-model-len 4096",
    )(_serve_model)


def _extra(arguments: list[str] | None) -> list[str]:
    for argument in arguments or ():
        if argument.split("=")[0] in _OURS:
            raise typer.BadParameter(f"{argument}: MODEL and --port before -- say this")
    return arguments or []


def _serve_model(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A folder of safetensors, a GGUF file or a folder with one, or OWNER/NAME on a model hub.",
        ),
    ],
    extra: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- VLLM_ARGUMENT ...]", callback=_extra, help="Passed on to vLLM as they are."),
    ] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Install vLLM in an environment of its own first, unless it is there.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Where it listens.", show_default="8000, or any free one"),
    ] = None,
    max_model_len: Annotated[
        int | None,
        typer.Option(min=1, metavar="TOKENS", help="Longest prompt and reply together.", show_default="the model's"),
    ] = None,
    gpu_memory_utilization: Annotated[
        float | None,
        typer.Option(min=0.01, max=1.0, metavar="SHARE", help="Of the GPU's memory.", show_default="vLLM's"),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1.0, metavar="SECONDS", help="How long it may take until it answers.")
    ] = 1800.0,
) -> None:
    """Serve a language model with vLLM, on the GPU if there is one, until Ctrl-C."""
    from agent.model_server import environment, gguf
    from agent.model_server.running import remembered
    from agent.model_server.server import ModelServer

    with _signals_as_ctrl_c():
        chosen = environment.install(say=_say) if install else environment.find_environment()
        server = ModelServer(
            gguf.servable_model(model, chosen, say=_say),
            chosen,
            port=port,
            max_model_len=max_model_len,
            gpu_memory_utilization=gpu_memory_utilization,
            extra_arguments=extra or (),
            timeout_s=timeout,
        )
        show(shlex.join(server.command))
        _say(f"Starting; its log is {server.log}")
        with server, remembered(server.base_url), suppress(KeyboardInterrupt):
            show(f"{server.name} answers at {server.base_url}; Ctrl-C stops it.")
            show(f'Ask: nonliquet ask "…" --model {server.base_url}')
            server.wait()
        _say("Stopped.")


def _say(line: str) -> None:
    typer.echo(line, err=True)


@contextmanager
def _signals_as_ctrl_c() -> Iterator[None]:
    """Let a service manager's SIGTERM and a closed terminal's SIGHUP stop the server as Ctrl-C does.

    Its processes are a group of their own, which neither reaches.
    """

    def interrupt(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

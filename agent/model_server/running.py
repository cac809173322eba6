"""I/O: the address of the model server that `nonliquet serve-model` runs on this machine, for `--model serve`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from graph.errors import ServiceUnavailable
from retrieval.settings import cache_folder

__all__ = ["remembered", "running_server"]

_TIMEOUT_S = 5.0


def _note() -> Path:
    return cache_folder() / "model-server.txt"


@contextmanager
def remembered(base_url: str) -> Iterator[None]:
    """Let others on this machine find the server while the block runs."""
    _note().parent.mkdir(parents=True, exist_ok=True)
    aside = _note().with_suffix(".new")
    aside.write_text(base_url, encoding="utf-8")
    aside.replace(_note())
    try:
        yield
    finally:
        if _note().exists() and _note().read_text(encoding="utf-8") == base_url:
            _note().unlink()


def running_server() -> str:
    """Return the base address of the server that runs. Raises ServiceUnavailable if none does."""
    start = "start one with: nonliquet serve-model MODEL"
    try:
        base_url = _note().read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ServiceUnavailable(f"no model server runs here; {start}") from None
    try:
        httpx.get(f"{base_url}/models", timeout=_TIMEOUT_S, trust_env=False).raise_for_status()
    except httpx.HTTPError as error:
        raise ServiceUnavailable(f"the model server at {base_url} does not answer any more; {start}") from error
    return base_url

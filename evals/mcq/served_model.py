"""I/O: what a model server says of itself, for the manifest of a run."""

from __future__ import annotations

import re
from dataclasses import dataclass

import httpx

from graph.errors import ModelError, ServiceUnavailable

__all__ = ["ServedModel", "served_model"]

_SNAPSHOT = re.compile(r"/snapshots/([0-9a-f]{40})/?$")  # the cache folder of a model from Hugging Face
_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model on an OpenAI-compatible server."""

    url: str  # http://host:port/v1
    name: str  # what requests call it
    root: str | None  # the model's id or folder, as vLLM says it
    revision: str | None  # as the user says it, else as the folder's name tells
    server_version: str | None  # vLLM's; None from a server that does not say
    context_tokens: int | None


def served_model(spec: str, *, api_key: str | None = None, revision: str | None = None) -> ServedModel:
    """Ask a server, `http://host:port/v1` or `http://host:port/v1#NAME`, what it serves; without a name, the first.

    Raises ServiceUnavailable if it does not answer, ModelError if it is no such server or does not serve that model.
    """
    url, _, wanted = spec.partition("#")
    url = url.rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise ModelError(f"model {spec!r}: expected an OpenAI-compatible server's address (http://127.0.0.1:8000/v1)")
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        with httpx.Client(headers=headers, timeout=_TIMEOUT_S) as client:
            answer = client.get(f"{url}/models")
            answer.raise_for_status()
            served = {str(one["id"]): one for one in answer.json()["data"]}
            version = client.get(f"{url.removesuffix('/v1')}/version")
    except httpx.HTTPError as error:
        raise ServiceUnavailable(
            f"the model server at {url} does not answer: {error or type(error).__name__}"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{url}/models is no list of models, so this is no OpenAI-compatible server") from error
    name = wanted or next(iter(served), "")
    if name not in served:
        raise ModelError(f"the server at {url} serves {', '.join(served) or 'no model'}, not {name!r}")
    root, length = served[name].get("root"), served[name].get("max_model_len")
    snapshot = _SNAPSHOT.search(root) if isinstance(root, str) else None
    return ServedModel(
        url=url,
        name=name,
        root=root if isinstance(root, str) else None,
        revision=revision or (snapshot[1] if snapshot else None),
        server_version=_version(version),
        context_tokens=length if isinstance(length, int) else None,
    )


def _version(answer: httpx.Response) -> str | None:
    try:
        return str(answer.json()["version"]) if answer.is_success else None
    except (ValueError, KeyError, TypeError):
        return None

"""I/O: many requests to one model server, a bounded number in flight, each tried again and kept."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from agent.chat_model import errors_of
from evals.mcq.request_cache import RequestCache
from evals.mcq.served_model import ServedModel
from graph.errors import ModelError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["ClientSettings", "Reply", "Request", "ask_all"]

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How a server is asked."""

    concurrency: int = 16  # requests in flight at once
    timeout_s: float = 120.0  # of one try
    n_retries: int = 4  # after time-outs, refused connections, 429 and 5xx; with exponential back-off

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.n_retries < 0 or not self.timeout_s > 0:
            raise ValueError("concurrency >= 1, n_retries >= 0 and timeout_s > 0 are needed")


@dataclass(frozen=True, slots=True)
class Request:
    """A chat completion; the same request is the same bytes."""

    body: Mapping[str, Any]
    repeat: int = 0  # the same body asked again is another request


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server said to a request."""

    text: str
    complete: bool  # False if it was cut at its longest
    tokens: tuple[Mapping[str, Any], ...]  # OpenAI's log-probabilities, a token each; empty where there are none
    refused: str = ""  # why the server would not do it; then there is no text
    ms: float | None = None  # how long it took, tries included; None from the cache


def ask_all(
    served: ServedModel,
    requests: Iterable[tuple[Key, Request]],
    done: Callable[[Key, Reply], None],
    *,
    settings: ClientSettings,
    api_key: str | None = None,
    cache: RequestCache | None = None,
) -> None:
    """Send requests in their order, and call `done` with each one's key and reply as they come, in any order.

    A request that the server calls bad (HTTP 400: mostly too long) has a reply that says so. Raises ServiceUnavailable
    if the server does not answer after all tries, ModelError if it refuses for another reason; what is done stays done.
    """
    asyncio.run(_ask_all(served, iter(requests), done, settings, api_key, cache))


async def _ask_all(
    served: ServedModel,
    requests: Iterator[tuple[Key, Request]],
    done: Callable[[Key, Reply], None],
    settings: ClientSettings,
    api_key: str | None,
    cache: RequestCache | None,
) -> None:
    from openai import AsyncOpenAI  # half a second

    identity = {name: value for name, value in asdict(served).items() if name != "url"}  # its port may change

    async def work(client: AsyncOpenAI) -> None:
        for key, request in requests:  # shared by all workers: each takes the next
            kept = {"served": identity, "repeat": request.repeat, "body": request.body}
            known = cache.get(kept) if cache else None
            if known is not None:
                done(key, Reply(**{**known, "tokens": tuple(known["tokens"])}))
                continue
            reply = await _ask(client, served, request)
            if cache:
                cache.put(kept, {**asdict(reply), "ms": None})
            done(key, reply)

    async with AsyncOpenAI(
        base_url=served.url,
        api_key=api_key or "none",
        timeout=settings.timeout_s,
        max_retries=settings.n_retries,
    ) as client:
        workers = [asyncio.create_task(work(client)) for _ in range(settings.concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)


async def _ask(client: AsyncOpenAI, served: ServedModel, request: Request) -> Reply:
    import openai

    started = time.perf_counter()
    with errors_of(f"{served.url}#{served.name}"):
        try:
            # The body as it is, the reply as it comes: the SDK's models of both would cost more than all the rest here.
            answer = await client.chat.completions.with_raw_response.create(
                messages=[], model=served.name, extra_body=dict(request.body)
            )
        except openai.BadRequestError as error:
            return Reply("", False, (), refused=error.message, ms=_ms_since(started))
    return _reply(answer.text, _ms_since(started), served)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _reply(words: str, ms: float, served: ServedModel) -> Reply:
    try:
        choice = json.loads(words)["choices"][0]
        text, tokens = choice["message"]["content"], (choice.get("logprobs") or {}).get("content") or []
        complete = choice.get("finish_reason") != "length"
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ModelError(f"{served.url}: a reply that is no chat completion: {words[:80]!r}") from error
    return Reply(text or "", complete, tuple(tokens), ms=ms)

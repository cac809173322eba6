"""I/O: the language model behind the reader: one request in, text with log-probabilities out, or a clear error.

| model                 | what is opened |
| --------------------- | -------------- |
| `http://host:port/v1` | an OpenAI-compatible server such as vLLM, by LangChain's ChatOpenAI; `#NAME` picks a model |
| `provider:NAME`       | any chat model that LangChain's `init_chat_model` knows; its package must be installed |
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from graph.errors import ModelError, ServiceUnavailable

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

__all__ = [
    "ChatModel",
    "ModelReply",
    "ModelRequest",
    "ModelSettings",
    "TokenProbability",
    "errors_of",
    "open_chat_model",
]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a model is asked."""

    max_reply_tokens: int = 1000  # a cap, as a schema allows endless white space
    temperature: float = 0.0
    seed: int = 0
    repetition_penalty: float | None = None  # vLLM's; above 1 keeps a small model from saying one thing over and over
    timeout_s: float = 120.0  # of one try
    n_retries: int = 2  # after time-outs, refused connections, 429 and 5xx; with exponential back-off
    concurrency: int = 16  # requests in flight at once

    def __post_init__(self) -> None:
        if min(self.max_reply_tokens, self.concurrency) < 1 or self.n_retries < 0 or not self.timeout_s > 0:
            raise ValueError(f"max_reply_tokens, concurrency >= 1, n_retries >= 0 and timeout_s > 0: {self}")


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What a model is asked: the same request is the same bytes, so that a server's prefix cache can serve it."""

    system: str
    user: str
    schema_name: str
    schema: Mapping[str, Any]  # JSON schema that the reply must fit


@dataclass(frozen=True, slots=True)
class TokenProbability:
    """One token of a reply, and how probable it was to the model."""

    token: str
    probability: float  # in [0, 1]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said."""

    text: str
    complete: bool  # False if it was cut at max_reply_tokens
    tokens: tuple[TokenProbability, ...]  # empty where the server gives no log-probabilities

    @property
    def mean_probability(self) -> float | None:
        """The geometric mean of the tokens' probabilities, in [0, 1]; None where there are none."""
        if not self.tokens:
            return None
        return math.exp(sum(math.log(max(one.probability, 1e-12)) for one in self.tokens) / len(self.tokens))


class ChatModel(Protocol):
    """A model that answers under a JSON schema.

    All raise ServiceUnavailable if the model does not answer in time, ModelError if it refuses the request.
    """

    @property
    def name(self) -> str:
        """Which model answers, for the trace."""
        ...

    @property
    def context_tokens(self) -> int | None:
        """How many tokens request and reply may have together; None if the server does not say."""
        ...

    def n_tokens(self, request: ModelRequest) -> int | None:
        """Return how many tokens a request takes; None where nobody can tell."""
        ...

    def with_tools(self) -> BaseChatModel:
        """Return the LangChain model that tools can be bound to. Raises ModelError if there is none."""
        ...

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer."""
        ...

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Answer without blocking the event loop."""
        ...

    def stream(self, request: ModelRequest) -> Iterator[str]:
        """Yield the reply's text as it comes."""
        ...

    def astream(self, request: ModelRequest) -> AsyncIterator[str]:
        """Yield the reply's text as it comes."""
        ...


def open_chat_model(spec: str, *, settings: ModelSettings | None = None, api_key: str | None = None) -> ChatModel:
    """Open the model that `spec` names; the table above lists the forms.

    Raises ModelError if the form or the model is unknown or a package is missing, ServiceUnavailable if the server does
    not answer.
    """
    settings = settings or ModelSettings()
    if spec.startswith(("http://", "https://")):
        return _open_server(spec, settings, api_key)
    if ":" not in spec:
        raise ModelError(f"model {spec!r}: expected a server's address (http://127.0.0.1:8000/v1) or provider:NAME")
    from langchain.chat_models import init_chat_model

    try:
        model = init_chat_model(spec, temperature=settings.temperature, max_tokens=settings.max_reply_tokens)
    except (ImportError, ValueError) as error:
        raise ModelError(f"model {spec!r}: {error}") from error
    return LangChainModel(model, name=spec, context_tokens=None)


def _open_server(spec: str, settings: ModelSettings, api_key: str | None) -> ChatModel:
    import httpx
    from langchain_openai import ChatOpenAI

    url, _, wanted = spec.partition("#")
    url = url.rstrip("/")
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        answer = httpx.get(f"{url}/models", headers=headers, timeout=settings.timeout_s)
        answer.raise_for_status()
        served = {str(one["id"]): one for one in answer.json()["data"]}
    except httpx.HTTPError as error:
        what = str(error) or type(error).__name__
        raise ServiceUnavailable(f"the model server at {url} does not answer: {what}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{url}/models is no list of models, so this is no OpenAI-compatible server") from error
    name = wanted or next(iter(served), "")
    if name not in served:
        raise ModelError(f"the server at {url} serves {', '.join(served) or 'no model'}, not {name!r}")
    length = served[name].get("max_model_len")
    penalty = {} if settings.repetition_penalty is None else {"repetition_penalty": settings.repetition_penalty}
    make = partial(
        ChatOpenAI,
        model=name,
        base_url=url,
        api_key=api_key or "none",  # type: ignore[arg-type]  # pydantic makes a secret of it
        temperature=settings.temperature,
        seed=settings.seed,
        max_completion_tokens=settings.max_reply_tokens,
        timeout=settings.timeout_s,
        max_retries=settings.n_retries,
        logprobs=True,
        stream_usage=served[name].get("owned_by") == "vllm",  # other servers may refuse a request to count
        # A model that thinks first would flip right answers under a schema, and put them into another field.
        extra_body={"chat_template_kwargs": {"enable_thinking": False}, **penalty},
    )
    return LangChainModel(
        make(),
        name=f"{url}#{name}",
        context_tokens=length if isinstance(length, int) else None,
        tokenizer=f"{url.removesuffix('/v1')}/tokenize",
        make=make,
    )


class LangChainModel:
    """Any LangChain chat model as a ChatModel: by `response_format` where it takes that, else as LangChain does it."""

    def __init__(
        self,
        model: BaseChatModel,
        *,
        name: str,
        context_tokens: int | None,
        tokenizer: str | None = None,
        make: Callable[..., BaseChatModel] | None = None,
    ) -> None:
        """tokenizer: the address that counts tokens, as vLLM has it. make: makes the model anew, for another loop."""
        self.model = model
        self.name = name
        self.context_tokens = context_tokens
        self._tokenizer = tokenizer
        self._make = make
        self._of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, BaseChatModel] = WeakKeyDictionary()

    def n_tokens(self, request: ModelRequest) -> int | None:
        """Ask the server how many tokens a request takes, unless even one a character would fit."""
        n_characters = len(request.system) + len(request.user)
        if self._tokenizer is None or self.context_tokens is None or n_characters < self.context_tokens // 2:
            return None
        import httpx

        body = {
            "model": getattr(self.model, "model_name", ""),
            "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
        }
        try:
            answer = httpx.post(self._tokenizer, json=body, timeout=10)
            return int(answer.json()["count"]) if answer.is_success else None
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            return None  # a server without a tokenizer: the estimate stands, and the server refuses what is too long

    def with_tools(self) -> BaseChatModel:
        """Return the LangChain model."""
        return self.model

    def complete(self, request: ModelRequest) -> ModelReply:
        """Answer."""
        with errors_of(self.name):
            return _reply(self._bound(request).invoke(_messages(request)))

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """Answer without blocking the event loop."""
        with errors_of(self.name):
            return _reply(await self._bound(request, self._model_of_loop()).ainvoke(_messages(request)))

    def stream(self, request: ModelRequest) -> Iterator[str]:
        """Yield the reply's text as it comes."""
        with errors_of(self.name):
            for chunk in self._bound(request).stream(_messages(request)):
                yield _reply(chunk).text

    async def astream(self, request: ModelRequest) -> AsyncIterator[str]:
        """Yield the reply's text as it comes."""
        with errors_of(self.name):
            async for chunk in self._bound(request, self._model_of_loop()).astream(_messages(request)):
                yield _reply(chunk).text

    def _model_of_loop(self) -> BaseChatModel:
        """Return a model whose connections belong to the running event loop: they are of no use in another one."""
        if self._make is None:
            return self.model
        import openai

        loop = asyncio.get_running_loop()
        if loop not in self._of_loop:
            self._of_loop[loop] = self._make(http_async_client=openai.DefaultAsyncHttpxClient())
        return self._of_loop[loop]

    def _bound(self, request: ModelRequest, model: BaseChatModel | None = None) -> Any:
        """Bind the schema: as `response_format` where the model takes OpenAI's parameters."""
        model = model or self.model
        if model._llm_type.startswith("openai"):
            schema = {"name": request.schema_name, "schema": request.schema, "strict": True}
            # In the body: given by name, LangChain has OpenAI's client parse the reply, which raises on a cut one.
            body = {"response_format": {"type": "json_schema", "json_schema": schema}}
            return model.bind(extra_body={**(getattr(model, "extra_body", None) or {}), **body})
        titled = {"title": request.schema_name, "description": request.schema_name, **request.schema}
        return model.with_structured_output(titled, include_raw=True)


def _messages(request: ModelRequest) -> Sequence[BaseMessage]:
    from langchain_core.messages import HumanMessage, SystemMessage

    return [SystemMessage(request.system), HumanMessage(request.user)]


def _reply(answer: Any) -> ModelReply:
    """Read a LangChain message, or what `with_structured_output(include_raw=True)` returns."""
    if isinstance(answer, Mapping):
        parsed = answer.get("parsed")
        return ModelReply("" if parsed is None else json.dumps(parsed, ensure_ascii=False), True, ())
    metadata = answer.response_metadata or {}
    tokens = (metadata.get("logprobs") or {}).get("content") or []
    return ModelReply(
        text=answer.text if isinstance(answer.text, str) else answer.text(),
        complete=metadata.get("finish_reason") != "length",
        tokens=tuple(TokenProbability(str(one["token"]), math.exp(min(0.0, one["logprob"]))) for one in tokens),
    )


@contextmanager
def errors_of(name: str) -> Iterator[None]:
    """Turn what the clients raise into our errors."""
    import httpx
    import openai

    try:
        yield
    except (openai.APIConnectionError, httpx.TransportError) as error:  # a time-out is one of them
        raise ServiceUnavailable(f"the model {name} does not answer: {error}") from error
    except openai.APIStatusError as error:
        if error.status_code >= 500 or error.status_code == 429:
            raise ServiceUnavailable(f"the model {name} fails: HTTP {error.status_code}") from error
        raise ModelError(f"the model {name} refuses the request: {error.message}") from error
    except openai.APIError as error:  # an error event in the middle of a stream
        raise ServiceUnavailable(f"the model {name} broke off: {error.message}") from error

"""OpenAI's chat protocol: `/v1/chat/completions` and `/v1/models`, for clients that know no other.

What a client gets of a reply: its text with numbered citations, the list of them below, and the whole reply as JSON in
the field `nonliquet` of the completion, or of the last chunk of a stream.

A stream waits until the answer is verified, as a client of this protocol cannot take words back; the server's
`stream_drafts` sends them as they are written instead, and says below them if they did not hold.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from openai.types import CompletionUsage, Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_chunk import Choice as ChunkChoice
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse

from agent.evidence import n_tokens
from agent.reply import Reply
from agent.reply_markdown import reply_markdown
from agent.server.asking import Asked, Asking
from agent.server.bodies import IsoDate
from agent.server.errors import ErrorBody, RefusedError, error_body

__all__ = ["MODEL", "openai_routes"]

MODEL = "nonliquet"

_REFUSED: dict[int | str, dict[str, Any]] = {status: {"model": ErrorBody} for status in (400, 401, 404, 413, 503)}


class TextPart(BaseModel):
    """A piece of a message."""

    type: Literal["text"]
    text: str


class Message(BaseModel):
    """A message of the conversation."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart]

    @property
    def text(self) -> str:
        """The words of it."""
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in self.content)


class StreamOptions(BaseModel):
    """What a stream holds besides."""

    model_config = ConfigDict(extra="allow")

    include_usage: bool = False


class ChatBody(BaseModel):
    """A conversation; its last message is the question.

    Earlier messages of the user are the history. Messages of the system are not obeyed, as the law speaks for itself;
    `nonliquet.not_read` of the reply names them. Sampling parameters are accepted and change nothing.
    """

    model_config = ConfigDict(extra="allow")

    model: str = Field(examples=[MODEL])
    messages: list[Message] = Field(min_length=1, examples=[[{"role": "user", "content": "Who checks fire doors?"}]])
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    tools: list[Any] | None = Field(default=None, max_length=0, description="None: the articles are gathered here.")
    as_of: IsoDate | None = Field(default=None, description="Answer by the law of this date.")


class ModelList(BaseModel):
    """The models served."""

    object: Literal["list"] = "list"
    data: list[Model]


def openai_routes(asking: Asking) -> APIRouter:
    """Return the routes over an agent."""
    routes = APIRouter(prefix="/v1", tags=["openai"], responses=_REFUSED)
    started = int(time.time())

    @routes.get("/models", summary="The one model")
    async def models() -> ModelList:
        return ModelList(data=[Model(id=MODEL, created=started, object="model", owned_by="nonliquet")])

    @routes.post("/chat/completions", response_model=ChatCompletion, summary="Answer the last message, or abstain")
    async def chat_completions(body: ChatBody, request: Request) -> Response:
        """With `stream`, server-sent chunks; the last one before `[DONE]` that has a choice carries `nonliquet`."""
        if body.model != MODEL:
            raise RefusedError(404, f"there is no model {body.model!r} here, only {MODEL}", param="model")
        asked = _asked(asking, body)
        made: dict[str, Any] = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": MODEL}
        if body.stream:
            usage = body.stream_options is not None and body.stream_options.include_usage
            return EventSourceResponse(_chunks(asking, asked, body, made, usage=usage))
        reply = await asking.reply(asked, request.is_disconnected)
        text = reply_markdown(reply)
        message = ChatCompletionMessage(role="assistant", content=text)
        completion = ChatCompletion(
            object="chat.completion",
            choices=[Choice(index=0, message=message, finish_reason="stop")],
            usage=_usage(body.messages, text),
            **made,
        )
        return JSONResponse({**completion.model_dump(exclude_none=True), "nonliquet": _whole(reply, body.messages)})

    return routes


def _asked(asking: Asking, body: ChatBody) -> Asked:
    said = [one for one in body.messages if one.role == "user"]
    if body.messages[-1].role != "user":
        raise RefusedError(400, "the last message must be the user's question", param="messages")
    return asking.check(said[-1].text, [one.text for one in said[:-1]], body.as_of)


async def _chunks(
    asking: Asking, asked: Asked, body: ChatBody, made: dict[str, Any], *, usage: bool
) -> AsyncIterator[str]:
    """Yield a reply as the chunks of a stream, each the data of one event."""

    def chunk(delta: ChoiceDelta, **more: Any) -> str:
        choice = ChunkChoice(index=0, delta=delta, finish_reason="stop" if more else None)
        one = ChatCompletionChunk(object="chat.completion.chunk", choices=[choice], **made)
        return json.dumps({**one.model_dump(exclude_none=True), **more}, ensure_ascii=False)

    sent = ""
    try:
        yield chunk(ChoiceDelta(role="assistant", content=""))
        async for part in asking.stream(asked):
            if isinstance(part, str):
                if asking.settings.stream_drafts:
                    sent += part
                    yield chunk(ChoiceDelta(content=part))
                continue
            text = reply_markdown(part)
            for words in _rest(text, sent):
                yield chunk(ChoiceDelta(content=words))
            yield chunk(ChoiceDelta(), nonliquet=_whole(part, body.messages))
            if usage:
                last = ChatCompletionChunk(
                    object="chat.completion.chunk", choices=[], usage=_usage(body.messages, text), **made
                )
                yield json.dumps(last.model_dump(exclude_none=True))
    except RefusedError as error:
        yield json.dumps(error_body(error), ensure_ascii=False)
    yield "[DONE]"


def _rest(text: str, sent: str) -> list[str]:
    """Return what is still to be sent: what follows the words sent, or all of it if they were not the reply's."""
    if text.startswith(sent):
        return text[len(sent) :].splitlines(keepends=True)
    return ["\n\n", *text.splitlines(keepends=True)]


def _whole(reply: Reply, messages: Sequence[Message]) -> dict[str, Any]:
    not_read = sorted({one.role for one in messages if one.role in ("system", "developer")})
    return {**reply.to_json(), "not_read": not_read}


def _usage(messages: Sequence[Message], text: str) -> CompletionUsage:
    """Return the tokens of what was said, estimated, as no one tokeniser stands behind a reply."""
    asked, written = sum(n_tokens(one.text) for one in messages), n_tokens(text)
    return CompletionUsage(prompt_tokens=asked, completion_tokens=written, total_tokens=asked + written)

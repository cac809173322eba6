"""OpenAI's chat protocol: `/v1/chat/completions` and `/v1/models`, for clients that know no other.

What a client gets of a reply: its text with numbered citations, the list of them below, and the whole reply as JSON in
the field `nonliquet` of the completion, or of the last chunk of a stream.

A stream waits until the whole answer is verified, as a client of this protocol cannot take words back. The server's
`stream_drafts` sends each sentence once it is checked instead; should the answer be withdrawn after all, the reply that
holds follows below.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Literal

import anyio
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from openai.types import CompletionUsage, Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_chunk import Choice as ChunkChoice
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from pydantic import BaseModel, ConfigDict, Field

from agent.evidence import n_tokens
from agent.reply import Reply
from agent.reply_markdown import reply_markdown
from agent.server.access import AskingOfApp
from agent.server.asking import Asked, Asking
from agent.server.bodies import IsoDate
from agent.server.errors import RefusedError, error_body, refusals
from agent.server.events import events

__all__ = ["MODEL", "openai_routes"]

MODEL = "nonliquet"

openai_routes = APIRouter(prefix="/v1", tags=["openai"], responses=refusals(400, 401, 404, 413, 503))

_STARTED = int(time.time())


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


class TextFormat(BaseModel):
    """The form of the reply's text: the reply as JSON is in the field `nonliquet`."""

    type: Literal["text"]


class ChatBody(BaseModel):
    """A conversation; its last message is the question.

    Earlier messages of the user are the history, the last of them where there are too many. Messages of the system are
    not obeyed, as the law speaks for itself; `nonliquet.not_read` of the reply names them. Sampling parameters are
    accepted and change nothing; what would change the reply's form is refused.
    """

    model_config = ConfigDict(extra="allow")

    model: str = Field(examples=[MODEL])
    messages: list[Message] = Field(min_length=1, examples=[[{"role": "user", "content": "Who checks fire doors?"}]])
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    response_format: TextFormat | None = None
    tools: list[Any] | None = Field(default=None, max_length=0, description="None: the articles are gathered here.")
    as_of: IsoDate | None = Field(default=None, description="Answer by the law of this date.")


class Usage(CompletionUsage):
    """The tokens of a reply."""

    estimated: bool = Field(
        description="False: of all requests that the reply took, as the language model's server counted them. True: "
        "nobody counted; of the words of both sides, from their length."
    )


class Completion(ChatCompletion):
    """The reply, as OpenAI has it; the field `nonliquet` holds the whole of it."""

    usage: Usage | None = None


class Chunk(ChatCompletionChunk):
    """A part of a streamed reply."""

    usage: Usage | None = None


class ModelList(BaseModel):
    """The models served."""

    object: Literal["list"] = "list"
    data: list[Model]


@openai_routes.get("/models", summary="The one model")
async def models() -> ModelList:
    return ModelList(data=[Model(id=MODEL, created=_STARTED, object="model", owned_by="nonliquet")])


@openai_routes.post(
    "/chat/completions",
    response_model=Completion,
    responses={200: {"content": {"text/event-stream": {}}}},
    summary="Answer the last message, or abstain",
)
async def chat_completions(body: ChatBody, request: Request, asking: AskingOfApp) -> Response:
    """With `stream`, server-sent chunks; the last one before `[DONE]` that has a choice carries `nonliquet`."""
    if body.model != MODEL:
        raise RefusedError(404, f"there is no model {body.model!r} here, only {MODEL}", param="model")
    asked = _asked(asking, body)
    made: dict[str, Any] = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": MODEL}
    if body.stream:
        asking.check_room()
        return events(lambda server_ends: _chunks(asking, asked, body, made, server_ends))
    reply = await asking.reply(asked, request.is_disconnected)
    text = reply_markdown(reply)
    message = ChatCompletionMessage(role="assistant", content=text)
    completion = Completion(
        object="chat.completion",
        choices=[Choice(index=0, message=message, finish_reason="stop")],
        usage=_usage(asked, body.messages, text),
        **made,
    )
    return JSONResponse({**completion.model_dump(exclude_none=True), "nonliquet": _whole(reply, body.messages)})


def _asked(asking: Asking, body: ChatBody) -> Asked:
    said = [one for one in body.messages if one.role == "user"]
    if body.messages[-1].role != "user":
        raise RefusedError(400, "the last message must be the user's question", param="messages")
    most = asking.settings.max_history
    history = [one.text for one in said[:-1]][-most:] if most else []
    return asking.check(said[-1].text, history, body.as_of)


async def _chunks(
    asking: Asking, asked: Asked, body: ChatBody, made: dict[str, Any], server_ends: anyio.Event
) -> AsyncIterator[str]:
    """Yield a reply as the chunks of a stream, each the data of one event; an error is one, which clients raise."""

    def chunk(delta: ChoiceDelta, **more: Any) -> str:
        choice = ChunkChoice(index=0, delta=delta, finish_reason="stop" if more else None)
        one = Chunk(object="chat.completion.chunk", choices=[choice], **made)
        return json.dumps({**one.model_dump(exclude_none=True), **more}, ensure_ascii=False)

    sent = ""
    try:
        yield chunk(ChoiceDelta(role="assistant", content=""))
        async with aclosing(asking.stream(asked, server_ends)) as parts:
            async for part in parts:
                if not isinstance(part, str):
                    text = reply_markdown(part)
                    for words in _rest(text, part.text, sent):
                        yield chunk(ChoiceDelta(content=words))
                    yield chunk(ChoiceDelta(), nonliquet=_whole(part, body.messages))
                    if body.stream_options is not None and body.stream_options.include_usage:
                        usage = _usage(asked, body.messages, text)
                        last = Chunk(object="chat.completion.chunk", choices=[], usage=usage, **made)
                        yield json.dumps(last.model_dump(exclude_none=True))
                elif asking.settings.stream_drafts:
                    sent += part
                    yield chunk(ChoiceDelta(content=part))
    except RefusedError as error:
        yield json.dumps(error_body(error), ensure_ascii=False)
    yield "[DONE]"


def _rest(text: str, answer: str, sent: str) -> list[str]:
    """Return the lines still to be sent of a text that begins with an answer: all below it if the answer was sent."""
    if sent.endswith(answer):
        return text[len(answer) :].splitlines(keepends=True)
    return ["\n\n"] * bool(sent) + text.splitlines(keepends=True)


def _whole(reply: Reply, messages: Sequence[Message]) -> dict[str, Any]:
    not_read = sorted({one.role for one in messages if one.role in ("system", "developer")})
    return {**reply.to_json(), "not_read": not_read}


def _usage(asked: Asked, messages: Sequence[Message], text: str) -> Usage:
    """Return the tokens that the model's server counted; without a count, an estimate of what was said."""
    counted = asked.count.tokens if asked.count else None
    read, written = counted or (sum(n_tokens(one.text) for one in messages), n_tokens(text))
    estimated = counted is None
    return Usage(prompt_tokens=read, completion_tokens=written, total_tokens=read + written, estimated=estimated)

"""A model that says what it is told, and fails when it is asked more than its script."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence

from agent.chat_model import ModelReply, ModelRequest, TokenProbability


class ScriptedModel:
    name = "scripted"

    def __init__(self, *script: str | ModelReply | Exception, context_tokens: int | None = None) -> None:
        self.context_tokens = context_tokens
        self.requests: list[ModelRequest] = []
        self._script = list(script)

    def n_tokens(self, request: ModelRequest) -> int | None:
        return None

    def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        if not self._script:
            raise AssertionError("the model was asked more than its script")
        said = self._script.pop(0)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, ModelReply) else ModelReply(said, True, ())

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        return self.complete(request)

    def stream(self, request: ModelRequest) -> Iterator[str]:
        text = self.complete(request).text
        yield from (text[start : start + 3] for start in range(0, len(text), 3))

    async def astream(self, request: ModelRequest) -> AsyncIterator[str]:
        for chunk in self.stream(request):
            yield chunk


def answer(text: str, *citations: tuple[str, str]) -> str:
    return json.dumps(
        {"citations": [{"id": name, "quote": quote} for name, quote in citations], "answer": text}, ensure_ascii=False
    )


def judgement(sufficient: bool, missing: str = "", *, probability: float | None = None) -> ModelReply:
    text = json.dumps({"sufficient": sufficient, "missing": missing})
    said = "true" if sufficient else "false"
    tokens: Sequence[TokenProbability] = [] if probability is None else [TokenProbability(f" {said}", probability)]
    return ModelReply(text, True, tuple(tokens))

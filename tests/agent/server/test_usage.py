"""The field `usage`: what the model's server counted, or an estimate that says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import openai
import pytest

from agent.chat_model import open_chat_model
from agent.evidence import n_tokens
from agent.legal_agent import LegalAgent
from agent.settings import AgentSettings
from tests.agent.model_server import model_server
from tests.agent.server.serving import QUESTION, Served, serving


@pytest.fixture(scope="module")
def models() -> Iterator[str]:
    with model_server() as (url, _):
        yield url


def ask(served: Served, *, stream: bool) -> tuple[str, dict[str, Any]]:
    """Return the text and the usage of a completion, or of a stream's chunks."""
    client = openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0, timeout=30)
    said: Any = [{"role": "user", "content": QUESTION}]
    if not stream:
        completion = client.chat.completions.create(model="nonliquet", messages=said)
        assert completion.usage is not None
        return completion.choices[0].message.content or "", completion.usage.model_dump(exclude_none=True)
    options: Any = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = list(client.chat.completions.create(model="nonliquet", messages=said, **options))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    return text, chunks[-1].usage.model_dump(exclude_none=True)


def counted(n_requests: int) -> dict[str, Any]:
    """Return the usage of so many requests to a server that counts 7 tokens asked and 3 written in each."""
    asked, written = 7 * n_requests, 3 * n_requests
    return {
        "prompt_tokens": asked,
        "completion_tokens": written,
        "total_tokens": asked + written,
        "estimated": False,
    }


def estimated(text: str) -> dict[str, Any]:
    asked, written = n_tokens(QUESTION), n_tokens(text)
    return {
        "prompt_tokens": asked,
        "completion_tokens": written,
        "total_tokens": asked + written,
        "estimated": True,
    }


@pytest.mark.parametrize("stream", [False, True])
def test_without_a_model_the_tokens_are_estimated_and_said_to_be(served: Served, stream: bool):
    text, usage = ask(served, stream=stream)
    assert usage == estimated(text)


@pytest.mark.parametrize("stream", [False, True])
def test_the_counts_of_all_requests_of_a_reply_are_added_and_of_no_other(law_index: Any, models: str, stream: bool):
    """The model cites what is not there, so it is asked once more."""
    with serving(LegalAgent.open(law_index, model=open_chat_model(f"{models}#counts"))) as served:
        replies = [ask(served, stream=stream) for _ in range(2)]
    assert [usage for _, usage in replies] == [counted(2)] * 2


def test_the_count_of_the_self_check_is_added_too(law_index: Any, models: str):
    settings = AgentSettings(self_check=True)
    model = open_chat_model(f"{models}#counts")
    with serving(LegalAgent.open(law_index, model=model, settings=settings)) as served:
        assert ask(served, stream=False)[1] == counted(3)


def test_a_server_that_does_not_count_while_it_streams_is_estimated(law_index: Any, models: str):
    with serving(LegalAgent.open(law_index, model=open_chat_model(f"{models}#good"))) as served:
        text, usage = ask(served, stream=True)
        assert usage == estimated(text)
        assert ask(served, stream=False)[1] == counted(2)


def test_a_model_that_tells_no_counts_is_estimated(law_index: Any):
    from tests.agent.scripted_model import ScriptedModel

    with serving(LegalAgent.open(law_index, model=ScriptedModel("…", "…"))) as served:
        text, usage = ask(served, stream=False)
    assert usage == estimated(text)


def test_a_reply_without_a_count_leaves_no_count_of_the_whole():
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, LLMResult

    from agent.server.token_count import TokenCount, Tokens

    def said(usage: Any) -> LLMResult:
        message = AIMessage("Yes.", usage_metadata=usage, response_metadata={"model_name": "m"})
        return LLMResult(generations=[[ChatGeneration(message=message)]])

    count = TokenCount()
    assert count.tokens is None
    count.on_llm_end(said({"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}))
    assert count.tokens == Tokens(7, 3)
    count.on_llm_end(said(None))
    assert count.tokens is None

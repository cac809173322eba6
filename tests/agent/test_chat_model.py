import asyncio
import socket

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

from agent.chat_model import LangChainModel, ModelRequest, ModelSettings, open_chat_model
from graph.errors import ModelError, ServiceUnavailable
from tests.agent.model_server import REPLY, model_server

REQUEST = ModelRequest("Be brief.", "May it?", "answer", {"type": "object", "properties": {}})
QUICK = ModelSettings(timeout_s=0.5, n_retries=2)


@pytest.fixture(scope="module")
def running():
    with model_server() as (url, server):
        yield url, server


def opened(running, name, settings=QUICK):
    return open_chat_model(f"{running[0]}#{name}", settings=settings)


def test_a_reply_comes_with_its_log_probabilities(running):
    reply = opened(running, "good").complete(REQUEST)
    assert reply.text == REPLY
    assert reply.complete
    assert reply.mean_probability == pytest.approx(0.6065306597126334, abs=1e-12)  # exp(-0.5)


def test_the_request_carries_the_schema_the_cap_and_no_thinking(running):
    opened(running, "good").complete(REQUEST)
    body = running[1].bodies[-1]
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["schema"] == REQUEST.schema
    assert body["max_completion_tokens"] == QUICK.max_reply_tokens
    assert body["temperature"] == 0
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "tools" not in body
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_the_server_tells_the_context_and_counts_tokens(running):
    model = opened(running, "good")
    assert model.context_tokens == 2048
    assert model.n_tokens(REQUEST) is None  # too short to be worth asking
    assert model.n_tokens(ModelRequest("s", "u" * 3000, "answer", {})) == 3001


@pytest.mark.parametrize("name", ["fails-once", "busy-once"])
def test_a_passing_fault_is_tried_again(running, name):
    assert opened(running, name).complete(REQUEST).text == REPLY
    assert running[1].n_requests[name] == 2


@pytest.mark.parametrize("name", ["fails", "late", "hangs-up"])
def test_a_server_that_keeps_failing_is_unavailable_after_its_retries(running, name):
    before = running[1].n_requests.get(name, 0)
    with pytest.raises(ServiceUnavailable):
        opened(running, name).complete(REQUEST)
    assert running[1].n_requests[name] == before + 1 + QUICK.n_retries


def test_a_refused_request_is_not_tried_again_and_says_why(running):
    with pytest.raises(ModelError, match="maximum context length"):
        opened(running, "refuses").complete(REQUEST)
    assert running[1].n_requests["refuses"] == 1


def test_a_reply_cut_at_its_longest_is_incomplete(running):
    assert not opened(running, "white-space").complete(REQUEST).complete


def test_a_stream_is_the_reply_in_parts(running):
    parts = list(opened(running, "good").stream(REQUEST))
    assert "".join(parts) == REPLY
    assert len([part for part in parts if part]) > 3


def test_a_stream_that_breaks_off_is_unavailable(running):
    with pytest.raises(ServiceUnavailable, match="engine died"):
        list(opened(running, "cut").stream(REQUEST))


def test_asynchronous_calls_do_the_same(running):
    async def both(model):
        return await model.acomplete(REQUEST), [part async for part in model.astream(REQUEST)]

    reply, parts = asyncio.run(both(opened(running, "good")))
    assert reply.text == "".join(parts) == REPLY


def test_a_dead_server_is_unavailable_at_once():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(ServiceUnavailable, match="does not answer"):
            open_chat_model(url, settings=QUICK)


def test_a_model_that_the_server_does_not_have_is_named_with_those_it_has(running):
    with pytest.raises(ModelError, match=r"serves good, .*, not 'other'"):
        opened(running, "other")


@pytest.mark.parametrize("spec", ["gpt", "nobody:model"])
def test_an_unknown_form_or_provider_is_an_error_that_says_what_is_known(spec):
    with pytest.raises(ModelError, match=spec):
        open_chat_model(spec)


def test_any_langchain_chat_model_will_do():
    class Structured(GenericFakeChatModel):
        def with_structured_output(self, schema, *, include_raw=False, **kwargs):
            assert schema["title"] == "answer"
            return self | (lambda message: {"raw": message, "parsed": {"answer": message.text}, "parsing_error": None})

    model = LangChainModel(Structured(messages=iter(["Yes."])), name="fake", context_tokens=None)
    assert model.complete(REQUEST).text == '{"answer": "Yes."}'


def test_one_model_serves_several_event_loops_one_after_the_other(running):
    model = opened(running, "good")
    assert [asyncio.run(model.acomplete(REQUEST)).text for _ in range(3)] == [REPLY] * 3

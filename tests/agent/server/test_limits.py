"""What the server lets in, how long it works, and that it stops working for those who are gone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import openai
import pytest

from agent.legal_agent import LegalAgent
from agent.server.errors import RefusedError
from agent.server.limits import Admission, ServerSettings, check_key, is_loopback
from tests.agent.server.serving import QUESTION, WRITTEN, Served, SlowModel, serving, wait_until

LONG = 60.0  # of waiting, in seconds: longer than any test takes


@contextmanager
def slow(law_index: Any, *, wait_s: float = LONG, n: int = 1, **settings: Any) -> Iterator[tuple[Served, SlowModel]]:
    model = SlowModel(*[WRITTEN] * n, wait_s=wait_s)
    with serving(LegalAgent.open(law_index, model=model), ServerSettings(**settings)) as served:
        yield served, model


def said(question: str) -> list[Any]:
    return [{"role": "user", "content": question}]


def ask(served: Served, *, stream: bool = False, **options: Any) -> httpx.Response:
    return httpx.post(
        f"{served.url}/v1/ask", json={"question": QUESTION, "stream": stream}, **{"timeout": 30, **options}
    )


@pytest.mark.parametrize("path", ["/v1/ask", "/v1/chat/completions"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_goes_away_cancels_the_models_work_and_frees_its_place(law_index, path, stream):
    body = {"question": QUESTION} if path == "/v1/ask" else {"model": "nonliquet", "messages": said(QUESTION)}
    with slow(law_index, concurrency=1, queue=0) as (served, model):
        with pytest.raises(httpx.ReadTimeout):  # upon which the client closes the connection
            httpx.post(f"{served.url}{path}", json={**body, "stream": stream}, timeout=1).raise_for_status()
        assert model.asked.acquire(timeout=10)
        assert model.cancelled.acquire(timeout=5)
        model.wait_s = 0
        assert wait_until(lambda: ask(served).status_code == 200)
        assert len(model.requests) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_one_question_too_many_is_told_to_come_again_before_any_work_is_done(law_index, stream):
    with slow(law_index, concurrency=1, queue=1) as (served, model), ThreadPoolExecutor(2) as clients:
        waiting = [clients.submit(ask, served, timeout=2) for _ in range(2)]
        assert model.asked.acquire(timeout=10)
        assert wait_until(lambda: ask(served, stream=stream).status_code == 503)
        refused = ask(served, stream=stream)
        assert refused.json()["error"]["type"] == "service_unavailable"
        assert refused.headers["retry-after"] == "1"
        assert not model.asked.acquire(blocking=False)
        assert all(isinstance(one.exception(), httpx.ReadTimeout) for one in waiting)


def test_those_who_wait_are_answered_in_their_turn(law_index):
    with slow(law_index, wait_s=0.1, n=5, concurrency=2, queue=3) as (served, _), ThreadPoolExecutor(5) as clients:
        replies = [clients.submit(ask, served) for _ in range(5)]
        assert [one.result().json()["abstained"] for one in replies] == [False] * 5


def test_a_question_that_takes_too_long_is_given_up(law_index):
    with slow(law_index, timeout_s=0.3) as (served, model):
        refused = ask(served)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert refused.json()["error"]["message"] == "no answer within 0.3 s"
        assert model.cancelled.acquire(timeout=5)


def test_a_stream_that_takes_too_long_ends_in_an_error_that_clients_raise(law_index):
    with slow(law_index, timeout_s=0.3) as (served, model):
        client = openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0)
        with pytest.raises(openai.APIError, match=r"no answer within 0\.3 s"):
            list(client.chat.completions.create(model="nonliquet", messages=said(QUESTION), stream=True))
        assert "event: error" in ask(served, stream=True).text
        assert model.cancelled.acquire(timeout=5)


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_that_is_too_large_is_refused_in_the_usual_shape(law_index, announced):
    def chunks() -> Iterator[bytes]:
        yield from (b'{"question": "', b"a" * 3000, b'"}')

    with serving(LegalAgent.open(law_index), ServerSettings(max_body_bytes=2000)) as served:
        content = b"".join(chunks()) if announced else chunks()
        refused = httpx.post(f"{served.url}/v1/ask", content=content, headers={"Content-Type": "application/json"})
        assert refused.status_code == 413
        assert refused.json()["error"]["type"] == "request_too_large"
        assert refused.json()["error"]["message"] == "the body is too large; at most 2000 bytes are read"
        assert ask(served).status_code == 200


def test_with_a_key_only_those_who_have_it_may_ask_under_any_name(law_index):
    with serving(LegalAgent.open(law_index), ServerSettings(api_key="s3cret")) as served:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic s3cret"}):
            for path in ("/v1/models", "/v1/search?question=fire", "/metrics"):
                refused = httpx.get(f"{served.url}{path}", headers=headers)
                assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
                assert refused.json()["error"]["type"] == "authentication_error"
        key = {"Authorization": "Bearer s3cret"}
        assert ask(served, headers={**key, "Host": "law.example"}).status_code == 200
        assert httpx.get(f"{served.url}/healthz").status_code == 200
        with pytest.raises(openai.AuthenticationError):
            openai.OpenAI(base_url=f"{served.url}/v1", api_key="wrong").models.list()
        assert openai.OpenAI(base_url=f"{served.url}/v1", api_key="s3cret").models.list().data


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:80", 200),
        ("LOCALHOST", 200),
        ("[::1]:8080", 200),
        ("law.example", 400),
        ("127.0.0.1.law.example", 400),
        ("localhost.law.example:80", 400),
    ],
)
def test_without_a_key_only_names_of_this_machine_are_taken(served, host, status):
    found = httpx.get(f"{served.url}/healthz", headers={"Host": host})
    assert found.status_code == status
    if status == 400:
        assert "localhost" in found.json()["error"]["message"]


@pytest.mark.parametrize(
    ("header", "passes"),
    [("Bearer k", True), ("bearer k", True), ("Bearer k2", False), ("k", False), ("", False), (None, False)],
)
def test_the_key_is_a_bearer_token(header, passes):
    if passes:
        check_key(header, "k")
    else:
        with pytest.raises(RefusedError) as refused:
            check_key(header, "k")
        assert refused.value.status == 401
    check_key(header, None)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.1", False),
        ("127.law.example", False),
        ("", False),
    ],
)
def test_only_this_machine_reaches_a_loopback_address(host, expected):
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    "wrong",
    [{"api_key": ""}, {"api_key": "ключ"}, {"concurrency": 0}, {"queue": -1}, {"timeout_s": 0}, {"max_body_bytes": 0}],
)
def test_limits_that_let_nothing_or_everything_in_are_wrong(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong)).replace("api_key", "API key")):
        ServerSettings(**wrong)


def test_places_are_counted_and_given_back_whatever_happens():
    async def scenario() -> list[int]:
        admission, inside = Admission(ServerSettings(concurrency=1, queue=1, timeout_s=0.2)), []

        async def hold(work: Callable[[], Any]) -> None:
            async with admission.one():
                inside.append(admission.n_inside)
                await work()

        async def fail() -> None:
            raise KeyError

        with pytest.raises(KeyError):
            await hold(fail)
        outcomes = await asyncio.gather(*(hold(lambda: asyncio.sleep(5)) for _ in range(3)), return_exceptions=True)
        assert [type(one) for one in outcomes] == [RefusedError] * 3  # in time: two; at the door: one
        assert sorted(one.retry_after_s for one in outcomes) == [1, 5, 5]
        return [*inside[:2], admission.n_inside]

    began = time.monotonic()
    assert asyncio.run(scenario()) == [1, 1, 0]
    assert time.monotonic() - began < 4

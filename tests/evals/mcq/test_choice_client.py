"""The client against a mock of vLLM's server: how many at once, faults, the cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.client_bench import measure
from evals.mcq.choice_client import ClientSettings, Reply, Request, ask_all
from evals.mcq.request_cache import RequestCache
from evals.mcq.served_model import ServedModel, served_model
from graph.errors import ModelError, NonLiquetError, ServiceUnavailable
from tests.evals.mcq.choice_server import LATENCY_S, MockServer, choice_server


@pytest.fixture
def server() -> Iterator[MockServer]:
    with choice_server() as running:
        yield running


def request(n: int, *, repeat: int = 0) -> Request:
    user = f"Question {n}\n\nA. yes\nB. no"
    return Request({"messages": [{"role": "user", "content": user}], "max_completion_tokens": 1}, repeat)


def asked(server: MockServer, model: str, n: int, *, cache: RequestCache | None = None, **settings: Any) -> list[Reply]:
    replies: dict[int, Reply] = {}
    served = served_model(f"{server.url}#{model}")
    numbered = ((number, request(number)) for number in range(n))
    ask_all(served, numbered, replies.__setitem__, settings=ClientSettings(**settings), cache=cache)
    return [replies[number] for number in range(n)]


def test_the_manifest_has_what_the_server_says_of_itself(server):
    assert served_model(f"{server.url}#slow", revision="abc") == ServedModel(
        server.url, "slow", "/models/slow", "abc", "0.99.1", 4096
    )
    assert served_model(server.url).name == "good"  # the first that it lists


def test_a_server_that_is_not_there_or_serves_another_model_is_an_error(server):
    with pytest.raises(ModelError, match=r"serves good, .*not 'nobody'"):
        served_model(f"{server.url}#nobody")
    with pytest.raises(ServiceUnavailable, match="does not answer"):
        served_model("http://127.0.0.1:9/v1")
    with pytest.raises(ModelError, match="expected an OpenAI-compatible server's address"):
        served_model("openai:gpt")


def test_a_request_is_sent_as_it_is(server):
    asked(server, "good", 1)
    assert server.bodies == [{"model": "good", **request(0).body}]


def test_as_many_are_in_flight_as_is_said_and_no_more(server):
    asked(server, "slow", 48, concurrency=16)
    assert server.most_in_flight == 16


def test_the_bench_gives_its_figures_against_a_server_of_its_own():
    figures = measure(in_flight=4, latency_s=0.05, n_rounds=2)
    assert figures.rate_ratio > 0
    assert figures.processor_share > 0
    assert figures.wall_overhead > 0  # nothing is quicker than its waits


def test_a_busy_server_is_asked_again(server):
    assert [reply.text for reply in asked(server, "fails-once", 1)] in (["A"], ["B"])
    assert server.n_of_model == {"fails-once": 2}


def test_a_server_that_takes_too_long_is_asked_again_and_then_given_up(server):
    with pytest.raises(ServiceUnavailable, match="does not answer"):
        asked(server, "slow", 1, timeout_s=LATENCY_S / 4, n_retries=1)
    assert server.n_of_model == {"slow": 2}


def test_a_request_that_is_refused_has_a_reply_that_says_so(server):
    (reply,) = asked(server, "refuses", 1)
    assert reply.text == ""
    assert "maximum context length exceeded" in reply.refused


def test_a_server_that_fails_for_good_ends_the_run_and_what_is_done_stays_done(server):
    replies: dict[int, Reply] = {}
    served = served_model(f"{server.url}#dies-after-20")
    with pytest.raises(ServiceUnavailable):
        ask_all(
            served,
            ((number, request(number)) for number in range(60)),
            replies.__setitem__,
            settings=ClientSettings(concurrency=4, n_retries=0),
        )
    assert len(replies) == 20


def test_a_server_that_denies_ends_the_run(server):
    with pytest.raises(ModelError, match="no key"):
        asked(server, "denies", 8, concurrency=4)


def test_a_kept_reply_is_not_asked_for_again_but_a_repeat_is(server, tmp_path):
    with RequestCache(tmp_path / "cache" / "replies.sqlite") as cache:
        first = asked(server, "good", 5, cache=cache)
    with RequestCache(tmp_path / "cache" / "replies.sqlite") as cache:
        again = asked(server, "good", 6, cache=cache)
        assert server.n_of_model == {"good": 6}
        assert [(one.text, one.tokens) for one in again[:5]] == [(one.text, one.tokens) for one in first]
        assert [one.ms for one in again[:5]] == [None] * 5
        ask_all(
            served_model(server.url),
            [(0, request(0, repeat=1))],
            lambda key, reply: None,
            settings=ClientSettings(),
            cache=cache,
        )
        assert server.n_of_model == {"good": 7}


def test_another_model_has_its_own_replies(server, tmp_path):
    with RequestCache(tmp_path / "replies.sqlite") as cache:
        asked(server, "good", 2, cache=cache)
        asked(server, "chats", 2, cache=cache)
    assert server.n_of_model == {"good": 2, "chats": 2}


def test_a_file_that_is_no_cache_is_an_error(tmp_path: Path):
    (tmp_path / "replies.sqlite").write_text("no database, but longer than its header would be " * 10)
    with pytest.raises(NonLiquetError, match="is no cache of replies"):
        RequestCache(tmp_path / "replies.sqlite")

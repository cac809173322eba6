"""`nonliquet serve` as a process of its own: its workers, its end, and what it refuses to start as."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import Result

from agent.legal_agent import LegalAgent
from tests.agent.model_server import model_server
from tests.agent.server.serving import QUESTION, wait_until
from tests.conftest import ROOT


@contextmanager
def served(*options: object) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Yield the address and the process of a server; it is killed if it is still there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "agent", "serve", "--port", port, *options]
    process = subprocess.Popen(list(map(str, command)), cwd=ROOT, stderr=subprocess.PIPE, text=True)
    url = f"http://127.0.0.1:{port}"
    try:
        assert wait_until(lambda: answers(url), at_most_s=60), process.poll()
        yield url, process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").is_success
    except httpx.TransportError:
        return False


def post(url: str, **body: Any) -> httpx.Response:
    return httpx.post(f"{url}/v1/ask", json={"question": QUESTION, **body}, timeout=60)


def count(url: str, name: str, *labels: str) -> float:
    """Return one count, from a connection of its own, so that any worker may answer."""
    families = text_string_to_metric_families(httpx.get(f"{url}/metrics").text)
    samples = {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}
    return samples.get((name, *labels), 0.0)


def children(process: subprocess.Popen[str]) -> list[int]:
    return [int(one) for one in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


@pytest.fixture(scope="module")
def late_model() -> Iterator[str]:
    """A model that takes three seconds."""
    with model_server() as (url, _):
        yield f"{url}#late"


def test_two_workers_answer_each_question_with_its_own_reply_and_count_together(law_index):
    questions = [f"{QUESTION} And what of number {number}?" for number in range(24)]
    with served("--index", law_index, "--workers", 2) as (url, _), ThreadPoolExecutor(8) as clients:
        replies = [reply.json() for reply in clients.map(lambda one: post(url, question=one), questions)]
        with LegalAgent.open(law_index) as agent:
            assert replies == [agent.ask(question).to_json() for question in questions]
        for _ in range(6):
            assert wait_until(lambda: count(url, "nonliquet_requests_total", "/v1/ask", "200") == 24)
            answered = [reply["kind"] if reply["abstained"] else "answer" for reply in replies]
            assert count(url, "nonliquet_replies_total", answered[0]) == answered.count(answered[0])


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="there is no /proc to find the workers in")
def test_a_worker_that_dies_is_replaced_and_its_counts_stay_right(law_index, late_model):
    with served("--index", law_index, "--workers", 2, "--model", late_model) as (url, process):
        httpx.get(f"{url}/v1/models")
        workers = children(process)
        with ThreadPoolExecutor(1) as clients:
            cut = clients.submit(post, url)
            assert wait_until(lambda: count(url, "nonliquet_requests_in_flight") == 2)  # it, and the one that counts
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
            assert isinstance(cut.exception(), httpx.TransportError)
        assert wait_until(lambda: answers(url), at_most_s=60)
        assert count(url, "nonliquet_requests_in_flight") == 1
        assert count(url, "nonliquet_requests_total", "/v1/models", "200") == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_a_server_that_is_told_to_end_says_so_to_those_who_wait_for_a_stream(law_index, late_model, workers):
    with served("--index", law_index, "--model", late_model, "--workers", workers) as (url, process):
        client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
        said: list[Any] = [{"role": "user", "content": QUESTION}]
        stream = client.chat.completions.create(model="nonliquet", messages=said, stream=True)
        next(stream)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        with pytest.raises(openai.APIError, match="the server ends; ask again"):
            list(stream)
        assert time.monotonic() - began < 2.5  # the model would have taken 3
        process.wait(timeout=15)


def test_the_log_is_json_a_line(law_index):
    with served("--index", law_index) as (url, process):
        asked = post(url)
        process.terminate()
        log = process.communicate(timeout=20)[1]
    line = next(one for one in log.splitlines() if asked.headers["x-request-id"] in one)
    assert line.startswith("{")
    assert '"route": "/v1/ask", "status": 200' in line
    assert "fireworks" not in log


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--host", "0.0.0.0"), "set a key with --api-key"),
        (("--host", "0.0.0.0", "--api-key", ""), "API key"),
        (("--host", "127.law.example"), "set a key with --api-key"),
        (("--mode", "agentic"), "name one with --model"),
        (("--mode", "agentic", "--workers", "2"), "name one with --model"),
        (("--timeout", "0"), "--timeout"),
    ],
)
def test_it_does_not_start_as_what_nobody_should_reach(
    nonliquet: Callable[..., Result], law_index: Path, options: tuple[str, ...], says: str
):
    result = nonliquet("serve", "--index", law_index, *options)
    assert result.exit_code == 2
    assert says in result.stderr


@pytest.mark.parametrize("workers", [1, 2])
def test_an_index_that_is_none_is_one_error_line(nonliquet: Callable[..., Result], tmp_path: Path, workers: int):
    result = nonliquet("serve", "--index", tmp_path, "--workers", workers)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith(f"error: {tmp_path}: ")

"""The load: what it counts as answered, turned away, failed and mixed up, and the command as a whole."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import command
from evals import load
from evals.load import all_at_once, at_a_rate
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import ServiceUnavailable
from retrieval.index_build import build_index

pytest.importorskip("fastapi", reason="nonliquet[web] is not installed")


class _Handler(BaseHTTPRequestHandler):
    """Does what the question asks of it."""

    def log_message(self, format, *args):
        pass

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["question"]
        what = question.split()[0]
        if what == "hang-up":
            return
        if what == "slow":
            time.sleep(0.3)
        data = json.dumps({"question": "another" if what == "mix-up" else question}).encode()
        self.send_response(int(what) if what.isdigit() else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def obedient() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_what_became_of_each_question_is_counted():
    with obedient() as url:
        found = asyncio.run(all_at_once(url, ["fine", "503", "429", "500", "hang-up", "mix-up"], 6))
    assert found.statuses == {"200": 2, "503": 1, "429": 1, "500": 1, "RemoteProtocolError": 1}
    assert (found.n_failed, found.n_mixed_up, len(found.ms)) == (2, 1, 2)
    assert set(found.replies) == {"fine (#0)", "mix-up (#5)"}
    first, _ = found.lines()
    assert first == "6 questions; 200: 2, 429: 1, 500: 1, 503: 1, RemoteProtocolError: 1; 2 failed, 1 mixed up"


def test_the_load_is_open_so_that_slow_replies_do_not_hold_the_next_question_back():
    """20 questions a second, each taking 0.3 s: one after the other they would take 3 s."""
    with obedient() as url:
        began = time.perf_counter()
        found = asyncio.run(at_a_rate(url, ["slow", "slow"], per_second=20, seconds=0.5))
        took = time.perf_counter() - began
    assert found.statuses == {"200": 10}
    assert 0.75 <= took < 2.5  # the last is due after 0.45 s
    assert min(found.ms) >= 300


@pytest.fixture(scope="module")
def law_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("load") / "index"
    build_index(read_corpus([BUILTIN_LAW]), folder)
    return folder


def test_the_command_loads_a_server_of_its_own_and_leaves_none_behind(law_index, monkeypatch):
    started = []
    popen = load.subprocess.Popen
    monkeypatch.setattr(
        load.subprocess, "Popen", lambda *args, **options: started.append(popen(*args, **options)) or started[-1]
    )
    arguments = ["load", "--index", str(law_index), "--rate", "10", "--seconds", "1", "--burst", "8", "--workers", "1"]
    result = CliRunner().invoke(command([load.register]), arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "10 questions; 200: 10; 0 failed, 0 mixed up" in result.output
    assert "8 questions; 200: 8; 0 failed, 0 mixed up" in result.output
    assert "asked again one by one: 0 other replies" in result.output
    (server,) = started
    assert server.poll() is not None


def test_a_server_that_does_not_start_is_said(tmp_path):
    with (
        pytest.raises(ServiceUnavailable, match=f"nonliquet serve .*--index {tmp_path}"),
        load.running_server("--index", str(tmp_path)),
    ):
        pass

"""`python -m evals client`: how fast the choice client is, against itself with one request in flight, on a mock server.

The server is a process of its own that waits before each reply, as a model would. Three figures: how many times the
rate of one request in flight several in flight give; the client's processor time a request, as a share of the model's
time; and the wall time beyond what the waits alone would take.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from typing import Annotated

import typer

from agent.cli import command
from agent.rendering import show_table
from evals.mcq.choice_client import ClientSettings, Request, ask_all
from evals.mcq.served_model import ServedModel

__all__ = ["ClientFigures", "measure", "register"]


@dataclass(frozen=True, slots=True)
class ClientFigures:
    """What the client takes."""

    rate_ratio: float  # requests a second with several in flight, over those with one
    processor_share: float  # of the client, over the model's time of the same requests
    wall_overhead: float  # (wall time - waits alone) / waits alone, with several in flight


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("client", epilog="Example: python -m evals client --in-flight 16")(_client)


def _client(
    in_flight: Annotated[int, typer.Option(min=2, metavar="N", help="Requests at once.")] = 16,
    latency_ms: Annotated[float, typer.Option(min=1, metavar="MS", help="What the mock model takes.")] = 200,
    rounds: Annotated[int, typer.Option(min=1, metavar="N", help="Requests are N times those in flight.")] = 8,
) -> None:
    """Time the client of choice questions against a mock server."""
    figures = measure(in_flight=in_flight, latency_s=latency_ms / 1000, n_rounds=rounds)
    show_table(
        {
            f"rate with {in_flight} in flight over one": f"{figures.rate_ratio:.1f}",
            "processor time of the model's time": f"{figures.processor_share:.1%}",
            "wall time beyond the waits": f"{figures.wall_overhead:.1%}",
        }
    )


def measure(*, in_flight: int, latency_s: float, n_rounds: int) -> ClientFigures:
    """Ask a mock server that takes `latency_s` a request, one after the other and `in_flight` at once."""
    n_alone, n = 8, in_flight * n_rounds
    with _mock_server(latency_s) as port:
        served = ServedModel(f"http://127.0.0.1:{port}/v1", "mock", "mock", None, None, None)
        _asked(served, 1, 1)  # imports, the first connection
        alone_s, _ = _asked(served, n_alone, 1)
        together_s, processor_s = _asked(served, n, in_flight)
    waits_s = n_rounds * latency_s
    return ClientFigures(
        rate_ratio=(n / together_s) / (n_alone / alone_s),
        processor_share=processor_s / (n * latency_s),
        wall_overhead=together_s / waits_s - 1,
    )


def _asked(served: ServedModel, n: int, concurrency: int) -> tuple[float, float]:
    """Return the wall and processor seconds of n requests."""
    requests = ((number, Request({"messages": [{"role": "user", "content": f"{number}"}]})) for number in range(n))
    wall, processor = time.perf_counter(), time.process_time()
    ask_all(served, requests, lambda number, reply: None, settings=ClientSettings(concurrency=concurrency))
    return time.perf_counter() - wall, time.process_time() - processor


@contextmanager
def _mock_server(latency_s: float) -> Iterator[int]:
    """Run the mock in a process of its own; give its port."""
    spawning = multiprocessing.get_context("spawn")
    ours, its = spawning.Pipe()
    process = spawning.Process(target=_serve, args=(its, latency_s), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _serve(port: Connection, latency_s: float) -> None:
    message = {"role": "assistant", "content": "A"}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    completion = {"id": "1", "object": "chat.completion", "created": 0, "model": "mock", "choices": [choice]}
    reply = json.dumps(completion).encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(latency_s)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        port.send(server.server_port)
        server.serve_forever()


if __name__ == "__main__":
    command([register])(args=["client", *sys.argv[1:]], prog_name="python -m evals")

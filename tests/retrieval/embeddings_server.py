"""A small embeddings server on 127.0.0.1 that answers well, or misbehaves as its script says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def embedding(text: str, dimension: int) -> list[float]:
    """The vector the server gives a text: how often each of the first letters occurs, and its length."""
    return [float(text.count(chr(ord("a") + place))) for place in range(dimension - 1)] + [float(len(text))]


class EmbeddingsServer:
    def __init__(self, url: str) -> None:
        self.url = url
        self.script: list[Any] = []  # what to do with the next requests for embeddings, then answer well
        self.requests: list[dict[str, Any]] = []  # the bodies received
        self.authorization: list[str | None] = []
        self.models: dict[str, Any] | None = None  # the answer to GET /models; None: 404


@contextmanager
def running_server(dimension: int = 4) -> Iterator[EmbeddingsServer]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            if self.path == "/v1/models" and server.models is not None:
                self.answer(200, json.dumps(server.models))
            else:
                self.answer(404, "no such page")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != "/v1/embeddings":
                return self.answer(404, "no such page")
            server.requests.append(body)
            server.authorization.append(self.headers.get("Authorization"))
            act = server.script.pop(0) if server.script else None
            vectors = [embedding(text, dimension) for text in body["input"]]
            data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
            match act:
                case int():
                    return self.answer(act, "overloaded, try later")
                case "shuffled":
                    data.reverse()
                case "one short":
                    data.pop()
                case "nan":
                    data[0]["embedding"] = [float("nan")] * dimension
                case "zeros":
                    data[0]["embedding"] = [0.0] * dimension
                case "another dimension":
                    data[-1]["embedding"] = [1.0] * (dimension + 1)
                case "no json":
                    return self.answer(200, "<html>")
                case "silent":
                    return self.close_connection_now()
            return self.answer(200, json.dumps({"data": data}))

        def close_connection_now(self) -> None:
            self.close_connection = True

        def answer(self, status: int, text: str) -> None:
            content = text.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = EmbeddingsServer(f"http://127.0.0.1:{http.server_address[1]}/v1")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()

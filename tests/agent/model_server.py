"""A small OpenAI-compatible server on this machine that behaves, or misbehaves on purpose, by the model's name."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPLY = json.dumps({"citations": [{"id": "a_1", "quote": "words"}], "answer": "Yes, it may."})
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
MODELS = (
    "good",
    "slow",
    "late",
    "fails",
    "fails-once",
    "refuses",
    "no-json",
    "cut",
    "white-space",
    "hangs-up",
    "no-tools",
    "busy-once",
    "killed",
    "counts",
)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.n_requests: dict[str, int] = {}
        self.bodies: list[dict] = []
        self.keys: set[str | None] = set()
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet: two would wait for each other
    server: _Server

    def log_message(self, format, *args):
        pass

    def do_GET(self):
        self.server.keys.add(self.headers["Authorization"])
        models = [{"id": name, "object": "model", "max_model_len": 2048} for name in MODELS]
        models[MODELS.index("counts")]["owned_by"] = "vllm"
        self._json(200, {"object": "list", "data": models})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/tokenize"):
            self._json(200, {"count": sum(len(message["content"]) for message in body["messages"])})
            return
        model = body["model"]
        with self.server.lock:
            self.server.keys.add(self.headers["Authorization"])
            self.server.bodies.append(body)
            n = self.server.n_requests[model] = self.server.n_requests.get(model, 0) + 1
        if model == "hangs-up":
            self.close_connection = True
            self.connection.close()
            return
        time.sleep({"slow": 0.2, "late": 3.0}.get(model, 0.0))
        if fault := _fault(model, n, has_tools="tools" in body):
            status, message = fault
            self._json(status, {"error": {"message": message}})
            return
        text = {"no-json": "Well, yes.", "white-space": '{"citations": [' + " " * 2000}.get(model, REPLY)
        finish = "length" if model == "white-space" else "stop"
        if body.get("stream"):
            self._stream(model, text, finish, counted=body.get("stream_options", {}).get("include_usage", False))
            return
        tokens = [{"token": "Yes", "logprob": -0.5, "bytes": None, "top_logprobs": []}]
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "logprobs": {"content": tokens},
            "finish_reason": finish,
        }
        named = {"id": "x", "object": "chat.completion", "created": 0, "model": model}
        self._json(200, {**named, "choices": [choice], "usage": USAGE})

    def _json(self, status: int, value: dict) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, model: str, text: str, finish: str, *, counted: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        parts = [text[start : start + 8] for start in range(0, len(text), 8)]
        for place, part in enumerate(parts):
            if model == "killed" and place == 3:
                return  # the last chunk, which ends the body, does not come
            if model == "cut" and place == 3:
                error = {"error": {"message": "engine died", "type": "server_error", "code": 500}}
                self._chunk(f"data: {json.dumps(error)}\n\n")
                return
            last = finish if place == len(parts) - 1 else None
            choice = {"index": 0, "delta": {"role": "assistant", "content": part}, "finish_reason": last}
            chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [choice]}
            self._chunk(f"data: {json.dumps(chunk)}\n\n")
        if counted:
            last = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": []}
            self._chunk(f"data: {json.dumps({**last, 'usage': USAGE})}\n\n")
        self._chunk("data: [DONE]\n\n")
        self._chunk("")

    def _chunk(self, text: str) -> None:
        """Send one chunk of HTTP's; an empty one is the last."""
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def _fault(model: str, n: int, *, has_tools: bool) -> tuple[int, str] | None:
    """Return the status and message that the n-th request to a model gets instead of a reply."""
    match model:
        case "fails":
            return 500, "out of order"
        case "fails-once" if n == 1:
            return 503, "starting"
        case "busy-once" if n == 1:
            return 429, "busy"
        case "no-tools" if has_tools:
            return 400, "this server has no tool calling"
        case "refuses":
            return 400, "maximum context length exceeded"
    return None


@contextmanager
def model_server() -> Iterator[tuple[str, _Server]]:
    """Yield the base address and the server, which remembers what it was asked."""
    server = _Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

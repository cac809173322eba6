"""A mock of vLLM's server for choice questions, in a thread: it waits, answers by the prompt's hash, or misbehaves.

How it behaves is told by the model's name.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

MODELS = (
    "good",
    "slow",
    "fails-once",
    "fails",
    "refuses",
    "denies",
    "chats",
    "cut",
    "gives-no-logprobs",
    "dies-after-20",
)
LATENCY_S = 0.2
MODEL_LEN = 4096


@dataclass
class MockServer:
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    n_in_flight: int = 0
    most_in_flight: int = 0
    n_of_model: dict[str, int] = field(default_factory=dict)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                method, path, _ = line.decode().split()
                length = 0
                while (header := await reader.readline()) not in (b"\r\n", b""):
                    name, _, value = header.decode().partition(":")
                    length = int(value) if name.lower() == "content-length" else length
                body = json.loads(await reader.readexactly(length)) if length else {}
                status, answer = await self.answer(method, path, body)
                if status == 0:
                    break
                content = json.dumps(answer).encode()
                head = (
                    f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
                )
                writer.write(head.encode() + content)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if path == "/v1/models":
            listed = [{"id": name, "root": f"/models/{name}", "max_model_len": MODEL_LEN} for name in MODELS]
            return 200, {"object": "list", "data": listed}
        if path == "/version":
            return 200, {"version": "0.99.1"}
        model = body["model"]
        n = self.n_of_model[model] = self.n_of_model.get(model, 0) + 1
        self.bodies.append(body)
        self.n_in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.n_in_flight)
        try:
            await asyncio.sleep(LATENCY_S if model == "slow" else 0)
        finally:
            self.n_in_flight -= 1
        if model == "dies-after-20" and n > 20:
            return 0, {}
        if model == "fails" or (model == "fails-once" and n == 1):
            return 503, {"error": {"message": "starting"}}
        if model == "refuses":
            return 400, {"error": {"message": "maximum context length exceeded"}}
        if model == "denies":
            return 401, {"error": {"message": "no key"}}
        return 200, _completion(model, body)


def letters_of(body: dict[str, Any]) -> list[str]:
    return re.findall(r"^([A-Z])\. ", body["messages"][-1]["content"], re.MULTILINE)


def chosen_letter(body: dict[str, Any]) -> str:
    """The letter that the mock chooses: by a hash of the prompt."""
    letters = letters_of(body)
    return letters[hashlib.sha256(body["messages"][-1]["content"].encode()).digest()[0] % len(letters)]


def _completion(model: str, body: dict[str, Any]) -> dict[str, Any]:
    form = body.get("response_format", {}).get("json_schema", {})
    if form.get("name") == "sufficiency":
        enough = hashlib.sha256(body["messages"][-1]["content"].encode()).digest()[1] % 2 == 0
        word = "true" if enough else "false"
        text, tokens = json.dumps({"sufficient": enough, "missing": ""}), [_token(f" {word}", 0.75)]
    else:
        letter = chosen_letter(body)
        others = [_token(one, 0.4 / len(letters_of(body))) for one in letters_of(body) if one != letter]
        at_letter = {**_token(letter, 0.6), "top_logprobs": [_token(letter, 0.6), *others, _token("The", 0.01)]}
        constrained = bool(form)
        text = json.dumps({"choice": letter}) if constrained else letter
        tokens = (
            [_token('{"', 1.0), _token("choice", 1.0), _token('": "', 1.0), at_letter] if constrained else [at_letter]
        )
    if model == "chats":
        text, tokens = "Well, that depends.", [{**_token("Well", 0.9), "top_logprobs": [_token("Well", 0.9)]}]
    if model == "gives-no-logprobs":
        tokens = []
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "logprobs": {"content": tokens} if tokens else None,
        "finish_reason": "length" if model == "cut" else "stop",
    }
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": model, "choices": [choice], "usage": usage}


def _token(token: str, probability: float) -> dict[str, Any]:
    return {"token": token, "logprob": math.log(probability), "bytes": None}


@contextmanager
def choice_server() -> Iterator[MockServer]:
    """Yield the running server, which remembers what it was asked."""
    mock = MockServer()
    loop = asyncio.new_event_loop()

    async def start() -> asyncio.Server:
        server = await asyncio.start_server(mock.serve, "127.0.0.1", 0)
        mock.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        return server

    server = loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield mock
    finally:

        async def stop() -> None:
            server.close()
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

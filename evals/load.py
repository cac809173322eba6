"""I/O: `nonliquet evals load`: questions at a steady rate, then many at once, against a `nonliquet serve` of its own.

    python -m evals load --index law --questions qa.jsonl --rate 10 --seconds 60 --workers 2

The load is open: a question is sent when its time has come, whether those before it are answered or not, and its time
runs from then. Every question carries a number, which its reply must carry, too. Those sent all at once are asked again
one after the other: the replies must be the same. The machine's load average is told, as others may use it as well.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import httpx
import numpy as np
import typer

from agent.commands.options import IndexOption, index_folder
from agent.rendering import show
from evals.commands.options import BUILTIN_QUESTIONS
from evals.dataset_files import read_questions
from graph.errors import ServiceUnavailable
from retrieval.index import Index

__all__ = ["Load", "all_at_once", "at_a_rate", "register", "running_server"]

_TURNED_AWAY = (429, 503)
_TIMEOUT_S = 180.0  # of the client: more than the server's own
_START_S = 120.0
_WARM_UP = 20  # questions at once while every one is asked unmeasured, so that all processes have opened everything


@dataclass(slots=True)
class Load:
    """What became of the questions of one load."""

    ms: list[float] = field(default_factory=list)  # of those answered, from when each was due
    statuses: Counter[str] = field(default_factory=Counter)  # by HTTP status, or the name of the client's error
    n_mixed_up: int = 0  # replies to another question
    replies: dict[str, Any] = field(default_factory=dict)  # by question

    @property
    def n_failed(self) -> int:
        """How many got neither a reply nor a status that tells them to come again."""
        return sum(n for status, n in self.statuses.items() if status not in ("200", *map(str, _TURNED_AWAY)))

    def lines(self) -> Iterator[str]:
        """Yield what there is to say, for people."""
        told = ", ".join(f"{status}: {n}" for status, n in sorted(self.statuses.items()))
        yield f"{sum(self.statuses.values())} questions; {told}; {self.n_failed} failed, {self.n_mixed_up} mixed up"
        if self.ms:
            values = " ".join(f"p{share:g} {np.quantile(self.ms, share / 100):.0f}" for share in (50, 90, 99, 100))
            yield f"ms until the reply: {values}"


async def at_a_rate(url: str, questions: Sequence[str], *, per_second: float, seconds: float) -> Load:
    """Send questions, over and over, each when its time has come; wait for all of them."""
    load, began = Load(), time.perf_counter()

    async def one(client: httpx.AsyncClient, number: int) -> None:
        due = began + number / per_second
        await asyncio.sleep(due - time.perf_counter())
        await _ask(client, url, _numbered(questions, number), load, since=due)

    async with _client() as client:
        await asyncio.gather(*(one(client, number) for number in range(round(per_second * seconds))))
    return load


async def all_at_once(url: str, questions: Sequence[str], n: int) -> Load:
    """Send n questions in one moment, from as many connections."""
    load = Load()
    async with _client() as client:
        since = time.perf_counter()
        asked = (_numbered(questions, number) for number in range(n))
        await asyncio.gather(*(_ask(client, url, question, load, since=since) for question in asked))
    return load


async def _one_by_one(url: str, questions: Sequence[str]) -> Load:
    load = Load()
    async with _client() as client:
        for question in questions:
            await _ask(client, url, question, load, since=time.perf_counter())
    return load


async def _ask(client: httpx.AsyncClient, url: str, question: str, load: Load, *, since: float) -> None:
    try:
        response = await client.post(f"{url}/v1/ask", json={"question": question})
    except httpx.HTTPError as error:
        load.statuses[type(error).__name__] += 1
        return
    load.statuses[str(response.status_code)] += 1
    if response.status_code == 200:
        load.ms.append(1e3 * (time.perf_counter() - since))
        reply = response.json()
        load.n_mixed_up += reply["question"] != question
        load.replies[question] = reply


def _client() -> httpx.AsyncClient:
    unlimited = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    return httpx.AsyncClient(timeout=_TIMEOUT_S, limits=unlimited)


def _numbered(questions: Sequence[str], number: int) -> str:
    return f"{questions[number % len(questions)]} (#{number})"


@contextmanager
def running_server(*options: str) -> Iterator[tuple[str, int]]:
    """Yield the address of a `nonliquet serve` with these options, on a free port, and its process id.

    Raises ServiceUnavailable if it does not answer in time.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "agent", "serve", "--port", str(port), *options]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    url, end = f"http://127.0.0.1:{port}", time.monotonic() + _START_S
    try:
        while not _answers(url):
            if process.poll() is not None or time.monotonic() > end:
                raise ServiceUnavailable(
                    f"the server does not start; see what it says: nonliquet {' '.join(command[3:])}"
                )
            time.sleep(0.2)
        yield url, process.pid
    finally:
        process.terminate()
        process.wait()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").is_success
    except httpx.HTTPError:
        return False


def _memory_mb(process_id: int) -> float | None:
    """Return what a process and its children hold, shared pages in parts; None where there is no /proc."""
    try:
        children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text(encoding="ascii").split()
        rollups = [Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii") for one in (process_id, *children)]
    except OSError:
        return None
    lines = (line.split() for rollup in rollups for line in rollup.splitlines())
    return sum(int(words[1]) for words in lines if words[0] == "Pss:") / 1024


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("load", epilog="Example: python -m evals load --index law --questions qa.jsonl --rate 10")(_load)


def _load(
    index: IndexOption = None,
    questions: Annotated[
        Path, typer.Option("--questions", metavar="FILE", help="Questions to ask.", show_default="built-in")
    ] = BUILTIN_QUESTIONS,
    rate: Annotated[float, typer.Option(min=0.1, help="Questions a second.")] = 10.0,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long.")] = 60.0,
    burst: Annotated[int, typer.Option(min=1, metavar="N", help="Questions sent at once afterwards.")] = 50,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes of the server.")] = 2,
) -> None:
    """Load the server: a steady rate, then many at once; exit 1 if a reply was wrong or one did not come."""
    folder = index_folder(index)
    with Index.open(folder) as opened:
        asked = [one.text for one in read_questions(questions, opened.graph)]
    with running_server("--index", str(folder), "--workers", str(workers)) as (url, process_id):
        for start in range(0, len(asked), _WARM_UP):
            asyncio.run(all_at_once(url, asked[start : start + _WARM_UP], _WARM_UP))
        before = _memory_mb(process_id)
        steady = asyncio.run(at_a_rate(url, asked, per_second=rate, seconds=seconds))
        between = _memory_mb(process_id)
        rush = asyncio.run(all_at_once(url, asked, burst))
        after = _memory_mb(process_id)
        again = asyncio.run(_one_by_one(url, list(rush.replies)))
    n_wrong = sum(rush.replies[question] != again.replies.get(question) for question in rush.replies)
    for title, load in ((f"{rate:g} a second for {seconds:g} s", steady), (f"{burst} at once", rush)):
        show((title, "bold"))
        for line in load.lines():
            show(f"  {line}")
    show(f"  asked again one by one: {n_wrong} other replies")
    if before is not None and between is not None and after is not None:
        show(f"memory of all processes, MB: {before:.0f} before, {between:.0f} after, {after:.0f} after all at once")
    show(f"load average of the last minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if n_wrong or any(load.n_failed or load.n_mixed_up for load in (steady, rush)):
        raise typer.Exit(1)

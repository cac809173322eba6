"""Builds indexes, each in a process of its own that is killed when its time is up. Run by test_build_killed.py.

Reads one order a line from standard input and answers it with one line: {"killed": ..., "seconds": ...}. The processes
are forked from this one, so that none spends its time on imports.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import chromadb.api.rust  # noqa: F401  (what a build imports when it first needs it, for all of them at once)

from graph.corpus import Corpus
from graph.records import Provision
from retrieval.index_build import VectorPlan, build_index
from tests.conftest import HashingEncoder

N_ARTICLES = 128
S_A_BATCH = 0.01


def corpus(number: int) -> Corpus:
    """A law of N_ARTICLES in its version of that number: every text says which, and cites the article after it."""
    return Corpus(
        tuple(
            Provision(
                semantic_id=f"법_{article}조",
                doc_id=article,
                law_name="법",
                collection_name="법",
                law_level="법률",
                chapter=f"제{article}조",
                text=f"제{number}판의 글 {article * 7919 % 1000} 등대 점검",
                related_doc_ids=((article + number + 1) % N_ARTICLES,),
            )
            for article in range(N_ARTICLES)
        ),
        (),
    )


class SlowEncoder(HashingEncoder):
    """Takes its time over every batch, notes what it was given in a file, and is killed after `n_batches`."""

    def __init__(self, log: Path, n_batches: int | None) -> None:
        super().__init__()
        self._log = log
        self._left = n_batches

    def encode_articles(self, articles: Any) -> Any:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._left is not None:
            self._left -= 1
        time.sleep(S_A_BATCH)
        with self._log.open("a", encoding="utf-8") as log:
            log.write("".join(f"{article.text}\n" for article in articles))
        return super().encode_articles(articles)


def kill_at(event: str, name: str) -> None:
    """Have this process killed when Python is about to do something to a file whose path holds `name`."""

    def look(happening: str, values: tuple[object, ...]) -> None:
        if happening == event and name in str(values[0]):
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)


def carry_out(
    *,
    folder: str,
    log: str,
    cache: str,
    number: int,
    kill_after_s: float | None = None,
    kill_after_batches: int | None = None,
    kill_at_event: tuple[str, str] | None = None,
) -> dict[str, Any]:
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.environ["NONLIQUET_CACHE"] = cache
            if kill_at_event:
                kill_at(*kill_at_event)
            encoder = SlowEncoder(Path(log), kill_after_batches)
            build_index(corpus(number), Path(folder), vectors=VectorPlan(encoder=encoder))
            status = 0
        finally:
            os._exit(status)
    if kill_after_s is not None:
        time.sleep(kill_after_s)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"the build of version {number} failed")
    return {"killed": os.WIFSIGNALED(status), "seconds": time.monotonic() - began}


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(carry_out(**json.loads(line))) + "\n")
        sys.stdout.flush()

"""`nonliquet evals latency`: what a question costs beside the encoder and the model: retrieval, decision, verification.

    python -m evals latency --index law --questions qa.jsonl

The extractive reader answers, so no model takes part. Each question is asked once before the clock runs: its clauses'
vectors are then in the cache, and what a first question opens is open. Time that passes inside the encoder is taken
off. Seconds of the processor are given beside those of the clock, which a busy machine stretches.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
import typer
from numpy.typing import NDArray
from scipy.sparse import csr_array

from agent.commands.agent_options import AgentOptions
from agent.commands.options import IndexOption, SettingsOption
from agent.legal_agent import LegalAgent
from agent.rendering import show
from evals.commands.options import BUILTIN_QUESTIONS
from evals.dataset_files import read_questions
from graph.records import Provision
from retrieval.encoder import Encoder, SparseEncoder
from retrieval.retriever import Retriever

__all__ = ["Latency", "latencies", "register"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Latency:
    """What one question took, in ms."""

    whole: float  # by the clock, the encoder's time among it
    own: float  # without the encoder, by the clock
    own_cpu: float  # without the encoder, of the processor, over all threads


@dataclass(slots=True)
class _Watch:
    """Sums up what passes while it runs, in seconds."""

    clock: float = 0.0
    cpu: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        clock, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.clock += time.perf_counter() - clock
            self.cpu += time.process_time() - cpu


@dataclass
class _Timed:
    """An encoder under a watch."""

    encoder: Encoder
    watch: _Watch = field(default_factory=_Watch)

    def __post_init__(self) -> None:
        self.identity = self.encoder.identity

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._watched(lambda: self.encoder.encode_queries(texts))

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        return self._watched(lambda: self.encoder.encode_articles(articles))

    def _watched(self, work: Callable[[], _T]) -> _T:
        with self.watch.running():
            return work()


class _TimedSparse(_Timed):
    """The same for an encoder with sparse vectors."""

    def __init__(self, encoder: Encoder, sparse: SparseEncoder) -> None:
        super().__init__(encoder)
        self._sparse = sparse
        self.sparse_languages = sparse.sparse_languages

    def encode_queries_sparse(self, texts: Sequence[str]) -> csr_array[np.float32]:
        return self._watched(lambda: self._sparse.encode_queries_sparse(texts))

    def encode_articles_sparse(self, articles: Sequence[Provision]) -> csr_array[np.float32]:
        return self._watched(lambda: self._sparse.encode_articles_sparse(articles))


def latencies(agent: LegalAgent, questions: Sequence[str], *, n_rounds: int = 1) -> list[Latency]:
    """Ask each question `n_rounds` times after once unmeasured; the round of the median counts. In their order."""
    retriever, inside = agent.retriever, _Watch()
    if retriever.index.has_vectors:
        encoder = retriever.encoder
        timed = _TimedSparse(encoder, encoder) if isinstance(encoder, SparseEncoder) else _Timed(encoder)
        retriever, inside = Retriever(retriever.index, settings=retriever.settings, encoder=timed), timed.watch
    watched = LegalAgent(retriever, settings=agent.settings, as_of=agent.as_of)
    found: list[Latency] = []
    for question in questions:
        watched.ask(question)
        rounds = [_once(watched, question, inside) for _ in range(n_rounds)]
        found.append(sorted(rounds, key=lambda one: one.own)[len(rounds) // 2])
    return found


def _once(agent: LegalAgent, question: str, inside: _Watch) -> Latency:
    clock, cpu, outside = inside.clock, inside.cpu, _Watch()
    with outside.running():
        agent.ask(question)
    own, own_cpu = outside.clock - (inside.clock - clock), outside.cpu - (inside.cpu - cpu)
    return Latency(1e3 * outside.clock, 1e3 * own, 1e3 * own_cpu)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("latency", epilog="Example: python -m evals latency --index law --questions qa.jsonl")(_latency)


def _latency(
    index: IndexOption = None,
    questions: Annotated[
        Path, typer.Option("--questions", metavar="FILE", help="Questions to ask.", show_default="built-in")
    ] = BUILTIN_QUESTIONS,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Ask the first N questions alone.")] = None,
    n_rounds: Annotated[
        int, typer.Option("--rounds", min=1, help="Rounds a question, of which the median counts.")
    ] = 3,
    settings: SettingsOption = None,
) -> None:
    """Time questions: what the agent takes beside the encoder and the model."""
    with AgentOptions(index=index, settings=settings).open() as agent:
        asked = [one.text for one in read_questions(questions, agent.retriever.index.graph)][:limit]
        found = latencies(agent, asked, n_rounds=n_rounds)
    show((f"{len(found)} questions, ms", "bold"))
    for name, values in (
        ("all but the encoder", [one.own for one in found]),
        ("the same, of the processor", [one.own_cpu for one in found]),
        ("with the encoder", [one.whole for one in found]),
    ):
        show(f"  {name:28}median {statistics.median(values):7.1f}   90th percentile {np.quantile(values, 0.9):7.1f}")

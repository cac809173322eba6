"""`python -m evals.bench`: how fast retrieval is, as ratios against other packages doing the same work in the same run.

    python -m evals.bench --corpus ../shared/data/firelaw-kr/legal_docs.jsonl --questions QUESTIONS.jsonl

All peers get our analysis' terms, so that they count the same postings. What they do is repeated in rounds, one after
the other, and the median round counts: a busy machine slows all of them. `evals/bench_peers.py` holds the peers.
"""

from __future__ import annotations

import json
import lzma
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from agent.cli import command
from evals.bench_peers import DEPTH, LangChain, bm25s_alone, our_hybrid, plain_sar, rank_bm25_alone
from evals.dataset_files import read_questions
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import CorpusError
from retrieval import sar
from retrieval.encoder import unit_rows
from retrieval.fusion import share_of_maximum
from retrieval.index_build import build_index
from retrieval.lexical import LexicalIndex
from retrieval.methods import parse_method
from retrieval.retriever import Retriever

__all__ = ["Row", "bench", "lines_of"]

_BUILTIN_QUESTIONS = Path(__file__).parent / "builtin" / "questions.jsonl"
_N_SAR_QUESTIONS = 1000
_N_LOOPED = 20
_DIMENSION = 384  # of the stand-in vectors: their values do not matter for the time

# Answers every question from an index, and prints the most memory the process held, in MB. Linux's VmHWM is the
# process's own; ru_maxrss would start from that of the process which started it.
_SERVE = """
import json, pathlib, re, resource, sys
from retrieval.retriever import Retriever
with Retriever.open(pathlib.Path(sys.argv[1])) as retriever:
    for question in json.loads(sys.stdin.read()):
        retriever.search(question, method="sar")
status = pathlib.Path("/proc/self/status")
if status.exists():
    print(int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text())[1]) / 1024)
else:
    unit = 1024**2 if sys.platform == "darwin" else 1024
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)
"""


@dataclass(frozen=True, slots=True)
class Row:
    """What we take for some work and what a peer does; without a peer, a plain figure."""

    work: str
    unit: str
    ours: float
    peer: str = ""
    theirs: float | None = None  # None: not measured
    note: str = ""  # why not

    @property
    def ratio(self) -> float | None:
        """How many times as long the peer takes; below 1 it is faster."""
        return self.theirs / self.ours if self.theirs is not None else None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench", epilog="Example: python -m evals.bench --rounds 3")(_command)


def _command(
    corpus: Annotated[
        list[Path] | None,
        typer.Option("--corpus", metavar="FILE", help="Statutes, also as .xz; repeatable.", show_default="built-in"),
    ] = None,
    questions: Annotated[
        Path, typer.Option("--questions", metavar="FILE", help="Questions to ask of each.")
    ] = _BUILTIN_QUESTIONS,
    n_rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds, of which the median counts.")] = 5,
    n_slow: Annotated[int, typer.Option("--slow", min=1, help="Questions asked of peers that take seconds.")] = 3,
) -> None:
    """Measure speed and memory against other packages."""
    for place in corpus or [BUILTIN_LAW]:
        with tempfile.TemporaryDirectory(prefix="nonliquet-bench-") as folder:
            for line in lines_of(place.name, bench(place, questions, Path(folder), n_rounds=n_rounds, n_slow=n_slow)):
                typer.echo(line)


def lines_of(name: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table of the rows."""
    yield from (f"{name}", "", "| work | ours | peer | theirs | ratio |", "| --- | ---: | --- | ---: | ---: |")
    for row in rows:
        theirs = row.note or ("–" if row.theirs is None else f"{row.theirs:.4g} {row.unit}")
        ratio = "–" if row.ratio is None else f"{row.ratio:.3g}"
        yield f"| {row.work} | {row.ours:.4g} {row.unit} | {row.peer or '–'} | {theirs} | {ratio} |"
    yield ""


def bench(source: Path, questions: Path, folder: Path, *, n_rounds: int = 5, n_slow: int = 3) -> list[Row]:
    """Index a corpus in `folder`, ask it the questions, and let the peers do the same.

    A peer that is not installed gives a row that says so. Raises CorpusError or QuestionsError if a file is unreadable.
    """
    started = time.perf_counter()
    corpus = read_corpus([_unpacked(source, folder)])
    read_s = time.perf_counter() - started
    build_index(corpus, folder / "index")
    index_s = time.perf_counter() - started
    del corpus
    with Retriever.open(folder / "index") as retriever:
        asked = [one.text for one in read_questions(questions, retriever.index.graph)]
        return [
            Row("reading the source and indexing", "s", index_s, note=f"of which reading {read_s:.1f} s"),
            *_counting(retriever),
            *_asking(retriever, asked, n_rounds, n_slow),
            *_reranking(retriever, asked, n_rounds),
            Row("memory to serve it, without vectors", "MB", _memory_mb(folder / "index", asked)),
        ]


def _counting(retriever: Retriever) -> Iterator[Row]:
    """Time the analysis and counting of all articles, once: it takes long."""
    index, lexical = retriever.index, retriever.index.lexical
    ours = _seconds(lambda: LexicalIndex.build(index.articles, lexical.settings, language=lexical.language))
    theirs = _seconds(lambda: bm25s_alone(index.articles, lexical))
    yield Row("counting terms", "s", ours, "bm25s alone", theirs)


def _asking(retriever: Retriever, asked: Sequence[str], n_rounds: int, n_slow: int) -> Iterator[Row]:
    lexical, articles = retriever.index.lexical, retriever.index.articles
    few, n_best = asked[:n_slow], min(DEPTH, len(articles))
    rng = np.random.default_rng(0)
    matrix, vectors = (
        unit_rows(rng.standard_normal((n, _DIMENSION)).astype(np.float32)) for n in (len(articles), len(asked))
    )
    bm25, engine = parse_method("bm25"), bm25s_alone(articles, lexical)
    okapi = rank_bm25_alone(articles, lexical)
    work: dict[str, tuple[int, Callable[[], object]]] = {
        "bm25": (len(asked), lambda: [retriever.rankings([one], bm25, depth=DEPTH) for one in asked]),
        "bm25s alone": (
            len(asked),
            lambda: [engine.retrieve([lexical.analyze(one)], k=n_best, show_progress=False) for one in asked],
        ),
        "rank-bm25": (len(few), lambda: [okapi.get_top_n(lexical.analyze(one), articles, n=DEPTH) for one in few]),
        "hybrid-rrf": (
            len(asked),
            lambda: [our_hybrid(retriever, one, v, matrix) for one, v in zip(asked, vectors, strict=True)],
        ),
    }
    note = ""
    try:
        langchain = LangChain(articles, lexical, okapi, matrix, dict(zip(asked, vectors, strict=True)))
        work["LangChain BM25Retriever"] = len(few), lambda: [langchain.bm25(one) for one in few]
        work["LangChain EnsembleRetriever"] = len(few), lambda: [langchain.ensemble(one) for one in few]
    except ModuleNotFoundError as error:
        note = f"skipped: {error.name} is missing: pip install 'nonliquet[bench]'"
    times = _medians(work, n_rounds)
    for ours, peer in (
        ("bm25", "bm25s alone"),
        ("bm25", "rank-bm25"),
        ("bm25", "LangChain BM25Retriever"),
        ("hybrid-rrf", "LangChain EnsembleRetriever"),
    ):
        theirs = times.get(peer)
        yield Row(f"{ours}, a question", "ms", 1e3 * times[ours], peer, theirs and 1e3 * theirs, "" if theirs else note)


def _reranking(retriever: Retriever, asked: Sequence[str], n_rounds: int) -> Iterator[Row]:
    """Time SAR on scores that are there already; the plain loop's time is that of a few, multiplied."""
    index, settings = retriever.index, retriever.settings.sar
    adjacency = index.graph.adjacency()
    scores = [share_of_maximum(index.lexical.bm25(question)) for question in asked]
    batch = (scores * (_N_SAR_QUESTIONS // len(scores) + 1))[:_N_SAR_QUESTIONS]
    cites = [adjacency.indices[a:b].tolist() for a, b in zip(adjacency.indptr, adjacency.indptr[1:], strict=False)]
    indegrees = np.bincount(adjacency.indices, minlength=len(cites)).tolist()
    lists = [one.tolist() for one in scores[:_N_LOOPED]]
    times = _medians(
        {
            "ours": (1, lambda: sar.rerank(batch, adjacency, index.ties, settings=settings)),
            "loop": (len(lists), lambda: [plain_sar(one, cites, indegrees, settings) for one in lists]),
        },
        n_rounds,
    )
    work = f"SAR, {_N_SAR_QUESTIONS:,} questions after scoring"
    yield Row(work, "s", times["ours"], "plain loop", times["loop"] * _N_SAR_QUESTIONS)


def _medians(work: Mapping[str, tuple[int, Callable[[], object]]], n_rounds: int) -> dict[str, float]:
    """Return the seconds that one unit of each work takes, the median over rounds that alternate between the works."""
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(n_rounds):
        for name, (n_units, do) in work.items():
            times[name].append(_seconds(do) / n_units)
    return {name: statistics.median(of_one) for name, of_one in times.items()}


def _seconds(do: Callable[[], object]) -> float:
    started = time.perf_counter()
    do()
    return time.perf_counter() - started


def _memory_mb(index: Path, asked: Sequence[str]) -> float:
    command_line = [sys.executable, "-c", _SERVE, str(index)]
    done = subprocess.run(command_line, input=json.dumps(asked), capture_output=True, text=True, check=True)
    return float(done.stdout)


def _unpacked(source: Path, folder: Path) -> Path:
    """Return the source, or the file that its .xz holds."""
    if source.suffix != ".xz":
        return source
    target = folder / source.stem
    try:
        with lzma.open(source) as packed, target.open("wb") as file:
            shutil.copyfileobj(packed, file)
    except (OSError, lzma.LZMAError) as error:
        raise CorpusError(f"{source}: cannot be unpacked: {error}") from error
    return target


if __name__ == "__main__":
    command([register])(args=["bench", *sys.argv[1:]], prog_name="python -m evals")

from __future__ import annotations

import builtins
import lzma
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evals.bench import Row, bench, lines_of
from evals.bench_peers import plain_sar
from graph.citation_graph import CitationGraph
from graph.errors import CorpusError
from graph.records import Edge, EdgeKind
from retrieval import sar
from retrieval.ranking import TieOrder
from tests.conftest import GOLDEN_LAW

WORK = [
    ("reading the source and indexing", ""),
    ("counting terms", "bm25s alone"),
    ("bm25, a question", "bm25s alone"),
    ("bm25, a question", "rank-bm25"),
    ("bm25, a question", "LangChain BM25Retriever"),
    ("hybrid-rrf, a question", "LangChain EnsembleRetriever"),
    ("SAR, 1,000 questions after scoring", "plain loop"),
    ("memory to serve it, without vectors", ""),
]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text(
        '{"question_id": 1, "question": "등대지기는 언제 등을 켜는가", "semantic_ids": ["등대-안전법_1조"]}\n'
        '{"question_id": 2, "question": "깃발", "semantic_ids": ["등대-안전법-시행규칙_1조"]}\n',
        encoding="utf-8",
    )
    return path


def test_the_bench_prints_every_row_of_the_golden_law(questions, tmp_path, monkeypatch):
    without_langchain(monkeypatch)
    rows = bench(GOLDEN_LAW, questions, tmp_path, n_rounds=1, n_slow=1)
    assert [(row.work, row.peer) for row in rows] == WORK
    assert all(row.ours > 0 for row in rows)
    skipped = [row for row in rows if row.peer.startswith("LangChain")]
    assert all(row.note == "skipped: langchain_classic is missing: pip install 'nonliquet[bench]'" for row in skipped)
    lines = list(lines_of("golden", rows))
    assert len(lines) == len(rows) + 5
    assert all(line.count("|") == 6 for line in lines[2:-1])


def test_langchain_is_measured_where_it_is_installed(questions, tmp_path):
    pytest.importorskip("langchain_classic")
    pytest.importorskip("langchain_community")
    rows = bench(GOLDEN_LAW, questions, tmp_path, n_rounds=1, n_slow=2)
    assert all(row.ratio is not None and row.ratio > 0 for row in rows if row.peer)


def test_a_packed_corpus_is_read_and_a_broken_one_named(questions, tmp_path, monkeypatch):
    without_langchain(monkeypatch)
    packed = tmp_path / "act.md.xz"
    packed.write_bytes(lzma.compress((GOLDEN_LAW / "act.md").read_bytes()))
    questions.write_text(
        '{"question_id": 1, "question": "안개", "semantic_ids": ["등대-안전법_3조"]}\n', encoding="utf-8"
    )
    assert len(bench(packed, questions, tmp_path, n_rounds=1, n_slow=1)) == len(WORK)
    packed.write_bytes(b"not xz")
    with pytest.raises(CorpusError, match=r"act\.md\.xz: cannot be unpacked"):
        bench(packed, questions, tmp_path)


def test_the_ratio_says_how_many_times_as_long_the_peer_takes():
    assert Row("bm25", "ms", 2.0, "rank-bm25", 1000.0).ratio == 500
    (_, _, _, _, line, _) = lines_of("corpus", [Row("bm25", "ms", 2.0, "rank-bm25", 1000.0)])
    assert line == "| bm25 | 2 ms | rank-bm25 | 1000 ms | 500 |"
    assert Row("memory", "MB", 80.0).ratio is None


def test_the_plain_loop_orders_as_sar_does(golden_corpus):
    names = [f"a_{number:02}" for number in range(40)]
    rng = np.random.default_rng(0)
    pairs = {(int(a), int(b)) for a, b in rng.integers(0, 40, (150, 2)) if a != b}
    provisions = [replace(golden_corpus.provisions[0], semantic_id=name) for name in names]
    graph = CitationGraph(provisions, [Edge(names[a], names[b], EdgeKind.CITES) for a, b in sorted(pairs)])
    adjacency = graph.adjacency()
    cites = [adjacency.indices[a:b].tolist() for a, b in zip(adjacency.indptr, adjacency.indptr[1:], strict=False)]
    indegrees = np.bincount(adjacency.indices, minlength=40).tolist()
    settings = sar.SarSettings(n_candidates=20, n_seeds=8, n_anchors=2, pool_size=20)
    for _ in range(20):
        scores = rng.random(40)
        (ranking,) = sar.rerank([scores], adjacency, TieOrder(names), settings=settings)
        assert plain_sar(scores.tolist(), cites, indegrees, settings) == ranking.rows.tolist()


def without_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the two packages look as if they were not installed."""
    for name in [one for one in sys.modules if one.startswith("langchain_classic")]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def refusing(name, *rest, **named):
        if name.startswith("langchain_classic"):
            raise ModuleNotFoundError(f"No module named {name!r}", name="langchain_classic")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", refusing)

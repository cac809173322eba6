"""The 119 questions of firelaw-kr: the table in shared/data/README.md, met to half a point."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.dataset_files import read_questions
from evals.realworld import run_methods
from graph.corpus import read_corpus
from retrieval.encoder import open_encoder
from retrieval.index_build import VectorPlan, build_index
from retrieval.lexical import LexicalSettings
from retrieval.methods import parse_method
from retrieval.retriever import Retriever
from retrieval.settings import RetrievalSettings

COLUMNS = ("R@10", "R@20", "R@100", "nDCG@10")
TABLE = {
    "bm25": (43.4, 53.6, 71.8, 31.6),
    "sar:bm25": (48.0, 55.6, 71.8, 33.3),
    "dense": (47.5, 51.8, 71.4, 33.1),
    "sar:dense": (46.7, 54.1, 71.4, 33.0),
    "hybrid": (51.2, 57.3, 76.5, 37.4),
}
WHITESPACE = (21.6, 26.9, 42.2, 12.4)

pytestmark = pytest.mark.slow


def check(metrics: dict[str, float], expected: tuple[float, ...]) -> None:
    for column, value in zip(COLUMNS, expected, strict=True):
        assert metrics[column] * 100 == pytest.approx(value, abs=0.5), column


def test_bigrams_vectors_and_citations_reach_the_reference_table(shared_data: Path, tmp_path: Path):
    data = shared_data / "firelaw-kr"
    encoder = open_encoder("embedded")
    assert encoder is not None
    plan = VectorPlan(encoder=encoder, file=data / "vectors_e5_small_q4.npz")
    build_index(read_corpus([data / "legal_docs.jsonl"]), tmp_path / "index", vectors=plan)
    source = data / "realworld_qa.jsonl"
    with Retriever.open(tmp_path / "index", encoder=encoder) as retriever:
        questions = read_questions(source, retriever.index.graph)
        methods = [parse_method(name) for name in TABLE]
        metrics = run_methods(retriever, questions, methods, tmp_path / "run", source=source).metrics()
    for method, expected in TABLE.items():
        check(metrics[method], expected)


def test_whitespace_terms_reach_the_reference_table(shared_data: Path, tmp_path: Path):
    data = shared_data / "firelaw-kr"
    settings = RetrievalSettings(lexical=LexicalSettings(analysis="whitespace"))
    build_index(read_corpus([data / "legal_docs.jsonl"]), tmp_path / "index", settings=settings)
    source = data / "realworld_qa.jsonl"
    with Retriever.open(tmp_path / "index") as retriever:
        questions = read_questions(source, retriever.index.graph)
        run = run_methods(retriever, questions, [parse_method("bm25")], tmp_path / "run", source=source)
    check(run.metrics()["bm25"], WHITESPACE)

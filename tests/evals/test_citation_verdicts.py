"""The tables of verdicts against the graph of today: somebody read every edge in them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import evals
from evals.citation_sample import FIELDS, draw
from graph.citation_graph import CitationGraph
from graph.corpus import read_corpus
from graph.links import GraphSource, citation_graph

SEED = 2
LEAST_STILL_DRAWN = 0.95  # of a table: beyond that the grammar has changed so much that new edges must be read
TABLES = [("citation_verdicts.tsv", False, 300, 0.98), ("implied_verdicts.tsv", True, 100, 0.80)]


@pytest.fixture(scope="module")
def graph(shared_data: Path) -> CitationGraph:
    provisions = read_corpus([shared_data / "firelaw-kr" / "statutes"]).provisions
    return citation_graph(provisions, GraphSource.TEXT, implied=True)


def rows(name: str) -> list[dict[str, str]]:
    with (Path(evals.__path__[0]) / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize(("name", "implied", "n", "least_right"), TABLES)
def test_a_table_holds_no_words_of_the_statutes_and_reaches_its_share(
    name: str, implied: bool, n: int, least_right: float
):
    verdicts = rows(name)
    assert len(verdicts) == n
    assert all(tuple(row) == FIELDS and row["reason"].isascii() for row in verdicts)
    assert {row["verdict"] for row in verdicts} <= {"right", "wrong"}
    assert sum(row["verdict"] == "right" for row in verdicts) >= least_right * n


@pytest.mark.parametrize(("name", "implied", "n", "least_right"), TABLES)
def test_every_verdict_is_on_an_edge_that_is_still_there_and_drawn(
    graph: CitationGraph, name: str, implied: bool, n: int, least_right: float
):
    judged = [tuple(row[field] for field in FIELDS[:5]) for row in rows(name)]
    there = {(edge.source, str(edge.start), str(edge.end), edge.kind.value, edge.target) for edge in graph.edges}
    assert [edge for edge in judged if edge not in there] == []
    drawn = draw(graph.edges, n=n, seed=SEED, implied=implied)
    assert len(drawn) == n
    keys = {(edge.source, str(edge.start), edge.target) for edge in drawn}
    assert sum((row[0], row[1], row[4]) in keys for row in judged) >= LEAST_STILL_DRAWN * n


def test_a_sample_is_the_same_again_and_hardly_another_when_an_edge_goes(graph: CitationGraph):
    sample = draw(graph.edges, n=300, seed=SEED)
    assert draw(graph.edges[::-1], n=300, seed=SEED) == sample
    without = draw([edge for edge in graph.edges if edge != sample[0]], n=300, seed=SEED)
    assert [edge for edge in sample if edge not in without] == sample[:1]
    assert draw(graph.edges, n=300, seed=SEED + 1) != sample

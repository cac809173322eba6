"""Draws edges of a citation graph for somebody to judge: the samples behind the two tables of verdicts.

    python -m evals.citation_sample ../shared/data/firelaw-kr/statutes --seed 1 --n 300
    python -m evals.citation_sample ../shared/data/firelaw-kr/statutes --seed 1 --n 100 --implied

prints one edge a line, as the tables have it (source, start, end, kind, target), and after these the words in their
context and the target's heading, to be read and replaced by a verdict and its reason: the tables hold no statute text.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from graph.citation_graph import CitationGraph
from graph.corpus import read_corpus
from graph.links import GraphSource, citation_graph
from graph.records import Edge, EdgeKind

__all__ = ["FIELDS", "draw", "main"]

FIELDS = ("source", "start", "end", "kind", "target", "verdict", "reason")
"""The columns of a table of verdicts."""

_CONTEXT = 90  # characters on each side
_MOST_OF_A_TEXT = 250


def draw(edges: Iterable[Edge], *, n: int, seed: int, implied: bool = False) -> list[Edge]:
    """Return n resolved edges by chance, in the order of source, place and target; fewer if there are fewer.

    implied: only implied edges; else only those that words make. Every edge has its number from the seed and its own
    source, place and target, and the lowest are drawn, so that a changed grammar leaves most of a sample as it was.
    """
    pool = {
        (edge.source, edge.start, edge.target or ""): edge
        for edge in edges
        if edge.target is not None and (edge.kind is EdgeKind.IMPLIED) is implied and (implied or edge.start >= 0)
    }
    drawn = sorted(pool, key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).digest())[:n]
    return [pool[key] for key in sorted(drawn)]


def main() -> None:
    """Print a sample, one edge a line, separated by tabs."""
    parser = argparse.ArgumentParser(prog="python -m evals.citation_sample", description=__doc__.split("\n")[0])
    parser.add_argument("sources", metavar="SOURCE", type=Path, nargs="+", help="files or folders that hold statutes")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--implied", action="store_true", help="draw implied edges instead of those that words make")
    wanted = parser.parse_args()
    graph = citation_graph(read_corpus(wanted.sources).provisions, GraphSource.TEXT, implied=wanted.implied)
    writer = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    writer.writerow((*FIELDS[:5], "context", "target's heading"))
    for edge in draw(graph.edges, n=wanted.n, seed=wanted.seed, implied=wanted.implied):
        writer.writerow((edge.source, edge.start, edge.end, edge.kind, edge.target, *_to_read(graph, edge)))


def _to_read(graph: CitationGraph, edge: Edge) -> tuple[str, str]:
    text = graph.provisions[edge.source].text
    start, end = edge.start, edge.end
    if start < 0:
        context = f"{graph.provisions[edge.source].chapter_description}: {text[:_MOST_OF_A_TEXT]}"
    else:
        before, after = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
        context = f"{before}»{text[start:end]}«{after}"
    target = graph.provisions[edge.target or ""]
    return " ".join(context.split()), f"{target.law_name} {target.chapter} {target.chapter_description}".rstrip()


if __name__ == "__main__":
    main()

"""Article vectors smoothed over the law's structure: what each cites, what cites it, what stands under its headings.

    y(a) = x(a) + sum over the relations r of gain(r) * mean of x(b) over the neighbours b of a by r

| relation                    | neighbours of an article |
| --------------------------- | ------------------------ |
| cites, delegates, …         | the articles that it cites in this way, each once |
| cites reversed, …           | the articles that cite it in this way, each once |
| heading                     | the other articles below its innermost heading |
| outer heading               | the other articles below the heading above that |
| law                         | the other articles of its law |

An article without neighbours by a relation gets nothing from it; with all gains 0 the vectors stay as they are. After
G-DSR (Louis, van Dijck and Spanakis, EACL 2023), which has a graph attention network over headings alone, and one node
for all headings of the same words, whatever their code; here headings are nodes of their own law and edition, citations
count, and there is one number a relation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from graph.citation_graph import CitationGraph
from graph.records import EdgeKind, Provision
from graph.semantic_id import parse

__all__ = ["RELATIONS", "HeadingNode", "Neighbourhoods", "heading_nodes", "smoothed"]

_KINDS = tuple(kind for kind in EdgeKind if kind not in (EdgeKind.WHOLE_LAW, EdgeKind.IMPLIED))
_LEVELS = ("heading", "outer heading", "law")
RELATIONS = (*(name for kind in _KINDS for name in (kind.value, f"{kind.value} reversed")), *_LEVELS)
"""Every relation, in the order in which neighbours are given."""


class HeadingNode(NamedTuple):
    """A heading of one law: two laws' "General provisions" are two nodes, as are two chapters' "Section 1"."""

    law: str  # as in the law's semantic ids
    edition: str  # ISO date; "" where the index is of no date
    path: tuple[str, ...]  # the headings from the outermost to this one; () is the law itself


def heading_nodes(article: Provision, edition: str) -> tuple[HeadingNode, ...]:
    """Return the nodes above an article, from its law to its innermost heading."""
    law = parse(article.semantic_id).law
    headings = tuple(heading for heading in article.heading_path.split(" > ") if heading)
    return tuple(HeadingNode(law, edition, headings[:depth]) for depth in range(len(headings) + 1))


class Neighbourhoods:
    """The neighbours of each article of an index by each relation, rows being places in `graph.articles`."""

    def __init__(self, graph: CitationGraph, *, edition: str = "") -> None:
        self.n_articles = len(graph.articles)
        self._cited: dict[str, csr_array[np.float64]] = {}
        for kind in _KINDS:
            cited = graph.adjacency(kinds=(kind,))
            self._cited[kind.value] = cited
            self._cited[f"{kind.value} reversed"] = csr_array(cited.T)
        above = [heading_nodes(graph.provisions[name], edition) for name in graph.articles]
        self.nodes: Sequence[HeadingNode] = sorted({node for nodes in above for node in nodes})
        place = {node: number for number, node in enumerate(self.nodes)}
        columns = [row for row, nodes in enumerate(above) for _ in nodes]
        rows = [place[node] for nodes in above for node in nodes]
        self._below = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(self.nodes), self.n_articles))
        self._node_of = {
            "heading": np.array([place[nodes[-1]] if len(nodes) > 1 else -1 for nodes in above], dtype=np.int64),
            "outer heading": np.array([place[nodes[-2]] if len(nodes) > 2 else -1 for nodes in above], dtype=np.int64),
            "law": np.array([place[nodes[0]] for nodes in above], dtype=np.int64),
        }

    def n_with_neighbours(self) -> dict[str, int]:
        """Return of each relation how many articles have neighbours by it."""
        n_below = np.diff(self._below.indptr)
        counts = {name: int((np.diff(cited.indptr) > 0).sum()) for name, cited in self._cited.items()}
        for name, node in self._node_of.items():
            counts[name] = int(((node >= 0) & (n_below[node] > 1)).sum())
        return {name: counts[name] for name in RELATIONS}

    def means(
        self,
        vectors: NDArray[np.floating],
        *,
        rows: NDArray[np.int64] | None = None,
        without: Collection[int] = (),
        relations: Sequence[str] = RELATIONS,
    ) -> NDArray[np.float64]:
        """Return the mean vector of the neighbours of articles, shape (len(relations), n_rows, d); zeros without any.

        vectors: of all articles, (n_articles, d). rows: of which articles; None takes all. without: rows of articles
        that are nobody's neighbours here, as if the law did not hold them.
        """
        rows = np.arange(self.n_articles) if rows is None else rows
        there = np.ones(self.n_articles)
        there[list(without)] = 0.0
        found = np.zeros((len(relations), len(rows), vectors.shape[1]))
        sums, counts = _sums(self._below, vectors, there) if set(relations) & set(_LEVELS) else (found[0], there)
        for mean, name in zip(found, relations, strict=True):
            if name in self._cited:
                total, n_neighbours = _sums(self._cited[name][rows], vectors, there)
            else:
                node = self._node_of[name][rows]
                n_neighbours = np.where(node >= 0, counts[node] - there[rows], 0.0)
                total = sums[node] - there[rows, None] * vectors[rows]
            some = n_neighbours > 0
            mean[some] = total[some] / n_neighbours[some, None]
        return found


def smoothed(
    vectors: NDArray[np.floating],
    neighbourhoods: Neighbourhoods,
    gains: Mapping[str, float],
    *,
    rows: NDArray[np.int64] | None = None,
    without: Collection[int] = (),
) -> NDArray[np.float64]:
    """Return y, (n_rows, d), not scaled. gains: by relation; one that is not named is 0.

    vectors, rows, without: as in `Neighbourhoods.means`.
    """
    wide = vectors.astype(np.float64, copy=False)
    found = wide.copy() if rows is None else wide[rows]
    for name in RELATIONS:  # one by one: of a large corpus all together would not fit into memory
        if gains.get(name, 0.0):
            found += gains[name] * neighbourhoods.means(wide, rows=rows, without=without, relations=(name,))[0]
    return found


def _sums(
    matrix: csr_array[np.float64], vectors: NDArray[np.floating], there: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sum over each row's columns that are there, and how many these are."""
    kept = csr_array((matrix.data * there[matrix.indices], matrix.indices, matrix.indptr), shape=matrix.shape)
    total = np.asarray(kept @ vectors.astype(np.float64, copy=False))
    return total, np.asarray(kept @ np.ones(matrix.shape[1]))

"""CitationGraph: the provisions as nodes, their citations as edges, over networkx, with sparse arrays for scoring."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

import networkx as nx
import numpy as np
from scipy.sparse import csr_array

from graph.records import Edge, EdgeKind, Provision, Status

__all__ = ["CitationGraph", "dataset_edges"]


class CitationGraph:
    """Which provision cites which, and how.

    provisions: all nodes, present or not; the present ones, in this order, are the rows and columns of `adjacency`.
    edges: resolved and unresolved; self-links are dropped.
    n_unknown_links: links of the source to numbers that it does not hold, kept as a count alone.
    """

    def __init__(self, provisions: Sequence[Provision], edges: Iterable[Edge], *, n_unknown_links: int = 0) -> None:
        self.provisions = {provision.semantic_id: provision for provision in provisions}
        self.articles = tuple(p.semantic_id for p in provisions if p.status is Status.PRESENT)
        edges = [edge for edge in edges if edge.source != edge.target]
        for edge in edges:
            if edge.source not in self.provisions or (edge.target or edge.source) not in self.provisions:
                raise ValueError(f"edge {edge.source} -> {edge.target} has an end that is no provision")
        self.edges = tuple(edge for edge in edges if edge.target is not None)
        self.unresolved = tuple(edge for edge in edges if edge.target is None)
        self.n_unknown_links = n_unknown_links
        self._adjacency: dict[tuple[bool, frozenset[EdgeKind]], csr_array[np.float64]] = {}

    @cached_property
    def digraph(self) -> nx.DiGraph[str]:
        """The graph as networkx has it; an edge's `kinds` says what its mentions do, its `mentions` holds the Edges."""
        digraph: nx.DiGraph[str] = nx.DiGraph()
        digraph.add_nodes_from(self.provisions)
        for edge in self.edges:
            assert edge.target is not None
            data = digraph.get_edge_data(edge.source, edge.target)
            if data is None:
                digraph.add_edge(edge.source, edge.target, kinds={edge.kind}, mentions=[edge])
            else:
                data["kinds"].add(edge.kind)
                data["mentions"].append(edge)
        return digraph

    def cites(self, semantic_id: str, *, kinds: Collection[EdgeKind] | None = None) -> list[Edge]:
        """Return the edges out of a provision, in the order of its text, unresolved ones among them."""
        return [edge for edge in self._out.get(semantic_id, ()) if kinds is None or edge.kind in kinds]

    def cited_by(self, semantic_id: str, *, kinds: Collection[EdgeKind] | None = None) -> list[Edge]:
        """Return the edges into a provision, in corpus order."""
        return [edge for edge in self._in.get(semantic_id, ()) if kinds is None or edge.kind in kinds]

    def family(self, semantic_id: str) -> list[str]:
        """Return the provisions of the same collection, itself among them, in corpus order."""
        name = self.provisions[semantic_id].collection_name
        return [other for other, provision in self.provisions.items() if provision.collection_name == name]

    def adjacency(self, *, directed: bool = True, kinds: Collection[EdgeKind] | None = None) -> csr_array[np.float64]:
        """Return the 0/1 matrix over the present articles: row cites column; undirected, also column cites row.

        Shape (n_articles, n_articles), float64, rows sorted, never a diagonal entry. kinds: None takes all that
        words or the dataset make; implied edges count only where they are asked for by name.
        """
        wanted = frozenset(kinds) if kinds is not None else frozenset(EdgeKind) - {EdgeKind.IMPLIED}
        key = (directed, wanted)
        if key not in self._adjacency:
            row_of = {semantic_id: row for row, semantic_id in enumerate(self.articles)}
            pairs = {
                (row_of[edge.source], row_of[edge.target])
                for edge in self.edges
                if edge.source in row_of and edge.target in row_of and edge.kind in wanted
            }
            if not directed:
                pairs |= {(column, row) for row, column in pairs}
            rows, columns = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
            shape = (len(row_of), len(row_of))
            self._adjacency[key] = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        return self._adjacency[key]

    def statistics(self) -> dict[str, int]:
        """Count what the published benchmark counts, directed and undirected, and what is not linked."""
        status = Counter(provision.status for provision in self.provisions.values())
        directed, undirected = self.adjacency(), self.adjacency(directed=False)
        n_out = np.diff(directed.indptr)
        n_in = np.bincount(directed.indices, minlength=len(self.articles))
        return {
            "documents": len(self.articles),
            "laws": len({self.provisions[article].law_name for article in self.articles}),
            "families": len({self.provisions[article].collection_name for article in self.articles}),
            "absent provisions": status[Status.ABSENT],
            "repealed provisions": status[Status.REPEALED],
            "documents with links": int((n_out > 0).sum()),
            "referenced targets": int((n_in > 0).sum()),
            "nodes with edges": int(((n_out > 0) | (n_in > 0)).sum()),
            "adjacency entries, directed": int(directed.nnz),
            "adjacency entries, undirected": int(undirected.nnz),
            "links to unknown ids": self.n_unknown_links,
            "unresolved mentions": len(self.unresolved),
            **{f"edges, {kind}": n for kind, n in sorted(Counter(edge.kind for edge in self.edges).items())},
        }

    @cached_property
    def _out(self) -> dict[str, list[Edge]]:
        out: dict[str, list[Edge]] = defaultdict(list)
        for edge in (*self.edges, *self.unresolved):
            out[edge.source].append(edge)
        for edges in out.values():
            edges.sort(key=lambda edge: edge.start)  # stable: edges without a place keep the source's order
        return dict(out)

    @cached_property
    def _in(self) -> dict[str, list[Edge]]:
        into: dict[str, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            into[edge.target or ""].append(edge)
        return dict(into)


def dataset_edges(provisions: Sequence[Provision]) -> tuple[list[Edge], int]:
    """Return the links that the source itself lists (`related_doc_ids`), and how many point to no provision."""
    by_number = {provision.doc_id: provision.semantic_id for provision in provisions}
    edges: list[Edge] = []
    n_unknown = 0
    for provision in provisions:
        for number in dict.fromkeys(provision.related_doc_ids):
            if number in by_number:
                edges.append(Edge(provision.semantic_id, by_number[number], EdgeKind.CITES))
            else:
                n_unknown += 1
    return edges, n_unknown

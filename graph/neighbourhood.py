"""What lies around a provision: who cites it and whom it cites, some steps far, each provision once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from graph.citation_graph import CitationGraph
from graph.records import Edge

__all__ = ["Neighbour", "Neighbourhood", "neighbourhood"]


@dataclass(slots=True)
class Neighbour:
    """A provision with its place around the root."""

    semantic_id: str
    layer: int  # steps from the root: below 0 if the first step goes to one that cites the root, above if to one cited
    parent: str | None = None  # the neighbour it was reached from; None for the root
    is_cited: bool = True  # by the parent; else it cites the parent
    n_more: int = 0  # neighbours of its own that were left out, for there are too many
    children: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Provisions around a root, nearest first, and all resolved edges between them."""

    root: str
    neighbours: dict[str, Neighbour]
    edges: tuple[Edge, ...]


def neighbourhood(graph: CitationGraph, root: str, *, depth: int = 2, most: int = 5) -> Neighbourhood:
    """Collect the provisions at most `depth` steps from the root, along edges in either direction.

    most: how many that a provision cites, and how many that cite it, are followed, in the order of its text and of the
    corpus; the others are counted. Raises ValueError if the root is no provision, depth < 0 or most < 1.
    """
    if root not in graph.provisions:
        raise ValueError(f"{root} is no provision of the graph")
    if depth < 0 or most < 1:
        raise ValueError(f"depth must be at least 0 and most at least 1, found {depth} and {most}")
    neighbours = {root: Neighbour(root, 0)}
    ring = [root]
    for _ in range(depth):
        reached: list[str] = []
        for name in ring:
            here = neighbours[name]
            cited = (edge.target for edge in graph.cites(name))
            citing = (edge.source for edge in graph.cited_by(name))
            for others, is_cited in ((cited, True), (citing, False)):
                new = [other for other in dict.fromkeys(others) if other is not None and other not in neighbours]
                here.n_more += max(0, len(new) - most)
                for other in new[:most]:
                    layer = here.layer + (1 if here.layer > 0 or (here.layer == 0 and is_cited) else -1)
                    neighbours[other] = Neighbour(other, layer, name, is_cited)
                    here.children.append(other)
                    reached.append(other)
        ring = reached
    return Neighbourhood(root, neighbours, _edges_between(graph, neighbours))


def _edges_between(graph: CitationGraph, names: Iterable[str]) -> tuple[Edge, ...]:
    among = set(names)
    return tuple(edge for name in names for edge in graph.cites(name) if edge.target in among)

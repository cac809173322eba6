"""Which provisions cite which: by the source's own links, by the words of the articles, or both."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from graph.citation_graph import CitationGraph, dataset_edges
from graph.corpus import number_provisions
from graph.records import Provision, Status
from graph.resolution import Resolver

__all__ = ["GraphSource", "citation_graph"]


class GraphSource(StrEnum):
    """Where edges come from."""

    DATASET = "dataset"
    TEXT = "text"
    BOTH = "both"


def default_source(provisions: Sequence[Provision]) -> GraphSource:
    """Return DATASET where the source has links, else TEXT."""
    return GraphSource.DATASET if any(provision.related_doc_ids for provision in provisions) else GraphSource.TEXT


def citation_graph(provisions: Sequence[Provision], source: GraphSource | None = None) -> CitationGraph:
    """Link the provisions.

    Read from the text, the graph also holds the provisions that are cited but not among those given, as absent ones.
    """
    source = source or default_source(provisions)
    edges, n_unknown = dataset_edges(provisions) if source is not GraphSource.TEXT else ([], 0)
    if source is not GraphSource.DATASET:
        resolver = Resolver(provisions)
        linked = {(edge.source, edge.target) for edge in edges}
        for article in provisions:
            if article.status is Status.PRESENT:
                edges += [edge for edge in resolver.edges(article) if (edge.source, edge.target) not in linked]
        provisions = number_provisions([*provisions, *resolver.absent_provisions()])
    return CitationGraph(provisions, edges, n_unknown_links=n_unknown)

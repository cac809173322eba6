"""Which provisions cite which: by the source's own links, by the words of the articles, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from graph.citation_graph import CitationGraph, dataset_edges
from graph.corpus import number_provisions
from graph.implied import implied_edges
from graph.records import Edge, Provision, Status
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


def citation_graph(
    provisions: Sequence[Provision],
    source: GraphSource | None = None,
    *,
    implied: bool = False,
    known_numbers: Mapping[str, int] | None = None,
) -> CitationGraph:
    """Link the provisions.

    Read from the text, the graph also holds the provisions that are cited but not among those given, as absent ones.
    known_numbers: the doc_ids that absent provisions had before, by semantic_id; they keep them.
    implied: add the edges of `graph.implied`, between articles that nothing else joins.
    """
    source = source or default_source(provisions)
    edges, n_unknown = dataset_edges(provisions) if source is not GraphSource.TEXT else ([], 0)
    resolver = Resolver(provisions)
    articles = provisions
    said: list[Edge] = []
    if implied or source is not GraphSource.DATASET:
        said = [edge for article in articles if article.status is Status.PRESENT for edge in resolver.edges(article)]
    if source is not GraphSource.DATASET:
        linked = {(edge.source, edge.target) for edge in edges}
        edges += [edge for edge in said if (edge.source, edge.target) not in linked]
        provisions = number_provisions([*provisions, *resolver.absent_provisions()], known=known_numbers)
    if implied:
        joined = {frozenset((edge.source, edge.target)) for edge in edges}
        found = implied_edges(articles, said)
        edges += [edge for edge in found if frozenset((edge.source, edge.target)) not in joined]
    return CitationGraph(provisions, edges, n_unknown_links=n_unknown)

"""A neighbourhood of provisions as a tree of text: each with an arrow to what is cited, or from what cites."""

from __future__ import annotations

from agent.rendering import show
from graph.citation_graph import CitationGraph
from graph.neighbourhood import Neighbourhood
from graph.records import EdgeKind, Provision, Status

__all__ = ["show_tree"]


def show_tree(around: Neighbourhood, graph: CitationGraph) -> None:
    """Print a neighbourhood of the graph, a line for each provision, and one where some were left out."""
    kinds: dict[tuple[str, str | None], list[EdgeKind]] = {}
    for edge in around.edges:
        kinds.setdefault((edge.source, edge.target), []).append(edge.kind)
    pending: list[tuple[str | int, str, str]] = [(around.root, "", "")]  # an id, or how many were left out
    while pending:
        name, before, branch = pending.pop()
        if isinstance(name, int):
            show((before + branch, "dim"), (f"… {name} more", "dim italic"))
            continue
        here = around.neighbours[name]
        relation = ""
        if here.parent is not None:
            pair = (here.parent, name) if here.is_cited else (name, here.parent)
            words = ", ".join(dict.fromkeys(kinds[pair]))
            relation = f"{words} → " if here.is_cited else f"← {words} "
        show((before + branch, "dim"), (relation, "cyan"), *_named(graph.provisions[name]))
        below = before + {"├─ ": "│  ", "└─ ": "   ", "": ""}[branch]
        rows: list[str | int] = [*here.children, *([here.n_more] if here.n_more else [])]
        pending += [(row, below, "└─ " if row == rows[-1] else "├─ ") for row in reversed(rows)]


def _named(provision: Provision) -> list[tuple[str, str]]:
    heading = f" ({provision.chapter_description})" if provision.chapter_description else ""
    label = f"{provision.law_name}, {provision.chapter}{heading}" if provision.chapter else provision.law_name
    note = {Status.ABSENT: "  [not in the sources]", Status.REPEALED: "  [repealed]"}.get(provision.status, "")
    return [(label, "bold"), (f"  {provision.semantic_id}", "dim"), (note, "yellow")]

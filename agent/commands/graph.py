"""`nonliquet graph`: a provision's neighbourhood in the citation graph, as a tree and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.commands.options import IndexOption, index_folder
from agent.rendering import show
from graph.errors import NonLiquetError
from graph.records import EdgeKind, Provision, Status

if TYPE_CHECKING:
    from graph.citation_graph import CitationGraph
    from graph.neighbourhood import Neighbourhood

__all__ = ["register"]

_DEEPEST = 6


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("graph", epilog="Example: nonliquet graph fire-safety-act_12 --depth 1 --svg act-12.svg")(_graph)


def _graph(
    provision: Annotated[str, typer.Argument(metavar="ID", help="The semantic id of a provision.")],
    index: IndexOption = None,
    depth: Annotated[int, typer.Option(min=0, max=_DEEPEST, metavar="N", help="How many steps away.")] = 2,
    most: Annotated[
        int, typer.Option("--most", min=1, metavar="N", help="How many cited, and how many citing, of each provision.")
    ] = 5,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw it.")] = None,
) -> None:
    """Print what a provision cites and what cites it."""
    from graph.neighbourhood import neighbourhood
    from retrieval.index import Index

    folder = index_folder(index)
    with Index.open(folder) as opened:
        graph = opened.graph
    if provision not in graph.provisions:
        raise typer.BadParameter(f"{provision!r} is no provision of {folder}; nonliquet search prints ids")
    around = neighbourhood(graph, provision, depth=depth, most=most)
    _show_tree(around, graph)
    if svg is not None:
        _draw(around, graph, svg)


def _draw(around: Neighbourhood, graph: CitationGraph, path: Path) -> None:
    from agent.graph_svg import svg_of

    try:
        path.write_text(svg_of(around, graph.provisions), encoding="utf-8")
    except OSError as error:
        raise NonLiquetError(f"{path}: cannot be written: {error.strerror}; give --svg another place") from error
    show((f"{path}: {len(around.neighbours)} provisions, {len(around.edges)} edges", "dim"))


def _show_tree(around: Neighbourhood, graph: CitationGraph) -> None:
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

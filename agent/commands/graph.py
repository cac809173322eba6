"""`nonliquet graph`: a provision's neighbourhood in the citation graph, as a tree and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.aside import write_aside
from agent.commands.options import IndexOption, index_folder
from agent.rendering import show
from graph.errors import NonLiquetError

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
    from agent.graph_tree import show_tree
    from graph.neighbourhood import neighbourhood
    from retrieval.index import Index

    folder = index_folder(index)
    with Index.open(folder) as opened:
        graph = opened.graph
    if provision not in graph.provisions:
        raise typer.BadParameter(f"{provision!r} is no provision of {folder}; nonliquet search prints ids")
    around = neighbourhood(graph, provision, depth=depth, most=most)
    show_tree(around, graph)
    if svg is not None:
        _draw(around, graph, svg)


def _draw(around: Neighbourhood, graph: CitationGraph, path: Path) -> None:
    from agent.graph_svg import svg_of

    try:
        write_aside(path, svg_of(around, graph.provisions))
    except OSError as error:
        raise NonLiquetError(f"{path}: cannot be written: {error.strerror}; give --svg another place") from error
    show((f"{path}: {len(around.neighbours)} provisions, {len(around.edges)} edges", "dim"))

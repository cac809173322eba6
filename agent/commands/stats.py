"""`nonliquet stats`: what an index is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from agent.commands.options import IndexOption, JsonOption, index_folder
from agent.rendering import print_json, show_table

if TYPE_CHECKING:
    from retrieval.index_folder import Manifest

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("stats", epilog="Example: nonliquet stats --index index/ --json")(_stats)


def _stats(index: IndexOption = None, json: JsonOption = False) -> None:
    """Print what an index is made of."""
    from retrieval.index import Index

    folder = index_folder(index)
    with Index.open(folder) as opened:
        facts, counts = _facts(opened.manifest), opened.graph.statistics()
    if json:
        print_json({"index": str(folder), **facts, "counts": counts})
    else:
        sources = ", ".join(source["path"] for source in facts["sources"])
        encoder = facts["encoder"]["name"] if facts["encoder"] else "none"
        show_table({"index": folder, **facts, "sources": sources, "encoder": encoder, **counts})


def _facts(manifest: Manifest) -> dict[str, Any]:
    """Return what the manifest says of the whole index, without the hashes and settings that only programs compare."""
    values = manifest.to_json()
    names = ("sources", "edition", "language", "graph", "encoder", "vectors", "sparse", "format_version")
    return {name: values[name] for name in names}

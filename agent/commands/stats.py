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
        counts = opened.graph.statistics()
    if json:
        print_json({"index": str(folder), **_facts(opened.manifest), "counts": counts})
    else:
        show_table({"index": folder, **_in_words(opened.manifest), **counts})


def _facts(manifest: Manifest) -> dict[str, Any]:
    """Return what the manifest says of the whole index, without the hashes and settings that only programs compare."""
    values = manifest.to_json()
    names = ("sources", "edition", "notes", "language", "graph", "encoder", "vectors", "sparse", "format_version")
    return {name: values[name] for name in names}


def _in_words(manifest: Manifest) -> dict[str, str]:
    vectors = manifest.vectors or "in the index folder"
    return {
        "sources": ", ".join(source.path for source in manifest.sources),
        "edition": (manifest.edition or "as in the sources")
        + (f"; notes: {len(manifest.notes)} (--json has them)" if manifest.notes else ""),
        "language": manifest.language,
        "citations from": manifest.graph,
        "encoder": str(manifest.encoder or "none"),
        "vectors": f"{vectors}, {'dense and sparse' if manifest.sparse else 'dense'}" if manifest.encoder else "none",
    }

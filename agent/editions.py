"""I/O: the other editions of an index made from a law-as-git history, each an index of its own, made when asked for."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graph.corpus import read_corpus
from graph.errors import IndexFolderError
from graph.links import GraphSource
from graph.readers import FORMATS, HISTORY

if TYPE_CHECKING:
    from retrieval.encoder import Encoder
    from retrieval.index_build import Progress
    from retrieval.index_folder import Manifest

__all__ = ["edition_index", "edition_is_there", "is_history"]


def is_history(manifest: Manifest) -> bool:
    """Return whether an index is made from law-as-git histories, so that it has editions of other dates."""
    return bool(manifest.sources) and all(source.format_name == HISTORY for source in manifest.sources)


def edition_is_there(folder: Path, as_of: str) -> bool:
    """Return whether the index in `folder`, or one below it, is of the edition of a date (ISO).

    Raises IndexFolderError if there is no index.
    """
    from retrieval.index_folder import EDITIONS, read_manifest

    return read_manifest(folder).edition == as_of or (folder / EDITIONS / as_of).is_dir()


def edition_index(
    folder: Path,
    as_of: str,
    *,
    encoder: Callable[[], Encoder] | None = None,
    progress: Progress = lambda step, done, total: None,
) -> Path:
    """Return the index of the edition of a date: the one in `folder`, or one below it, built if need be.

    Built means with the encoder, the settings and the graph of the index in `folder`, and from its sources; an edition
    is built again when these, or the sources, have changed since. Where the sources are no longer there, the edition
    that was built stands. The vectors of articles that any index had before come from the cache.
    as_of: an ISO date. encoder: opens the index's encoder; None opens the one that its manifest names. progress: as
    `build_index` calls it; not called if there is nothing to build.
    Raises IndexFolderError if the index is none, is not made from histories, or the edition can be built no more.
    """
    from retrieval.earlier_build import earlier_build
    from retrieval.encoder import check_identity, open_encoder
    from retrieval.index_build import VectorPlan, build_index
    from retrieval.index_folder import EDITIONS, read_manifest

    manifest = read_manifest(folder)
    if manifest.edition == as_of:
        return folder
    for source in manifest.sources:
        if source.format_name != HISTORY:
            raise IndexFolderError(
                f"{folder}: was made from {source.path}, which is no law-as-git history, so it has no edition of "
                f"{as_of}; make an index from one with: nonliquet index REPO --index DIR"
            )
    edition = folder / EDITIONS / as_of
    paths = [Path(os.fsdecode(source.path)) for source in manifest.sources]
    built = _built(edition, manifest, as_of)
    if gone := next((path for path in paths if not path.exists()), None):
        if built:
            return edition
        raise IndexFolderError(
            f"{folder}: the edition of {as_of} is not built, and {gone} is not there to build it from; build it with: "
            f"nonliquet index REPO --as-of {as_of} --index {shlex.quote(str(edition))}"
        )
    if built and [source.sha256 for source in built.sources] == [FORMATS[HISTORY].sha256(path) for path in paths]:
        return edition
    corpus = read_corpus(paths, format_name=HISTORY, as_of=as_of, earlier=earlier_build(edition))
    progress("encoder", 0, 1)
    plan: VectorPlan | None = None
    if manifest.encoder is not None:
        opened = encoder() if encoder else open_encoder(manifest.encoder.name)
        if opened is None:
            raise IndexFolderError(f"{folder}: names no encoder that can be opened: {manifest.encoder}")
        check_identity(manifest.encoder, opened.identity, str(folder))
        plan = VectorPlan(encoder=opened, server=manifest.vectors, sparse=manifest.sparse)
    build_index(
        corpus,
        edition,
        vectors=plan,
        graph_source=GraphSource(manifest.graph),
        settings=manifest.settings,
        progress=progress,
    )
    return edition


def _built(edition: Path, manifest: Manifest, as_of: str) -> Manifest | None:
    """Return the manifest of an edition that is built as the index beside it is; else None."""
    from retrieval.index_folder import read_manifest

    try:
        built = read_manifest(edition)
    except IndexFolderError:
        return None
    same = all(
        getattr(built, name) == getattr(manifest, name)
        for name in ("encoder", "vectors", "sparse", "graph", "settings", "reader")
    )
    return built if same and built.edition == as_of else None

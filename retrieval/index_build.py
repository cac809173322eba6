"""I/O: builds an index folder from a corpus."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, save_npz, vstack

from graph.citation_graph import CitationGraph
from graph.corpus import Corpus
from graph.errors import IndexFolderError
from graph.links import GraphSource, citation_graph, default_source
from graph.readers import code_hash
from graph.records import Provision
from retrieval.encoder import Encoder, SparseEncoder
from retrieval.encoder_cache import CachedEncoder
from retrieval.encoders.graph_aware import GraphAwareEncoder
from retrieval.graph_vectors import Neighbourhoods
from retrieval.index_folder import (
    BUILDS,
    Manifest,
    build_in_use,
    hash_files,
    read_manifest,
    remove_builds,
    replace_manifest,
    write_lock,
)
from retrieval.lexical import LexicalIndex
from retrieval.records_on_disk import ARTICLES, EDGES, write_records
from retrieval.settings import RetrievalSettings, cache_folder
from retrieval.tokens import analysis_identity
from retrieval.vector_files import import_vectors
from retrieval.vector_store import VectorStore

__all__ = ["Progress", "VectorPlan", "build_index", "collection_name"]

Progress = Callable[[str, int, int], None]
"""Called with a step's name, how much of it is done, and how much there is."""

_Smooth = Callable[[NDArray[np.float32]], NDArray[np.float32]]

_VECTORS_A_STEP = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorPlan:
    """Where an index's vectors come from and go to."""

    encoder: Encoder
    file: Path | None = None  # import them (of a graph-aware encoder: its base's) instead of encoding; no sparse ones
    server: str | None = None  # a Chroma server's address; None: in the index folder
    sparse: bool | None = None  # learned sparse vectors too, at twice the time; None: if they know the language

    def gives_sparse(self, language: str) -> bool:
        """Return whether an index of articles mainly in `language` will hold sparse vectors."""
        if self.file is not None or not isinstance(self.encoder, SparseEncoder):
            return False
        return language in self.encoder.sparse_languages if self.sparse is None else self.sparse


def build_index(
    corpus: Corpus,
    folder: Path,
    *,
    vectors: VectorPlan | None = None,
    graph_source: GraphSource | None = None,
    implied: bool = False,
    settings: RetrievalSettings | None = None,
    progress: Progress = lambda step, done, total: None,
) -> Manifest:
    """Build the index of a corpus, replacing the one in `folder` when all is written.

    vectors: None builds a lexical index alone. graph_source: None takes the source's links where it has some.
    implied: also the edges that no words make; scoring leaves them out unless it asks for them.
    Raises IndexFolderError if the folder is locked or not ours, EncoderError if articles cannot be encoded.
    """
    settings = settings or RetrievalSettings()
    graph_source = graph_source or default_source(corpus.provisions)
    if vectors is not None and isinstance(vectors.encoder, GraphAwareEncoder):
        vectors.encoder.check_source(graph_source)
    with write_lock(folder):
        remove_builds(folder, keep=build_in_use(folder))
        name = uuid.uuid4().hex[:12]
        build = folder / BUILDS / name
        build.mkdir()
        progress("citations", 0, 1)
        graph = citation_graph(corpus.provisions, graph_source, implied=implied, known_numbers=corpus.earlier_numbers)
        articles = [graph.provisions[article] for article in graph.articles]
        language = Counter(article.language for article in articles).most_common(1)[0][0]
        write_records(build / ARTICLES, graph.provisions.values())
        write_records(build / EDGES, (*graph.edges, *graph.unresolved))
        counts = graph.statistics()
        smooth = _smoothing(vectors, graph, articles, corpus.edition or "")
        del graph  # on a large corpus it takes as much memory as counting the terms
        progress("terms", 0, 1)
        LexicalIndex.build(articles, settings.lexical, language=language).save(build / "lexical")
        if vectors is not None:
            _store_vectors(articles, build, name, vectors, vectors.gives_sparse(language), smooth, progress)
        manifest = Manifest(
            build=name,
            sources=corpus.sources,
            edition=corpus.edition,
            language=language,
            graph=graph_source.value,
            settings=settings,
            encoder=vectors.encoder.identity if vectors else None,
            vectors=vectors.server if vectors else None,
            sparse=vectors.gives_sparse(language) if vectors else False,
            counts=counts,
            files=hash_files(build, _verified_files(build)),
            notes=corpus.notes,
            parts=corpus.parts,
            reader=code_hash(),
            analysis=analysis_identity(settings.lexical.analysis, language=language),
        )
        replaced = _readable_manifest(folder)
        replace_manifest(folder, manifest)
        if replaced and replaced.vectors:
            VectorStore.drop(replaced.vectors, collection_name(replaced.build))
    return manifest


def _readable_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of the index in use; None if there is none, or none that this version reads."""
    try:
        return read_manifest(folder)
    except IndexFolderError:
        return None


def _smoothing(
    plan: VectorPlan | None, graph: CitationGraph, articles: Sequence[Provision], edition: str
) -> _Smooth | None:
    """Return what makes the vectors to store of those of all articles; None if these are stored as they are."""
    if plan is None or not isinstance(plan.encoder, GraphAwareEncoder):
        return None
    encoder, neighbourhoods = plan.encoder, Neighbourhoods(graph, edition=edition)
    return lambda vectors: encoder.smooth(vectors, neighbourhoods, articles)


def _store_vectors(
    articles: Sequence[Provision],
    build: Path,
    name: str,
    plan: VectorPlan,
    gives_sparse: bool,
    smooth: _Smooth | None,
    progress: Progress,
) -> None:
    """Put one vector an article into the store, from the file, from the cache, or encoded now."""
    ids = [article.semantic_id for article in articles]
    with VectorStore.create(plan.server or build / "vectors", collection_name(name), plan.encoder.identity) as store:
        if plan.file is not None:
            imported = import_vectors(plan.file, articles, plan.encoder.identity)
            store.add(ids, smooth(imported) if smooth else imported)
            return
        cache_folder().mkdir(parents=True, exist_ok=True)
        base = plan.encoder.base if isinstance(plan.encoder, GraphAwareEncoder) else plan.encoder
        encoder = CachedEncoder(base, cache_folder() / "vectors.sqlite")
        unsmoothed: list[NDArray[np.float32]] = []
        sparse: list[csr_array[np.float32]] = []
        for start in range(0, len(articles), _VECTORS_A_STEP):
            step = slice(start, start + _VECTORS_A_STEP)
            encoded = encoder.encode_articles(articles[step])
            if smooth:
                unsmoothed.append(encoded)
            else:
                store.add(ids[step], encoded)
            if gives_sparse:
                sparse.append(encoder.encode_articles_sparse(articles[step]))
            progress("vectors", min(start + _VECTORS_A_STEP, len(articles)), len(articles))
        if smooth:  # an article's vector hangs on others', so all are made anew whenever the law changes
            store.add(ids, smooth(np.concatenate(unsmoothed)))
    if sparse:
        save_npz(build / "sparse.npz", vstack(sparse, format="csr"), compressed=False)


def collection_name(build: str) -> str:
    """Return the name of a build's collection in the vector store."""
    return f"nonliquet-{build}"


def _verified_files(build: Path) -> Iterator[Path]:
    """Yield the files that never change; Chroma's own do when they are opened."""
    return (path for path in build.rglob("*") if path.is_file() and "vectors" not in path.relative_to(build).parts)

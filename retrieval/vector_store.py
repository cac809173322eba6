"""I/O: the vectors of an index, held by Chroma in a folder or on a server."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast
from urllib.parse import urlsplit

import numpy as np

from graph.errors import EncoderError, IndexFolderError, ServiceUnavailable
from retrieval.encoder import EncoderIdentity, check_identity
from retrieval.vector_folder import check, prepare, write_checksums

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

__all__ = ["Neighbours", "VectorStore"]

PAGE_SIZE = 1000  # vectors in one call; Chroma takes 5,461, a server's request body less
SYNC_THRESHOLD = 2  # vectors from which on Chroma writes its files at once; it takes no less
# Inner product, as "cosine" stores rescaled rows, which are not those that went in. The next three raise the recall of
# the exact top 100 from 97.3 % to 99.98 % on 4,738 articles, for a tenth of a millisecond a query. The last two leave
# nothing to be written when the collection is opened later, which would change files that have checksums.
HNSW: CreateHNSWConfiguration = {
    "space": "ip",
    "ef_construction": 200,
    "max_neighbors": 32,
    "ef_search": 400,
    "batch_size": SYNC_THRESHOLD,
    "sync_threshold": SYNC_THRESHOLD,
}


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Of each query, the nearest articles, best first; ties among them by id."""

    ids: tuple[tuple[str, ...], ...]
    scores: tuple[tuple[float, ...], ...]  # inner products


class VectorStore:
    """Unit vectors under string ids, all of one encoder. To be closed before its folder is moved or removed."""

    def __init__(self, client: Client, collection: Collection, location: str, identity: EncoderIdentity) -> None:
        """Not for callers: `create` and `open` check what they hand over."""
        self._client = client
        self._collection = collection
        self._location = location
        self.identity = identity

    @classmethod
    def create(cls, location: str | Path, collection: str, identity: EncoderIdentity) -> Self:
        """Open the collection for writing, making it if it is not there; one that a killed build left is gone on with.

        location: a folder, made with its parents, or a server's http://host:port. A folder of ours whose files a kill
        left half-written is emptied and begun anew.
        collection: 3 to 512 of [a-zA-Z0-9._-], the first and the last of [a-zA-Z0-9].
        Raises EncoderError if the collection is of another encoder, IndexFolderError if the folder cannot be used,
        ServiceUnavailable if the server does not answer.
        """
        place = str(location)
        with _errors_of(place):
            if not _is_server(place):
                prepare(Path(place))
            client = _client(place)
        try:
            with _errors_of(place):
                found = client.get_or_create_collection(
                    collection,
                    metadata={"encoder": json.dumps(identity.to_json(), ensure_ascii=False)},
                    configuration={"hnsw": HNSW},
                    embedding_function=None,
                )
            check_identity(_identity_of(found, place), identity, _named(place, collection))
        except BaseException:
            _close(client)
            raise
        return cls(client, found, place, identity)

    @classmethod
    def open(cls, location: str | Path, collection: str, identity: EncoderIdentity) -> Self:
        """Open a collection that is there.

        Raises EncoderError naming both encoders if it is of another one, IndexFolderError if it is not there, cannot be
        read, or lies in a folder that cannot be written to, ServiceUnavailable if the server does not answer.
        """
        import chromadb.errors

        place = str(location)
        if not _is_server(place):
            check(Path(place))
        with _errors_of(place):
            client = _client(place)
        try:
            with _errors_of(place):
                try:
                    found = client.get_collection(collection, embedding_function=None)
                except chromadb.errors.NotFoundError as error:
                    raise IndexFolderError(
                        f"{_named(place, collection)} is not there; make it with: nonliquet index"
                    ) from error
            check_identity(_identity_of(found, place), identity, _named(place, collection))
        except BaseException:
            _close(client)
            raise
        return cls(client, found, place, identity)

    @staticmethod
    def drop(url: str, collection: str) -> None:
        """Remove a collection, if it is there, from a server; a folder is removed like any other.

        Raises ServiceUnavailable if the server does not answer.
        """
        import chromadb.errors

        if not _is_server(url):
            raise ValueError(f"{url} is no server's http://host:port")
        with _errors_of(url):
            client = _client(url)
            try:
                client.delete_collection(collection)
            except chromadb.errors.NotFoundError:
                return
            finally:
                _close(client)

    def add(self, ids: Sequence[str], vectors: NDArray[np.float32]) -> int:
        """Store vectors (n, d) under new ids and return how many were new; an id that is there keeps its vector.

        Raises ValueError if ids and rows differ in number, an id is given twice, or a row is not of the encoder's
        dimension or not of unit length.
        """
        if vectors.shape != (len(ids), self.identity.dimension):
            raise ValueError(f"{len(ids)} ids of dimension {self.identity.dimension}, vectors {vectors.shape}")
        for name, n_times in Counter(ids).items():
            if n_times > 1:
                raise ValueError(f"id {name} is given {n_times} times")
        lengths = np.linalg.norm(vectors, axis=1)
        for row in np.flatnonzero(~(np.abs(lengths - 1) < 1e-3)).tolist():
            raise ValueError(f"the vector of {ids[row]} has length {lengths[row]}, not 1")
        stored = self.stored_ids()
        rows = [row for row, name in enumerate(ids) if name not in stored]
        with _errors_of(self._location):
            for start in range(0, len(rows), PAGE_SIZE):
                page = rows[start : start + PAGE_SIZE]
                self._collection.add(ids=[ids[row] for row in page], embeddings=vectors[page].astype(np.float32))
                if not _is_server(self._location) and self.count() >= SYNC_THRESHOLD:
                    write_checksums(Path(self._location))
        return len(rows)

    def stored_ids(self) -> set[str]:
        """Return the ids that have a vector."""
        with _errors_of(self._location):
            return set(self._collection.get(include=[])["ids"])

    def count(self) -> int:
        """Return the number of vectors."""
        with _errors_of(self._location):
            return self._collection.count()

    def nearest(self, queries: NDArray[np.float32], n: int) -> Neighbours:
        """Return about the n nearest articles of each query (q, d), by an approximate index: all, if there are fewer.

        A query of zeros is near to nothing and gets no neighbours.
        Raises ValueError if n < 1 or the queries are not of the encoder's dimension.
        """
        if queries.ndim != 2 or queries.shape[1] != self.identity.dimension:
            raise ValueError(f"queries of shape {queries.shape}, where (n, {self.identity.dimension}) is due")
        if n < 1:
            raise ValueError(f"n = {n}: at least 1 neighbour must be asked for")
        n_asked = min(n, self.count())
        asked = [row for row in range(len(queries)) if queries[row].any()] if n_asked else []
        ids: list[tuple[str, ...]] = [()] * len(queries)
        scores: list[tuple[float, ...]] = [()] * len(queries)
        for start in range(0, len(asked), PAGE_SIZE):
            page = asked[start : start + PAGE_SIZE]
            with _errors_of(self._location):
                found = self._collection.query(
                    query_embeddings=queries[page].astype(np.float32), n_results=n_asked, include=["distances"]
                )
            distances = found["distances"] or []
            for row, names, gaps in zip(page, found["ids"], distances, strict=True):
                ranked = sorted(zip((1 - gap for gap in gaps), names, strict=True), key=lambda hit: (-hit[0], hit[1]))
                ids[row] = tuple(name for _, name in ranked)
                scores[row] = tuple(score for score, _ in ranked)
        return Neighbours(tuple(ids), tuple(scores))

    def matrix(self, ids: Sequence[str]) -> NDArray[np.float32]:
        """Return the stored vectors, shape (len(ids), d), bit for bit and in the order of `ids`.

        Raises IndexFolderError naming an id that has no vector.
        """
        rows = np.empty((len(ids), self.identity.dimension), dtype=np.float32)
        for start in range(0, len(ids), PAGE_SIZE):
            page = list(dict.fromkeys(ids[start : start + PAGE_SIZE]))
            with _errors_of(self._location):
                found = self._collection.get(ids=page, include=["embeddings"])
            vectors = np.asarray(found["embeddings"], dtype=np.float32)
            place = {name: row for row, name in enumerate(found["ids"])}
            for row, name in enumerate(ids[start : start + PAGE_SIZE], start=start):
                if name not in place:
                    raise IndexFolderError(
                        f"{_named(self._location, self._collection.name)} has no vector of {name}; "
                        "make it anew with: nonliquet index"
                    )
                rows[row] = vectors[place[name]]
        return rows

    def close(self) -> None:
        """Let go of the files and connections, everything written; the store is of no use afterwards.

        Chroma closes its files in a thread of its own, some milliseconds later. The folder may be renamed before.
        """
        _close(self._client)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _is_server(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def _named(place: str, collection: str) -> str:
    return f"collection {collection} at {place}"


def _client(place: str) -> Client:
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    if not _is_server(place):
        return cast("Client", chromadb.PersistentClient(path=Path(place).resolve(), settings=settings))
    address = urlsplit(place)
    tls = address.scheme == "https"
    port = address.port or (443 if tls else 80)
    return cast("Client", chromadb.HttpClient(host=address.hostname or "", port=port, ssl=tls, settings=settings))


def _close(client: Client) -> None:
    # Chroma 1.5 leaves its HTTP connections, and those of the client within the client, to the garbage collector.
    for owner in (client, client._admin_client):
        session = getattr(getattr(owner, "_server", None), "_session", None)
        if session is not None:
            session.close()
    client.close()


def _identity_of(collection: Collection, place: str) -> EncoderIdentity:
    """Return the encoder whose vectors a collection holds."""
    try:
        return EncoderIdentity.from_json(json.loads(str((collection.metadata or {})["encoder"])))
    except (KeyError, ValueError, EncoderError) as error:
        raise IndexFolderError(
            f"{_named(place, collection.name)} does not say which encoder made it, so it is not ours"
        ) from error


@contextmanager
def _errors_of(place: str) -> Iterator[None]:
    """Turn what Chroma raises into our errors: of a server that does not answer, or of a folder that is no index."""
    import chromadb.errors
    import httpx

    try:
        yield
    except httpx.TransportError as error:
        raise ServiceUnavailable(f"the vector server at {place} does not answer: {error}") from error
    except chromadb.errors.InvalidArgumentError as error:  # a collection's name, say
        raise ValueError(f"{place}: {error}") from error
    except chromadb.errors.ChromaError as error:
        if _is_server(place):
            raise ServiceUnavailable(f"the vector server at {place} fails: {error}") from error
        raise IndexFolderError(f"{place}: {error}; make it anew with: nonliquet index") from error
    except OSError as error:
        raise IndexFolderError(f"{place}: {error}") from error
    except ValueError as error:
        # The client's way of saying that its first request found nobody.
        if "Could not connect to a Chroma server" not in str(error):
            raise
        raise ServiceUnavailable(f"the vector server at {place} does not answer") from error

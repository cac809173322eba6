"""What every test may ask for: the golden law, an encoder that needs no model, the shared data; and no network."""

from __future__ import annotations

import hashlib
import ipaddress
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray
from scipy.sparse import csr_array

from agent.default_index import builtin_index
from graph.citation_graph import CitationGraph
from graph.corpus import Corpus, read_corpus
from graph.links import citation_graph
from graph.records import Provision
from retrieval.encoder import EncoderIdentity, article_text, unit_rows
from tests.vllm import RealModel, real_model

settings.register_profile("unhurried", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("unhurried")

ROOT = Path(__file__).parents[1]
GOLDEN_LAW = ROOT / "tests" / "corpus"


class HashingEncoder:
    """An encoder without a model: every word adds ±1 to one of the dimensions, both chosen by its hash.

    A text with itself scores 1; texts without a common word score about 0. Counts what it was asked for.
    """

    def __init__(self, dimension: int = 64) -> None:
        self.identity = EncoderIdentity(
            name="hashing",
            revision="1",
            dimension=dimension,
            query_template="{question}",
            article_template="{law_name} {chapter} {chapter_description}\n{text}",
            pooling="sum of words",
            window="whole texts",
        )
        self.n_articles_encoded = 0

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.identity.dimension))
        for row, text in enumerate(texts):
            for word in text.split():
                digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
                place = int.from_bytes(digest[:4], "big") % self.identity.dimension
                vectors[row, place] += 1 if digest[4] % 2 else -1
        return unit_rows(vectors)

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        self.n_articles_encoded += len(articles)
        return self.encode_queries([article_text(article) for article in articles])


class SparseHashingEncoder(HashingEncoder):
    """The same, that also gives sparse vectors: how often each of 512 classes of words stands in a text."""

    sparse_languages = frozenset({"en", "ko"})

    def encode_queries_sparse(self, texts: Sequence[str]) -> csr_array[np.float32]:
        rows = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.split():
                digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
                rows[row, int.from_bytes(digest[:2], "big") % 512] += 1
        return csr_array(rows)

    def encode_articles_sparse(self, articles: Sequence[Provision]) -> csr_array[np.float32]:
        return self.encode_queries_sparse([article_text(article) for article in articles])


@pytest.fixture
def hashing_encoder() -> HashingEncoder:
    return HashingEncoder()


@pytest.fixture
def sparse_hashing_encoder() -> SparseHashingEncoder:
    return SparseHashingEncoder()


@pytest.fixture(scope="session")
def golden_corpus() -> Corpus:
    return read_corpus([GOLDEN_LAW])


@pytest.fixture(scope="session")
def golden_graph(golden_corpus: Corpus) -> CitationGraph:
    return citation_graph(golden_corpus.provisions)


@pytest.fixture(scope="session")
def builtin_index_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The default index: the built-in law with the encoder that is shipped; half a minute to make."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NONLIQUET_CACHE", str(tmp_path_factory.mktemp("builtin")))
        return builtin_index()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The benchmark data, which is no part of the project."""
    for folder in (ROOT / "shared" / "data", ROOT.parent / "shared" / "data"):
        if folder.is_dir():
            return folder
    pytest.skip("the benchmark data (shared/data beside the repository) is not here")


@pytest.fixture(scope="session")
def vllm_server() -> Iterator[RealModel]:
    """A real language model, a tiny one; tests that ask it are marked vllm, and are at most ten requests in all."""
    with real_model() as model:
        yield model


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NONLIQUET_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Refuse every connection but those to this machine: a test that needs another one is not a test of ours."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, _refusing(getattr(socket.socket, name)))
        yield


def _refusing(connect: Any) -> Any:
    def connect_here(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
            raise RuntimeError(f"a test reached for the network: {address}")
        return connect(self, address)

    return connect_here


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

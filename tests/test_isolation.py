"""The tests touch neither the network nor the user's files."""

from __future__ import annotations

import socket

import numpy as np
import platformdirs
import pytest

from retrieval.settings import cache_folder


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
@pytest.mark.parametrize(
    ("family", "address"), [(socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET6, ("2001:db8::1", 80))]
)
def test_another_machine_is_out_of_reach(method, family, address):
    with socket.socket(family) as client, pytest.raises(RuntimeError, match="a test reached for the network"):
        getattr(client, method)(address)


def test_this_machine_is_in_reach():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_the_cache_is_not_the_users(tmp_path_factory):
    assert tmp_path_factory.getbasetemp() in cache_folder().parents
    assert str(cache_folder()) != platformdirs.user_cache_dir("nonliquet")


def test_the_encoder_of_the_tests_keeps_the_contract_of_encoders(golden_graph, sparse_hashing_encoder):
    articles = [golden_graph.provisions[name] for name in golden_graph.articles]
    vectors = sparse_hashing_encoder.encode_articles(articles)
    assert vectors.shape == (8, 64)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    assert sparse_hashing_encoder.encode_queries([]).shape == (0, 64)
    assert sparse_hashing_encoder.encode_articles_sparse(articles).sum(axis=1).min() > 0

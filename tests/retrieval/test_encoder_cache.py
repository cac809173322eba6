import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from graph.errors import EncoderError, ServiceUnavailable
from graph.records import Provision
from retrieval.encoder import EncoderIdentity
from retrieval.encoder_cache import CachedEncoder

IDENTITY = EncoderIdentity("counting", "1", 3, "{question}", "{text}", "none", "whole texts")


class CountingEncoder:
    """Gives each text a unit vector made of its length, and counts what it is asked for."""

    def __init__(self, identity=IDENTITY, fails_after=10**9):
        self.identity = identity
        self.asked = []
        self.fails_after = fails_after

    def encode_queries(self, texts):
        if len(self.asked) + len(texts) > self.fails_after:
            raise ServiceUnavailable("killed")
        self.asked.extend(texts)
        raw = np.array([[len(text), 1, 1 / 3] for text in texts], dtype=np.float32).reshape(-1, 3)
        return raw / np.linalg.norm(raw, axis=1, keepdims=True)

    def encode_articles(self, articles):
        return self.encode_queries([article.text for article in articles])


def article(text):
    return Provision(semantic_id=text, doc_id=1, law_name="", collection_name="", law_level="", chapter="", text=text)


def test_rows_are_those_of_the_encoder_bit_for_bit(tmp_path):
    texts = ["a", "bb", "a", "", "ccc"]
    cached = CachedEncoder(CountingEncoder(), tmp_path / "cache.sqlite")
    expected = CountingEncoder().encode_queries(texts)
    assert np.array_equal(cached.encode_queries(texts), expected)
    assert np.array_equal(cached.encode_queries(texts), expected)


def test_a_text_is_encoded_once(tmp_path):
    encoder = CountingEncoder()
    CachedEncoder(encoder, tmp_path / "cache.sqlite").encode_queries(["a", "bb", "a"])
    CachedEncoder(encoder, tmp_path / "cache.sqlite").encode_queries(["bb", "ccc"])
    assert encoder.asked == ["a", "bb", "ccc"]


def test_a_build_that_was_killed_goes_on_after_its_last_whole_batch(tmp_path):
    articles = [article("x" * n) for n in range(100)]
    with pytest.raises(ServiceUnavailable):
        CachedEncoder(CountingEncoder(fails_after=70), tmp_path / "cache.sqlite").encode_articles(articles)
    encoder = CountingEncoder()
    cached = CachedEncoder(encoder, tmp_path / "cache.sqlite")
    assert cached.n_cached(articles) == 64
    vectors = cached.encode_articles(articles)
    assert encoder.asked == [article.text for article in articles[64:]]
    assert all(before[0] < after[0] for before, after in pairwise(vectors))  # the longer the text, the larger


def test_a_question_and_an_article_of_the_same_words_are_kept_apart(tmp_path):
    encoder = CountingEncoder()
    cached = CachedEncoder(encoder, tmp_path / "cache.sqlite")
    cached.encode_queries(["  \nx"])
    cached.encode_articles([article("x")])
    assert len(encoder.asked) == 2


def test_another_encoder_shares_the_file_but_not_the_vectors(tmp_path):
    CachedEncoder(CountingEncoder(), tmp_path / "cache.sqlite").encode_queries(["a"])
    other = CountingEncoder(replace(IDENTITY, revision="2"))
    CachedEncoder(other, tmp_path / "cache.sqlite").encode_queries(["a"])
    assert other.asked == ["a"]


def test_more_texts_than_one_select_takes(tmp_path):
    texts = [str(n) for n in range(1201)]
    CachedEncoder(CountingEncoder(), tmp_path / "cache.sqlite").encode_queries(texts)
    second = CountingEncoder()
    assert CachedEncoder(second, tmp_path / "cache.sqlite").encode_queries(texts).shape == (1201, 3)
    assert second.asked == []


def test_no_texts_give_no_rows(tmp_path):
    assert CachedEncoder(CountingEncoder(), tmp_path / "cache.sqlite").encode_queries([]).shape == (0, 3)


def test_a_file_that_is_no_cache_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "cache.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(EncoderError, match=r"cache\.sqlite cannot be used .* delete it"):
        CachedEncoder(CountingEncoder(), path).encode_queries(["a"])


def test_a_damaged_row_is_an_error_that_names_the_file(tmp_path):
    path = tmp_path / "cache.sqlite"
    CachedEncoder(CountingEncoder(), path).encode_queries(["a"])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE vectors SET vector = x'0102'")
    with pytest.raises(EncoderError, match=r"cache\.sqlite holds a vector of another size"):
        CachedEncoder(CountingEncoder(), path).encode_queries(["a"])


def test_the_file_is_left_without_a_journal(tmp_path):
    CachedEncoder(CountingEncoder(), tmp_path / "cache.sqlite").encode_queries(["a"])
    assert [path.name for path in tmp_path.iterdir()] == ["cache.sqlite"]

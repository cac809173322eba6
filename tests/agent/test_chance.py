"""What unrelated questions reach on an index, with vectors of one's own making."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from agent.chance import above_chance, beyond_chance, chance, shared_words, unrelated_questions
from agent.language import LANGUAGES
from graph.records import Provision
from retrieval.lexical import LexicalIndex, LexicalSettings

ARTICLE = Provision(
    semantic_id="", doc_id=-1, law_name="", collection_name="", law_level="", chapter="", text="", language="en"
)
LEXICAL = SimpleNamespace(bm25=lambda question: np.array([0.0, 3.0]), rarest_idf=2.0)


class EveryOther:
    """An encoder to which questions are (1, 0) and (0, 1) in turn."""

    def encode_queries(self, texts):
        return np.array([[1.0, 0.0] if place % 2 == 0 else [0.0, 1.0] for place in range(len(texts))], dtype=np.float32)


def retriever(*, sparse):
    """Return what `chance` looks at of a retriever with two articles."""
    matrix = np.array([[0.6, 0.8], [0.6, 0.0]], dtype=np.float32)
    manifest = SimpleNamespace(sparse=sparse, language="en")
    index = SimpleNamespace(matrix=matrix, manifest=manifest, lexical=LEXICAL)
    return SimpleNamespace(index=index, sparse_similarities=lambda question: np.array([0.1, 0.3]))


def test_chance_is_the_mean_of_the_best_articles_cosine():
    found = chance(retriever(sparse=True), EveryOther(), "en")
    assert found.similarity == pytest.approx((0.6 + 0.8) / 2, abs=1e-6)
    assert found.sparse == pytest.approx(0.3, abs=1e-12)
    assert found.words == pytest.approx(3.0 / 2.0, abs=1e-12)


@pytest.mark.parametrize(("sparse", "language"), [(False, "en"), (True, "fr")])
def test_words_are_compared_only_where_there_are_sparse_vectors_and_in_the_articles_language(sparse, language):
    assert chance(retriever(sparse=sparse), EveryOther(), language).sparse is None


@pytest.mark.parametrize(("cosine", "expected"), [(1.0, 1.0), (0.8, 0.0), (0.9, 0.5), (0.7, -0.5)])
def test_above_chance_is_the_share_of_the_way_to_the_same_words(cosine, expected):
    assert above_chance(cosine, 0.8) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("words", "expected"), [(3.0, 1.5), (1.5, 0.0), (0.2, 0.0)])
def test_beyond_chance_are_the_rare_words_after_chance_and_a_first_one(words, expected):
    assert beyond_chance(words, 0.5) == pytest.approx(expected, abs=1e-12)


def test_a_word_said_once_in_an_article_of_mean_length_that_alone_has_it_counts_as_one_over_1_plus_k1():
    texts = ("a bridge is closed", "a tunnel is closed", "a canal is closed")
    articles = [replace(ARTICLE, semantic_id=text, text=text) for text in texts]
    lexical = LexicalIndex.build(articles, LexicalSettings(k1=1.0), language="en")
    # tf / (tf + k1) of idf, with tf 1: a half, in the one article.
    assert shared_words(lexical, "Where is the tunnel?") == pytest.approx([0.0, 0.5, 0.0], abs=1e-6)


def test_each_language_has_the_same_number_of_questions_and_no_other_language_any():
    assert {len(unrelated_questions(language)) for language in LANGUAGES} == {12}
    with pytest.raises(KeyError, match="nl"):
        unrelated_questions("nl")

"""What unrelated questions reach on an index, with vectors of one's own making."""

from types import SimpleNamespace

import numpy as np
import pytest

from agent.chance import above_chance, chance, unrelated_questions
from agent.language import LANGUAGES


class EveryOther:
    """An encoder to which questions are (1, 0) and (0, 1) in turn."""

    def encode_queries(self, texts):
        return np.array([[1.0, 0.0] if place % 2 == 0 else [0.0, 1.0] for place in range(len(texts))], dtype=np.float32)


def retriever(*, sparse):
    """Return what `chance` looks at of a retriever with two articles."""
    matrix = np.array([[0.6, 0.8], [0.6, 0.0]], dtype=np.float32)
    index = SimpleNamespace(matrix=matrix, manifest=SimpleNamespace(sparse=sparse, language="en"))
    return SimpleNamespace(index=index, sparse_similarities=lambda question: np.array([0.1, 0.3]))


def test_chance_is_the_mean_of_the_best_articles_cosine():
    found = chance(retriever(sparse=True), EveryOther(), "en")
    assert found.similarity == pytest.approx((0.6 + 0.8) / 2, abs=1e-6)
    assert found.sparse == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(("sparse", "language"), [(False, "en"), (True, "fr")])
def test_words_are_compared_only_where_there_are_sparse_vectors_and_in_the_articles_language(sparse, language):
    assert chance(retriever(sparse=sparse), EveryOther(), language).sparse is None


@pytest.mark.parametrize(("cosine", "expected"), [(1.0, 1.0), (0.8, 0.0), (0.9, 0.5), (0.7, -0.5)])
def test_above_chance_is_the_share_of_the_way_to_the_same_words(cosine, expected):
    assert above_chance(cosine, 0.8) == pytest.approx(expected, abs=1e-12)


def test_each_language_has_the_same_number_of_questions_and_no_other_language_any():
    assert {len(unrelated_questions(language)) for language in LANGUAGES} == {12}
    with pytest.raises(KeyError, match="nl"):
        unrelated_questions("nl")

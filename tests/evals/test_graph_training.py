import math

import numpy as np
import pytest

from evals.graph_training import graph_dev_metric
from evals.training_data import TrainingData, data_of_citations
from graph.records import Question
from retrieval.training.settings import TrainingSettings

SOURCE, GOLD = 2, 7


class Unsmoothed:
    """A learner without gains that notes which articles are to be nobody's neighbours."""

    def __init__(self, vectors):
        self.vectors = vectors
        self.left_out = []

    def article_vectors(self, *, rows, without):
        self.left_out.append(sorted(without))
        return self.vectors[rows]


@pytest.fixture
def measured(evals_retriever):
    """Measure a question that is closest to article 2 and second to article 7, which answers it."""

    def measured(clauses):
        index = evals_retriever.index
        vectors = np.eye(len(index.articles), dtype=np.float32)
        gold = index.articles[GOLD].semantic_id
        data = TrainingData([], [Question(question_id="1", text="asked", gold=(gold,))], {}, clauses)
        learner = Unsmoothed(vectors)
        asked = {"asked": 0.8 * vectors[SOURCE] + 0.6 * vectors[GOLD]}
        return graph_dev_metric(learner, data, asked, index, TrainingSettings())(), learner.left_out

    return measured


def test_a_question_is_ranked_among_all_articles(measured):
    assert measured({}) == (pytest.approx(1 / math.log2(3), abs=1e-9), [[]])


def test_a_clause_is_ranked_without_its_own_article_which_is_nobodys_neighbour(measured):
    assert measured({"asked": frozenset({SOURCE})}) == (pytest.approx(1.0, abs=1e-9), [[SOURCE]])


def test_pairs_between_articles_leave_headings_out_and_some_are_drawn_by_the_seed(evals_retriever):
    index = evals_retriever.index
    whole = data_of_citations(index, None, seed=0, between_articles=True)
    assert all(pair.sources and pair.article not in pair.sources for pair in whole.pairs)
    assert {question.text for question in whole.dev} == set(whole.clauses)
    assert not {pair.question for pair in whole.pairs} & set(whole.clauses)
    some = data_of_citations(index, None, seed=0, between_articles=True, most_pairs=3)
    assert len(some.pairs) == 3
    assert set(some.pairs) <= set(whole.pairs)
    assert some.dev == whole.dev
    assert some.sources["pairs"] == 3

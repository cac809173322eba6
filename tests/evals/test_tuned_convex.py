from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evals.tuned_convex import ALPHAS, best_alpha, convex_rankings, held_out_alphas
from retrieval.methods import parse_method
from retrieval.retriever import Retriever
from retrieval.settings import RetrievalSettings
from tests.conftest import HashingEncoder

PLACE = {alpha: place for place, alpha in enumerate(ALPHAS)}


def values(**best: tuple[float, ...]) -> np.ndarray:
    """All 0, but 1 for some questions (by number) at some α, as in q0=(0.2, 0.4)."""
    table = np.zeros((len(ALPHAS), len(best)))
    for name, alphas in best.items():
        for alpha in alphas:
            table[PLACE[alpha], int(name[1:])] = 1.0
    return table


def test_the_best_alpha_has_the_highest_mean_over_the_training_questions():
    found = values(q0=(0.2,), q1=(0.2,), q2=(0.9,))
    assert ALPHAS[best_alpha(found, default=0.6)] == 0.2
    assert ALPHAS[best_alpha(found, np.array([False, False, True]), default=0.6)] == 0.9


def test_of_equals_the_one_nearest_to_the_default_is_taken():
    assert ALPHAS[best_alpha(values(q0=(0.2, 0.75)), default=0.6)] == 0.75
    assert ALPHAS[best_alpha(values(q0=()), default=0.6)] == 0.6


def test_a_question_is_answered_with_the_alpha_that_the_other_folds_choose():
    found = values(q0=(0.1,), q1=(0.1,), q2=(0.8,), q3=(0.8,))
    chosen = held_out_alphas(found, np.array([0, 0, 1, 1]), default=0.6)
    assert [ALPHAS[place] for place in chosen] == [0.8, 0.8, 0.1, 0.1]


def test_each_alpha_ranks_as_the_method_hybrid_does_with_it(evals_index, evals_retriever):
    questions = ["When does a lift need a fireman's switch?", "Who pays for the inspection?"]
    by_alpha = convex_rankings(evals_retriever, questions, depth=20)
    for alpha in (0.0, 0.35, 1.0):
        settings = RetrievalSettings()
        settings = replace(settings, fusion=replace(settings.fusion, alpha=alpha))
        with Retriever.open(evals_index, settings=settings, encoder=HashingEncoder()) as other:
            expected = other.rankings(questions, parse_method("hybrid"), depth=20)
        for ranking, same in zip(by_alpha[PLACE[alpha]], expected, strict=True):
            assert ranking.rows.tolist() == same.rows.tolist()
            assert ranking.scores == pytest.approx(same.scores, abs=1e-9)

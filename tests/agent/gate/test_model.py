"""The gate's model, by hand; what is no model on disk is told."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import pytest

from agent.gate.features import Knowledge
from agent.gate.model import GateModel
from graph.errors import SettingsError
from retrieval.settings import settings_from

MODEL = GateModel(
    knowledge=Knowledge.CORPUS,
    names=("question.coverage", "choice.bm25"),
    mean=(0.5, 0.0),
    scale=(0.25, 2.0),
    weights=(1.0, -3.0),
    bias=0.125,
    trees=([0, 0.5, 1.0, [1, 2.0, -1.0, -2.0]], 0.25),
)


@pytest.mark.parametrize(
    ("coverage", "bm25", "log_odds"),
    [
        (0.5, 4.0, (0.125 + 0 - 6 + 1.0 + 0.25) / 2),  # 0.5 is at most 0.5: to the left
        (0.75, 2.0, (0.125 + 1 - 3 - 1.0 + 0.25) / 2),
        (1.0, 4.0, (0.125 + 2 - 6 - 2.0 + 0.25) / 2),
    ],
)
def test_the_probability_is_the_logistic_of_the_mean_of_both_log_odds(coverage: float, bm25: float, log_odds: float):
    values = {"choice.bm25": bm25, "question.coverage": coverage, "question.other": 9.0}
    assert MODEL.probability(values) == pytest.approx(1 / (1 + math.exp(-log_odds)), abs=1e-12)


def test_it_reads_back_from_json_as_it_was():
    assert settings_from(asdict(MODEL), GateModel, place="gate") == MODEL
    assert MODEL.reads_options
    assert not MODEL.reads_vectors


def test_a_feature_that_is_not_given_is_named():
    with pytest.raises(KeyError, match=r"choice\.bm25"):
        MODEL.probability({"question.coverage": 0.0})


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("weights", [1.0], "as many"),
        ("scale", [0.0, 1.0], "above 0"),
        ("bias", math.nan, "finite"),
        ("trees", [[2, 0.5, 1.0, 1.0]], "not a tree over 2 features"),
        ("trees", [[0, 0.5, 1.0]], "not a tree"),
        ("trees", [[0, 0.5, 1.0, [1, 0.5, None, 1.0]]], "not a tree"),
        ("trees", [[0, "0.5", 1.0, 1.0]], "not a tree"),
        ("knowledge", "everything", "everything"),
    ],
)
def test_what_is_no_model_is_an_error(field: str, value: Any, words: str):
    with pytest.raises(SettingsError, match=words):
        settings_from({**asdict(MODEL), field: value}, GateModel, place="gate")

"""Fitting the gate: against the libraries' own predictions, and that no case is judged by a gate that has seen it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.gate.features import Knowledge
from evals.gate_training import GateExample, GateTraining, fit_gate, folds, out_of_fold

QUICK = GateTraining(n_trees=20)


def examples(n: int = 120, *, seed: int = 0) -> list[GateExample]:
    """Two features that tell something, one that is constant; three cases a group."""
    rng = np.random.default_rng(seed)
    found = []
    for case in range(n):
        enough = bool(case % 2)
        values = {"question.a": rng.normal(enough), "question.b": rng.normal(-2 * enough), "question.c": 1.0}
        found.append(GateExample(values, f"article {case // 3}", enough))
    return found


def test_the_fitted_model_gives_what_the_libraries_that_fitted_it_give():
    linear_model, lightgbm = pytest.importorskip("sklearn.linear_model"), pytest.importorskip("lightgbm")
    given = [replace(one, enough=bool(place % 3)) for place, one in enumerate(examples())]  # twice as many are enough
    model = fit_gate(given, Knowledge.CORPUS, seed=3, training=QUICK)
    rows = np.array([list(one.values.values()) for one in given])
    labels = np.array([one.enough for one in given])
    weights = np.where(labels, 0.75, 1.5)
    scaled = (rows - rows.mean(axis=0)) / np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1)
    linear = linear_model.LogisticRegression(C=0.1, max_iter=5000).fit(scaled, labels, sample_weight=weights)
    booster = lightgbm.LGBMClassifier(
        n_estimators=20, learning_rate=0.04, num_leaves=5, min_child_samples=20, min_child_weight=1e-3, reg_lambda=5.0,
        colsample_bytree=0.3, subsample=0.8, subsample_freq=1, use_missing=False, random_state=3, n_jobs=1, verbose=-1,
        deterministic=True, force_row_wise=True,
    ).fit(rows, labels, sample_weight=weights)  # fmt: skip
    log_odds = (linear.decision_function(scaled) + booster.predict(rows, raw_score=True)) / 2
    found = [model.probability(one.values) for one in given]
    assert found == pytest.approx(list(1 / (1 + np.exp(-log_odds))), abs=1e-9)


def test_the_same_examples_and_seed_give_the_same_model_and_another_seed_another():
    pytest.importorskip("lightgbm")
    first = fit_gate(examples(), Knowledge.CONTEXT, seed=1, training=QUICK)
    assert fit_gate(examples(), Knowledge.CONTEXT, seed=1, training=QUICK) == first
    assert fit_gate(examples(), Knowledge.CONTEXT, seed=2, training=QUICK).trees != first.trees


def test_the_labels_of_a_group_do_not_touch_its_own_probabilities():
    pytest.importorskip("lightgbm")
    given = examples()
    turned = [replace(one, enough=not one.enough) if one.group == "article 7" else one for one in given]
    before, after = (out_of_fold(cases, Knowledge.CORPUS, seed=0, training=QUICK) for cases in (given, turned))
    same = [one == other for one, other in zip(before, after, strict=True)]
    assert all(is_same for is_same, one in zip(same, given, strict=True) if one.group == "article 7")
    assert not all(same)


def test_examples_without_a_label_are_judged_and_not_learned_from():
    pytest.importorskip("lightgbm")
    given = examples()
    odd = GateExample({"question.a": 50.0, "question.b": 50.0, "question.c": 1.0}, "article 0", None)
    without = out_of_fold(given, Knowledge.CORPUS, seed=0, training=QUICK)
    assert out_of_fold([*given, odd], Knowledge.CORPUS, seed=0, training=QUICK)[:-1] == without


@given(st.lists(st.integers(0, 12), min_size=5), st.integers(2, 5), st.integers(0, 3))
def test_folds_split_no_group_and_are_of_one_size(groups: list[int], n_folds: int, seed: int):
    if len(set(groups)) < n_folds:
        with pytest.raises(ValueError, match="cannot be divided"):
            folds(groups, seed=seed, n_folds=n_folds)
        return
    found = folds(groups, seed=seed, n_folds=n_folds)
    of_group = dict(zip(groups, found, strict=True))
    assert found == [of_group[group] for group in groups]
    sizes = [list(of_group.values()).count(fold) for fold in range(n_folds)]
    assert max(sizes) - min(sizes) <= 1


def test_one_label_alone_and_mixed_features_are_errors():
    with pytest.raises(ValueError, match="enough and others that are not"):
        fit_gate([replace(one, enough=True) for one in examples()], Knowledge.CORPUS, seed=0)
    mixed = [*examples(), GateExample({"question.a": 1.0}, "x", True)]
    with pytest.raises(ValueError, match="different features"):
        fit_gate(mixed, Knowledge.CORPUS, seed=0)

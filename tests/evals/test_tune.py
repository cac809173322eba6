from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agent.commands.options import settings_of
from agent.settings import AgentSettings
from evals.commands.options import BUILTIN_QUESTIONS
from evals.dataset_files import read_questions
from evals.field_counts import FieldCounts
from evals.realworld import judged, run_methods
from evals.settings_file import settings_toml
from evals.tune import GRIDS, Tuner, setting, tune, with_setting
from graph.corpus import BUILTIN_LAW, read_corpus
from retrieval.index_build import build_index
from retrieval.lexical import FieldWeights, LexicalIndex, LexicalSettings
from retrieval.methods import parse_method
from retrieval.retriever import Retriever
from retrieval.settings import RetrievalSettings, read_settings


@pytest.fixture
def questions(evals_retriever):
    return judged(read_questions(BUILTIN_QUESTIONS, evals_retriever.index.graph), skip_unjudged=True)


def tuned(retriever, questions, *, seed=0, progress=lambda step, done, total: None):
    return tune(
        Tuner(retriever, questions, "nDCG@10"),
        len(questions),
        retriever.settings,
        np.random.default_rng(seed),
        measure_name="nDCG@10",
        n_folds=3,
        progress=progress,
    )


@pytest.mark.parametrize(
    "settings",
    [
        LexicalSettings(),
        LexicalSettings(k1=0.4, b=0.9, fields=FieldWeights(law_name=0, label=2, heading=3)),
        LexicalSettings(idf="bsard", b=0.0),
    ],
)
def test_field_counts_score_as_an_index_of_those_settings(evals_retriever, settings):
    index = evals_retriever.index
    texts = ["How often are fire drills held?", "fire fire alarm", "zzzz", ""]
    other = LexicalIndex.build(index.articles, settings, language="en")
    found = FieldCounts(index.articles, index.lexical).bm25(texts, settings)
    for text, scores in zip(texts, found, strict=True):
        assert scores == pytest.approx(other.bm25(text), abs=1e-4, rel=1e-5)


@pytest.mark.parametrize("method", ["bm25", "hybrid", "sar", "sar:hybrid"])
def test_the_tuner_measures_what_the_evaluation_measures(evals_retriever, questions, tmp_path, method):
    chosen = parse_method(method)
    values = Tuner(evals_retriever, questions, "nDCG@10").values(chosen, evals_retriever.settings)
    run = run_methods(evals_retriever, questions, [chosen], tmp_path / "run", source=BUILTIN_QUESTIONS)
    assert values.mean() == pytest.approx(run.metrics()[str(chosen)]["nDCG@10"], abs=1e-6)


def test_tuning_does_not_lose_on_its_own_questions_and_is_the_same_twice(evals_retriever, questions):
    first, second = (tuned(evals_retriever, questions) for _ in range(2))
    assert first == second
    assert first.fitted >= first.before
    assert set(first.changed) <= set(GRIDS)
    assert all(setting(first.settings, name) == after for name, (_, after) in first.changed.items())


def test_the_held_out_value_is_of_settings_chosen_without_the_fold(evals_retriever, questions):
    """Were it of the settings chosen on all questions, it could not depend on how they are dealt into folds."""
    assert len({round(tuned(evals_retriever, questions, seed=seed).held_out, 9) for seed in range(4)}) > 1


def test_without_vectors_the_fusion_is_left_alone(questions, tmp_path):
    build_index(read_corpus([BUILTIN_LAW]), tmp_path / "index")
    with Retriever.open(tmp_path / "index") as retriever:
        found = tuned(retriever, questions)
    assert found.method.base == "bm25"
    assert "fusion.alpha" not in found.changed


def test_progress_is_reported_fold_by_fold(evals_retriever, questions):
    steps: list[str] = []
    tuned(evals_retriever, questions, progress=lambda step, done, total: steps.append(step))
    assert list(dict.fromkeys(steps)) == ["fold 1 of 3", "fold 2 of 3", "fold 3 of 3", "all questions"]


@pytest.mark.parametrize("n_folds", [1, 99])
def test_folds_that_do_not_fit_the_questions_are_refused(evals_retriever, questions, n_folds):
    tuner = Tuner(evals_retriever, questions, "R@10")
    with pytest.raises(ValueError, match="cross-validation needs"):
        tune(
            tuner, len(questions), evals_retriever.settings, np.random.default_rng(0), measure_name="", n_folds=n_folds
        )


@pytest.mark.parametrize("name", GRIDS)
def test_every_value_of_a_grid_can_be_set(name):
    for value in GRIDS[name]:
        assert setting(with_setting(RetrievalSettings(), name, value), name) == value


def test_the_settings_file_reads_back_as_the_settings(tmp_path):
    settings = RetrievalSettings(lexical=LexicalSettings(k1=0.4, fields=FieldWeights(label=0)), exact_limit=7)
    path = tmp_path / "settings.toml"
    path.write_text(settings_toml(settings, method="sar:bm25", note="why"), encoding="utf-8")
    assert read_settings(path, AgentSettings).retrieval == replace(settings, method="sar:bm25")


# The command


def test_the_command_writes_a_file_that_index_search_and_ask_accept(nonliquet, evals_index, tmp_path):
    out = tmp_path / "settings.toml"
    result = nonliquet(
        *("evals", "tune", "--train", BUILTIN_QUESTIONS, "--skip-unjudged", "--index", evals_index),
        *("--out", out, "--folds", 2),
    )
    assert result.exit_code == 0
    assert "cross-validated" in result.stdout
    settings = settings_of(out)  # as the three verbs read it
    assert settings is not None
    assert settings.retrieval is not None
    with Retriever.open(evals_index, settings=settings.retrieval) as retriever:
        assert str(retriever.default_method) == settings.retrieval.method
        assert retriever.search("How often are fire drills held?")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [(("--measure", "both-gold@10"), "is none that every question has"), (("--folds", 99), "too few for 99 folds")],
)
def test_wrong_usage_of_the_command(nonliquet, evals_index, tmp_path, arguments, problem):
    result = nonliquet(
        *("evals", "tune", "--train", BUILTIN_QUESTIONS, "--skip-unjudged", "--index", evals_index),
        *("--out", tmp_path / "settings.toml", *arguments),
    )
    assert result.exit_code == 2
    assert problem in result.stderr
    assert not (tmp_path / "settings.toml").exists()

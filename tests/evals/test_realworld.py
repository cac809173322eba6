from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evals.commands.options import BUILTIN_QUESTIONS
from evals.dataset_files import read_questions
from evals.learned import Learned
from evals.plots import draw
from evals.ranking import MEASURES, means, measure
from evals.realworld import available_methods, judged, run_methods
from evals.realworld_report import base_in, difference, page
from evals.run_folder import RunFolder, file_name
from evals.trec_files import read_qrels, read_run
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import QuestionsError
from graph.records import Question
from retrieval.index_build import build_index
from retrieval.index_folder import read_manifest
from retrieval.methods import parse_method
from retrieval.retriever import Retriever
from retrieval.settings import RetrievalSettings
from tests.conftest import HashingEncoder

METHODS = [parse_method(name) for name in ("bm25", "dense", "sar", "sar:dense")]


@pytest.fixture
def questions(evals_retriever):
    return judged(read_questions(BUILTIN_QUESTIONS, evals_retriever.index.graph), skip_unjudged=True)


@pytest.fixture
def run(evals_retriever, questions, tmp_path):
    return run_methods(evals_retriever, questions, METHODS, tmp_path / "run", source=BUILTIN_QUESTIONS)


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a run but for its latencies."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "latency.jsonl")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_metrics_have_every_method_and_measure_within_0_and_1(run):
    metrics = run.metrics()
    assert list(metrics) == ["bm25", "dense", "sar:bm25", "sar:dense"]
    for values in metrics.values():
        assert list(values) == list(MEASURES)
        assert all(0 <= value <= 1 for value in values.values())
    assert metrics["bm25"]["R@50"] > 0.5


def test_the_trec_files_score_as_the_metrics_say(run):
    qrels = read_qrels(run.path / "qrels")
    for method, values in run.metrics().items():
        again = measure(qrels, read_run(run.path / f"{file_name(method)}.run"))
        assert means(again.values()) == values


def test_topics_are_measured_apart(run, questions):
    topics = run.topics()
    assert list(topics) == sorted({question.topic for question in questions})
    assert set(topics["fireworks"]) == {str(method) for method in METHODS}


def test_the_same_run_twice_gives_the_same_files(run, evals_retriever, questions, tmp_path):
    again = run_methods(evals_retriever, questions, METHODS, tmp_path / "again", source=BUILTIN_QUESTIONS)
    assert contents(again.path) == contents(run.path)
    assert page(again) == page(run)


@pytest.mark.parametrize("cut", [0, 3, 200])
def test_a_killed_run_goes_on_to_the_same_files(run, evals_retriever, questions, tmp_path, cut):
    """Killed in the second method, `cut` bytes before the end of a line."""
    broken = tmp_path / "broken"
    shutil.copytree(run.path, broken)
    for path in broken.iterdir():
        if path.name not in ("config.json", "questions", "latency.jsonl"):
            path.unlink()
    for method in ("sar:bm25", "sar:dense"):
        (broken / "questions" / f"{file_name(method)}.jsonl").unlink()
    dense = broken / "questions" / "dense.jsonl"
    lines = dense.read_bytes().splitlines(keepends=True)
    dense.write_bytes(b"".join(lines[:7])[: -cut or None])
    (broken / "latency.jsonl").write_text('{"method": "bm25", "question')
    resumed = run_methods(evals_retriever, questions, METHODS, broken, source=BUILTIN_QUESTIONS)
    assert contents(resumed.path) == contents(run.path)
    assert set(resumed.latencies()) == {"encoding", "dense", "sar:bm25", "sar:dense"}


def test_a_run_of_other_settings_is_not_gone_on_with(run, evals_index, questions):
    with Retriever.open(evals_index, settings=RetrievalSettings(exact_limit=1), encoder=HashingEncoder()) as other:
        with pytest.raises(QuestionsError, match="holds a run with other settings; name another folder"):
            run_methods(other, questions, METHODS, run.path, source=BUILTIN_QUESTIONS)
        with pytest.raises(QuestionsError, match="holds a run with other methods, questions, settings; name another"):
            run_methods(other, questions[:3], METHODS[:1], run.path, source=BUILTIN_QUESTIONS)


def test_a_folder_of_something_else_is_left_alone(evals_retriever, questions, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(QuestionsError, match="is there and holds no run"):
        run_methods(evals_retriever, questions, METHODS, tmp_path, source=BUILTIN_QUESTIONS)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_run_killed_before_its_first_question_is_begun_again(run, evals_retriever, questions, tmp_path):
    (tmp_path / "begun" / "questions").mkdir(parents=True)
    (tmp_path / "begun" / "config.json.new").write_text('{"kind": "real')
    again = run_methods(evals_retriever, questions, METHODS, tmp_path / "begun", source=BUILTIN_QUESTIONS)
    assert contents(again.path) == contents(run.path)


def test_results_of_other_questions_are_refused(run, evals_retriever, questions):
    path = run.path / "questions" / "bm25.jsonl"
    path.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(QuestionsError, match="the results of bm25 are not of these questions"):
        run_methods(evals_retriever, questions, METHODS, run.path, source=BUILTIN_QUESTIONS)


def test_the_config_names_versions_hashes_and_settings(run, evals_index):
    config = run.config
    assert config["versions"]["ir-measures"]
    assert config["index"]["sha256"] == read_manifest(evals_index).content_hash
    assert len(next(iter(config["questions"]["files"].values()))) == 64
    assert config["settings"]["sar"]["n_seeds"] == 15


def test_an_index_made_twice_has_one_hash_and_one_of_other_settings_another(tmp_path):
    corpus = read_corpus([BUILTIN_LAW])
    first, second = (build_index(corpus, tmp_path / name) for name in ("first", "second"))
    other = build_index(corpus, tmp_path / "other", settings=RetrievalSettings(exact_limit=1))
    assert first.content_hash == second.content_hash != other.content_hash


def test_unjudged_questions_are_refused_or_skipped_but_never_scored():
    with_gold, without = Question(question_id="1", text="?", gold=("a",)), Question(question_id="2", text="?")
    with pytest.raises(QuestionsError, match="question 2 has no gold article in the index, as 1 of 2: unjudged"):
        judged([with_gold, without])
    assert judged([with_gold, without], skip_unjudged=True) == [with_gold]
    with pytest.raises(QuestionsError, match="no question has a gold article"):
        judged([without], skip_unjudged=True)


def test_only_methods_that_the_index_can_serve_are_available(evals_retriever, tmp_path):
    names = {str(method) for method in available_methods(evals_retriever)}
    assert {"hybrid", "rocchio:dense", "ppr:hybrid", "sar:bm25"} <= names
    assert not {"sparse", "fused"} & names
    build_index(read_corpus([BUILTIN_LAW]), tmp_path / "index")
    with Retriever.open(tmp_path / "index") as lexical:
        assert not any(method.needs_vectors for method in available_methods(lexical))


def test_the_page_shows_tables_gains_and_settings(run):
    words = page(run)
    assert "| bm25 → sar:bm25 | R@10 |" in words
    assert "| sar.n_seeds | 15 |" in words
    assert "## Topic: fireworks" in words
    assert base_in("sar:dense", ["dense"]) == "dense"
    assert base_in("sar:dense", ["bm25"]) is base_in("bm25", ["bm25"]) is None


def test_a_difference_is_paired_by_question():
    interval, p_value, n_up, n_down = difference({"1": 0.0, "2": 0.5, "3": 1.0}, {"2": 0.5, "1": 1.0, "9": 1.0})
    assert interval.mean == 0.5  # of questions 1 and 2
    assert (p_value, n_up, n_down) == (1.0, 1, 0)


@pytest.mark.parametrize("n_training", [0, 20])
def test_the_learned_ranker_runs_beside_the_others(evals_retriever, questions, tmp_path, n_training):
    pytest.importorskip("lightgbm")
    training = tuple(questions[:n_training])
    methods = [parse_method("hybrid"), Learned("ours", training), Learned("ours-no-graph", training)]
    asked = questions[n_training:]
    run = run_methods(evals_retriever, asked, methods, tmp_path / "run", source=BUILTIN_QUESTIONS)
    assert list(run.metrics()) == ["hybrid", "ours", "ours-no-graph"]
    assert run.metrics()["ours"]["R@500"] == 1.0
    words = page(run)
    assert "| ours-no-graph → ours | R@10 |" in words
    assert "| hybrid → ours | R@10 |" in words


def test_too_few_questions_to_learn_from_are_an_error(evals_retriever, questions, tmp_path):
    with pytest.raises(QuestionsError, match="ours: "):
        run_methods(evals_retriever, questions[:3], [Learned("ours")], tmp_path / "run", source=BUILTIN_QUESTIONS)


def test_plots_are_drawn_where_matplotlib_is(run):
    pytest.importorskip("matplotlib")
    drawn = draw(run)
    assert drawn == ["recall.png", "gain_sar_bm25.png", "gain_sar_dense.png", "latency.png"]
    assert all((run.path / name).stat().st_size > 1000 for name in drawn)


def test_an_unfinished_run_says_how_to_finish_it(tmp_path):
    run = RunFolder.start(tmp_path / "run", {"methods": ["bm25"]})
    with pytest.raises(QuestionsError, match=r"has no metrics\.json to read; finish the run with the same command"):
        run.metrics()
    with pytest.raises(QuestionsError, match="is no run"):
        _ = RunFolder(tmp_path).config


# The command


def test_the_command_writes_a_run_and_prints_its_figures(nonliquet, evals_index, tmp_path):
    out = tmp_path / "run"
    result = nonliquet(
        *("evals", "realworld", "--index", evals_index, "--questions", BUILTIN_QUESTIONS, "--skip-unjudged"),
        *("--methods", "bm25, sar,bm25,sar:hybrid", "--out", out, "--no-plots"),
    )
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()[1:4]] == ["bm25", "sar:bm25", "sar:hybrid"]
    metrics = json.loads((out / "metrics.json").read_text())
    assert result.stdout.splitlines()[1].split()[1] == f"{metrics['bm25']['R@10'] * 100:.1f}"
    assert (out / "report.md").read_text().startswith("# Retrieval, method by method\n")


def test_the_command_refuses_unjudged_questions_unless_told_to_skip_them(nonliquet, evals_index, tmp_path):
    result = nonliquet(
        *("evals", "realworld", "--index", evals_index, "--questions", BUILTIN_QUESTIONS, "--out", tmp_path / "run")
    )
    assert result.exit_code == 1
    assert "unjudged, which is not a score of 0; leave them out with --skip-unjudged" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--methods", "bm26"), "method 'bm26' is none of"),
        (("--methods", ","), "no method is named"),
        (("--index", "somewhere"), "questions on that index are needed"),
    ],
)
def test_wrong_usage_of_the_command(nonliquet, tmp_path, arguments, problem):
    result = nonliquet("evals", "realworld", "--out", tmp_path / "run", *arguments)
    assert result.exit_code == 2
    assert problem in result.stderr


def test_without_the_measures_the_extra_is_named(nonliquet, tmp_path, monkeypatch):
    monkeypatch.setattr("evals.commands.options.find_spec", lambda name: None)
    result = nonliquet("evals", "realworld", "--out", tmp_path / "run")
    assert result.exit_code == 1
    assert "pip install 'nonliquet[evals]'" in result.stderr

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evals.commands.options import BUILTIN_QUESTIONS
from evals.compare import System, compare, mismatches, moves, pairs, show_move
from evals.dataset_files import read_questions
from evals.intervals import holm
from evals.ranking import measure
from evals.realworld import judged, run_methods
from evals.realworld_report import difference, values_of
from evals.run_folder import QuestionResult, RunFolder
from graph.records import Question
from retrieval.methods import parse_method

CONFIG = {
    "methods": ["bm25", "sar:bm25"],
    "index": {"sha256": "a", "folder": "nowhere"},
    "questions": {"files": {"qa.jsonl": "b"}, "asked": 3},
    "versions": {"numpy": "2"},
    "settings": {},
}


def written(path: Path, results: dict[str, dict[str, list[str]]], **config: object) -> RunFolder:
    """A run whose only gold article is `a`, from method -> question -> ranking."""
    run = RunFolder.start(path, {**CONFIG, "methods": list(results), **config})
    for method, rankings in results.items():
        for question_id, ranking in rankings.items():
            values = measure({question_id: {"a": 1}}, {question_id: ranking})[question_id]
            rank = ranking.index("a") + 1 if "a" in ranking else None
            run.append(method, QuestionResult(question_id, {"a": rank}, values, []))
    run.write_json("metrics.json", {method: {} for method in results})
    return run


@pytest.fixture
def two(tmp_path):
    first = written(tmp_path / "first", {"bm25": {"1": ["a"], "2": ["x", "a"], "3": ["x"]}})
    second = written(tmp_path / "second", {"bm25": {"3": ["a"], "2": ["x", "a"], "1": ["x", "a"]}})
    return first, second


def test_questions_are_paired_by_their_ids(two):
    first, second = two
    (one,) = compare(pairs(first, second), ["R@10"])
    assert one.interval.mean == pytest.approx(1 / 3, abs=1e-12)
    assert (one.n_up, one.n_down, one.p_value) == (1, 0, 1.0)


def test_the_questions_that_moved_most_come_first_and_those_that_did_not_are_left_out(two):
    first, second = (System(run, "bm25") for run in two)
    found = moves(first, second, at_most=5)
    assert [move.question_id for move in found] == ["3", "1"]
    assert found[0].ranks == {"a": (None, 1)}
    assert found[1].gain < 0
    assert moves(first, second, at_most=1) == found[:1]


def test_what_is_compared_depends_on_what_the_runs_share(tmp_path):
    both = written(tmp_path / "both", {"bm25": {"1": ["a"]}, "sar:bm25": {"1": ["a"]}})
    one = written(tmp_path / "one", {"sar:bm25": {"1": ["a"]}})
    other = written(tmp_path / "other", {"tfidf": {"1": ["a"]}})
    names = [[(str(a), str(b)) for a, b in pairs(x, y)] for x, y in ((both, both), (both, one), (both, other))]
    assert names == [
        [("both/bm25", "both/sar:bm25")],
        [("both/sar:bm25", "one/sar:bm25")],
        [("both/bm25", "other/tfidf"), ("both/sar:bm25", "other/tfidf")],
    ]


def test_p_values_are_corrected_over_the_pairs_of_a_measure(tmp_path):
    ranking = {str(number): ["a"] if number < 9 else ["x"] for number in range(12)}
    worse = {str(number): ["x"] for number in range(12)}
    run = written(tmp_path / "run", {"bm25": worse, "sar:bm25": ranking, "tfidf": worse})
    found = compare(pairs(run, run), ["R@10"])
    raw = [
        difference(values_of(run, a.method, "R@10"), values_of(run, b.method, "R@10"))[1] for a, b in pairs(run, run)
    ]
    assert [one.p_value for one in found] == holm(raw)
    assert found[0].p_value == pytest.approx(3 * 2 / 2**9, abs=1e-12)


def test_runs_without_a_common_question_are_refused(tmp_path):
    first = written(tmp_path / "first", {"bm25": {"1": ["a"]}})
    second = written(tmp_path / "second", {"bm25": {"2": ["a"]}})
    with pytest.raises(ValueError, match="first/bm25 and second/bm25 have no question in common"):
        compare(pairs(first, second))


def test_what_else_differs_between_runs_is_said(tmp_path):
    first = written(tmp_path / "first", {"bm25": {"1": ["a"]}})
    other = written(
        tmp_path / "other",
        {"bm25": {"1": ["a"]}},
        index={"sha256": "other", "folder": ""},
        questions={"files": {"qa.jsonl": "other"}, "asked": 3},
        versions={"numpy": "3"},
    )
    fewer = written(tmp_path / "fewer", {"bm25": {"1": ["a"]}}, questions={"files": {"qa.jsonl": "b"}, "asked": 2})
    assert mismatches(first, first) == []
    assert [sentence.split(".")[0] for sentence in mismatches(first, other)] == [
        "The runs are over different indexes",
        "The runs read different question files; only questions of the same id are compared",
        "The runs were made with different versions of numpy",
    ]
    assert mismatches(first, fewer) == [
        "One run left out questions that the other asked; only those of both are compared."
    ]


def test_a_move_names_the_seeds_that_voted(evals_retriever, tmp_path):
    graph = evals_retriever.index.graph
    cited = next(name for name in graph.articles if graph.cited_by(name))
    question = Question(question_id="1", text=graph.provisions[cited].text, gold=(cited,))
    votes = evals_retriever.votes(question.text, parse_method("sar"), cited)
    run = written(tmp_path / "run", {"bm25": {"1": ["x"]}, "sar:bm25": {"1": ["a"]}})
    (move,) = moves(System(run, "bm25"), System(run, "sar:bm25"), at_most=1)
    move = type(move)(move.question_id, move.gain, {cited: (None, 1)})
    words = show_move(move, question, System(run, "sar:bm25"), evals_retriever)
    assert f"{cited}: rank – → 1" in words
    assert all(seed in words for seed in list(votes)[:3])
    assert "voted" not in show_move(move, question, System(run, "bm25"), evals_retriever)
    assert "voted" not in show_move(move, None, System(run, "sar:bm25"), None)


# The command


@pytest.fixture
def real_run(evals_retriever, tmp_path):
    questions = judged(read_questions(BUILTIN_QUESTIONS, evals_retriever.index.graph), skip_unjudged=True)
    methods = [parse_method(name) for name in ("bm25", "sar")]
    return run_methods(evals_retriever, questions, methods, tmp_path / "run", source=BUILTIN_QUESTIONS)


def test_the_command_prints_differences_and_what_moved(nonliquet, real_run):
    result = nonliquet("evals", "compare", real_run.path, real_run.path, "--moved", 2)
    assert result.exit_code == 0
    assert "| run/bm25 → run/sar:bm25 | R@10 |" in result.stdout
    moved = moves(System(real_run, "bm25"), System(real_run, "sar:bm25"), at_most=2)
    assert result.stdout.count(" question ") == len(moved) > 0
    assert "voted for by" in result.stdout or "no seed cites it" in result.stdout


def test_the_command_says_so_if_the_index_is_gone(nonliquet, real_run, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(real_run.path, copy)
    config = json.loads((copy / "config.json").read_text())
    config["index"]["folder"] = str(tmp_path / "gone")
    (copy / "config.json").write_text(json.dumps(config))
    result = nonliquet("evals", "compare", real_run.path, copy, "--pair", "bm25,sar:bm25")
    assert result.exit_code == 0
    assert "which seed voted cannot be told" in result.stderr
    assert "copy/sar:bm25" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--measures", "R@11"), "measure 'R@11' is none of"),
        (("--measures", ","), "measure 'list' is none of"),
        (("--pair", "bm25,dense"), "'bm25,dense': expected a method of the first run (bm25, sar:bm25), a comma"),
    ],
)
def test_wrong_usage_of_the_command(nonliquet, real_run, arguments, problem):
    result = nonliquet("evals", "compare", real_run.path, real_run.path, *arguments)
    assert result.exit_code == 2
    assert problem in result.stderr


def test_what_is_no_run_is_an_error(nonliquet, tmp_path):
    result = nonliquet("evals", "compare", tmp_path, tmp_path)
    assert result.exit_code == 1
    assert "has no metrics.json to read" in result.stderr

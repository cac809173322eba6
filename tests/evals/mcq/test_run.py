"""Whole runs: the command, a kill and what goes on after it, a model on a mock server, pages over runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.evals.mcq.choice_server import MockServer, choice_server

QUESTIONS = Path(__file__).parents[3] / "evals" / "builtin" / "multihop_qa_mcq.jsonl"
SAMPLE = {
    "コンテキスト": "## 甲法\n### 第5条\n届出書の期限は三月とする。\n## 甲法施行令\n### 第3条\n手数料は千円とする。",
    "問題文": "届出書の期限を教えてください。",
    "選択肢": "a 一月\nb 三月\nc 六月\nd 一年",
    "output": "b",
}


@pytest.fixture
def server() -> Iterator[MockServer]:
    with choice_server() as running:
        yield running


@pytest.fixture
def mcq(nonliquet, evals_index):
    def run(*arguments: object, exit_code: int = 0) -> Any:
        asked = ("--index", evals_index, "--questions", QUESTIONS, "--no-plots", "--limit", 6, *arguments)
        result = nonliquet("evals", "mcq", *asked)
        assert result.exit_code == exit_code, result.output
        return result

    return run


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a run but for what differs from run to run."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("latency.jsonl", "lock")
    }


def metrics(folder: Path) -> Any:
    return json.loads((folder / "metrics.json").read_text(encoding="utf-8"))


def test_a_run_has_its_floor_beside_it_and_a_gate(mcq, tmp_path):
    result = mcq("--gate", "structural", "--out", tmp_path / "run")
    rows = metrics(tmp_path / "run")["rows"]
    assert list(rows)[:2] == ["overlap", "overlap+structural"]
    assert {"always-1", "always-5", "always-A", "always-E", "always-abstain", "random"} <= rows.keys()
    assert rows["always-abstain"]["partial abstention"] == 1
    assert rows["always-abstain"]["joint"] == 0
    assert rows["overlap"]["position bias"] == 0
    assert 0 <= metrics(tmp_path / "run")["gate"]["auroc_partial"] <= 1
    assert "overlap+structural" in result.stdout
    page = (tmp_path / "run" / "report.md").read_text(encoding="utf-8")
    assert "| always-abstain |" in page
    assert "Letters chosen by overlap" in page


def test_the_same_command_gives_the_same_bytes(mcq, tmp_path):
    for name in ("one", "other"):
        mcq("--reader", "extractive", "--permutations", 2, "--out", tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_a_model_is_asked_in_both_ways_and_the_manifest_says_which_it_was(mcq, tmp_path, server):
    asked = ("--reader", "model", "--model", server.url, "--conditions", "full,partial,none", "--permutations", 2)
    mcq(*asked, "--gate", "self", "--revision", "r1", "--out", tmp_path / "run")
    rows = metrics(tmp_path / "run")["rows"]
    assert list(rows)[:4] == ["model:constrained", "model:logprob", "model:constrained+self", "model:logprob+self"]
    assert rows["model:constrained"] == rows["model:logprob"]  # the mock's letter is the same in both ways
    config = json.loads((tmp_path / "run" / "config.json").read_text(encoding="utf-8"))
    assert config["model"] == {
        "name": "good", "root": "/models/good", "revision": "r1", "server_version": "0.99.1", "context_tokens": 4096
    }  # fmt: skip
    assert config["client"]["concurrency"] == 16
    assert config["prompts"] == ["choose.en v1"]
    assert (config["permutations"], config["seed"], config["repeats"]) == (2, 0, 1)
    assert list(config["questions"]["files"]) == [str(QUESTIONS)]
    assert server.n_of_model == {"good": 6 * 3 * 2 * 2 + 6 * 3}


def test_prompts_that_begin_alike_are_sent_one_after_another(mcq, tmp_path, server):
    asked = ("--reader", "model", "--model", server.url, "--choice", "logprob", "--concurrency", 1)
    mcq(*asked, "--conditions", "full,partial", "--permutations", 2, "--out", tmp_path / "run")
    users = [body["messages"][1]["content"] for body in server.bodies]
    assert len(users) == 6 * 2 * 2
    first_articles = [user.split("</article>")[0] for user in users]
    changes = sum(one != other for one, other in pairwise(first_articles))
    assert changes == len(set(first_articles)) - 1


@pytest.mark.parametrize("cache", ["--cache", "--no-cache"])
def test_killed_and_resumed_equals_unbroken(mcq, tmp_path, server, cache):
    asked = ("--reader", "model", "--conditions", "full,partial", "--permutations", 3, "--retries", 0, cache)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    mcq(*asked, "--model", f"{server.url}#good", "--out", whole)
    n_asked = server.n_of_model["good"]

    shutil.copytree(whole, broken)
    for path in broken.iterdir():  # what a kill leaves: the config, some choices out of order, half a line
        if path.is_file() and path.name != "config.json":
            path.unlink()
    for system, n_done in (("constrained", 11), ("logprob", 5)):
        path = broken / "choices" / f"model_{system}.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(reversed(lines[:n_done])) + lines[n_done][:40])
    mcq(*asked, "--model", f"{server.url}#good", "--out", broken)
    assert contents(broken) == contents(whole)
    assert server.n_of_model["good"] == n_asked + (0 if cache == "--cache" else n_asked - 16)


def test_a_server_that_dies_ends_the_command_and_what_was_answered_is_there(mcq, tmp_path, server):
    asked = ("--reader", "model", "--model", f"{server.url}#dies-after-20", "--concurrency", 3, "--retries", 0)
    result = mcq(*asked, "--out", tmp_path / "run", exit_code=1)
    assert "does not answer" in result.stderr
    choices = (tmp_path / "run" / "choices").glob("*.jsonl")
    assert sum(len(path.read_bytes().splitlines()) for path in choices) == 20


def test_replies_that_cannot_be_read_are_counted_apart(mcq, tmp_path, server):
    asked = ("--reader", "model", "--model", f"{server.url}#chats", "--conditions", "full,partial")
    mcq(*asked, "--permutations", 1, "--out", tmp_path / "run")
    values = metrics(tmp_path / "run")["rows"]["model:constrained"]
    assert (values["unreadable"], values["full accuracy"], values["partial abstention"]) == (1, 0, 0)
    assert "the reply is not JSON" in (tmp_path / "run" / "report.md").read_text(encoding="utf-8")


def test_repeats_are_asked_anew_and_what_moves_is_counted(mcq, tmp_path, server):
    asked = ("--reader", "model", "--model", server.url, "--conditions", "full", "--choice", "logprob")
    mcq(*asked, "--permutations", 1, "--repeats", 3, "--out", tmp_path / "run")
    assert server.n_of_model == {"good": 6 * 3}
    assert metrics(tmp_path / "run")["rows"]["model:logprob"]["moved"] == 0


def test_another_run_in_the_folder_is_refused(mcq, tmp_path):
    mcq("--permutations", 1, "--out", tmp_path / "run")
    result = mcq("--permutations", 2, "--out", tmp_path / "run", exit_code=1)
    assert "holds a run with other permutations; name another folder" in result.stderr


def test_what_is_retrieved_is_a_condition_of_its_own(mcq, tmp_path):
    mcq("--conditions", "full,retrieved", "--out", tmp_path / "run")
    assert "retrieved accuracy" in metrics(tmp_path / "run")["rows"]["overlap"]


def test_questions_that_bring_their_articles_need_no_index(nonliquet, tmp_path):
    samples = [{**SAMPLE, "ファイル名": f"問題{n}"} for n in range(3)]
    (tmp_path / "selection.json").write_text(json.dumps({"samples": samples}), encoding="utf-8")
    asked = ("--questions", tmp_path / "selection.json", "--reader", "extractive", "--no-plots")
    result = nonliquet("evals", "mcq", *asked, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    rows = metrics(tmp_path / "run")["rows"]
    assert rows["extractive"]["full accuracy"] == 1
    assert "none accuracy" in rows["extractive"]
    assert "always-abstain" not in rows


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--conditions", "full,half"), "'half' is none of full"),
        (("--reader", "oracle"), "'oracle' is none of overlap"),
        (("--reader", "model"), "name it with --model"),
        (("--gate", "self"), "name one with --model"),
        (("--gate", "luck"), "gate 'luck' is none of none"),
        (("--gate-knowledge", "all"), "'all' is none of corpus"),
        (("--export", "csv", "folder"), "name the run's folder with --out, or an export"),
    ],
)
def test_wrong_usage_is_named(mcq, tmp_path, arguments, words):
    result = mcq(*arguments, "--out", tmp_path / "run", exit_code=2)
    assert words in " ".join(result.stderr.replace("│", " ").split())


def test_runs_are_compared_question_by_question_and_put_on_one_page(nonliquet, mcq, tmp_path):
    mcq("--out", tmp_path / "overlap")
    mcq("--reader", "extractive", "--out", tmp_path / "extractive")
    pair = (tmp_path / "overlap", tmp_path / "extractive", "--pair", "overlap,extractive")
    result = nonliquet("evals", "compare", *pair)
    assert result.exit_code == 0, result.output
    assert "| overlap/overlap → extractive/extractive | partial abstention |" in result.stdout
    assert "moved most in full accuracy" in result.stdout
    wrong = nonliquet("evals", "compare", *pair, "--measures", "R@10")
    assert wrong.exit_code == 2
    page = nonliquet("evals", "report", tmp_path / "overlap", tmp_path / "extractive").stdout
    assert "## Choices, in %" in page
    assert "| extractive | extractive |" in page


def test_a_note_says_in_what_two_runs_differ(nonliquet, mcq, tmp_path):
    mcq("--permutations", 1, "--out", tmp_path / "one")
    mcq("--permutations", 2, "--out", tmp_path / "two")
    result = nonliquet("evals", "compare", tmp_path / "one", tmp_path / "two", "--pair", "overlap,overlap")
    assert "The runs were made with other permutations: 1 and 2." in result.stderr


def test_plots_are_drawn_where_matplotlib_is(nonliquet, evals_index, tmp_path):
    pytest.importorskip("matplotlib")
    asked = ("--index", evals_index, "--questions", QUESTIONS, "--limit", 3, "--out", tmp_path / "run")
    assert nonliquet("evals", "mcq", *asked).exit_code == 0
    drawn = {"conditions.png", "risk_coverage.png", "letters.png"}
    assert drawn == {path.name for path in (tmp_path / "run").glob("*.png")}
    assert all(f"![{name}]" in (tmp_path / "run" / "report.md").read_text(encoding="utf-8") for name in drawn)


@pytest.mark.parametrize("name", ["selection.json", "selection_randomized.json"])
def test_lawqa_jp_runs_whole(nonliquet, shared_data, tmp_path, name):
    asked = ("--questions", shared_data / "lawqa-jp" / name, "--permutations", 0, "--no-plots")
    result = nonliquet("evals", "mcq", *asked, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.output
    rows = metrics(tmp_path / "run")["rows"]
    assert rows["always-3"]["full accuracy"] == pytest.approx(48 / 140 if name == "selection.json" else 0.25)

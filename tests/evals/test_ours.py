from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import command
from evals import ours
from graph.corpus import BUILTIN_LAW, read_corpus
from retrieval.index_build import build_index
from tests.conftest import ROOT

pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the built-in law without vectors, and ten of its questions beside it."""
    place = tmp_path_factory.mktemp("ours")
    build_index(read_corpus([BUILTIN_LAW]), place / "index")
    lines = (ROOT / "evals" / "builtin" / "questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (place / "questions.jsonl").write_text("".join(lines[:10]), encoding="utf-8")
    (place / "others.jsonl").write_text("".join(lines[10:20]), encoding="utf-8")
    return place


def printed(*arguments: str | Path) -> str:
    result = CliRunner().invoke(command([ours.register]), ["ours", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_table_sets_ours_beside_its_base_and_itself_without_the_graph(folder):
    asked = ("--index", folder / "index", "--questions", folder / "questions.jsonl", "--folds", "2")
    lines = printed(*asked).splitlines()
    assert lines[0] == "10 questions, 2 folds, mean of 3 seeds; in %"
    rows = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")]
    assert rows == [
        "method",
        "---",
        "base: bm25",
        "ours",
        "ours-no-graph",
        "difference",
        "---",
        "ours - base",
        "ours - ours-no-graph",
    ]
    assert printed(*asked).splitlines() == lines


def test_a_ranker_is_trained_on_other_questions_and_saved(folder, tmp_path):
    found = printed(
        *("--index", folder / "index", "--train", folder / "others.jsonl"),
        *("--train-out", tmp_path / "ranker.json", "--questions", folder / "questions.jsonl"),
    )
    assert found.startswith(f"{tmp_path / 'ranker.json'}: a ranker trained on 10 questions\n")
    assert "10 questions, trained on other questions; in %" in found
    assert (tmp_path / "ranker.json").stat().st_size > 0


def test_questions_to_measure_on_or_a_file_to_save_to_must_be_given(folder):
    result = CliRunner().invoke(command([ours.register]), ["ours", "--index", str(folder / "index")])
    assert result.exit_code == 2
    assert "give --questions FILE" in result.output

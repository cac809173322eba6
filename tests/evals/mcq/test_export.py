"""Exports hold the same trials as a run here; where the tools are installed, they load them."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
import yaml

QUESTIONS = Path(__file__).parents[3] / "evals" / "builtin" / "multihop_qa_mcq.jsonl"


@pytest.fixture
def export(nonliquet, evals_index, tmp_path):
    def run(form: str) -> Path:
        asked = ("--index", evals_index, "--questions", QUESTIONS, "--limit", 4, "--permutations", 2)
        result = nonliquet(
            "evals", "mcq", *asked, "--conditions", "full,partial,none", "--export", form, tmp_path / form
        )
        assert result.exit_code == 0, result.output
        return tmp_path / form

    return run


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def shown(record: dict, letter: str) -> str:
    """The words of an option as the prompt shows it."""
    return record["user"].split(f"\n{letter}. ")[1].split("\n")[0]


def test_what_is_right_is_the_gold_on_full_and_abstaining_elsewhere(export):
    golds = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()[:4]]
    gold_of = {str(row["question_id"]): row[f"option_{row['answer_full']}"] for row in golds}
    records = lines(export("inspect") / "trials.jsonl")
    assert len(records) == 4 * 3 * 2
    for record in records:
        right = shown(record, record["right"])
        if record["condition"] == "full":
            assert right == gold_of[record["question_id"]]
        else:
            assert right == "It cannot be answered from the information given."


def test_the_task_of_inspect_is_a_program_that_names_its_trials(export):
    task = (export("inspect") / "nonliquet_mcq.py").read_text(encoding="utf-8")
    functions = [node.name for node in ast.parse(task).body if isinstance(node, ast.FunctionDef)]
    assert functions == ["sample", "nonliquet_mcq"]
    assert 'parent / "trials.jsonl"' in task


def test_the_tasks_of_lm_eval_are_one_a_condition_in_a_group(export):
    folder = export("lm-eval")
    group = yaml.safe_load((folder / "nonliquet_mcq.yaml").read_text(encoding="utf-8"))
    assert group["task"] == ["nonliquet_mcq_full", "nonliquet_mcq_partial", "nonliquet_mcq_none"]
    for name in group["task"]:
        task = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
        records = lines(Path(task["dataset_kwargs"]["data_files"]["test"]))
        assert len(records) == 4 * 2
        assert {f"nonliquet_mcq_{record['condition']}" for record in records} == {name}
        assert all(record["letters"] == list("ABCDE") for record in records)


def test_inspect_loads_its_task(export, monkeypatch):
    pytest.importorskip("inspect_ai")
    from runpy import run_path

    task = run_path(str(export("inspect") / "nonliquet_mcq.py"))["nonliquet_mcq"](condition="partial")
    assert len(task.dataset) == 4 * 2
    assert all(sample.target in "ABCDE" for sample in task.dataset)


def test_lm_eval_loads_its_tasks(export):
    tasks = pytest.importorskip("lm_eval.tasks")
    manager = tasks.TaskManager(include_path=str(export("lm-eval")), include_defaults=False)
    assert "nonliquet_mcq" in manager.all_groups

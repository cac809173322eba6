"""From a run to thresholds: what counts as wrong, what is held out, and what the file says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from agent.calibration import Bound, Calibration, Task
from evals.calibrate import CalibrationCase, calibrated, held_out
from evals.calibration_cases import answers_cases, choices_cases
from evals.mcq.records import ChoiceQuestion, Condition
from evals.run_folder import RunFolder
from graph.errors import QuestionsError

QUESTION = ChoiceQuestion(
    question_id="q", text="?", options=("a", "b", "none of it"), gold_full=1, abstain=3, articles=("x_1", "x_2")
)


def simulated(n: int, rng: np.random.Generator) -> list[CalibrationCase]:
    """Questions put twice; an answer is wrong with probability 1 - confidence."""
    found = []
    for number in range(n):
        confidence = tuple(rng.random(2).tolist())
        found.append(CalibrationCase(number, confidence, tuple(bool(rng.random() > one) for one in confidence)))
    return found


def lines(records: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_what_a_threshold_does_by_hand():
    cases = [
        CalibrationCase("a", (0.9, 0.2), (False, True)),
        CalibrationCase("b", (0.6, 0.5), (True, False)),
    ]
    found = held_out(cases, 0.5, np.random.default_rng(0))
    assert found.coverage == 0.5
    assert found.marginal_risk == 0.25
    assert found.selective_risk == 0.5
    assert held_out(cases, 1.0, np.random.default_rng(0)).selective_risk is None


def test_over_many_questions_both_risks_are_held_on_the_half_that_did_not_help():
    rng = np.random.default_rng(5)
    found = [calibrated(simulated(400, rng), target=0.2, delta=0.1, seed=seed) for seed in range(60)]
    risks = [one.held_out[Bound.MARGINAL].marginal_risk for one in found]
    assert np.mean(risks) <= 0.2 + 3 * np.std(risks) / np.sqrt(len(risks))
    # The risk above λ is (1 - λ) / 2: it is within 0.2 from λ = 0.6 on.
    n_failed = sum(one.thresholds[Bound.SELECTIVE] < 0.6 for one in found)
    assert n_failed <= 0.1 * 60 + 3 * np.sqrt(60 * 0.1 * 0.9)
    assert sum(one.thresholds[Bound.SELECTIVE] < 1 for one in found) > 20


def test_a_group_is_never_on_both_sides_and_the_seed_decides():
    rng = np.random.default_rng(0)
    cases = [CalibrationCase(n // 2, one.confidence, one.wrong) for n, one in enumerate(simulated(40, rng))]
    found = calibrated(cases, target=0.2, delta=0.1, seed=1)
    assert (found.n, found.n_held_out) == (20, 20)
    assert calibrated(cases, target=0.2, delta=0.1, seed=1) == found
    with pytest.raises(ValueError, match="cannot be divided"):
        calibrated([CalibrationCase("same", (0.5,), (False,))] * 4, target=0.2, delta=0.1, seed=0)
    with pytest.raises(ValueError, match="equally often"):
        calibrated([*cases, CalibrationCase("x", (0.5,), (False,))], target=0.2, delta=0.1, seed=0)


def choices(folder: Path, chosen: dict[str, int | None], sufficiency: float) -> RunFolder:
    """A run of one question: condition -> what was chosen with confidence 0.8."""
    run = RunFolder(folder)
    (folder / "choices").mkdir(parents=True)
    (folder / "gates").mkdir()
    records = [
        {
            "question_id": "q", "condition": condition, "permutation": 0, "repeat": 0, "order": [1, 2, 3],
            "context": ["x_1"], "chosen": one, "answer": one, "confidence": 0.8, "unreadable": "",
        }
        for condition, one in chosen.items()
    ]  # fmt: skip
    (folder / "choices" / "r.jsonl").write_text(lines(records))
    judged = [{"question_id": "q", "condition": one, "sufficiency": sufficiency} for one in chosen]
    (folder / "gates" / "g.jsonl").write_text(lines(judged))
    (folder / "config.json").write_text(json.dumps({"methods": ["r", "r+g"], "gate": {"threshold": 0.5}}))
    return run


@pytest.mark.parametrize(
    ("chosen", "wrong"),
    [
        ({"full": 1, "partial": 3}, (False, False)),
        ({"full": 2, "partial": 1}, (True, True)),  # even the gold letter is a guess where its article is missing
        ({"full": 3, "partial": None}, (False, False)),  # silence is no error, wherever it is
    ],
)
def test_a_choice_is_wrong_where_another_letter_is_right(
    tmp_path: Path, chosen: dict[str, int | None], wrong: tuple[bool, bool]
):
    run = choices(tmp_path / "run", chosen, 0.75)
    (case,) = choices_cases(run, "r", [QUESTION], (Condition.FULL, Condition.PARTIAL))
    assert case.wrong == wrong
    assert case.group == "x_1"
    assert case.confidence == tuple(0.8 if one in (1, 2) else 0.0 for one in chosen.values())


def test_behind_a_gate_the_confidence_is_multiplied_and_a_poor_context_is_silence(tmp_path: Path):
    asked = {"full": 1, "partial": 2}
    conditions = (Condition.FULL, Condition.PARTIAL)
    (case,) = choices_cases(choices(tmp_path / "a", asked, 0.75), "r+g", [QUESTION], conditions)
    assert case.confidence == pytest.approx((0.6, 0.6), abs=1e-12)
    (case,) = choices_cases(choices(tmp_path / "b", asked, 0.25), "r+g", [QUESTION], conditions)
    assert case == CalibrationCase("x_1", (0.0, 0.0), (False, False))


def test_a_run_without_that_system_or_those_conditions_is_told(tmp_path: Path):
    run = choices(tmp_path / "run", {"full": 1}, 0.75)
    for system, words in (("s", "no choices of s"), ("r+h", "no gate h"), ("r", "full, partial")):
        with pytest.raises(QuestionsError, match=words):
            choices_cases(run, system, [QUESTION], (Condition.FULL, Condition.PARTIAL))


def replies(folder: Path, records: Sequence[dict[str, Any]], **config: Any) -> RunFolder:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"context": "retrieved", "settings": {}, **config}))
    (folder / "replies.jsonl").write_text(lines(records))
    return RunFolder(folder)


class _Halving:
    """A gate that finds half of what it is asked, and keeps what that was."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def sufficiency(self, question: str, context: Sequence[str], options: Sequence[str] = ()) -> float:
        self.asked.append(list(context))
        return 0.5


def test_an_answer_is_wrong_if_it_cites_no_gold_or_should_not_be_there(tmp_path: Path):
    trace = [
        {"step": "pack", "articles": {"a_1": "whole"}},
        {"step": "pack", "articles": {"a_1": "whole", "a_2": "in part"}},
        {"step": "sufficiency"},
        {"step": "pack", "articles": {"a_1": "in part"}},
    ]
    reply = {"abstained": False, "confidence": 0.5, "question": "?", "trace": trace}
    silent = {"abstained": True, "confidence": 0.9, "question": "?", "trace": []}
    records = [
        {"question_id": "1", "values": {"answered": 1.0, "cites gold": 1.0}, "reply": reply},
        {"question_id": "2", "values": {"answered": 1.0, "cites gold": 0.0}, "reply": reply},
        {"question_id": "3", "values": {"answered": 1.0}, "reply": reply},
        {"question_id": "4", "values": {"answered": 0.0}, "reply": silent},
    ]
    run, gate = replies(tmp_path / "run", records), _Halving()
    assert [case.wrong for case in answers_cases(run, None)] == [(False,), (True,), (True,), (False,)]
    assert [case.confidence for case in answers_cases(run, None)] == [(0.5,), (0.5,), (0.5,), (0.0,)]
    assert [case.confidence for case in answers_cases(run, gate)] == [(0.25,), (0.25,), (0.25,), (0.0,)]
    assert gate.asked == [["a_1", "a_2"]] * 3  # what was read when the evidence was judged


def test_runs_that_say_nothing_of_the_agent_as_it_is_asked_are_refused(tmp_path: Path):
    with pytest.raises(QuestionsError, match="--context retrieved"):
        answers_cases(replies(tmp_path / "a", [], context="gold"), None)
    with pytest.raises(QuestionsError, match="without --calibration"):
        answers_cases(replies(tmp_path / "b", [], settings={"calibration": "c.json"}), None)


def test_the_command_calibrates_a_run_of_choices_and_saves_its_gate(
    nonliquet: Callable[..., Result], evals_index: Path, tmp_path: Path
):
    pytest.importorskip("lightgbm")
    from evals.commands.mcq import BUILTIN_CHOICES

    copy = tmp_path / "mcq.jsonl"
    copy.write_bytes(BUILTIN_CHOICES.read_bytes())
    asked = ("--index", evals_index, "--questions", copy, "--conditions", "full,partial", "--reader", "overlap")
    run, out = tmp_path / "run", tmp_path / "calibration.json"
    made = nonliquet("evals", "mcq", *asked, "--gate", "learned", "--permutations", 2, "--no-plots", "--out", run)
    assert made.exit_code == 0, made.output
    done = nonliquet("evals", "calibrate", run, "--target-risk", 0.2, "--out", out)
    assert done.exit_code == 0, done.output
    calibration = Calibration.load(out)
    assert calibration.task is Task.CHOICES
    assert calibration.subject.reader == "overlap+learned"
    assert calibration.gate is not None
    assert calibration.gate.reads_options
    assert calibration.n + calibration.n_held_out == len(copy.read_text().splitlines())
    assert calibration.describe() in done.output
    copy.write_text(copy.read_text() + "\n")
    again = nonliquet("evals", "calibrate", run, "--target-risk", 0.2, "--out", out)
    assert again.exit_code == 1
    assert "were changed since" in again.output

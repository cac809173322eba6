"""I/O: the questions of a run, `evals mcq` or `evals answers`, as cases to calibrate on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent.gate.learned_gate import LearnedGate
from evals.answers import REPLIES
from evals.calibrate import CalibrationCase
from evals.mcq.gates import GateCase
from evals.mcq.measures import Outcome
from evals.mcq.records import ChoiceQuestion, Condition
from evals.mcq.run import gated
from evals.mcq.trials import Trial, choice_from
from evals.run_folder import RunFolder, file_name
from graph.errors import QuestionsError

__all__ = ["answers_cases", "choices_cases"]


def choices_cases(
    run: RunFolder, system: str, questions: Sequence[ChoiceQuestion], conditions: Sequence[Condition]
) -> list[CalibrationCase]:
    """Return the questions that were asked under all of these conditions, as a system of an `evals mcq` run chose.

    Right is the gold letter where the context can be enough (full, retrieved), and abstaining under the others.
    Raises QuestionsError if the run has no such system, or it was asked no question under all of them.
    """
    by_id = {question.question_id: question for question in questions}
    outcomes: dict[str, list[Outcome]] = defaultdict(list)
    for trial, choice in _outcomes(run, system, by_id):
        if trial.condition in conditions:
            outcomes[trial.question.question_id].append((trial, choice))
    found = []
    for question_id, of_question in outcomes.items():
        if {trial.condition for trial, _ in of_question} == set(conditions):
            question = by_id[question_id]
            answered = [choice.chosen not in (None, question.abstain) for _, choice in of_question]
            right = [choice.chosen == _right(trial) for trial, choice in of_question]
            found.append(
                CalibrationCase(
                    group=question.group,
                    confidence=tuple(
                        choice.confidence if is_answer else 0.0
                        for (_, choice), is_answer in zip(of_question, answered, strict=True)
                    ),
                    wrong=tuple(a and not r for a, r in zip(answered, right, strict=True)),
                )
            )
    if not found:
        raise QuestionsError(f"{run.path}: {system} was asked no question under all of: {', '.join(conditions)}")
    return found


def answers_cases(run: RunFolder, gate: LearnedGate | None) -> list[CalibrationCase]:
    """Return the questions of an `evals answers` run; wrong is an answer that cites no gold, or should not be there.

    gate: its probability for the articles that were read is a factor of the confidence, as in the agent.
    Raises QuestionsError if the agent was given the articles, or was calibrated already.
    """
    config = run.config
    if config["context"] != "retrieved":
        raise QuestionsError(f"{run.path}: was given its articles; calibrate on a run with --context retrieved")
    if config["settings"].get("calibration"):
        raise QuestionsError(f"{run.path}: its agent was calibrated already; run it without --calibration")
    found = []
    for record in run.records(REPLIES):
        reply, values = record["reply"], record["values"]
        confidence = 0.0 if reply["abstained"] else float(reply["confidence"])
        if gate is not None and confidence > 0:
            confidence *= gate.sufficiency(reply["question"], _read_articles(reply, run.path))
        wrong = not reply["abstained"] and not values.get("cites gold", 0.0)
        found.append(CalibrationCase(record["question_id"], (confidence,), (wrong,)))
    return found


def _right(trial: Trial) -> int | None:
    return trial.question.abstain if trial.condition.is_incomplete else trial.question.gold_full


def _outcomes(run: RunFolder, system: str, by_id: dict[str, ChoiceQuestion]) -> list[Outcome]:
    reader, _, gate = system.partition("+")
    records = run.records(f"choices/{file_name(reader)}.jsonl")
    outcomes: list[Outcome] = []
    for record in records:
        condition, context, order = Condition(record["condition"]), tuple(record["context"]), tuple(record["order"])
        if record["question_id"] not in by_id:
            raise QuestionsError(f"{run.path}: question {record['question_id']} is not in its file of questions")
        question = by_id[record["question_id"]]
        trial = Trial(question, condition, context, record["permutation"], order, record["repeat"])
        outcomes.append((trial, choice_from(record)))
    if not outcomes:
        raise QuestionsError(f"{run.path}: holds no choices of {reader}; its systems: {', '.join(run.methods)}")
    if not gate:
        return outcomes
    judged = run.records(f"gates/{file_name(gate)}.jsonl")
    if not judged:
        raise QuestionsError(f"{run.path}: holds no gate {gate}; its systems: {', '.join(run.methods)}")
    cases = [GateCase(by_id[one["question_id"]], Condition(one["condition"]), ()) for one in judged]
    values = [float("nan") if one["sufficiency"] is None else one["sufficiency"] for one in judged]
    return gated(outcomes, cases, values, run.config["gate"]["threshold"])


def _read_articles(reply: dict[str, Any], place: Path) -> list[str]:
    """Return the articles that were in the context when the evidence was judged, by the trace; each part's in turn."""
    packed: list[str] = []
    found: list[str] = []
    for step in reply["trace"]:
        if step["step"] == "pack":
            packed = list(step["articles"])
        elif step["step"] == "sufficiency":
            found += packed
            packed = []
    if not found:
        raise QuestionsError(f"{place}: the trace of a reply does not tell what was read; run it anew")
    return list(dict.fromkeys(found))

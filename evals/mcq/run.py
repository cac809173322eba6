"""I/O: choice questions asked under conditions, into a run folder that a kill leaves fit to be gone on with.

choices/SYSTEM.jsonl    a trial a line, written as it is answered, in the trials' order once all are: what was chosen
gates/GATE.jsonl        question, condition, sufficiency
questions/SYSTEM.jsonl  the measures question by question, for comparisons
metrics.json            {"rows": {system: {measure: value}}, "gate": {…}}; intervals.json the same with [low, high]
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from agent.aside import write_aside
from evals.intervals import Interval
from evals.mcq.contexts import contexts
from evals.mcq.controls import controls
from evals.mcq.gate_measures import gate_intervals
from evals.mcq.gates import Gate, GateCase
from evals.mcq.manifest import Plan, config_of
from evals.mcq.measures import Outcome, intervals, question_values
from evals.mcq.open_gates import ALL, combined
from evals.mcq.readers import Reader
from evals.mcq.records import Condition
from evals.mcq.selective_measures import selective_measures
from evals.mcq.sources import Sources
from evals.mcq.trials import Choice, Trial, choice_from
from evals.realworld import Progress
from evals.realworld_report import rng
from evals.run_folder import QuestionResult, RunFolder, file_name
from graph.errors import QuestionsError

__all__ = ["ChoiceRun", "contexts_of", "gated", "outcomes_of", "run_choices"]


class ChoiceRun(NamedTuple):
    """A run that is done, but for its report."""

    folder: RunFolder
    outcomes: dict[str, list[Outcome]]  # by system


def contexts_of(
    sources: Sources,
    conditions: Sequence[Condition],
    retrieve: Callable[[str], Sequence[str]] | None,
    progress: Progress = lambda step, done, total: None,
) -> dict[tuple[str, Condition], tuple[str, ...]]:
    """Return (question id, condition) → context, for every context that there is.

    retrieve: from a question to the articles that the agent fetches; needed for that condition. Raises QuestionsError
    if a condition has no context for any question.
    """
    found: dict[tuple[str, Condition], tuple[str, ...]] = {}
    for condition in conditions:
        n_before = len(found)
        for n_done, question in enumerate(sources.questions):
            fetched = None
            if retrieve and condition is Condition.RETRIEVED:
                progress("retrieving", n_done, len(sources.questions))
                fetched = retrieve(question.text)
            context = contexts(question, condition, sources.graph, retrieved=fetched)
            if context is not None:
                found[question.question_id, condition] = context
        if len(found) == n_before:
            raise QuestionsError(f"condition {condition}: there is no such context for these questions; leave it out")
    return found


def run_choices(
    sources: Sources,
    reader: Reader,
    gates: Sequence[Gate],
    plan: Plan,
    trials: Sequence[Trial],
    out: Path,
    *,
    source: Path,
    training: Path | None = None,
    reader_config: Mapping[str, Any],
    progress: Progress = lambda step, done, total: None,
) -> ChoiceRun:
    """Ask the reader, the controls and the gates, and write the run but for its report.

    source: the file of the questions; training: that of the ones a gate learns from. reader_config: what config.json
    says of the reader.
    Raises QuestionsError if `out` holds another run or is being written, and what the reader raises; then the same call
    goes on.
    """
    blind = controls(sources, seed=plan.seed, n_permutations=plan.n_permutations)
    gate_names = [gate.name for gate in gates] + ([ALL] if len(gates) > 1 else [])
    systems = list(reader.systems)
    gated_names = {f"{system}+{gate}": (system, gate) for system in systems for gate in gate_names}
    methods = [*systems, *gated_names, *(name for name in blind if name not in systems)]
    config = config_of(sources, plan, trials, source=source, training=training)
    with RunFolder.writing(out, {**config, **reader_config, "methods": methods}) as run:
        outcomes = _asked(run, reader, trials, progress)
        outcomes |= {name: [(t, choose(t)) for t in trials] for name, choose in blind.items() if name not in outcomes}
        cases, judged = _judged(run, gates, trials, progress)
        for name, (system, gate) in gated_names.items():
            outcomes[name] = gated(outcomes[system], cases, judged[gate], plan.gate_threshold)
        in_order = {name: outcomes[name] for name in methods}
        _write_measures(run, in_order, cases, judged)
    return ChoiceRun(run, in_order)


def gated(
    outcomes: Sequence[Outcome], cases: Sequence[GateCase], sufficiencies: Sequence[float], threshold: float
) -> list[Outcome]:
    """Return what a system does behind a gate: it abstains where the context's sufficiency is below the threshold.

    Its confidence is multiplied by the sufficiency. Without a judgement the trial is unreadable; without an abstain
    option the gate changes the confidence alone.
    """
    judged = {
        (case.question.question_id, case.condition): value for case, value in zip(cases, sufficiencies, strict=True)
    }
    found = []
    for trial, choice in outcomes:
        value = judged[trial.question.question_id, trial.condition]
        if math.isnan(value):
            found.append((trial, Choice(None, None, 0.0, "the gate's judgement cannot be read")))
            continue
        chosen = trial.question.abstain if value < threshold and trial.question.abstain is not None else choice.chosen
        found.append((trial, Choice(chosen, choice.answer, choice.confidence * value, choice.unreadable)))
    return found


def outcomes_of(run: RunFolder, trials: Mapping[str, Trial], system: str) -> list[Outcome]:
    """Return what a system has chosen so far in a run. trials: by key. Raises QuestionsError at a line of another."""
    found = []
    for line_no, record in enumerate(run.records(_choices_file(system)), start=1):
        try:
            found.append((trials[record["key"]], choice_from(record)))
        except KeyError as error:
            place = f"{run.path / _choices_file(system)}:{line_no}"
            raise QuestionsError(f"{place}: no trial of this run: {error}; name another folder") from error
    return found


def _asked(run: RunFolder, reader: Reader, trials: Sequence[Trial], progress: Progress) -> dict[str, list[Outcome]]:
    by_key = {trial.key: trial for trial in trials}
    (run.path / "choices").mkdir(exist_ok=True)
    made: dict[str, dict[str, Outcome]] = {}
    for system in reader.systems:
        run.drop_unfinished_line(_choices_file(system))
        made[system] = {trial.key: (trial, choice) for trial, choice in outcomes_of(run, by_key, system)}
    run.drop_unfinished_line("latency.jsonl")
    total = len(trials) * len(made)
    step = ", ".join(reader.systems)

    def done(system: str, trial: Trial, choice: Choice, ms: float | None) -> None:
        made[system][trial.key] = (trial, choice)
        run.append_record(_choices_file(system), _record(trial, choice))
        if ms is not None:
            run.add_latency(system, trial.key, ms)
        progress(step, sum(map(len, made.values())), total)

    reader.choose(trials, {system: set(of_system) for system, of_system in made.items()}, done)
    progress(step, total, total)
    ordered = {system: [of_system[trial.key] for trial in trials] for system, of_system in made.items()}
    for system, outcomes in ordered.items():
        _write_lines(run, _choices_file(system), [_record(trial, choice) for trial, choice in outcomes])
    return ordered


def _judged(
    run: RunFolder,
    gates: Sequence[Gate],
    trials: Sequence[Trial],
    progress: Progress,
) -> tuple[list[GateCase], dict[str, list[float]]]:
    cases = list(dict.fromkeys(GateCase(trial.question, trial.condition, trial.context) for trial in trials))
    judged = {}
    for n_done, gate in enumerate(gates):
        progress(f"gate {gate.name}", n_done, len(gates))
        judged[gate.name] = gate.sufficiencies(cases)
    if len(gates) > 1:
        judged[ALL] = combined(list(judged.values()))
    if judged:
        (run.path / "gates").mkdir(exist_ok=True)
    for name, values in judged.items():
        records = [
            {
                "question_id": case.question.question_id,
                "condition": case.condition,
                "sufficiency": None if math.isnan(value) else value,
            }
            for case, value in zip(cases, values, strict=True)
        ]
        _write_lines(run, f"gates/{file_name(name)}.jsonl", records)
    return cases, judged


def _write_measures(
    run: RunFolder,
    outcomes: Mapping[str, Sequence[Outcome]],
    cases: Sequence[GateCase],
    judged: Mapping[str, Sequence[float]],
) -> None:
    rows: dict[str, dict[str, float]] = {}
    bounds: dict[str, dict[str, Any]] = {}
    for name, of_system in outcomes.items():
        measured = intervals(of_system, rng())
        rows[name] = {**{measure: one.mean for measure, one in measured.items()}, **selective_measures(of_system)}
        bounds[name] = _bounds(measured)
        results = [
            asdict(QuestionResult(question_id=question_id, ranks={}, values=values, doc_ids=()))
            for question_id, values in question_values(of_system).items()
        ]
        _write_lines(run, f"questions/{file_name(name)}.jsonl", results)
    gates = {name: gate_intervals(cases, values, rng()) for name, values in judged.items()}
    values = {name: {measure: one.mean for measure, one in of_gate.items()} for name, of_gate in gates.items()}
    chosen = list(values)[-1] if values else None  # the only one, or all together
    run.write_json("metrics.json", {"rows": rows, "gate": values[chosen] if chosen else {}, "gates": values})
    run.write_json(
        "intervals.json", {"rows": bounds, "gates": {name: _bounds(of_gate) for name, of_gate in gates.items()}}
    )


def _bounds(measured: Mapping[str, Interval]) -> dict[str, list[float]]:
    return {measure: [one.low, one.high] for measure, one in measured.items()}


def _record(trial: Trial, choice: Choice) -> dict[str, Any]:
    return {
        "key": trial.key,
        "question_id": trial.question.question_id,
        "condition": trial.condition,
        "permutation": trial.permutation,
        "repeat": trial.repeat,
        "order": trial.order,
        "context": trial.context,
        **asdict(choice),
    }


def _write_lines(run: RunFolder, name: str, records: Sequence[Mapping[str, Any]]) -> None:
    write_aside(run.path / name, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


def _choices_file(system: str) -> str:
    return f"choices/{file_name(system)}.jsonl"

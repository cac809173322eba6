"""I/O: a run folder -> a calibration: its cases, its index, the gate fitted anew to be saved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.calibration import Bound, Calibration, Subject, Task
from agent.gate.features import Knowledge
from agent.gate.learned_gate import LearnedGate
from agent.gate.model import GateModel
from evals.calibrate import CalibrationCase, calibrated
from evals.calibration_cases import answers_cases, choices_cases
from evals.mcq.choice_files import read_choice_questions
from evals.mcq.learned_gate import ChoiceFeatures, fitted_on
from evals.mcq.manifest import KIND
from evals.mcq.records import Condition
from evals.run_folder import RunFolder, sha256_of
from graph.errors import QuestionsError
from retrieval.retriever import Retriever

__all__ = ["Wanted", "calibration_of"]

_LEARNED = "+learned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be guaranteed, and from what."""

    target: float
    delta: float = 0.1
    bound: Bound = Bound.MARGINAL
    seed: int = 0
    system: str | None = None  # of an mcq run; None: the first behind a gate, else the first
    conditions: tuple[Condition, ...] = (Condition.FULL, Condition.PARTIAL)  # of an mcq run
    gate_questions: Path | None = None  # of an answers run: what its gate is fitted on
    gate_knowledge: Knowledge = Knowledge.CORPUS

    def __post_init__(self) -> None:
        if not (0 < self.target < 1 and 0 < self.delta < 1):
            raise ValueError(f"target risk and delta lie in (0, 1), not at {self.target} and {self.delta}")


def calibration_of(run: RunFolder, wanted: Wanted) -> Calibration:
    """Calibrate a run of `evals mcq` or `evals answers`.

    Raises QuestionsError if it is another run, is too small, or its index or questions have changed since.
    """
    config = run.config
    if config.get("kind") not in (KIND, "answers"):
        raise QuestionsError(f"{run.path}: a run of {config.get('kind')}; calibrate one of mcq or answers")
    data = {Path(name).name: sha256 for name, sha256 in config["questions"]["files"].items()}
    if config["kind"] == KIND:
        task, reader, cases, gate = _of_choices(run, config, wanted)
        settings: dict[str, Any] = {}
    else:
        task, reader = Task.QUESTIONS, config["reader"]
        cases, gate = _of_answers(run, config, wanted)
        settings = {name: value for name, value in config["settings"].items() if name != "calibration"}
    try:
        found = calibrated(cases, target=wanted.target, delta=wanted.delta, seed=wanted.seed)
    except ValueError as error:
        raise QuestionsError(f"{run.path}: {error}") from error
    return Calibration(
        task=task,
        bound=wanted.bound,
        target=wanted.target,
        delta=wanted.delta,
        thresholds=found.thresholds,
        n=found.n,
        n_held_out=found.n_held_out,
        held_out=found.held_out,
        seed=wanted.seed,
        data=data,
        subject=Subject(index=config["index"]["sha256"] or "", reader=reader, settings=settings),
        gate=gate,
    )


def _of_answers(
    run: RunFolder, config: dict[str, Any], wanted: Wanted
) -> tuple[list[CalibrationCase], GateModel | None]:
    if wanted.gate_questions is None:
        return answers_cases(run, None), None
    with _index_of(run, config) as retriever:
        questions = read_choice_questions(wanted.gate_questions, retriever.index.graph)
        features = ChoiceFeatures(retriever, wanted.gate_knowledge, with_options=False)
        model = fitted_on(features, questions, seed=wanted.seed)
        return answers_cases(run, LearnedGate(retriever, model)), model


def _of_choices(
    run: RunFolder, config: dict[str, Any], wanted: Wanted
) -> tuple[Task, str, list[CalibrationCase], GateModel | None]:
    system = wanted.system or next((one for one in run.methods if "+" in one), run.methods[0])
    source = _unchanged(run, config["questions"]["files"])
    if config["index"]["sha256"] is None:
        questions = read_choice_questions(source, None)
        return Task.CHOICES, system, choices_cases(run, system, questions, wanted.conditions), None
    with _index_of(run, config) as retriever:
        graph = retriever.index.graph
        questions = read_choice_questions(source, graph)
        cases = choices_cases(run, system, questions, wanted.conditions)
        if not system.endswith(_LEARNED):
            return Task.CHOICES, system, cases, None
        if config["training"]:
            questions = read_choice_questions(_unchanged(run, config["training"]), graph)
        features = ChoiceFeatures(retriever, Knowledge(config["gate"]["knowledge"]))
        return Task.CHOICES, system, cases, fitted_on(features, questions, seed=config["seed"])


def _index_of(run: RunFolder, config: dict[str, Any]) -> Retriever:
    retriever = Retriever.open(Path(config["index"]["folder"]))
    if retriever.index.manifest.content_hash != config["index"]["sha256"]:
        retriever.index.close()
        raise QuestionsError(f"{run.path}: its index {config['index']['folder']} was made anew since; run it again")
    return retriever


def _unchanged(run: RunFolder, files: dict[str, str]) -> Path:
    """Return the one file of questions. Raises QuestionsError if it is not what it was."""
    ((name, sha256),) = files.items()
    path = Path(name)
    if not path.is_file() or sha256_of(path) != sha256:
        raise QuestionsError(f"{run.path}: its questions {path} are not there, or were changed since; run it again")
    return path

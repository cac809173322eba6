"""Gates by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.mcq.asking import Asking
from evals.mcq.choice_files import read_choice_questions
from evals.mcq.gates import Gate, Knowledge
from evals.mcq.learned_gate import ChoiceFeatures, LearnedChoiceGate
from evals.mcq.self_gate import SelfGate
from evals.mcq.sources import Sources
from evals.mcq.structural_gate import StructuralGate
from evals.realworld import Progress

__all__ = ["ALL", "GATES", "NONE", "GateInputs", "combined", "open_gates"]

NONE, ALL = "none", "all"


@dataclass(frozen=True, slots=True)
class GateInputs:
    """What gates are made from."""

    sources: Sources
    knowledge: Knowledge
    training: Path | None = None  # questions of the learned gate; None: the questions asked, in folds by first article
    asking: Asking | None = None  # the model of the gate `self`
    progress: Progress = lambda step, done, total: None
    seed: int = 0  # of the learned gate's folds and trees


def _structural(inputs: GateInputs) -> Gate:
    return StructuralGate(inputs.sources, inputs.knowledge)


def _learned(inputs: GateInputs) -> Gate | None:
    retriever = inputs.sources.retriever
    if retriever is None:
        return None
    training = read_choice_questions(inputs.training, retriever.index.graph) if inputs.training else None
    features = ChoiceFeatures(retriever, inputs.knowledge)
    return LearnedChoiceGate(features, inputs.sources.questions, training=training, seed=inputs.seed)


def _self(inputs: GateInputs) -> Gate | None:
    return SelfGate(inputs.asking, inputs.progress) if inputs.asking else None


_OPENERS: dict[str, Callable[[GateInputs], Gate | None]] = {
    "structural": _structural,
    "learned": _learned,
    "self": _self,
}
"""Name → what makes the gate; None where the inputs lack what it needs."""

GATES = (NONE, *_OPENERS, ALL)


def open_gates(name: str, inputs: GateInputs) -> list[Gate]:
    """Return the gates of a name: none; one; or for `all` every one that the inputs suffice for.

    Raises ValueError if there is no such gate, or it lacks what it needs.
    """
    if name == NONE:
        return []
    if name != ALL and name not in _OPENERS:
        raise ValueError(f"gate {name!r} is none of {', '.join(GATES)}")
    opened = [_OPENERS[one](inputs) for one in (_OPENERS if name == ALL else (name,))]
    gates = [gate for gate in opened if gate is not None]
    if not gates:
        needed = "an index; name one with --index" if name == "learned" else "a language model; name one with --model"
        raise ValueError(f"gate {name!r} asks {needed}")
    return gates


def combined(sufficiencies: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of several gates' sufficiencies, a case; NaN where one of them is."""
    return [sum(of_case) / len(of_case) for of_case in zip(*sufficiencies, strict=True)]

"""The sufficiency step before the reader: is this context enough for this question?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.gate.features import Knowledge
from evals.mcq.records import ChoiceQuestion, Condition

__all__ = ["Gate", "GateCase", "Knowledge"]


@dataclass(frozen=True, slots=True)
class GateCase:
    """A question with a context."""

    question: ChoiceQuestion
    condition: Condition  # for folds and for the labels of training alone: a gate that judges by it cheats
    context: tuple[str, ...]  # semantic ids


class Gate(Protocol):
    """What judges contexts."""

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    def sufficiencies(self, cases: Sequence[GateCase]) -> list[float]:
        """Return, a case, the probability that its context is enough, in [0, 1]; NaN where that cannot be told."""
        ...

"""The sufficiency step before the reader: is this context enough for this question?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from evals.mcq.records import ChoiceQuestion, Condition

__all__ = ["Gate", "GateCase", "Knowledge"]


class Knowledge(StrEnum):
    """What a gate may look at besides the question."""

    CORPUS = "corpus"  # the whole index: it sees how well an absent neighbour would fit
    CONTEXT = "context"  # the context, and the names of what it cites: as where the missing provision is not indexed


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

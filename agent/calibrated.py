"""A calibration at work: the learned gate before writing, and the threshold on the confidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Self

from agent.calibration import Calibration, Subject
from agent.case import Case
from agent.gate.learned_gate import LearnedGate
from agent.reply import Step
from agent.settings import AgentSettings
from retrieval.retriever import Retriever

__all__ = ["Calibrated"]


class Calibrated:
    """Decides which answers of one agent are sure enough."""

    def __init__(self, calibration: Calibration, gate: LearnedGate | None) -> None:
        self.calibration = calibration
        self._gate = gate

    @classmethod
    def open(cls, retriever: Retriever, *, reader: str, settings: AgentSettings) -> Self | None:
        """Open the calibration that the settings name; None if they name none.

        Raises SettingsError if the file is none, or guarantees nothing for this index, reader and settings.
        """
        if settings.calibration is None:
            return None
        place = Path(settings.calibration)
        calibration = Calibration.load(place)
        calibration.check(Subject.of(retriever, reader, settings), place)
        return cls(calibration, LearnedGate(retriever, calibration.gate) if calibration.gate else None)

    def weigh(self, case: Case) -> bool:
        """Multiply the case's relevance by the gate's probability, if there is a gate, and note it.

        Returns whether an answer can still be sure enough: none is surer than its evidence is relevant.
        """
        if self._gate is not None:
            context = [one.article.semantic_id for one in case.evidence]
            probability = self._gate.sufficiency(case.alone, context)
            knowledge = self.calibration.gate.knowledge if self.calibration.gate else None
            case.trace.append(
                Step("sufficiency", {"by": "learned", "knowledge": knowledge, "probability": round(probability, 4)})
            )
            case.verdict = replace(case.verdict, relevance=case.verdict.relevance * probability)
        return self.answers(case, case.verdict.relevance)

    def answers(self, case: Case, confidence: float) -> bool:
        """Return whether an answer of this confidence is given, and note it if it is not."""
        if self.calibration.answers(confidence):
            return True
        below = {"confidence": round(confidence, 4), "not above": round(self.calibration.threshold, 4)}
        case.trace.append(Step("calibration", below))
        return False

"""I/O: a calibration: above which confidence an answer is given, what that guarantees, and for what it was made.

One JSON file, written by `nonliquet evals calibrate`. Its guarantee is for questions like those it was made from, asked
of the same index, by the same reader, under the same settings; for others there is none, so they are refused.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from agent.gate.model import GateModel
from agent.settings import AgentSettings
from graph.errors import SettingsError
from retrieval.retriever import Retriever
from retrieval.settings import settings_from

__all__ = ["Bound", "Calibration", "HeldOut", "Subject", "Task"]

FORMAT_VERSION = 1
_REMEDY = "make one with: nonliquet evals calibrate"


class Bound(StrEnum):
    """Which risk is held down."""

    MARGINAL = "marginal"  # E[1[answered and wrong]] <= target: conformal risk control
    SELECTIVE = "selective"  # P(wrong | answered) <= target with probability >= 1 - delta: Learn then Test


class Task(StrEnum):
    """What is asked."""

    QUESTIONS = "questions"  # wrong: no gold article is cited, or abstaining was right
    CHOICES = "choices"  # wrong: another letter than the right one


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What was calibrated."""

    index: str  # hash of its content
    reader: str
    settings: dict[str, Any]  # of the agent; empty for choices

    @classmethod
    def of(cls, retriever: Retriever, reader: str, settings: AgentSettings) -> Subject:
        """Describe an agent by plain values, but for the calibration that it is given."""
        values = {**asdict(settings), "retrieval": retriever.settings.to_json()}
        del values["calibration"]
        plain: dict[str, Any] = json.loads(json.dumps(values))
        return cls(index=retriever.index.manifest.content_hash, reader=reader, settings=plain)

    def differences(self, other: Subject) -> list[str]:
        """Return in words what is different."""
        found = [] if self.index == other.index else ["another index"]
        if self.reader != other.reader:
            found.append(f"reader {self.reader}, not {other.reader}")
        names = sorted({*self.settings, *other.settings})
        missing = object()
        changed = [n for n in names if self.settings.get(n, missing) != other.settings.get(n, missing)]
        return [*found, *(f"another setting {name}" for name in changed)]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """What a threshold did on questions that did not help to choose it; shares in [0, 1], with 95 % intervals."""

    coverage: float  # answered
    coverage_interval: tuple[float, float]
    marginal_risk: float  # answered and wrong
    marginal_interval: tuple[float, float]
    selective_risk: float | None  # wrong among the answered; None if none is


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Thresholds on the confidence, with their guarantees."""

    task: Task
    bound: Bound  # the one whose threshold is applied
    target: float
    delta: float  # of the selective bound
    thresholds: dict[Bound, float]  # an answer is given above it; at 1 none is
    n: int  # questions that the thresholds were chosen on
    n_held_out: int  # others, that `held_out` is over
    held_out: dict[Bound, HeldOut]
    seed: int  # of the halves
    data: dict[str, str]  # name of a file of questions -> its sha256
    subject: Subject
    gate: GateModel | None = None  # whose probability is a factor of the confidence

    def __post_init__(self) -> None:
        if set(self.thresholds) != set(Bound) or not all(0 <= one <= 1 for one in self.thresholds.values()):
            raise ValueError(f"each bound needs a threshold in [0, 1], not {self.thresholds}")
        if not (0 < self.target < 1 and 0 < self.delta < 1 and self.n > 0):
            raise ValueError(f"target {self.target}, delta {self.delta} and n {self.n} bound nothing")

    @property
    def threshold(self) -> float:
        """The threshold that is applied."""
        return self.thresholds[self.bound]

    def answers(self, confidence: float) -> bool:
        """Return whether an answer of this confidence is given."""
        return confidence > self.threshold

    def describe(self) -> str:
        """Return which bound, level and data, in a line."""
        if self.bound is Bound.MARGINAL:
            terms = f"P(answered and wrong) <= {self.target:g} (conformal risk control, in the mean over calibrations)"
        else:
            level = f"with probability >= {1 - self.delta:g} over calibrations"
            terms = f"P(wrong | answered) <= {self.target:g} (Learn then Test, {level})"
        wrong = "another letter" if self.task is Task.CHOICES else "no gold article cited"
        files = ", ".join(f"{name} {sha256[:8]}" for name, sha256 in self.data.items())
        return f"{terms}, wrong: {wrong}; for questions like the {self.n} it was calibrated on: {files}"

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as the file has them."""
        return {"format_version": FORMAT_VERSION, **asdict(self)}

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Read a file. Raises SettingsError naming it, the field, and what to do."""
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise SettingsError(f"{path}: cannot be read: {error.strerror}; {_REMEDY}") from error
        except ValueError as error:
            raise SettingsError(f"{path}: no calibration: {error}; {_REMEDY}") from error
        version = values.pop("format_version", None) if isinstance(values, dict) else None
        if version != FORMAT_VERSION:
            raise SettingsError(
                f"{path}: calibration format {version!r}, this version reads {FORMAT_VERSION}; {_REMEDY}"
            )
        try:
            return settings_from(values, cls, place=str(path))
        except SettingsError as error:
            raise SettingsError(f"{error}; {_REMEDY}") from error

    def check(self, subject: Subject, place: Path) -> None:
        """Raise SettingsError naming what differs if this calibration guarantees nothing for that agent."""
        if self.task is not Task.QUESTIONS:
            found = [f"{self.task}, which are not asked here"]
        else:
            found = self.subject.differences(subject)
        if found:
            remedy = "make one from a run of `nonliquet evals answers` with this index, reader and settings"
            what = "; ".join(found)
            raise SettingsError(f"{place}: was made for {what}: for other data a calibration is no guarantee; {remedy}")

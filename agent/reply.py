"""What `LegalAgent.ask` returns: an Answer or an Abstention, and the records inside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

__all__ = [
    "UNCALIBRATED",
    "Abstention",
    "AbstentionKind",
    "Answer",
    "Check",
    "Citation",
    "MissingProvision",
    "Reply",
    "Step",
    "Trace",
]

UNCALIBRATED = "uncalibrated"


class AbstentionKind(StrEnum):
    """Why there is no answer."""

    NO_RELEVANT_ARTICLE = "no_relevant_article"  # the statutes at hand do not speak of the question's subject
    MISSING_PROVISION = "missing_provision"  # the answer stands in a provision that is cited but not at hand
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"  # they speak of the subject, but not of what is asked
    UNVERIFIED_ANSWER = "unverified_answer"  # an answer was written, and what it quotes does not hold


class Check(StrEnum):
    """How a quote came to be verbatim."""

    EXACT = "exact"  # as the reader gave it, but for white space, compatibility forms and middle dots
    REPAIRED = "repaired"  # moved to the nearest span of its article


@dataclass(frozen=True, slots=True)
class Citation:
    """An article that the answer relies on, and the words of it: `quote` is `text[start:end]` of the article."""

    semantic_id: str
    doc_id: int
    law_name: str
    label: str  # as printed: 제13조의2, Article 13-2
    quote: str
    start: int  # in characters
    end: int
    check: Check

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class MissingProvision:
    """A provision that the answer would need and that is not at hand."""

    semantic_id: str
    law_name: str
    label: str
    heading: str  # "" if unknown
    sent_from: str  # semantic_id of the article that sends one there
    sentence: str  # the words of it that do

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a trace."""

    name: str
    detail: Mapping[str, Any]  # plain values

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"step": self.name, **self.detail}


Trace: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A text whose every citation stands in the context and whose every quote stands in its article."""

    question: str
    text: str
    citations: tuple[Citation, ...]  # at least one
    language: str  # ISO 639-1
    confidence: float  # in [0, 1]; an abstention threshold acts on it
    calibration: str = UNCALIBRATED  # which bound, level and data the confidence was calibrated with
    edition: str | None = None  # the ISO date as of which the law was read; None: as the sources stand
    trace: Trace = ()

    @property
    def abstained(self) -> bool:
        """False."""
        return False

    def to_json(self) -> dict[str, Any]:
        """Return plain values: the fields, and `abstained`."""
        return {
            "question": self.question,
            "abstained": False,
            "text": self.text,
            "citations": [citation.to_json() for citation in self.citations],
            "language": self.language,
            "confidence": self.confidence,
            "calibration": self.calibration,
            "edition": self.edition,
            "trace": [step.to_json() for step in self.trace],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstention:
    """No answer, and why: what was found, and what is missing."""

    question: str
    kind: AbstentionKind
    text: str  # a sentence for the reader, in `language`
    language: str  # ISO 639-1
    missing: tuple[MissingProvision, ...] = ()  # only for MISSING_PROVISION
    found: tuple[Citation, ...] = ()  # the nearest that the statutes say
    confidence: float = 0.0  # of the answer that was not given, in [0, 1]
    calibration: str = UNCALIBRATED
    edition: str | None = None
    trace: Trace = ()

    @property
    def abstained(self) -> bool:
        """True."""
        return True

    def to_json(self) -> dict[str, Any]:
        """Return plain values: the fields, and `abstained`."""
        return {
            "question": self.question,
            "abstained": True,
            "kind": self.kind,
            "text": self.text,
            "missing": [missing.to_json() for missing in self.missing],
            "found": [citation.to_json() for citation in self.found],
            "language": self.language,
            "confidence": self.confidence,
            "calibration": self.calibration,
            "edition": self.edition,
            "trace": [step.to_json() for step in self.trace],
        }


Reply: TypeAlias = Answer | Abstention

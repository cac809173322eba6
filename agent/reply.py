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
    "NotInForce",
    "Note",
    "NoteKind",
    "Reply",
    "Step",
    "Trace",
]

UNCALIBRATED = "uncalibrated"


class AbstentionKind(StrEnum):
    """Why there is no answer."""

    NO_RELEVANT_ARTICLE = "no_relevant_article"  # the statutes at hand do not speak of the question's subject
    MISSING_PROVISION = "missing_provision"  # the answer stands in a provision that is cited but not at hand
    REPEALED_OR_NOT_IN_FORCE = "repealed_or_not_in_force"  # it is known, and was not, or is not yet, the law
    CONFLICTING_PROVISIONS = "conflicting_provisions"  # two provisions of the same rank and date say different things
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"  # they speak of the subject, but not of what is asked
    UNVERIFIED_ANSWER = "unverified_answer"  # an answer was written, and what it quotes does not hold
    OUT_OF_SCOPE = "out_of_scope"  # no question about law


class Check(StrEnum):
    """How a quote came to be verbatim."""

    EXACT = "exact"  # as the reader gave it, but for white space, compatibility forms and middle dots
    REPAIRED = "repaired"  # moved to the nearest span of its article


class NoteKind(StrEnum):
    """What a reply adds of its own; its sentences are in `prompts/notes.toml`."""

    GOVERNS = "governs"  # the first provision governs over the others, as higher or as the special one
    UNANSWERED = "unanswered"  # a part of the question that has no answer, and why
    NO_SUCH_ARTICLE = "no_such_article"  # the question names an article that its law does not have
    NOT_IN_FORCE = "not_in_force"  # the question names a provision that is out of force, or not in force yet
    IN_FORCE_FROM = "in_force_from"  # a provision cited has an in-force date of its own, later than its law's
    FACTS = "facts"  # the quoted clauses hold only under conditions, which the asker must look at
    AS_OF = "as_of"  # the law was read as of a date
    OTHER_LANGUAGE = "other_language"  # the statutes are in another language than the question


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
class NotInForce:
    """A provision that is known and was not in force when the question asks about."""

    semantic_id: str
    law_name: str
    label: str
    heading: str  # "" if unknown
    repealed: bool  # else its wording at hand is in force only later
    since: str  # ISO date: since when it is out of force, or from when it is in force; "" if unknown

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence beside the answer, or beside the reason why there is none."""

    kind: NoteKind
    text: str  # for the reader, in the reply's language
    semantic_ids: tuple[str, ...] = ()  # the provisions it speaks of

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"kind": self.kind, "text": self.text, "semantic_ids": list(self.semantic_ids)}


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
    notes: tuple[Note, ...] = ()
    beyond: tuple[MissingProvision, ...] = ()  # where its articles send to that is not at hand, the likeliest first
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
            "notes": [note.to_json() for note in self.notes],
            "beyond": [missing.to_json() for missing in self.beyond],
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
    not_in_force: tuple[NotInForce, ...] = ()  # only for REPEALED_OR_NOT_IN_FORCE
    found: tuple[Citation, ...] = ()  # the nearest that the statutes say; of CONFLICTING_PROVISIONS, the two
    confidence: float = 0.0  # of the answer that was not given, in [0, 1]
    calibration: str = UNCALIBRATED
    edition: str | None = None
    notes: tuple[Note, ...] = ()
    beyond: tuple[MissingProvision, ...] = ()  # what else the articles looked at send to, the likeliest first
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
            "not_in_force": [one.to_json() for one in self.not_in_force],
            "found": [citation.to_json() for citation in self.found],
            "language": self.language,
            "confidence": self.confidence,
            "calibration": self.calibration,
            "edition": self.edition,
            "notes": [note.to_json() for note in self.notes],
            "beyond": [missing.to_json() for missing in self.beyond],
            "trace": [step.to_json() for step in self.trace],
        }


Reply: TypeAlias = Answer | Abstention

"""Which text of a law held on a date: versions in, the one in force out, with what one should know about the choice.

Of a law's versions the one with the latest in-force date not after the date; ties go to the later promulgation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

__all__ = [
    "EditionNote",
    "NoteKind",
    "Version",
    "VersionDates",
    "first_in_force",
    "in_force_on",
    "iso_date",
    "overtaken",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One text of a law in a history."""

    law_name: str
    in_force: str  # ISO date since when it is in force
    promulgated: str  # ISO date of its commit
    order: int  # place of its commit among all of the history, by date, then by descent: the higher, the later
    commit: str
    path: str
    blob: str  # names the text

    @property
    def dates(self) -> VersionDates:
        """What a note says of it."""
        return VersionDates(self.promulgated, self.in_force)


@dataclass(frozen=True, slots=True)
class VersionDates:
    """A version as a reader of a note knows it."""

    promulgated: str  # ISO dates
    in_force: str

    def __str__(self) -> str:
        return f"the version promulgated on {self.promulgated} and in force since {self.in_force}"


class NoteKind(StrEnum):
    """What there is to know about an edition."""

    OVERTAKEN = "overtaken"  # a version promulgated later took effect earlier than the one chosen
    NOT_COVERED = "not_covered"  # the history begins after the date, which does not say that the law was not there
    REMOVED = "removed"  # the law's file was taken out of the history: its articles count as repealed


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionNote:
    """One remark about one law of an edition."""

    kind: NoteKind
    law_name: str
    chosen: VersionDates | None = None  # OVERTAKEN: the version taken; REMOVED: the last one
    other: VersionDates | None = None  # OVERTAKEN: the one promulgated later; NOT_COVERED: the first of the history
    date: str = ""  # REMOVED: since when

    def __str__(self) -> str:
        match self.kind:
            case NoteKind.OVERTAKEN:
                return f"{self.law_name}: {self.chosen} is taken, though {self.other} was promulgated later"
            case NoteKind.NOT_COVERED:
                return f"{self.law_name}: not covered by this history, which begins with {self.other}"
            case NoteKind.REMOVED:
                return f"{self.law_name}: removed from the history on {self.date}, so its articles count as repealed"


def iso_date(words: str) -> str:
    """Return a date as YYYY-MM-DD. Raises ValueError if it is none."""
    try:
        return date.fromisoformat(words).isoformat()
    except ValueError:
        raise ValueError(f"{words!r} is no date; expected YYYY-MM-DD") from None


def in_force_on(versions: Sequence[Version], as_of: str | None) -> Version | None:
    """Return a law's version in force on a date; None if its first one came later.

    versions: at least one, as they follow each other in the history.
    as_of: an ISO date; None takes the last version, whether or not it is in force yet.
    """
    if as_of is None:
        return versions[-1]
    begun = [version for version in versions if version.in_force <= as_of]
    return max(begun, key=lambda version: (version.in_force, version.order), default=None)


def overtaken(versions: Sequence[Version], chosen: Version) -> list[Version]:
    """Return the versions promulgated after the chosen one that took effect before it, in the order of promulgation."""
    found = [one for one in versions if one.order > chosen.order and one.in_force < chosen.in_force]
    return sorted(found, key=lambda version: version.order)


def first_in_force(versions: Sequence[Version]) -> Version:
    """Return the version with the earliest in-force date."""
    return min(versions, key=lambda version: (version.in_force, version.order))

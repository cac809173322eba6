"""Does a sentence deny where its passages deny? A "not" is bound to the segment of a sentence that it stands in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent.claims.modality import NEGATIVE, Force
from agent.support import shared
from agent.verification.passage import Part
from agent.verification.record import Finding
from agent.verification.runs import Piece, nearest_run, pieces

__all__ = ["denied_otherwise"]

_LIKE = 0.55  # Dice's coefficient of terms, from which on a run of the passage speaks of what the sentence does
_COVERED = 0.5  # share of the sentence's terms that such a run has to hold
_UNLESS = frozenset({Force.EXCEPTION, Force.RESTRICTION})  # "unless" is "if not", "only" is "no other"
_TURNING = NEGATIVE | _UNLESS
_DENYING = NEGATIVE | {Force.RESTRICTION}
_ALLOWING = _UNLESS | {Force.PERMISSION, Force.OBLIGATION}


def denied_otherwise(said: Part, terms: frozenset[str], parts: Sequence[Part]) -> list[Finding]:
    """Return where a sentence denies what its passages do not, or the reverse, segment by segment.

    terms: of the sentence without those of its articles' names. parts: the clauses of its passages, in its language.
    """
    near = nearest_run(terms, parts)
    like = near.part if near and near.likeness >= _LIKE and shared(terms, near.part.terms) >= _COVERED else None
    found = [*_denied_twice(said, parts), *_denied_conditions(said, [like] if like else parts)]
    if like:
        found += [*_turned(said, terms, like, parts)]
    return [Finding("modality", one) for one in found]


def _denied_twice(said: Part, parts: Sequence[Part]) -> Iterator[str]:
    """Yield that a segment denies twice, and none of a passage does: "no one can not", "may not only"."""
    most = max((_n(one.part, _DENYING) for part in parts for one in _pieces(part)), default=0)
    for one in _pieces(said):
        if _n(one.part, _DENYING) > max(1, most):
            yield f"denied twice: {one.words.strip()}"


def _denied_conditions(said: Part, parts: Sequence[Part]) -> Iterator[str]:
    """Yield that a condition denies, and the passage has neither one that does nor an exception to say that of."""
    denied = [one for one in _pieces(said) if one.is_condition and _n(one.part, NEGATIVE)]
    have = [one for part in parts for one in _pieces(part) if one.is_condition and _n(one.part, NEGATIVE)]
    n_unless = max(0, sum(_n(part, _UNLESS) for part in parts) - _n(said, _UNLESS))
    if len(denied) > len(have) + n_unless:
        yield f"a condition that denies, and none in the passage: {denied[-1].words.strip()}"


def _turned(said: Part, terms: frozenset[str], like: Part, parts: Sequence[Part]) -> Iterator[str]:
    """Yield that a sentence denies and the words of the passage that say the same do not, or the reverse."""
    does, has = said.claims.forces, like.claims.forces
    if _n(said, NEGATIVE) and not _n(like, _TURNING) and not (does[Force.EXCESS] and has[Force.LIMIT]):
        first = 0 if _pieces(said)[0].part.terms else 1  # "No, …" answers the question
        for one in _pieces(said)[first:]:
            if _n(one.part, NEGATIVE) and not _denies_elsewhere(one, parts):
                yield f"the sentence denies, and the passage does not: {one.words.strip()}"
    is_limit = does[Force.LIMIT] and has[Force.EXCESS]
    if _n(like, NEGATIVE) and not _n(said, _TURNING) and not _n(like, _ALLOWING) and not is_limit:
        yield "the passage denies it, and the sentence does not"
    permits = does[Force.PERMISSION] and does[Force.EXCEPTION] and not _n(said, _DENYING)
    forbids = _n(like, NEGATIVE) and has[Force.EXCEPTION] and not has[Force.PERMISSION]
    if permits and forbids:
        yield "permitted with an exception, where the passage forbids with one"


def _denies_elsewhere(piece: Piece, parts: Sequence[Part]) -> bool:
    """Return whether the words of a passage that are most like a segment's deny."""
    near = nearest_run(piece.part.terms, parts)
    return near is not None and bool(_n(near.part, _TURNING))


def _pieces(part: Part) -> tuple[Piece, ...]:
    return pieces(part.claims.folded, part.claims.language)


def _n(part: Part, forces: frozenset[Force]) -> int:
    return sum(part.claims.forces[force] for force in forces)

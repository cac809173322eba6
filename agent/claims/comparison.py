"""Does one text's claims carry another's? Returns what they do not carry, in words for the trace and for a rewrite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from agent.claims.claims import Claims
from agent.claims.dates import Date
from agent.claims.modality import NEGATIVE, Force
from agent.claims.quantities import Quantity

__all__ = [
    "moved_numbers",
    "shares_a_claim",
    "uncarried_dates",
    "uncarried_forces",
    "uncarried_labels",
    "uncarried_numbers",
]

_LETTER = re.compile(r"[^\W\d_]")
_POSITIVE = frozenset({Force.OBLIGATION, Force.PERMISSION})

_KEPT = tuple(force for force in Force if force not in {*NEGATIVE, Force.MINIMUM})  # in the same words, they are kept

# What the passage has to do for a sentence to be allowed to do the same; one of these is enough.
_CARRIED_BY: dict[Force, frozenset[Force]] = {
    Force.OBLIGATION: frozenset({Force.OBLIGATION, Force.RESTRICTION, Force.EXCEPTION}),
    Force.PERMISSION: frozenset({Force.PERMISSION, Force.EXEMPTION, Force.RESTRICTION, Force.EXCEPTION}),
    Force.PROHIBITION: frozenset({Force.PROHIBITION, Force.NEGATION}),
    Force.EXEMPTION: frozenset({Force.EXEMPTION, Force.NEGATION, Force.EXCEPTION}),
    Force.RESTRICTION: frozenset({Force.RESTRICTION, Force.EXCEPTION, Force.PROHIBITION}),
    Force.EXCEPTION: frozenset({Force.EXCEPTION, Force.RESTRICTION, Force.EXEMPTION, Force.NEGATION}),
    Force.NEGATION: frozenset({*NEGATIVE, Force.RESTRICTION, Force.EXCEPTION}),
}


def uncarried_numbers(said: Claims, passages: Sequence[Claims]) -> list[str]:
    """Return the quantities of a sentence that no passage has, as they are read."""
    return [_shown(one) for one in said.quantities if not any(_carries(passage, one) for passage in passages)]


def uncarried_dates(said: Claims, passages: Sequence[Claims], *, known: Collection[Date] = ()) -> list[str]:
    """Return the dates of a sentence that neither a passage has nor are `known` otherwise (the entry into force)."""
    have = [*known, *(date for passage in passages for readings in passage.dates for date in readings)]
    numbers = {q for passage in passages for one in passage.quantities for q in one.values}
    return [
        "-".join("?" if part is None else str(part) for part in (readings[0].year, readings[0].month, readings[0].day))
        for readings in said.dates
        if not any(_dated(date, have, numbers) for date in readings)
    ]


def uncarried_labels(said: Claims, passages: Sequence[Claims], *, known: Collection[str] = ()) -> list[str]:
    """Return the numbers of articles and other parts that a sentence names, and no passage does."""
    return sorted(
        set(said.labels).difference(known, *(one.labels for one in passages), *(one.markers for one in passages))
    )


def moved_numbers(said: Claims, passage: Claims, *, known: Collection[str] = ()) -> list[str]:
    """Return what a sentence in the words of its passage has of numbers and labels that the passage has less often."""
    labels = Counter({label: n for label, n in said.labels.items() if label not in known}) - passage.labels
    counts = Counter(value for one in passage.quantities for value in one.scaled)
    quantities = [
        _shown(one)
        for one in said.quantities
        if one.base and not one.is_written_one and not any(counts[v] for v in one.scaled)
    ]
    return [*sorted(labels), *quantities]


def uncarried_forces(
    said: Claims, passages: Sequence[Claims], *, same_words: bool = False, verbatim: bool = False
) -> list[str]:
    """Return where a sentence obliges, permits, forbids, exempts, restricts or denies, and its passages do not.

    passages: those that say the same as the sentence, as near as can be told.
    same_words: the sentence has nearly the words of its one passage, so that its negations have to be as many.
    verbatim: it has them in nearly the same order, so that it has to oblige, permit, restrict and except as well.
    """
    have = sum((passage.forces for passage in passages), Counter[Force]())
    findings = [f"{force} in the sentence, none in the passage" for force in _unlicensed(said.forces, have)]
    denies = any(have[force] for force in NEGATIVE)
    allows = any(have[force] for force in (*_POSITIVE, Force.EXCEPTION, Force.RESTRICTION))
    says_no = any(said.forces[force] for force in (*NEGATIVE, Force.EXCEPTION, Force.RESTRICTION))
    is_limit = said.forces[Force.LIMIT] and have[Force.EXCESS]
    if denies and not allows and not says_no and not is_limit:
        findings.append("the passage denies it, and the sentence does not")
    if said.forces[Force.EXCESS] and have[Force.LIMIT] and not (have[Force.EXCESS] or says_no):
        findings.append("more than, where the passage says at most")
    if said.forces[Force.LIMIT] and have[Force.EXCESS] and not (have[Force.LIMIT] or denies):
        findings.append("at most, where the passage says more than")
    if said.forces[Force.SHORTFALL] and have[Force.MINIMUM] and not (have[Force.SHORTFALL] or says_no):
        findings.append("less than, where the passage says at least")
    if said.forces[Force.MINIMUM] and have[Force.SHORTFALL] and not (have[Force.MINIMUM] or denies):
        findings.append("at least, where the passage says less than")
    if same_words and not findings:
        findings += _moved(said.forces, have)
    if verbatim and not findings:
        plain = said.forces[Force.OBLIGATION] < have[Force.OBLIGATION]  # "the seller asks" for "the seller shall ask"
        kept = (force for force in _KEPT if not (force is Force.OBLIGATION and plain))
        moved = (force for force in kept if said.forces[force] != have[force])
        findings += [f"{said.forces[one]} times {one}, {have[one]} in the passage of the same words" for one in moved]
    return findings


def shares_a_claim(said: Claims, passages: Sequence[Claims]) -> bool:
    """Return whether a sentence claims anything that a passage carries: a number, a date, or a duty, right or ban.

    A bare "no" is carried by a passage that forbids or denies.
    """
    if any(_carries(passage, one) for one in said.quantities for passage in passages):
        return True
    if said.dates and not uncarried_dates(said, passages):
        return True
    have = sum((passage.forces for passage in passages), Counter[Force]())
    telling = {
        Force.PROHIBITION,
        Force.EXEMPTION,
        *_POSITIVE,
        *((Force.NEGATION,) if not _LETTER.search(said.words) else ()),
    }
    matched = telling & set(said.forces)
    return any(have[other] for force in matched for other in _CARRIED_BY[force])


def _carries(passage: Claims, quantity: Quantity) -> bool:
    if any(quantity.same(other) for other in passage.quantities):
        return True
    if not quantity.values.isdisjoint(passage.date_parts):
        return True
    if quantity.interval and any(
        other.base == quantity.interval[0] and quantity.interval[1] in other.scaled for other in passage.quantities
    ):
        return True
    if quantity.values != {Fraction(1)} or quantity.base is None:
        return False
    # "one year" where the passage has "a year", "once a year" where it has "every 12 months"
    bases = {other.base for other in passage.quantities}
    return quantity.base in passage.bare_units or (quantity.base == "time" and "time" not in bases)


def _dated(date: Date, have: Sequence[Date], numbers: Collection[Fraction]) -> bool:
    if any(other.says(date) for other in have):
        return True
    # "10 December" where the passage has "from 10 to 31 December"
    return date.day in numbers and any(other.says(Date(date.year, date.month, None)) for other in have)


def _unlicensed(said: Counter[Force], have: Counter[Force]) -> Iterator[Force]:
    """Yield the classes that a sentence has and no class of its passage allows it to have."""
    says_nothing = not any(have[force] for force in (*_POSITIVE, *NEGATIVE))  # plain: what is, is so by law
    denies = any(have[force] for force in NEGATIVE)
    for force, carried_by in _CARRIED_BY.items():
        if not said[force] or any(have[other] for other in carried_by):
            continue
        if force in _POSITIVE and says_nothing:
            continue
        # "must be at most 20 metres" where the passage has "shall not be more than 20 metres", and the reverse
        if force in _POSITIVE and said[Force.LIMIT] and denies and have[Force.EXCESS]:
            continue
        if force in NEGATIVE and said[Force.EXCESS] and have[Force.LIMIT]:
            continue
        # "may not sell without a permit" where the passage has "may sell only with a permit"
        if force in NEGATIVE and said[Force.EXCEPTION] and have[Force.RESTRICTION] and not said[Force.RESTRICTION]:
            continue
        yield force


def _moved(said: Counter[Force], have: Counter[Force]) -> Iterator[str]:
    """Yield that a sentence in the words of its passage denies more or less often."""
    if said[Force.OBLIGATION] and have[Force.EXCEPTION] and not said[Force.EXCEPTION]:
        return  # "needs a pilot to leave" where the passage has "shall not leave without a pilot"
    n_denied, n_denies = (sum(counted[force] for force in NEGATIVE) for counted in (said, have))
    n_unless = max(0, have[Force.EXCEPTION] - said[Force.EXCEPTION])  # "if it has no pilot" for "without a pilot"
    if not n_denies <= n_denied <= n_denies + n_unless:
        yield f"{n_denied} negations in the sentence, {n_denies} in the passage of the same words"


def _shown(quantity: Quantity) -> str:
    values = " or ".join(str(float(value)).removesuffix(".0") for value in sorted(quantity.scaled))
    return f"{values} {quantity.base or ''}".strip()

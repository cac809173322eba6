"""Which provisions were the law on a date? One whose wording is in force only later was not, nor a repealed one."""

from __future__ import annotations

from collections.abc import Iterable

from agent.reply import NotInForce
from graph.records import Provision, Status

__all__ = ["has_own_date", "not_in_force", "not_yet"]


def not_yet(provision: Provision, as_of: str | None) -> bool:
    """Return whether a provision, as the sources have it, is in force only after a date; never without a date."""
    return as_of is not None and provision.status is not Status.REPEALED and provision.effective_date > as_of


def not_in_force(provision: Provision) -> NotInForce:
    """Return what a reply says of a provision that is repealed, or not in force yet."""
    return NotInForce(
        semantic_id=provision.semantic_id,
        law_name=provision.law_name,
        label=provision.chapter,
        heading=provision.chapter_description,
        repealed=provision.status is Status.REPEALED,
        since=provision.effective_date,
    )


def has_own_date(provision: Provision, law: Iterable[Provision]) -> bool:
    """Return whether a provision is in force from a later date than most of its law: one the reader must know of."""
    dates = sorted(one.effective_date for one in law if one.effective_date and one.status is Status.PRESENT)
    return bool(dates) and provision.effective_date > dates[len(dates) // 2]

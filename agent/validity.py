"""Which provisions were the law on a date? One whose wording is in force only later was not, nor a repealed one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from agent.reply import NotInForce
from graph.records import Provision, Status

__all__ = ["has_own_date", "not_in_force", "not_yet", "usual_dates"]


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


def usual_dates(articles: Iterable[Provision]) -> dict[str, str]:
    """Return since when most of each law is in force: by its name, the median of its articles' dates."""
    dates: dict[str, list[str]] = defaultdict(list)
    for article in articles:
        if article.effective_date:
            dates[article.law_name].append(article.effective_date)
    return {law: sorted(found)[len(found) // 2] for law, found in dates.items()}


def has_own_date(article: Provision, usual: Mapping[str, str]) -> bool:
    """Return whether an article is in force from a later date than most of its law: one the reader must know of."""
    return bool(article.effective_date) and article.effective_date > usual.get(article.law_name, "9999")

"""The nouns of the choice evals: a question with its options, and the conditions under which it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graph.records import Provision

__all__ = ["ChoiceQuestion", "Condition"]


class Condition(StrEnum):
    """Which articles a reader gets."""

    FULL = "full"  # all source articles
    PARTIAL = "partial"  # the first alone
    PARTIAL_TARGET = "partial-target"  # the second alone
    DECOY = "decoy"  # the first, and another one linked with it in the place of each that is missing
    NONE = "none"  # no article
    DISTRACTOR = "distractor"  # the first, and an unlinked one in the place of each that is missing
    RETRIEVED = "retrieved"  # what the agent fetches for the question

    @property
    def is_incomplete(self) -> bool:
        """Whether an article that the answer needs is kept back, so that abstaining is right."""
        return self not in (Condition.FULL, Condition.RETRIEVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceQuestion:
    """A question with numbered options; numbers count from 1, in the order of the file."""

    question_id: str
    text: str
    options: tuple[str, ...]
    gold_full: int  # the right option when all source articles are there
    abstain: int | None = None  # the option that says "cannot be answered"; None: there is none
    articles: tuple[str, ...] = ()  # semantic ids of the source articles, first article first
    given: tuple[Provision, ...] = ()  # the source articles themselves, where the file brings their text
    cluster: str = ""  # what the forms of one question share; itself where there is one form; resampled together

    def __post_init__(self) -> None:
        numbers = range(1, len(self.options) + 1)
        if self.gold_full not in numbers or (self.abstain is not None and self.abstain not in numbers):
            raise ValueError(
                f"question {self.question_id}: gold {self.gold_full} or abstain {self.abstain} is no option"
            )

    @property
    def group(self) -> str:
        """The first article: questions that share it never lie in different folds."""
        return self.articles[0] if self.articles else self.question_id

    @property
    def answerable(self) -> bool:
        """Whether something other than abstaining is right when all source articles are there."""
        return self.gold_full != self.abstain

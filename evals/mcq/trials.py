"""A trial: one question under one condition with its options in one order; and what a system chose."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from evals.mcq.records import ChoiceQuestion, Condition

__all__ = ["Choice", "Trial", "choice_from", "option_orders", "trials_of"]


@dataclass(frozen=True, slots=True)
class Trial:
    """What a system is asked once."""

    question: ChoiceQuestion
    condition: Condition
    context: tuple[str, ...]  # semantic ids, in the order in which they are read
    permutation: int  # which of the orders this is, from 0
    order: tuple[int, ...]  # the options' original numbers, as they are shown
    repeat: int = 0  # which of the repeats this is, from 0

    @property
    def key(self) -> str:
        """What tells this trial from the others of a run."""
        return f"{self.question.question_id}|{self.condition}|{self.permutation}|{self.repeat}"

    @property
    def letters(self) -> Mapping[str, int]:
        """Letter shown → original number."""
        return dict(zip(ascii_uppercase, self.order, strict=False))

    def place_of(self, number: int) -> int:
        """Return where an option is shown, from 0."""
        return self.order.index(number)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a system chose; options by their original numbers."""

    chosen: int | None  # None: the reply cannot be read
    answer: int | None  # the best option that is not abstaining; None if the system does not say
    confidence: float  # in [0, 1], that the answer is right; 0 without one
    unreadable: str = ""  # why the reply cannot be read


def choice_from(record: Mapping[str, Any]) -> Choice:
    """Return the choice in a record of a run. Raises KeyError if it is none."""
    return Choice(record["chosen"], record["answer"], record["confidence"], record["unreadable"])


def option_orders(question: ChoiceQuestion, n_permutations: int, *, seed: int) -> list[tuple[int, ...]]:
    """Return the orders in which a question's options are shown: the file's own for 0 permutations.

    The orders are the rotations of a random one, then those of another: over any n of them in a row from the first, n
    being the number of options, each option stands once in each place, so that a system that reads the options alone
    chooses each letter equally often.
    """
    numbers = list(range(1, len(question.options) + 1))
    if n_permutations == 0:
        return [tuple(numbers)]
    orders: list[tuple[int, ...]] = []
    while len(orders) < n_permutations:
        base = list(numbers)
        random.Random(f"{seed} {question.question_id} {len(orders)}").shuffle(base)
        orders += [(*base[turn:], *base[:turn]) for turn in range(len(base))]
    return orders[:n_permutations]


def trials_of(
    questions: Sequence[ChoiceQuestion],
    contexts: Mapping[tuple[str, Condition], tuple[str, ...]],
    *,
    n_permutations: int,
    n_repeats: int,
    seed: int,
) -> list[Trial]:
    """Return every trial of the questions, those whose prompts begin alike next to each other.

    contexts: (question id, condition) → semantic ids; a condition that is not there is not asked. Sorted by context, so
    that the first article alone comes before the contexts that it begins, and a server's prefix cache serves them.
    """
    by_id = {question.question_id: question for question in questions}
    place = {question.question_id: n for n, question in enumerate(questions)}
    found = [
        Trial(by_id[question_id], condition, context, permutation, order, repeat)
        for (question_id, condition), context in contexts.items()
        for permutation, order in enumerate(option_orders(by_id[question_id], n_permutations, seed=seed))
        for repeat in range(n_repeats)
    ]
    conditions = list(Condition)
    return sorted(
        found,
        key=lambda one: (
            one.context,
            place[one.question.question_id],
            conditions.index(one.condition),
            one.permutation,
            one.repeat,
        ),
    )

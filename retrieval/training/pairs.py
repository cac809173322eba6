"""What bi-encoders learn from: pairs of a question and an article that answers it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graph.errors import TrainingError
from graph.records import Question

__all__ = ["HardNegatives", "TrainingPair", "batch_columns", "held_out", "pairs_of_questions"]


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """A question, or words that serve as one, and an article that answers it."""

    question: str
    article: int  # its row in the index
    right: frozenset[int]  # all articles that answer the question, this one among them: none of them is a negative
    sources: frozenset[int] = frozenset()  # the articles whose own words the question is, where it is an article's


HardNegatives: TypeAlias = Callable[[TrainingPair], Sequence[int]]
"""Gives the rows of a pair's hard negatives to draw from, the hardest first."""


def pairs_of_questions(questions: Iterable[Question], row_of: Mapping[str, int]) -> list[TrainingPair]:
    """Return a pair for each question and each of its gold articles; the same words asked twice have all gold of both.

    row_of: of the index. Raises TrainingError naming a gold article that is not in it.
    """
    right: dict[str, set[int]] = {}
    pairs: list[tuple[str, int]] = []
    for question in questions:
        for name in question.gold:
            if name not in row_of:
                raise TrainingError(
                    f"question {question.question_id}: its gold article {name} is not in the index; train on the index "
                    "of the law that the questions are about"
                )
            right.setdefault(question.text, set()).add(row_of[name])
            pairs.append((question.text, row_of[name]))
    return [TrainingPair(text, row, frozenset(right[text])) for text, row in dict.fromkeys(pairs)]


def held_out(questions: Sequence[Question], share: float, *, seed: int) -> tuple[list[Question], list[Question]]:
    """Part questions into those to train on and those for the dev metric, drawn by the seed, at least one of each.

    Raises TrainingError if there are fewer than two.
    """
    if len(questions) < 2:
        raise TrainingError(f"{len(questions)} questions with gold cannot be parted into training and dev questions")
    n_dev = min(max(1, round(share * len(questions))), len(questions) - 1)
    chosen = set(np.random.default_rng(seed).permutation(len(questions))[:n_dev].tolist())
    training = [question for place, question in enumerate(questions) if place not in chosen]
    return training, [questions[place] for place in sorted(chosen)]


def batch_columns(
    pairs: Sequence[TrainingPair], negatives: Collection[int] = ()
) -> tuple[list[int], NDArray[np.int64], NDArray[np.bool_]]:
    """Return a batch's distinct articles by row, the column of each pair's article, and what is no negative (n, m).

    negatives: rows of further articles, which are negatives to all pairs that they do not answer.
    """
    rows = sorted({pair.article for pair in pairs} | set(negatives))
    column = {row: place for place, row in enumerate(rows)}
    excluded = np.zeros((len(pairs), len(rows)), dtype=np.bool_)
    for number, pair in enumerate(pairs):
        excluded[number, [column[row] for row in pair.right if row in column]] = True
    return rows, np.array([column[pair.article] for pair in pairs], dtype=np.int64), excluded

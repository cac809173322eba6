"""The learned ranker among the methods of a run: `ours`, and `ours-no-graph`, which lacks its graph features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graph.errors import QuestionsError
from graph.records import Question
from retrieval.learned.cross_validation import cross_validated_rankings
from retrieval.learned.features import GRAPH_GROUPS, GROUPS
from retrieval.learned.ranker import Ranker
from retrieval.ranking import Ranking
from retrieval.retriever import Retriever

__all__ = ["LEARNED", "Learned", "learned_rankings"]

LEARNED = {
    "ours": "a learned ranker over lexical, dense and structural features",
    "ours-no-graph": "the same without what it reads off the citations",
}
"""Methods that are trained: cross-validated on the questions, or on others."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A learned method, and the questions it is trained on; none: those it answers, by cross-validation."""

    name: str  # of LEARNED
    training: tuple[Question, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return self.name


def learned_rankings(
    retriever: Retriever, learned: Learned, questions: Sequence[Question], *, depth: int
) -> dict[str, Ranking]:
    """Return question id -> ranking, none by a ranker that has seen the question.

    Raises QuestionsError if there are too few questions to learn from; SettingsError without the extra `learn`.
    """
    groups = [group for group in GROUPS if learned.name == "ours" or group not in GRAPH_GROUPS]
    try:
        if not learned.training:
            return cross_validated_rankings(retriever, questions, groups=groups, depth=depth)
        ranker = Ranker.train(retriever, learned.training, groups=groups)
    except ValueError as error:
        raise QuestionsError(f"{learned}: {error}") from error
    rankings = ranker.rankings(questions, depth=depth)
    return {question.question_id: ranking for question, ranking in zip(questions, rankings, strict=True)}

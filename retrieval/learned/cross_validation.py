"""Each question ranked by a ranker that was trained on other ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from graph.records import Question
from retrieval.learned.features import GROUPS
from retrieval.learned.models import LearningSettings
from retrieval.learned.pairs import Candidates, PairMaker, check_groups
from retrieval.learned.ranker import DEPTH, Ranker, continued
from retrieval.ranking import Ranking
from retrieval.retriever import Retriever
from retrieval.tokens import Analyze

__all__ = ["cross_validated_rankings", "cross_validated_scores", "folds"]

_ALIKE = 0.5  # share of common terms from which two questions count as one


def cross_validated_rankings(
    retriever: Retriever,
    questions: Sequence[Question],
    *,
    seeds: Sequence[int] = (0, 1, 2),
    n_folds: int = 5,
    groups: Collection[str] = GROUPS,
    depth: int = DEPTH,
) -> dict[str, Ranking]:
    """Return question id -> ranking, each by rankers that were trained without it or a question nearly like it.

    Several seeds part the questions in several ways; the ranking is by the mean of their scores.
    Raises ValueError if there are fewer kinds of questions than folds; SettingsError without lightgbm.
    """
    maker = PairMaker(retriever)
    many = [maker.candidates(one) for one in questions]
    by_seed = [cross_validated_scores(maker, many, seed=seed, n_folds=n_folds, groups=groups) for seed in seeds]
    rankings = {}
    for place, one in enumerate(many):
        rows = by_seed[0][place][0]
        scores = np.mean([of_seed[place][1] for of_seed in by_seed], axis=0)
        rankings[one.question.question_id] = continued(maker, one, rows, scores, depth)
    return rankings


def cross_validated_scores(
    maker: PairMaker,
    many: Sequence[Candidates],
    *,
    seed: int,
    n_folds: int = 5,
    groups: Collection[str] = GROUPS,
    settings: LearningSettings | None = None,
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Return each question's candidate rows and scores, from one parting into folds."""
    groups = check_groups(groups)
    fold = folds([one.question.text for one in many], maker.retriever.index.lexical.analyze, n_folds=n_folds, seed=seed)
    found: dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
    for number in range(n_folds):
        training = [one for one, own in zip(many, fold.tolist(), strict=True) if own != number]
        ranker = Ranker.fit(maker, training, groups, settings, seed)
        found |= {place: ranker.scores(many[place]) for place in np.flatnonzero(fold == number).tolist()}
    return [found[place] for place in range(len(many))]


def folds(questions: Sequence[str], analyze: Analyze, *, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each question, 0 to n_folds - 1, drawn by the seed.

    Questions that have half of their terms in common (|A ∩ B| / |A ∪ B|), directly or over others, stay together:
    sets of petitions hold the same question twice, and a ranker that has seen one has seen the answer of the other.
    Raises ValueError if n_folds < 2 or there are fewer kinds of questions than folds.
    """
    terms = [frozenset(analyze(question)) for question in questions]
    kind = list(range(len(terms)))
    for later, its in enumerate(terms):
        for earlier, others in enumerate(terms[:later]):
            if len(its & others) >= _ALIKE * len(its | others) and kind[earlier] != kind[later]:
                kind = [kind[earlier] if one == kind[later] else one for one in kind]
    kinds = list(dict.fromkeys(kind))
    if not 2 <= n_folds <= len(kinds):
        raise ValueError(f"{len(questions)} questions of {len(kinds)} kinds cannot be parted into {n_folds} folds")
    order = np.random.default_rng(seed).permutation(len(kinds))
    fold_of_kind = {kinds[place]: position % n_folds for position, place in enumerate(order.tolist())}
    return np.array([fold_of_kind[one] for one in kind], dtype=np.int64)

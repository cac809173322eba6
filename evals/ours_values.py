"""What `ours` and its rivals score, question by question: one value a question and measure, the mean over the seeds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evals.ranking import measure
from evals.token_budget import article_tokens, recall_within
from evals.tuned_convex import best_alpha, convex_rankings, held_out_alphas
from graph.records import Question
from retrieval.learned.cross_validation import cross_validated_scores, folds
from retrieval.learned.pairs import PairMaker, check_groups
from retrieval.learned.ranker import Ranker, continued
from retrieval.ranking import Ranking, top
from retrieval.retriever import Retriever

__all__ = ["BUDGETS", "COLUMNS", "SEEDS", "TOKENS_OF_TEN", "Systems", "Values"]

Values: TypeAlias = Mapping[str, NDArray[np.float64]]
"""Measure -> one value a question."""

_AT_K = {"R@10": "R@10", "R@20": "R@20", "nDCG@10": "nDCG@10", "RR@10": "MRR@10"}  # ir-measures' name -> as printed

BUDGETS = (2000, 6000)
"""The tokens in which the gold is looked for as well, so that nothing is gained by longer articles."""

COLUMNS = (*_AT_K.values(), *(f"R in {budget:,} tokens" for budget in BUDGETS))
"""The measures, each in [0, 1]."""

TOKENS_OF_TEN = "tokens of the ten best"

SEEDS = (0, 1, 2)
_DEPTH = 100
_TUNED_FOR = "nDCG@10"


class Systems:
    """The learned ranker and its rivals over the same questions, on the same folds."""

    def __init__(
        self, retriever: Retriever, questions: Sequence[Question], training: Sequence[Question], *, n_folds: int
    ) -> None:
        """training: questions to learn from; none: those asked, cross-validated once a seed."""
        self._maker = PairMaker(retriever)
        self._retriever = retriever
        self._questions, self._training = list(questions), list(training)
        self._n_folds = n_folds
        self._candidates = [self._maker.candidates(one) for one in questions]
        self._known = [self._maker.candidates(one) for one in training]
        self._tokens = np.array([article_tokens(article) for article in self._maker.articles])

    def base(self) -> Values:
        """The order that `ours` starts from: convex with the α of the settings, or BM25 without vectors."""
        ties = self._retriever.index.ties
        return self._measured(self._questions, [top(one.base, _DEPTH, ties) for one in self._candidates])

    def learned(self, groups: Collection[str]) -> Values:
        """The learned ranker with these groups of features."""
        groups = check_groups(groups)
        by_seed = []
        for seed in SEEDS:
            if self._known:
                ranker = Ranker.fit(self._maker, self._known, groups, seed=seed)
                scored = [ranker.scores(one) for one in self._candidates]
            else:
                scored = cross_validated_scores(
                    self._maker, self._candidates, seed=seed, n_folds=self._n_folds, groups=groups
                )
            pairs = zip(self._candidates, scored, strict=True)
            rankings = [continued(self._maker, one, rows, scores, _DEPTH) for one, (rows, scores) in pairs]
            by_seed.append(self._measured(self._questions, rankings))
        return _mean(by_seed)

    def tuned_convex(self) -> Values:
        """The convex combination, its α chosen for nDCG@10 on what `ours` learns from, a fold at a time."""
        default = self._retriever.settings.fusion.alpha
        by_alpha = self._by_alpha(self._questions)
        if self._training:
            seen = np.stack([values[_TUNED_FOR] for values in self._by_alpha(self._training)])
            return by_alpha[best_alpha(seen, default=default)]
        seen = np.stack([values[_TUNED_FOR] for values in by_alpha])
        texts, analyze = [one.text for one in self._questions], self._retriever.index.lexical.analyze
        by_seed = []
        for seed in SEEDS:
            fold = folds(texts, analyze, n_folds=self._n_folds, seed=seed)
            chosen = held_out_alphas(seen, fold, default=default)
            by_seed.append(
                {
                    name: np.array([by_alpha[place][name][column] for column, place in enumerate(chosen.tolist())])
                    for name in by_alpha[0]
                }
            )
        return _mean(by_seed)

    def _by_alpha(self, questions: Sequence[Question]) -> list[Values]:
        found = convex_rankings(self._retriever, [one.text for one in questions], depth=_DEPTH)
        return [self._measured(questions, rankings) for rankings in found]

    def _measured(self, questions: Sequence[Question], rankings: Sequence[Ranking]) -> Values:
        named = [[self._maker.articles[row].semantic_id for row in ranking.rows.tolist()] for ranking in rankings]
        tokens = [self._tokens[ranking.rows].tolist() for ranking in rankings]
        ids = [one.question_id for one in questions]
        measured = measure(
            {one.question_id: dict.fromkeys(one.gold, 1) for one in questions}, dict(zip(ids, named, strict=True))
        )
        values = {shown: [measured[question_id][name] for question_id in ids] for name, shown in _AT_K.items()}
        for budget, column in zip(BUDGETS, COLUMNS[len(_AT_K) :], strict=True):
            values[column] = [
                recall_within(budget, names, taken, one.gold)
                for one, names, taken in zip(questions, named, tokens, strict=True)
            ]
        values[TOKENS_OF_TEN] = [float(sum(taken[:10])) for taken in tokens]
        return {name: np.array(ones) for name, ones in values.items()}


def _mean(by_seed: Sequence[Values]) -> Values:
    return {name: np.mean([of_seed[name] for of_seed in by_seed], axis=0) for name in by_seed[0]}

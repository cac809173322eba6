"""What article rankers learn from: a question, an article that answers it, and articles that do not."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from retrieval.training.pairs import HardNegatives, TrainingPair

__all__ = ["ATTENTIVE_CNN_NEGATIVES", "PARAFORMER_NEGATIVES", "ExampleMaker", "NegativeSettings", "RankerExample"]


@dataclass(frozen=True, slots=True)
class NegativeSettings:
    """How the articles that do not answer a question are drawn."""

    n_negatives: int  # K: for each article that answers the question
    n_pool: int  # articles that BM25 puts first for the question, from which they are drawn
    random_share: float  # the probability that one is drawn from all articles instead, in [0, 1]

    def __post_init__(self) -> None:
        if self.n_negatives < 1 or self.n_pool < 1 or not 0 <= self.random_share <= 1:
            raise ValueError(f"negatives need a number and a pool of 1 or more, a random share in [0, 1]: {self}")

    def to_json(self) -> dict[str, int | float]:
        """Return the fields as a dict of plain values."""
        return asdict(self)


ATTENTIVE_CNN_NEGATIVES = NegativeSettings(n_negatives=3, n_pool=300, random_share=0.5)
"""Kien et al., COLING 2020: lexical and random, pools of 300 to 2,000; they do not give K."""

PARAFORMER_NEGATIVES = NegativeSettings(n_negatives=3, n_pool=150, random_share=0.0)
"""Nguyen et al., 2022: of high lexical overlap, pools of 10 to 150; K is ours."""


@dataclass(frozen=True, slots=True)
class RankerExample:
    """A question with articles, by their rows in the index."""

    question: str
    positive: int
    negatives: tuple[int, ...]  # distinct, none of which answers the question


class ExampleMaker:
    """Draws the negatives of training pairs."""

    def __init__(self, pool: HardNegatives, n_articles: int, settings: NegativeSettings) -> None:
        """pool: gives the `n_pool` rows that BM25 ranks first for a pair's question. n_articles: of the index."""
        self._pool = pool
        self._n_articles = n_articles
        self._settings = settings

    def examples(self, batch: Sequence[TrainingPair], rng: np.random.Generator) -> list[RankerExample]:
        """Return an example for each pair, in their order; what a pair gets does not depend on its place in the batch.

        Where the pool has too few, the others are drawn from all articles; where those are too few, there are fewer.
        """
        drawn = int(rng.integers(1 << 32))
        return [
            RankerExample(
                pair.question, pair.article, self._negatives(pair, np.random.default_rng((drawn, *_own(pair))))
            )
            for pair in batch
        ]

    def _negatives(self, pair: TrainingPair, rng: np.random.Generator) -> tuple[int, ...]:
        n_wanted = min(self._settings.n_negatives, self._n_articles - len(pair.right))
        pool = [row for row in self._pool(pair) if row not in pair.right]
        n_lexical = min(len(pool), int((rng.random(n_wanted) >= self._settings.random_share).sum()))
        found = dict.fromkeys(rng.choice(pool, size=n_lexical, replace=False).tolist() if n_lexical else [])
        while len(found) < n_wanted:
            row = int(rng.integers(self._n_articles))
            if row not in pair.right:
                found.setdefault(row)
        return tuple(found)


def _own(pair: TrainingPair) -> tuple[int, int]:
    return zlib.crc32(pair.question.encode("utf-8", "surrogatepass")), pair.article

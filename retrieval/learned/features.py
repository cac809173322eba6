"""Features of pairs of a question and a candidate article: pure functions of scores and tables.

| group      | features                                                                                         |
| ---------- | ------------------------------------------------------------------------------------------------ |
| lexical    | BM25 and TF-IDF of the whole; BM25 and coverage by field and by best clause; how much of the      |
|            | heading the question says                                                                         |
| dense      | cosine; min-max over all articles, also of the best and of the last sentence of the question      |
| fusion     | the base's score, its rank and those of BM25 and of the cosine                                    |
| structure  | the law's and the family's share of the base's best; neighbours in the law; level; length; whether |
|            | the question names the law                                                                        |
| citations  | scores that flow along citations, out and in, as damped sum and as maximum; how many seeds cite it |
| delegation | the same over delegations and what implements them; the family's best at another level, its act's  |
| prior      | how often the training questions' gold lies in the law and in the family (`LawPrior`)              |

Coverage is the idf-weighted share of the question's terms that a text holds. A BM25 score counts as its share of the
question's best. Propagation, as in SAR: out of seeds s with score S(s), the articles that cite d give it
1 / p(in(d)) · Σ S(s) / p(out(s)), p(n) = ln(n + 1) if n > 1 else 1, in the other direction likewise, so that an
article which everything cites gains little from each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from graph.semantic_id import law_slug
from retrieval.fusion import min_max, share_of_maximum
from retrieval.learned.tables import LEVELS, ArticleTables, Relation
from retrieval.lexical import LexicalIndex
from retrieval.ranking import TieOrder, top

__all__ = [
    "GRAPH_GROUPS",
    "GROUPS",
    "LawPrior",
    "QuestionScores",
    "candidates",
    "column_groups",
    "features",
    "law_prior",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GROUPS = ("lexical", "dense", "fusion", "structure", "citations", "delegation", "prior")
GRAPH_GROUPS = frozenset({"citations", "delegation"})

_N_SEEDS = 30  # articles whose scores flow along citations, and whose neighbours become candidates
_N_CLOSE_SEEDS = 15  # counted by themselves, as SAR's are
_N_MASS = 50  # articles that a law's share of the base's best is taken of
_RANK_CONSTANT = 20  # of 1 / (constant + rank)


@dataclass(frozen=True, slots=True)
class QuestionScores:
    """What the base methods say of one question, one score an article."""

    question: str
    base: Floats  # in [0, 1]; the candidates are its best
    bm25: Floats
    tfidf: Floats
    cosine: Floats | None  # None, as are the next two, if the index has no vectors
    best_sentence: Floats | None  # the greatest cosine of any sentence of the question
    last_sentence: Floats | None


@dataclass(frozen=True, slots=True)
class LawPrior:
    """How often gold lies in each law and family: ln((n + ½) / (N + ½)) over N questions, each counting once in all."""

    n_questions: int
    by_law: Mapping[str, float]
    by_family: Mapping[str, float]

    def columns(self, tables: ArticleTables, rows: Ints) -> Floats:
        """Return the two features of the articles `rows`, shape (n, 2)."""
        both = (
            (tables.law_names, tables.laws, self.by_law),
            (tables.family_names, tables.families, self.by_family),
        )
        counts = [np.array([counted.get(name, 0.0) for name in names])[place[rows]] for names, place, counted in both]
        logs: Floats = np.log((np.stack(counts, axis=1) + 0.5) / (self.n_questions + 0.5))
        return logs


def candidates(base: Floats, tables: ArticleTables, ties: TieOrder, *, n_best: int, with_neighbours: bool) -> Ints:
    """Return the rows of the n_best articles, best first, then, in index order, what the seeds cite or are cited by."""
    best = top(base, n_best, ties).rows
    if not with_neighbours:
        return best
    seeds, relation = (_best(base, _N_SEEDS) > 0).astype(np.float64), tables.relations["any"]
    joined = np.flatnonzero(_product(relation.into, seeds) + _product(relation.out, seeds) > 0)
    return np.concatenate([best, np.setdiff1d(joined, best)])


def features(scores: QuestionScores, tables: ArticleTables, ties: TieOrder) -> dict[str, dict[str, Floats]]:
    """Return, by group and name, one value an article; the same names for every question of an index.

    The prior is none of these: it depends on the training questions.
    """
    return {
        "lexical": _lexical(scores, tables),
        "dense": _dense(scores),
        "fusion": _fusion(scores, ties),
        "structure": _structure(scores, tables),
        "citations": _citations(scores, tables),
        "delegation": _delegation(scores, tables),
    }


def column_groups(found: Mapping[str, Mapping[str, Floats]]) -> list[tuple[str, str]]:
    """Return the group and the name of each column, in order."""
    return [(group, name) for group, of_group in found.items() for name in of_group]


def _lexical(scores: QuestionScores, tables: ArticleTables) -> dict[str, Floats]:
    question = scores.question
    found = {
        "bm25": share_of_maximum(scores.bm25),
        "bm25, log": np.log1p(scores.bm25),
        "tfidf": share_of_maximum(scores.tfidf),
    }
    zeros = np.zeros(tables.n_articles)

    def of(index: LexicalIndex | None, score: Callable[[LexicalIndex], Floats]) -> Floats:
        return zeros if index is None else score(index)

    for name, index in tables.fields.items():
        found[f"bm25 of {name}"] = of(index, lambda one: share_of_maximum(one.bm25(question)))
        found[f"coverage by {name}"] = of(index, lambda one: one.coverage(question))
    found["heading said"] = of(tables.fields["heading"], lambda one: one.said_share(question))
    starts = tables.clause_starts
    clauses = tables.clauses
    found["bm25 of best clause"] = of(
        clauses, lambda one: share_of_maximum(np.maximum.reduceat(one.bm25(question), starts))
    )
    found["coverage by best clause"] = of(clauses, lambda one: np.maximum.reduceat(one.coverage(question), starts))
    return found


def _dense(scores: QuestionScores) -> dict[str, Floats]:
    if scores.cosine is None or scores.best_sentence is None or scores.last_sentence is None:
        return {}
    return {
        "cosine": scores.cosine,
        "cosine, min-max": min_max(scores.cosine),
        "best sentence": min_max(scores.best_sentence),
        "last sentence": min_max(scores.last_sentence),
    }


def _fusion(scores: QuestionScores, ties: TieOrder) -> dict[str, Floats]:
    base = _ranks(scores.base, ties)
    found = {
        "base": scores.base,
        "base rank": 1 / (_RANK_CONSTANT + base),
        "base log rank": np.log(base),
        "bm25 rank": 1 / (_RANK_CONSTANT + _ranks(scores.bm25, ties)),
    }
    if scores.cosine is not None:
        found["cosine rank"] = 1 / (_RANK_CONSTANT + _ranks(scores.cosine, ties))
    return found


def _structure(scores: QuestionScores, tables: ArticleTables) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    best = _best(scores.base, _N_MASS)
    total = best.sum() or 1.0
    for name, place in (("law", tables.laws), ("family", tables.families)):
        found[f"{name} share"] = np.bincount(place, weights=best)[place] / total
        found[f"{name} best"] = _greatest(scores.base, place)[place]
    goes_on = np.concatenate([[False], tables.laws[1:] == tables.laws[:-1]])
    before = np.where(goes_on, np.concatenate([[0.0], scores.base[:-1]]), 0.0)
    after = np.where(np.append(goes_on[1:], False), np.append(scores.base[1:], 0.0), 0.0)
    found["best beside"] = np.maximum(before, after)
    found["mean beside"] = (before + after) / 2
    for name, level in LEVELS.items():
        found[name] = (tables.levels == level).astype(np.float64)
    found["length"] = tables.log_length
    found["general"] = tables.is_general
    asked = law_slug(scores.question).replace("-", "")
    named = np.array([slug in asked for slug in tables.law_slugs], dtype=np.float64)[tables.laws]
    found["law named"] = named
    found["family named"] = _greatest(named, tables.families)[tables.families]
    return found


def _citations(scores: QuestionScores, tables: ArticleTables) -> dict[str, Floats]:
    anything = tables.relations["any"]
    sources = {"base": scores.base, "bm25": share_of_maximum(scores.bm25)}
    if scores.cosine is not None:
        sources["cosine"] = min_max(scores.cosine)
    found: dict[str, Floats] = {}
    for name, source in sources.items():
        found |= _flows(f"{name} along any", _best(source, _N_SEEDS), anything)
    found |= _flows("base along cites", _best(scores.base, _N_SEEDS), tables.relations["cites"])
    close = (_best(scores.base, _N_CLOSE_SEEDS) > 0).astype(np.float64)
    found["seeds that cite it"] = _product(anything.into, close)
    found["seeds it cites"] = _product(anything.out, close)
    found["cited by, log"] = np.log1p(anything.n_in)
    found["cites, log"] = np.log1p(anything.n_out)
    return found


def _delegation(scores: QuestionScores, tables: ArticleTables) -> dict[str, Floats]:
    seeds = _best(scores.base, _N_SEEDS)
    found: dict[str, Floats] = {}
    for name in ("delegates", "implements"):
        found |= _flows(f"base along {name}", seeds, tables.relations[name])
    n_levels = max(LEVELS.values()) + 2
    best = np.zeros((tables.families.max() + 1, n_levels))
    np.maximum.at(best, (tables.families, tables.levels), scores.base)
    elsewhere = np.stack([np.delete(best, level, axis=1).max(axis=1) for level in range(n_levels)], axis=1)
    found["family's best at another level"] = elsewhere[tables.families, tables.levels]
    is_lower = tables.levels != LEVELS["act"]
    found["its act's best"] = np.where(is_lower, best[tables.families, LEVELS["act"]], 0.0)
    return found


def _flows(name: str, seeds: Floats, relation: Relation) -> dict[str, Floats]:
    """Return what seeds give to the articles they cite ("in" of those) and to those that cite them ("out")."""
    damped_out, damped_in = _damped(relation.n_out), _damped(relation.n_in)
    return {
        f"{name}, in": _product(relation.into, seeds / damped_out) / damped_in,
        f"{name}, out": _product(relation.out, seeds / damped_in) / damped_out,
        f"{name}, best in": _greatest_of_row(relation.into, seeds),
        f"{name}, best out": _greatest_of_row(relation.out, seeds),
    }


def _product(matrix: csr_array[np.float64], values: Floats) -> Floats:
    return np.asarray(matrix @ values, dtype=np.float64)


def _greatest_of_row(matrix: csr_array[np.float64], values: Floats) -> Floats:
    """Return of each row the greatest value of its columns, 0 of an empty one."""
    greatest = np.zeros(matrix.shape[0])
    filled = np.diff(matrix.indptr) > 0
    if filled.any():
        greatest[filled] = np.maximum.reduceat(values[matrix.indices], matrix.indptr[:-1][filled])
    return greatest


def _greatest(values: Floats, place: Ints) -> Floats:
    """Return the greatest value of each class of articles, at least 0."""
    greatest = np.zeros(int(place.max()) + 1)
    np.maximum.at(greatest, place, values)
    return greatest


def _best(scores: Floats, n: int) -> Floats:
    """Return the n best scores and those that tie with the last, all others 0."""
    if len(scores) <= n:
        return scores
    return np.where(scores >= np.partition(scores, -n)[-n], scores, 0.0)


def _ranks(scores: Floats, ties: TieOrder) -> Floats:
    """Return the rank of each article, from 1."""
    ranks = np.empty(len(scores))
    ranks[ties.sort(np.arange(len(scores)), scores).rows] = np.arange(1, len(scores) + 1)
    return ranks


def _damped(degrees: Ints) -> Floats:
    return np.where(degrees > 1, np.log(degrees + 1.0), 1.0)


def law_prior(golds: Sequence[Sequence[tuple[str, str]]]) -> LawPrior:
    """Count the laws and families of the gold articles of some questions, each question's weights adding up to 1."""
    by_law: dict[str, float] = {}
    by_family: dict[str, float] = {}
    for gold in golds:
        for law, family in gold:
            by_law[law] = by_law.get(law, 0.0) + 1 / len(gold)
            by_family[family] = by_family.get(family, 0.0) + 1 / len(gold)
    return LawPrior(len(golds), by_law, by_family)

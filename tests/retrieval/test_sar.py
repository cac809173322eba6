from __future__ import annotations

import json
import math
from collections.abc import Mapping, Set

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from graph.corpus import read_corpus
from graph.links import citation_graph
from retrieval.fusion import share_of_maximum
from retrieval.lexical import LexicalIndex, LexicalSettings
from retrieval.ranking import Ranking, TieOrder, top
from retrieval.sar import SarSettings, boosts, rerank

N = 12
NAMES = [f"법_{number:02}조" for number in range(N)]
TIES = TieOrder(NAMES)
SMALL = SarSettings(n_candidates=8, n_seeds=4, n_anchors=2, pool_size=10)


def reference(
    scores: list[float], cited: Mapping[int, Set[int]], names: list[str], settings: SarSettings
) -> tuple[list[int], dict[int, float]]:
    """SAR as the equations have it, with plain loops: the candidates in their new order, and everybody's S'."""

    def p(n: int) -> float:
        return math.log(n + 1) if n > 1 else 1.0

    indegree = [0] * len(scores)
    for targets in cited.values():
        for target in targets:
            indegree[target] += 1
    order = sorted((row for row in range(len(scores)) if scores[row] > 0), key=lambda row: (-scores[row], names[row]))
    candidates = order[: settings.n_candidates]
    gain = [0.0] * len(scores)
    for seed in candidates[: settings.n_seeds]:
        neighbours = cited.get(seed, set())
        vote = scores[seed] / p(len(neighbours))
        for neighbour in neighbours:
            if neighbour != seed:
                gain[neighbour] += vote / p(indegree[neighbour])
    raised = {row: scores[row] + settings.beta * gain[row] * (1 - scores[row]) for row in range(len(scores))}
    anchors, rest = candidates[: settings.n_anchors], candidates[settings.n_anchors :]
    raised |= {row: scores[row] for row in anchors}
    return anchors + sorted(rest, key=lambda row: (-raised[row], names[row])), raised


def matrix(cited: Mapping[int, Set[int]], n: int = N) -> csr_array:
    dense = np.zeros((n, n))
    for source, targets in cited.items():
        dense[source, sorted(targets)] = 1
    return csr_array(dense)


def neighbours_of(adjacency: csr_array) -> dict[int, set[int]]:
    starts = adjacency.indptr
    return {row: set(adjacency.indices[starts[row] : starts[row + 1]].tolist()) for row in range(len(starts) - 1)}


def assert_is_the_reference(ranking: Ranking, expected: list[int], raised: dict[int, float]) -> None:
    """The same candidates with the same scores, in the same order wherever the scores differ by more than rounding."""
    assert set(ranking.rows.tolist()) == set(expected)
    for row, score in zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True):
        assert score == pytest.approx(raised[row], abs=1e-12)
    for ours, theirs in zip(ranking.rows.tolist(), expected, strict=True):
        assert raised[ours] == pytest.approx(raised[theirs], abs=1e-12)


GRAPHS = st.dictionaries(st.integers(0, N - 1), st.sets(st.integers(0, N - 1), max_size=6), max_size=N).map(
    lambda cited: {source: targets - {source} for source, targets in cited.items()}
)
SCORES = st.lists(
    st.floats(0, 1, allow_subnormal=False) | st.sampled_from([0.0, 0.5, 1.0]), min_size=N, max_size=N
).map(np.array)
SETTINGS = st.builds(
    lambda n_candidates, n_more, **others: SarSettings(
        n_candidates=n_candidates, pool_size=n_candidates + n_more, **others
    ),
    n_candidates=st.integers(1, N),
    n_more=st.integers(0, 4),
    n_seeds=st.integers(1, N),
    n_anchors=st.integers(0, 5),
    beta=st.floats(0, 2),
)


def test_a_candidate_gains_from_the_seed_that_cites_it():
    settings = SarSettings(n_seeds=1, n_anchors=1)
    (ranking,) = rerank([np.array([1.0, 0.5, 0.6])], matrix({0: {1}}, 3), TieOrder(["a", "b", "c"]), settings=settings)
    assert ranking.rows.tolist() == [0, 1, 2]
    assert ranking.scores == pytest.approx([1.0, 0.5 + 0.3 * 1.0 * (1 - 0.5), 0.6], abs=1e-12)


def test_a_vote_is_damped_by_the_citations_of_the_seed_and_of_the_cited():
    """Article 0 cites 2 and 3 (p = ln 3); articles 0 and 1 cite 2 (p = ln 3), 0 alone cites 3 (p = 1)."""
    gains = boosts([Ranking(np.array([0]), np.array([0.8]))], matrix({0: {2, 3}, 1: {2}}, 4)).toarray()[0]
    assert gains == pytest.approx([0, 0, 0.8 / math.log(3) ** 2, 0.8 / math.log(3)], abs=1e-12)


@given(SCORES, GRAPHS, SETTINGS)
def test_scores_and_order_are_those_of_the_equations(scores, cited, settings):
    (ranking,) = rerank([scores], matrix(cited), TIES, settings=settings)
    assert_is_the_reference(ranking, *reference(scores.tolist(), cited, NAMES, settings))


@given(SCORES, SCORES, GRAPHS)
def test_several_questions_at_once_are_each_as_alone(first, second, cited):
    together = rerank([first, second], matrix(cited), TIES, settings=SMALL)
    for scores, ranking in zip((first, second), together, strict=True):
        (alone,) = rerank([scores], matrix(cited), TIES, settings=SMALL)
        assert alone.rows.tolist() == ranking.rows.tolist()
        assert alone.scores.tobytes() == ranking.scores.tobytes()


@given(SCORES, GRAPHS, SETTINGS, st.booleans())
def test_anchors_keep_place_and_score(scores, cited, settings, expand):
    anchors = top(scores, settings.n_candidates, TIES, positive=True).head(settings.n_anchors)
    (ranking,) = rerank([scores], matrix(cited), TIES, settings=settings, expand=expand)
    assert ranking.rows[: len(anchors.rows)].tolist() == anchors.rows.tolist()
    assert ranking.scores[: len(anchors.rows)].tolist() == anchors.scores.tolist()


@given(SCORES, GRAPHS, SETTINGS, st.booleans())
def test_propagation_lowers_no_score(scores, cited, settings, expand):
    (ranking,) = rerank([scores], matrix(cited), TIES, settings=settings, expand=expand)
    assert (ranking.scores >= scores[ranking.rows]).all()


@given(SCORES, GRAPHS, SETTINGS)
def test_strict_mode_adds_nothing_and_loses_nothing(scores, cited, settings):
    (ranking,) = rerank([scores], matrix(cited), TIES, settings=settings)
    candidates = top(scores, settings.n_candidates, TIES, positive=True)
    assert sorted(ranking.rows.tolist()) == sorted(candidates.rows.tolist())


@given(SCORES, GRAPHS, SETTINGS)
def test_expansion_admits_the_best_that_seeds_cite_until_the_pool_is_full(scores, cited, settings):
    (ranking,) = rerank([scores], matrix(cited), TIES, settings=settings, expand=True)
    candidates, raised = reference(scores.tolist(), cited, NAMES, settings)
    (plain,) = rerank([scores], matrix(cited), TIES, settings=settings)
    seeds = top(scores, settings.n_candidates, TIES, positive=True).head(settings.n_seeds).rows.tolist()
    reachable = {row for seed in seeds for row in cited.get(seed, set())} - set(candidates)
    admitted = set(ranking.rows.tolist()) - set(candidates)
    assert set(plain.rows.tolist()) <= set(ranking.rows.tolist())
    assert admitted <= reachable
    assert len(admitted) == min(len(reachable), settings.pool_size - len(candidates))
    left_out = reachable - admitted
    assert (
        max((raised[row] for row in left_out), default=0)
        <= min((raised[row] for row in admitted), default=math.inf) + 1e-12
    )
    for row, score in zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True):
        assert score == pytest.approx(raised[row], abs=1e-12)


def test_expansion_admits_a_cited_article_that_scores_nothing_itself():
    settings = SarSettings(n_candidates=2, n_anchors=1, pool_size=3)
    (ranking,) = rerank([np.array([1.0, 0.1, 0.0])], matrix({0: {2}}, 3), TieOrder(["a", "b", "c"]), settings=settings)
    assert ranking.rows.tolist() == [0, 1]
    (ranking,) = rerank(
        [np.array([1.0, 0.1, 0.0])], matrix({0: {2}}, 3), TieOrder(["a", "b", "c"]), settings=settings, expand=True
    )
    assert ranking.rows.tolist() == [0, 2, 1]
    assert ranking.scores == pytest.approx([1.0, 0.3, 0.1], abs=1e-12)


def test_expansion_takes_the_best_when_the_pool_is_small():
    settings = SarSettings(n_candidates=1, n_seeds=1, n_anchors=1, pool_size=2)
    scores = np.array([1.0, 0.2, 0.3])
    (ranking,) = rerank([scores], matrix({0: {1, 2}}, 3), TieOrder(["a", "b", "c"]), settings=settings, expand=True)
    assert ranking.rows.tolist() == [0, 2]


def test_a_question_that_hits_nothing_gives_an_empty_ranking():
    (ranking,) = rerank([np.zeros(N)], matrix({0: {1}}), TIES)
    assert len(ranking.rows) == 0


def test_no_question_gives_no_ranking():
    assert rerank([], matrix({0: {1}}), TIES) == []


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan, math.inf])
def test_scores_outside_the_unit_interval_are_refused(score):
    scores = np.zeros(N)
    scores[3] = score
    with pytest.raises(ValueError, match=r"question 1: SAR takes scores in \[0, 1\]"):
        rerank([np.zeros(N), scores], matrix({}), TIES)


@pytest.mark.parametrize(
    "values",
    [{"n_candidates": 0}, {"n_seeds": 0}, {"n_anchors": -1}, {"beta": -0.1}, {"beta": math.nan}, {"pool_size": 99}],
)
def test_settings_out_of_range_are_refused(values):
    with pytest.raises(ValueError, match="SAR"):
        SarSettings(**values)


@pytest.mark.parametrize("directed", [True, False])
def test_on_the_benchmark_too_scores_and_order_are_those_of_the_equations(shared_data, directed):
    folder = shared_data / "firelaw-kr"
    graph = citation_graph(read_corpus([folder / "legal_docs.jsonl"]).provisions)
    articles = [graph.provisions[name] for name in graph.articles]
    lexical = LexicalIndex.build(articles, LexicalSettings(), language="ko")
    adjacency = graph.adjacency(directed=directed)
    with (folder / "realworld_qa.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line)["question"] for line in lines][::12]
    scores = [share_of_maximum(lexical.bm25(question)) for question in questions]
    rankings = rerank(scores, adjacency, TieOrder(graph.articles))
    cited = neighbours_of(adjacency)
    n_moved = 0
    for one, ranking in zip(scores, rankings, strict=True):
        expected, raised = reference(one.tolist(), cited, list(graph.articles), SarSettings())
        assert_is_the_reference(ranking, expected, raised)
        n_moved += ranking.rows.tolist() != top(one, 100, TieOrder(graph.articles), positive=True).rows.tolist()
    assert n_moved > 0

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.citation_graph import CitationGraph
from graph.records import Edge, EdgeKind, Provision
from retrieval.pagerank import EdgeWeights, PagerankSettings, personalised_pagerank, typed_adjacency

ONE_WAY = PagerankSettings(damping=0.5, hub_exponent=0.0, backward_weight=0.0)

pairs = st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([EdgeKind.CITES, EdgeKind.DELEGATES]))
walks = st.builds(
    PagerankSettings,
    damping=st.floats(0, 0.9),
    hub_exponent=st.floats(0, 1),
    backward_weight=st.sampled_from([0.0, 0.5, 1.0]),
)


def graph_of(*edges: tuple[int, int, EdgeKind], n_articles: int = 6) -> CitationGraph:
    provisions = [
        Provision(
            semantic_id=f"law_{number}",
            doc_id=number,
            law_name="Law",
            collection_name="Law",
            law_level="Act",
            chapter=f"Article {number}",
        )
        for number in range(n_articles)
    ]
    return CitationGraph(provisions, [Edge(f"law_{a}", f"law_{b}", kind) for a, b, kind in edges])


def test_the_walk_along_one_citation_by_hand():
    """Half goes back to 0 at each step; from 1, where nothing is cited, all does: p0 = 2/3, p1 = 1/3."""
    steps = typed_adjacency(graph_of((0, 1, EdgeKind.CITES), n_articles=2), ONE_WAY)
    walk = personalised_pagerank(np.array([7.0, 0.0]), steps, settings=ONE_WAY)
    assert walk == pytest.approx([2 / 3, 1 / 3], abs=1e-9)


def test_a_heavier_kind_is_taken_more_often():
    settings = PagerankSettings(hub_exponent=0.0, backward_weight=0.0, edges=EdgeWeights(cites=1.0, delegates=3.0))
    steps = typed_adjacency(graph_of((0, 1, EdgeKind.CITES), (0, 2, EdgeKind.DELEGATES)), settings)
    assert steps.toarray()[0].tolist() == [0, 0.25, 0.75, 0, 0, 0]


def test_a_hub_is_taken_less_often():
    settings = PagerankSettings(hub_exponent=1.0, backward_weight=0.0)
    edges = [(0, 1, EdgeKind.CITES), (0, 2, EdgeKind.CITES), (3, 2, EdgeKind.CITES), (4, 2, EdgeKind.CITES)]
    steps = typed_adjacency(graph_of(*edges), settings).toarray()
    assert steps[0, 1] == pytest.approx(0.75, abs=1e-12)  # weights 1 and 1/3
    assert steps[0, 2] == pytest.approx(0.25, abs=1e-12)


def test_implied_edges_and_whole_laws_are_not_walked_unless_weighed():
    graph = graph_of((0, 1, EdgeKind.IMPLIED), (0, 2, EdgeKind.WHOLE_LAW))
    assert typed_adjacency(graph, PagerankSettings()).nnz == 0
    assert typed_adjacency(graph, PagerankSettings(edges=EdgeWeights(implied=1.0))).nnz == 1


@given(edges=st.lists(pairs, max_size=15), start=st.lists(st.floats(0, 1), min_size=6, max_size=6), settings=walks)
def test_networkx_finds_the_same_shares(edges, start, settings):
    scores = np.array(start)
    if scores.sum() < 1e-6:
        return
    steps = typed_adjacency(graph_of(*edges), settings)
    walk = personalised_pagerank(scores, steps, settings=settings)
    digraph = nx.from_scipy_sparse_array(steps, create_using=nx.DiGraph)
    expected = nx.pagerank(
        digraph, alpha=settings.damping, personalization=dict(enumerate(start)), tol=1e-12, max_iter=1000
    )
    assert walk == pytest.approx([expected[node] for node in range(6)], abs=1e-7)
    assert walk.sum() == pytest.approx(1, abs=1e-9)


def test_without_a_start_there_is_no_walk():
    steps = typed_adjacency(graph_of((0, 1, EdgeKind.CITES)), ONE_WAY)
    assert personalised_pagerank(np.zeros(6), steps, settings=ONE_WAY).tolist() == [0] * 6


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_a_start_that_is_no_score_is_refused(wrong):
    steps = typed_adjacency(graph_of(), ONE_WAY)
    with pytest.raises(ValueError, match="finite and 0 or more"):
        personalised_pagerank(np.array([wrong, 0, 0, 0, 0, 0]), steps, settings=ONE_WAY)


@pytest.mark.parametrize(
    "wrong", [{"damping": 1.0}, {"damping": -0.1}, {"hub_exponent": -1.0}, {"n_candidates": 0}, {"tolerance": 0.0}]
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match="PageRank needs"):
        PagerankSettings(**wrong)


def test_a_negative_edge_weight_is_refused():
    with pytest.raises(ValueError, match="edge weights must be 0 or more"):
        EdgeWeights(cites=-1.0)

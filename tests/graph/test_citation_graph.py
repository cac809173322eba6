from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.citation_graph import CitationGraph, dataset_edges
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.links import GraphSource, citation_graph, default_source
from graph.records import Edge, EdgeKind, Provision, Status

ACT_1, ACT_2, ACT_3, ACT_3_2 = "등대-안전법_1조", "등대-안전법_2조", "등대-안전법_3조", "등대-안전법_3조의2"
ANNEX = "등대-안전법_별표1"
DECREE_1, DECREE_2 = "등대-안전법-시행령_1조", "등대-안전법-시행령_2조"
RULE_1, RULE_2, OLD_RULE_1 = "등대-안전법-시행규칙_1조", "등대-안전법-시행규칙_2조", "등대안전법-시행규칙_1조"


def provision(number: int, *, links: tuple[int, ...] = (), status: Status = Status.PRESENT) -> Provision:
    return Provision(
        semantic_id=f"법_{number}조",
        doc_id=number,
        law_name="법",
        collection_name="법",
        law_level="법률",
        chapter=f"제{number}조",
        related_doc_ids=links,
        status=status,
    )


def cites(source: int, target: int, kind: EdgeKind = EdgeKind.CITES, start: int = -1) -> Edge:
    return Edge(f"법_{source}조", f"법_{target}조", kind, start=start)


def graph_of(n: int, pairs: list[tuple[int, int]]) -> CitationGraph:
    return CitationGraph([provision(i) for i in range(n)], [cites(a, b) for a, b in pairs])


PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30)


def test_the_golden_graph_is_the_one_drawn(golden_graph):
    assert sorted((edge.source, edge.target, edge.kind.value) for edge in golden_graph.edges) == sorted(
        [
            (ACT_1, DECREE_1, "delegates"),
            (DECREE_1, ACT_1, "implements"),
            (ACT_3, ACT_3_2, "cites"),
            (ACT_3_2, ACT_3, "cites"),
        ]
    )


def test_a_citation_to_nowhere_stays_unresolved_with_its_reason(golden_graph):
    (edge,) = (edge for edge in golden_graph.unresolved if edge.source == ACT_3_2)
    assert (edge.text, edge.reason, edge.candidates) == ("제9조", "등대 안전법 has no 제9조", ())


def test_a_citation_that_fits_two_laws_is_unresolved_with_both(golden_graph):
    (edge,) = (edge for edge in golden_graph.unresolved if edge.source == DECREE_2)
    assert edge.text == "「등대안전법시행규칙」 제1조"
    assert sorted(edge.candidates) == ["등대-안전법-시행규칙", "등대안전법-시행규칙"]


def test_what_cites_and_what_is_cited_are_each_others_reverse(golden_graph):
    out = [edge for name in golden_graph.provisions for edge in golden_graph.cites(name) if edge.target]
    into = [edge for name in golden_graph.provisions for edge in golden_graph.cited_by(name)]
    assert len(out) == len(into) == 4
    assert set(out) == set(into)


def test_citations_are_listed_in_the_order_of_the_text(golden_graph):
    assert [edge.text for edge in golden_graph.cites(ACT_3_2)] == ["제3조", "제9조"]


def test_unresolved_citations_stand_among_the_others_in_the_order_of_the_text():
    unresolved = Edge("법_0조", None, EdgeKind.CITES, start=3)
    edges = [cites(0, 1, start=9), unresolved, cites(0, 2, start=1)]
    graph = CitationGraph([provision(0), provision(1), provision(2)], edges)
    assert [edge.start for edge in graph.cites("법_0조")] == [1, 3, 9]


def test_citations_can_be_asked_for_by_kind(golden_graph):
    assert golden_graph.cites(ACT_3_2, kinds=[EdgeKind.DELEGATES]) == []
    assert [edge.source for edge in golden_graph.cited_by(DECREE_1, kinds=[EdgeKind.DELEGATES])] == [ACT_1]


def test_a_family_is_an_act_with_its_decree_and_rule(golden_graph):
    assert golden_graph.family(RULE_1) == [ACT_1, ACT_2, ACT_3, ACT_3_2, ANNEX, DECREE_1, DECREE_2, RULE_1, RULE_2]
    assert golden_graph.family(OLD_RULE_1) == [OLD_RULE_1]


def test_the_rows_of_the_adjacency_are_the_articles_with_a_text(golden_graph):
    articles = (ACT_1, ACT_3, ACT_3_2, DECREE_1, DECREE_2, OLD_RULE_1, RULE_1, RULE_2)
    assert golden_graph.articles == articles
    expected = np.zeros((8, 8))
    expected[0, 3] = expected[3, 0] = expected[1, 2] = expected[2, 1] = 1
    assert golden_graph.adjacency().toarray().tolist() == expected.tolist()


def test_the_statistics_of_the_golden_graph_are_those_of_its_drawing(golden_graph):
    assert golden_graph.statistics() == {
        "documents": 8,
        "laws": 4,
        "families": 2,
        "absent provisions": 1,
        "repealed provisions": 1,
        "documents with links": 4,
        "referenced targets": 4,
        "nodes with edges": 4,
        "adjacency entries, directed": 4,
        "adjacency entries, undirected": 4,  # both pairs are linked both ways
        "links to unknown ids": 0,
        "unresolved mentions": 2,
        "edges, cites": 2,
        "edges, delegates": 1,
        "edges, implements": 1,
    }


@given(PAIRS)
def test_the_adjacency_is_the_one_of_networkx(pairs):
    graph = graph_of(7, pairs)
    digraph = nx.DiGraph()
    digraph.add_nodes_from(graph.articles)
    digraph.add_edges_from((f"법_{a}조", f"법_{b}조") for a, b in pairs if a != b)
    expected = nx.to_numpy_array(digraph, nodelist=graph.articles)
    assert (graph.adjacency().toarray() == expected).all()
    undirected = nx.to_numpy_array(digraph.to_undirected(), nodelist=graph.articles)
    assert (graph.adjacency(directed=False).toarray() == undirected).all()


@given(PAIRS)
def test_the_degrees_of_the_digraph_are_those_of_the_adjacency(pairs):
    graph = graph_of(7, pairs)
    adjacency = graph.adjacency().toarray()
    assert [graph.digraph.out_degree(name) for name in graph.articles] == adjacency.sum(axis=1).tolist()
    assert [graph.digraph.in_degree(name) for name in graph.articles] == adjacency.sum(axis=0).tolist()


@given(PAIRS)
def test_the_statistics_count_what_networkx_counts(pairs):
    graph = graph_of(7, pairs)
    digraph = nx.DiGraph((a, b) for a, b in pairs if a != b)
    statistics = graph.statistics()
    assert statistics["documents with links"] == sum(d > 0 for _, d in digraph.out_degree())
    assert statistics["referenced targets"] == sum(d > 0 for _, d in digraph.in_degree())
    assert statistics["nodes with edges"] == digraph.number_of_nodes()
    assert statistics["adjacency entries, directed"] == digraph.number_of_edges()
    assert statistics["adjacency entries, undirected"] == 2 * digraph.to_undirected().number_of_edges()


def test_the_adjacency_can_be_of_some_kinds_alone():
    edges = [cites(0, 1), cites(1, 0, EdgeKind.DELEGATES)]
    graph = CitationGraph([provision(0), provision(1)], edges)
    assert graph.adjacency(kinds=[EdgeKind.DELEGATES]).toarray().tolist() == [[0, 0], [1, 0]]
    assert graph.adjacency(directed=False, kinds=[EdgeKind.DELEGATES]).toarray().tolist() == [[0, 1], [1, 0]]


def test_two_citations_of_one_article_are_one_entry_and_two_mentions():
    edges = [cites(0, 1, start=3), cites(0, 1, EdgeKind.DEFINES, start=9)]
    graph = CitationGraph([provision(0), provision(1)], edges)
    assert graph.adjacency().toarray().tolist() == [[0, 1], [0, 0]]
    assert graph.digraph.edges["법_0조", "법_1조"] == {"kinds": {EdgeKind.CITES, EdgeKind.DEFINES}, "mentions": edges}


def test_links_of_an_article_to_itself_are_dropped():
    graph = CitationGraph([provision(0)], [cites(0, 0)])
    assert graph.edges == ()


def test_an_article_without_text_has_no_row_but_a_node():
    graph = CitationGraph([provision(0), provision(1, status=Status.REPEALED)], [cites(0, 1)])
    assert graph.adjacency().shape == (1, 1)
    assert graph.adjacency().nnz == 0
    assert list(graph.digraph.edges) == [("법_0조", "법_1조")]


@pytest.mark.parametrize("edge", [cites(0, 9), cites(9, 0)])
def test_an_edge_with_an_end_that_is_no_provision_is_refused(edge):
    with pytest.raises(ValueError, match="has an end that is no provision"):
        CitationGraph([provision(0)], [edge])


def test_links_of_the_dataset_to_unknown_numbers_are_counted():
    edges, n_unknown = dataset_edges([provision(0, links=(1, 7, 1, 7, 8)), provision(1)])
    assert [(edge.source, edge.target) for edge in edges] == [("법_0조", "법_1조")]
    assert n_unknown == 2


def test_links_come_from_the_dataset_where_it_has_some_and_else_from_the_text(golden_corpus):
    assert default_source([provision(0, links=(1,)), provision(1)]) is GraphSource.DATASET
    assert default_source(golden_corpus.provisions) is GraphSource.TEXT


def test_links_of_both_kinds_give_each_pair_once(golden_corpus):
    number = {p.semantic_id: p.doc_id for p in golden_corpus.provisions}
    linked = [
        Provision(**{f: getattr(p, f) for f in p.__slots__} | {"related_doc_ids": (number[ACT_3_2], number[RULE_2])})
        if p.semantic_id == ACT_3
        else p
        for p in golden_corpus.provisions
    ]
    graph = citation_graph(linked, GraphSource.BOTH)
    assert sorted(edge.target for edge in graph.cites(ACT_3)) == [RULE_2, ACT_3_2]
    assert len(graph.edges) == 5


def test_provisions_that_are_cited_but_not_given_are_absent_nodes_with_numbers():
    graph = citation_graph(read_corpus([BUILTIN_LAW]).provisions)
    law = graph.provisions["building-act"]
    assert law.status is Status.ABSENT
    assert len({p.doc_id for p in graph.provisions.values()}) == len(graph.provisions)


def test_an_empty_graph_has_no_entries():
    assert CitationGraph([], []).adjacency().shape == (0, 0)


def test_the_benchmark_has_its_published_numbers(shared_data):
    graph = citation_graph(read_corpus([shared_data / "firelaw-kr" / "legal_docs.jsonl"]).provisions)
    statistics = graph.statistics()
    assert statistics["documents"] == 4738
    assert statistics["laws"] == 97
    assert statistics["adjacency entries, directed"] == statistics["edges, cites"] == 8922
    digraph = nx.DiGraph((edge.source, edge.target) for edge in graph.edges)
    assert statistics["adjacency entries, undirected"] == 2 * digraph.to_undirected().number_of_edges()
    assert statistics["nodes with edges"] == digraph.number_of_nodes()

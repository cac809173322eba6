"""Implied edges on a family made by hand: an act, its decree and its rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.corpus import BUILTIN_LAW, read_corpus
from graph.implied import implied_edges
from graph.links import GraphSource, citation_graph
from graph.records import Edge, EdgeKind, Provision
from graph.resolution import Resolver
from graph.semantic_id import semantic_id

LEVELS = {"등대법": "법률", "등대법 시행령": "대통령령", "등대법 시행규칙": "행정안전부령"}


def article(law: str, number: int, heading: str, text: str, *, links: tuple[int, ...] = ()) -> Provision:
    return Provision(
        semantic_id=semantic_id(law, f"제{number}조"),
        doc_id=100 * list(LEVELS).index(law) + number,
        law_name=law,
        collection_name="등대법",
        law_level=LEVELS[law],
        chapter=f"제{number}조",
        chapter_description=heading,
        text=text,
        related_doc_ids=links,
    )


ACT = [
    article("등대법", 7, "등대의 점검", "등대의 점검 방법은 행정안전부령으로 정한다."),
    article("등대법", 8, "신호의 색", "신호의 색과 밝기는 대통령령으로 정한다."),
    article("등대법", 9, "항로평가단", "③ 항로평가단의 구성 및 운영 등에 필요한 사항은 행정안전부령으로 정한다."),
    article("등대법", 10, "벌칙", "제9조를 위반한 자는 벌금에 처한다."),
]
CITING = article("등대법 시행규칙", 3, "점검 방법", "법 제7조에 따라 등대의 점검은 매월 한다.")
SILENT = article("등대법 시행규칙", 4, "항로평가단의 구성", "항로평가단은 50명 이내의 단원으로 구성한다.")
OTHER = article("등대법 시행규칙", 5, "사무실의 냉난방", "사무실의 온도는 18도 이상으로 유지한다.")


def implied(provisions: Sequence[Provision]) -> list[tuple[str, str]]:
    resolver = Resolver(provisions)
    edges = implied_edges(provisions, [edge for one in provisions for edge in resolver.edges(one)])
    return [(edge.source, edge.target or "") for edge in edges]


def test_an_article_that_details_a_clause_without_citing_it_is_joined_to_it():
    assert implied([*ACT, CITING, SILENT, OTHER]) == [("등대법-시행규칙_4조", "등대법_9조")]


def test_an_implied_edge_has_a_score_below_1_and_no_words():
    resolver = Resolver([*ACT, SILENT, OTHER])
    provisions = [*ACT, SILENT, OTHER]
    (edge,) = implied_edges(provisions, [edge for one in provisions for edge in resolver.edges(one)])
    assert 0 < edge.score < 1
    assert (edge.kind, edge.start, edge.end, edge.text) == (EdgeKind.IMPLIED, -1, -1, "")


def test_what_words_join_gets_no_implied_edge():
    said = article("등대법 시행규칙", 4, "항로평가단의 구성", "법 제9조제3항에 따라 항로평가단은 50명으로 한다.")
    assert implied([*ACT, said, OTHER]) == []


def test_a_clause_that_leaves_the_matter_to_another_level_is_not_detailed():
    decree = article("등대법 시행령", 4, "항로평가단의 구성", "항로평가단은 50명 이내의 단원으로 구성한다.")
    assert implied([*ACT, decree, OTHER]) == []


def test_a_law_of_another_family_details_nothing_here():
    others = [
        Provision(**{name: getattr(SILENT, name) for name in SILENT.__slots__} | {"collection_name": "항만법"}),
        OTHER,
    ]
    assert implied([*ACT, *others]) == []


def test_words_that_a_lower_article_quotes_join_it_to_the_clause_that_repeats_them():
    act = [
        article("등대법", 16, "평가서", "평가서를 행정안전부령으로 정하는 기간 동안 보존할 것"),
        article(
            "등대법",
            17,
            "등록취소",
            "제16조를 위반하여 평가서를 행정안전부령으로 정하는 기간 동안 보존하지 아니한 경우",
        ),
        article("등대법", 18, "휴업", "등대는 행정안전부령으로 정하는 기간 동안 쉴 수 있다."),
    ]
    rule = article(
        "등대법 시행규칙",
        6,
        "평가서의 보존기간",
        '법 제16조의 "행정안전부령으로 정하는 기간 동안"이란 평가서를 보존할 2년을 말한다.',
    )
    assert implied([*ACT, *act, CITING, rule, OTHER]) == [("등대법-시행규칙_6조", "등대법_17조")]


def test_the_graph_has_them_only_if_asked_and_its_adjacency_only_by_name():
    provisions = [*ACT, CITING, SILENT, OTHER]
    pair = ("등대법-시행규칙_4조", "등대법_9조")
    without = citation_graph(provisions, GraphSource.TEXT)
    graph = citation_graph(provisions, GraphSource.TEXT, implied=True)
    assert pair not in {(edge.source, edge.target) for edge in without.edges}
    assert pair in {(edge.source, edge.target) for edge in graph.edges}
    assert (graph.adjacency() != without.adjacency()).nnz == 0
    row, column = graph.articles.index(pair[0]), graph.articles.index(pair[1])
    assert graph.adjacency()[row, column] == 0
    assert graph.adjacency(kinds=[EdgeKind.IMPLIED]).nnz == 1
    assert graph.adjacency(kinds=[EdgeKind.IMPLIED])[row, column] == 1
    assert graph.statistics()["edges, implied"] == 1


def test_over_the_datasets_links_an_implied_edge_joins_only_what_they_leave_apart():
    linked = article("등대법 시행규칙", 4, SILENT.chapter_description, SILENT.text, links=(9,))
    for provisions, n_implied in (([*ACT, SILENT, OTHER], 1), ([*ACT, linked, OTHER], 0)):
        graph = citation_graph(provisions, GraphSource.DATASET, implied=True)
        assert sum(edge.kind is EdgeKind.IMPLIED for edge in graph.edges) == n_implied
        assert list(graph.provisions) == [one.semantic_id for one in provisions]


def test_every_edge_has_its_words_or_is_implied():
    provisions = read_corpus([BUILTIN_LAW]).provisions
    graph = citation_graph(provisions, GraphSource.TEXT, implied=True)
    for edge in (*graph.edges, *graph.unresolved):
        text = graph.provisions[edge.source].text
        assert edge.kind is EdgeKind.IMPLIED or edge.text == text[edge.start : edge.end] != ""


@given(st.permutations(range(7)))
def test_the_order_of_the_citations_given_does_not_matter(order: list[int]):
    provisions = [*ACT, CITING, SILENT, OTHER]
    resolver = Resolver(provisions)
    by_article = [resolver.edges(provisions[number]) for number in order]
    edges = [edge for of_one in by_article for edge in of_one]
    assert implied_edges(provisions, edges) == implied_edges(
        provisions, [e for p in provisions for e in resolver.edges(p)]
    )


@pytest.mark.parametrize("provisions", [[], ACT, [SILENT, OTHER]])
def test_a_family_of_one_level_implies_nothing(provisions: list[Provision]):
    edges: list[Edge] = []
    assert implied_edges(provisions, edges) == []
    assert implied(provisions) == []

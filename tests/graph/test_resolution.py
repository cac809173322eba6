from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.links import GraphSource, citation_graph
from graph.records import Edge, EdgeKind, Provision, Status
from graph.resolution import Resolver
from graph.semantic_id import parse, semantic_id
from tests.graph.citation_cases import (
    CASES,
    ENGLISH_BRANCHES,
    ENGLISH_LAWS,
    KOREAN_BRANCHES,
    KOREAN_LAWS,
    Case,
)
from tests.graph.test_mentions import statutes


def provision(law: str, chapter: str, *, text: str = "", language: str = "ko") -> Provision:
    collection, level = (KOREAN_LAWS if language == "ko" else ENGLISH_LAWS)[law]
    return Provision(
        semantic_id=semantic_id(law, chapter, language=language),
        doc_id=-1,
        law_name=law,
        collection_name=collection,
        law_level=level,
        chapter=chapter,
        text=text,
        language=language,
        status=Status.REPEALED if chapter in ("제121조", "Article 121") else Status.PRESENT,
    )


def corpus(language: str, texts: dict[tuple[str, str], str]) -> list[Provision]:
    if language == "ko":
        chapters = [f"제{n}조" for n in range(1, 122)] + [f"제{label}" for label in KOREAN_BRANCHES]
    else:
        chapters = [f"Article {n}" for n in [*range(1, 122), *ENGLISH_BRANCHES]]
    return [
        provision(law, chapter, text=texts.get((law, chapter), ""), language=language)
        for law in (KOREAN_LAWS if language == "ko" else ENGLISH_LAWS)
        for chapter in chapters
    ]


def edges_of(case: Case) -> list[Edge]:
    texts = {(law, label): text for law, beside in case.beside.items() for label, text in beside.items()}
    provisions = corpus(case.language, {**texts, (case.law, case.article): case.text})
    article = provision(case.law, case.article, text=case.text, language=case.language)
    return Resolver(provisions).edges(article)


@pytest.mark.parametrize("case", CASES, ids=[case.why for case in CASES])
def test_a_citation_resolves_as_worked_by_hand(case: Case) -> None:
    edges = edges_of(case)
    assert [(edge.text, edge.kind, edge.target) for edge in edges] == [expected[:3] for expected in case.expected]
    for edge, (*_, reason) in zip(edges, case.expected, strict=True):
        assert reason in edge.reason
        assert bool(reason) == bool(edge.reason)


def resolver(texts: dict[tuple[str, str], str], *, without: str = "") -> Resolver:
    return Resolver([p for p in corpus("ko", texts) if p.law_name != without])


def test_two_laws_that_fit_resolve_to_none_and_are_both_named() -> None:
    others = [
        Provision(
            semantic_id=f"{name.replace(' ', '-')}_1조",
            doc_id=-1,
            law_name=name,
            collection_name=name,
            law_level="법률",
            chapter="제1조",
        )
        for name in ("소방 장비법", "소방장비 법")
    ]
    article = provision("건축법", "제1조", text="「소방장비법」 제1조에 따른")
    (edge,) = Resolver([*others, article]).edges(article)
    assert (edge.target, edge.candidates) == (None, ("소방-장비법", "소방장비-법"))
    assert "2 laws of the corpus are named 소방장비법" in edge.reason


def test_two_decrees_of_one_family_resolve_to_none() -> None:
    second = Provision(
        semantic_id="건축물-규정_1조",
        doc_id=-1,
        law_name="건축물 규정",
        collection_name="건축법",
        law_level="대통령령",
        chapter="제1조",
    )
    article = provision("건축법", "제1조", text="영 제1조에 따른")
    (edge,) = Resolver([article, provision("건축법 시행령", "제1조"), second]).edges(article)
    assert (edge.target, edge.candidates) == (None, ("건축법-시행령", "건축물-규정"))


def test_what_is_cited_but_not_there_becomes_an_absent_provision() -> None:
    text = "「산업안전보건법 시행령」 제38조, 「주택법」, 별표 4, 별지 제3호서식 및 법 제5조"
    absent = resolver({("건축법 시행령", "제1조"): text}).absent_provisions()
    assert [(p.semantic_id, p.law_name, p.chapter, p.collection_name, p.status) for p in absent] == [
        ("건축법-시행령_별표4", "건축법 시행령", "별표 4", "건축법", Status.ABSENT),
        ("건축법-시행령_별지3호서식", "건축법 시행령", "별지 제3호서식", "건축법", Status.ABSENT),
        ("산업안전보건법-시행령_38조", "산업안전보건법 시행령", "제38조", "산업안전보건법", Status.ABSENT),
        ("주택법", "주택법", "", "주택법", Status.ABSENT),
    ]


def test_every_target_is_a_given_or_an_absent_provision() -> None:
    provisions = corpus("ko", {(case.law, case.article): case.text for case in CASES if case.language == "ko"})
    resolved = Resolver(provisions)
    known = {p.semantic_id for p in [*provisions, *resolved.absent_provisions()]}
    targets = {edge.target for article in provisions for edge in resolved.edges(article)}
    assert targets - {None} <= known


def test_an_annex_that_the_sources_list_is_not_invented_again() -> None:
    listed = provision("건축법 시행령", "별표 4")
    article = provision("건축법 시행령", "제1조", text="별표 4에 따른")
    resolved = Resolver([replace(listed, status=Status.ABSENT), article])
    (edge,) = resolved.edges(article)
    assert (edge.target, edge.reason) == ("건축법-시행령_별표4", "its text is not in the sources")
    assert resolved.absent_provisions() == []


def test_the_last_definition_before_an_article_gives_an_alias_its_meaning() -> None:
    resolved = resolver(
        {
            ("소방공무원 임용령", "제1조"): '「소방공무원법」(이하 "법"이라 한다)',
            ("소방공무원 임용령", "제5조"): '「건축법」(이하 "법"이라 한다)',
        }
    )
    early = provision("소방공무원 임용령", "제3조", text="법 제2조")
    late = provision("소방공무원 임용령", "제9조", text="법 제2조")
    assert [edge.target for edge in resolved.edges(early)] == ["소방공무원법_2조"]
    assert [edge.target for edge in resolved.edges(late)] == ["건축법_2조"]


def test_a_delegation_goes_to_the_one_that_quotes_its_words() -> None:
    act, decree = "건축법", "건축법 시행령"
    texts = {
        (
            act,
            "제9조",
        ): "대통령령으로 정하는 건축물은 대통령령으로 정하는 기준에 맞아야 하며, 대통령령으로 정하는 바에 따른다.",
        (decree, "제1조"): '법 제9조에서 "대통령령으로 정하는 건축물"이란 다음을 말한다.',
        (decree, "제2조"): '법 제9조에서 "대통령령으로 정하는 기준"이란 다음을 말한다.',
        (decree, "제3조"): "법 제9조에 따라",
    }
    edges = resolver(texts).edges(provision(act, "제9조", text=texts[act, "제9조"]))
    assert [edge.target for edge in edges] == ["건축법-시행령_1조", "건축법-시행령_2조", "건축법-시행령_3조"]


def test_an_article_in_a_language_without_a_grammar_has_no_edges() -> None:
    article = replace(provision("건축법", "제1조", text="제2조에 따른"), language="fr")
    resolved = Resolver([article, provision("건축법", "제2조")])
    assert resolved.edges(article) == []
    assert resolved.absent_provisions() == []


def test_a_delegation_goes_to_those_that_name_its_clause_most_exactly() -> None:
    act, decree = "건축법", "건축법 시행령"
    texts = {
        (act, "제9조"): "① 다음과 같다.\n  1. 대통령령으로 정하는 것\n  2. 국토교통부령으로 정하는 것",
        (decree, "제1조"): "법 제9조에 따라",
        (decree, "제2조"): "법 제9조제1항제1호에 따라",
        (decree, "제3조"): "법 제9조제1항제2호에 따라",
        (decree, "제4조"): "법 제9조제2항에 따라",
    }
    edges = resolver(texts).edges(provision(act, "제9조", text=texts[act, "제9조"]))
    assert [(edge.target, edge.reason) for edge in edges] == [
        ("건축법-시행령_2조", ""),
        (None, "no article of 건축법 시행규칙 implements it"),
    ]


@settings(max_examples=100, deadline=None)
@given(statutes, st.sampled_from(sorted(KOREAN_LAWS)))
def test_every_target_parses_back_and_no_edge_is_a_self_link(text: str, law: str) -> None:
    article = provision(law, "제99조", text=text)
    for edge in Resolver([*(provision(name, "제1조") for name in KOREAN_LAWS), article]).edges(article):
        assert edge.source == article.semantic_id != edge.target
        assert edge.text == text[edge.start : edge.end] != ""
        assert edge.target is not None or edge.reason
        if edge.target is not None:
            assert str(parse(edge.target)) == edge.target or parse(edge.target).label == ""


def test_an_annex_and_a_form_know_the_articles_that_send_one_there() -> None:
    provisions = corpus(
        "ko",
        {
            ("건축법 시행령", "제1조"): "기준은 별표 4와 같다.",
            ("건축법 시행규칙", "제2조"): "영 별표 4 제1호에 따라 별지 제3호서식으로 신청한다.",
        },
    )
    graph = citation_graph(provisions, GraphSource.TEXT)
    annex, form = "건축법-시행령_별표4", "건축법-시행규칙_별지3호서식"
    assert [graph.provisions[name].status for name in (annex, form)] == [Status.ABSENT] * 2
    assert [(edge.source, edge.kind.value) for edge in graph.cited_by(annex)] == [
        ("건축법-시행령_1조", "delegates"),
        ("건축법-시행규칙_2조", "implements"),
    ]
    assert [edge.source for edge in graph.cited_by(form)] == ["건축법-시행규칙_2조"]


def test_a_law_cited_whole_never_points_at_an_article() -> None:
    whole = [
        edge for case in CASES for edge in edges_of(case) if edge.kind is EdgeKind.WHOLE_LAW and edge.target is not None
    ]
    assert len(whole) >= 5
    assert [edge.target for edge in whole if parse(edge.target or "").label] == []

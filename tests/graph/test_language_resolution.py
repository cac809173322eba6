"""The hand-made citations of each language resolve as written down before its grammar was."""

from __future__ import annotations

from functools import cache

import pytest

from graph.mentions import LANGUAGES, find_mentions, name_key
from graph.records import Edge, Mention, Provision, Status
from graph.resolution import Resolver
from graph.semantic_id import semantic_id
from tests.graph import language_cases
from tests.graph.language_cases import LanguageCase, cases_of

CASES = [
    pytest.param(case, id=f"{language}: {case.why}")
    for language in language_cases.LANGUAGES
    if language in LANGUAGES
    for case in cases_of(language).cases
]


def provision(law: str, chapter: str, language: str, text: str = "") -> Provision:
    data = cases_of(language)
    collection, level = data.laws[law]
    return Provision(
        semantic_id=semantic_id(law, chapter, language=language),
        doc_id=-1,
        law_name=law,
        collection_name=collection,
        law_level=level,
        chapter=chapter,
        text=text,
        language=language,
        status=Status.REPEALED if chapter == data.repealed else Status.PRESENT,
    )


@cache
def without_text(language: str) -> dict[str, Provision]:
    data = cases_of(language)
    provisions = [provision(law, chapter, language) for law in data.laws for chapter in data.chapters[law]]
    return {one.semantic_id: one for one in provisions}


def edges_of(case: LanguageCase) -> tuple[list[Edge], list[Mention]]:
    article = provision(case.law, case.article, case.language, case.text)
    texts = [
        provision(law, chapter, case.language, text)
        for law, beside in case.beside.items()
        for chapter, text in beside.items()
    ]
    resolver = Resolver((without_text(case.language) | {one.semantic_id: one for one in [*texts, article]}).values())
    names = {name_key(law) for law in cases_of(case.language).laws}
    return resolver.edges(article), find_mentions(case.text, case.language, known_laws=names)


@pytest.mark.parametrize("case", CASES)
def test_a_citation_resolves_as_worked_by_hand(case: LanguageCase) -> None:
    edges, mentions = edges_of(case)
    assert [(edge.text, edge.kind, edge.target) for edge in edges] == [one[:3] for one in case.expected]
    parts = {mention.start: mention.target for mention in mentions}
    for edge, expected in zip(edges, case.expected, strict=True):
        assert expected.reason in edge.reason
        assert bool(expected.reason) == bool(edge.reason)
        if expected.paragraph is not None:
            assert parts[edge.start].paragraph == expected.paragraph
        if expected.item is not None:
            assert parts[edge.start].item == expected.item

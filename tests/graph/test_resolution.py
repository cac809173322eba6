from __future__ import annotations

import pytest

from graph.records import Edge, Provision, Status
from graph.resolution import Resolver
from graph.semantic_id import semantic_id
from tests.graph.citation_cases import (
    CASES,
    ENGLISH_BRANCHES,
    ENGLISH_LAWS,
    KOREAN_BRANCHES,
    KOREAN_LAWS,
    Case,
)


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

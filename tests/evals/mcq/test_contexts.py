from __future__ import annotations

import pytest

from evals.mcq.contexts import contexts, linked_articles
from evals.mcq.records import ChoiceQuestion, Condition
from graph.citation_graph import CitationGraph
from graph.records import Edge, EdgeKind, Provision, Status


def article(name: str, length: int, status: Status = Status.PRESENT) -> Provision:
    return Provision(
        semantic_id=name, doc_id=ord(name[0]), law_name="Act", collection_name="Act", law_level="Act", chapter=name,
        text="x" * length, status=status, language="en",
    )  # fmt: skip


PROVISIONS = [
    article("a", 50),
    article("b", 100),
    article("c", 104),
    article("d", 96),
    article("e", 100),
    article("f", 103),
    article("g", 100, Status.ABSENT),
]
# a cites b, d and the absent g; c cites a; f is only implied; e is not linked with a.
EDGES = [
    Edge("a", "b", EdgeKind.CITES),
    Edge("c", "a", EdgeKind.DELEGATES),
    Edge("a", "d", EdgeKind.CITES),
    Edge("a", "f", EdgeKind.IMPLIED),
    Edge("a", "g", EdgeKind.CITES),
    Edge("e", "b", EdgeKind.CITES),
]
GRAPH = CitationGraph(PROVISIONS, EDGES)


def question(*articles: str) -> ChoiceQuestion:
    return ChoiceQuestion(question_id="q", text="?", options=("1", "2"), gold_full=1, abstain=2, articles=articles)


def test_articles_are_linked_that_cite_or_are_cited_in_words():
    assert linked_articles(GRAPH, "a") == {"b", "c", "d"}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition.FULL, ("a", "b")),
        (Condition.PARTIAL, ("a",)),
        (Condition.PARTIAL_TARGET, ("b",)),
        (Condition.DECOY, ("a", "c")),  # c and d are both 4 characters off: the smaller id
        (Condition.DISTRACTOR, ("a", "e")),  # e is as long as b; f, implied alone, is unlinked, too, but 3 off
        (Condition.NONE, ()),
        (Condition.RETRIEVED, None),
    ],
)
def test_each_condition_has_its_context(condition, expected):
    assert contexts(question("a", "b"), condition, GRAPH) == expected


def test_every_missing_article_has_its_own_stand_in():
    assert contexts(question("a", "b", "c"), Condition.DECOY, GRAPH) is None  # d alone is linked besides
    assert contexts(question("a", "b", "e"), Condition.DECOY, GRAPH) == ("a", "c", "d")
    assert contexts(question("a", "b", "e"), Condition.DISTRACTOR, GRAPH) is None  # f alone is unlinked besides


def test_what_is_retrieved_is_the_context():
    assert contexts(question("a", "b"), Condition.RETRIEVED, GRAPH, retrieved=["e", "a"]) == ("e", "a")


def test_a_question_of_one_article_has_no_incomplete_context_but_none():
    there = {one for one in Condition if contexts(question("a"), one, GRAPH) is not None}
    assert there == {Condition.FULL, Condition.NONE}


def test_without_a_graph_there_is_no_stand_in():
    assert contexts(question("a", "b"), Condition.DECOY, None) is None
    assert contexts(question("a", "b"), Condition.PARTIAL, None) == ("a",)

"""Counts of the missing provisions that replies name, worked by hand on a chain of three articles."""

from dataclasses import replace

from evals.named_missing import Tally, tally
from graph.citation_graph import CitationGraph
from graph.records import Edge, EdgeKind, Provision, Question, Status


def provision(name, *, status=Status.PRESENT):
    law, _, label = name.partition("_")
    return Provision(
        semantic_id=name,
        doc_id=-1,
        law_name=law,
        collection_name=law,
        law_level="법률",
        chapter=label,
        text="글" if status is Status.PRESENT else "",
        status=status,
    )


GRAPH = CitationGraph(
    [provision("법_1조"), provision("법_2조"), provision("영_3조"), provision("영_별표4", status=Status.ABSENT)],
    [
        Edge("법_1조", "법_2조", EdgeKind.CITES),
        Edge("법_2조", "영_3조", EdgeKind.DELEGATES),
        Edge("영_3조", "영_별표4", EdgeKind.CITES),
    ],
)
QUESTION = Question(
    question_id="1", text="?", gold=("법_1조",), missing=("영_별표4-1호", "영_별표4-2호의가", "고시_2.1", "고시_2.2")
)


def reply(*named, read=("법_1조",)):
    pack = {"step": "pack", "articles": dict.fromkeys(read, "whole")}
    return {"trace": [pack], "beyond": [{"semantic_id": name} for name in named]}


def counts(one, *, max_hops=2):
    return tally([QUESTION], [one], GRAPH, max_hops=max_hops)


def test_parts_of_an_annex_and_sections_of_a_notice_are_one_provision_each():
    # 영_별표4 and 고시: two pairs. An article names the annex, two citations from the gold article; none the notice.
    assert counts(reply("영_별표4")) == Tally(2, 1, 1, 1, 1, 1.0)
    assert counts(reply("영_별표5", "영_별표6")) == Tally(2, 1, 0, 1, 0, 2.0)


def test_near_is_only_what_a_gold_article_that_was_read_leads_to_within_the_hops():
    assert counts(reply("영_별표4"), max_hops=1) == Tally(2, 1, 1, 0, 0, 1.0)
    assert counts(reply("영_별표4", read=("법_2조",))) == Tally(2, 1, 1, 0, 0, 1.0)


def test_the_addenda_of_a_law_whose_articles_are_here_are_not_that_law():
    question = replace(QUESTION, missing=("법_부칙-1호",))
    law = provision("법", status=Status.ABSENT)
    edges = [Edge("영_3조", "법", EdgeKind.WHOLE_LAW)]
    graph = CitationGraph([*GRAPH.provisions.values(), law], edges)
    assert tally([question], [reply("법")], graph, max_hops=2) == Tally(1, 0, 0, 0, 0, 1.0)


def test_what_an_abstention_misses_counts_as_named():
    one = {"trace": [], "missing": [{"semantic_id": "영_별표4"}], "beyond": [{"semantic_id": "영_별표4"}]}
    assert counts(one) == Tally(2, 1, 1, 0, 0, 1.0)

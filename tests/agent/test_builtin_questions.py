"""The built-in law's 48 questions through the embedded default: the encoder that is shipped, Chroma, SAR, no model."""

import json
from pathlib import Path

import pytest

import evals
from agent import LegalAgent
from agent.reply import Abstention, Answer

QUESTIONS = [
    json.loads(line)
    for line in (Path(evals.__file__).parent / "builtin" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
ANSWERABLE = [question for question in QUESTIONS if not question["abstention"]]
UNANSWERABLE = [question for question in QUESTIONS if question["abstention"]]


@pytest.fixture(scope="module")
def agent(builtin_index_folder):
    with LegalAgent.open(builtin_index_folder) as agent:
        yield agent


@pytest.fixture(scope="module")
def replies(agent):
    return {question["question_id"]: agent.ask(question["question"]) for question in QUESTIONS}


def test_a_gold_article_is_among_the_first_five_for_35_of_the_40(agent):
    found = [
        bool({hit.semantic_id for hit in agent.retriever.search(q["question"], top_k=5)} & set(q["semantic_ids"]))
        for q in ANSWERABLE
    ]
    assert sum(found) >= 35


def test_all_8_unanswerable_ones_abstain_and_6_of_them_for_the_right_reason(replies):
    given = [replies[question["question_id"]] for question in UNANSWERABLE]
    assert all(isinstance(reply, Abstention) for reply in given)
    right = [reply.kind == question["abstention"] for reply, question in zip(given, UNANSWERABLE, strict=True)]
    assert sum(right) >= 6


def test_at_most_a_tenth_of_the_answerable_ones_abstain(replies):
    assert sum(isinstance(replies[question["question_id"]], Abstention) for question in ANSWERABLE) <= 4


def test_no_citation_lies_outside_the_context_and_every_quote_is_verbatim(agent, replies):
    n_checked = 0
    for reply in replies.values():
        packed = {name for step in reply.trace if step.name == "pack" for name in step.detail["articles"]}
        for citation in reply.citations if isinstance(reply, Answer) else reply.found:
            assert citation.semantic_id in packed
            text = agent.retriever.article(citation.semantic_id).text
            assert citation.quote == text[citation.start : citation.end] != ""
            n_checked += 1
    assert n_checked > 48


def test_a_missing_provision_is_named_with_the_article_and_the_sentence_that_send_there(agent, replies):
    named = [missing for reply in replies.values() if isinstance(reply, Abstention) for missing in reply.missing]
    assert named
    for missing in named:
        assert missing.sentence in agent.retriever.article(missing.sent_from).text
        assert agent.retriever.article(missing.semantic_id).status == "absent"

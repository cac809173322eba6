import asyncio
import json

import pytest

from agent import AgentSettings, LegalAgent, extractive
from agent.reply import Abstention, AbstentionKind, Answer
from graph.corpus import BUILTIN_LAW, read_corpus
from retrieval.index_build import build_index


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The built-in law without vectors: quick, and deterministic to the byte."""
    folder = tmp_path_factory.mktemp("index") / "index"
    build_index(read_corpus([BUILTIN_LAW]), folder)
    return folder


@pytest.fixture
def agent(folder):
    with LegalAgent.open(folder) as agent:
        yield agent


QUESTION = "Within how many days must the person who stores dangerous goods report a change of facility?"
PLAIN = "May fireworks be sold to a person under 16 years of age?"


def test_every_quote_is_the_words_of_its_article_and_every_article_is_in_the_context(agent):
    reply = agent.ask(PLAIN)
    assert isinstance(reply, Answer)
    packed = next(step.detail["articles"] for step in reversed(reply.trace) if step.name == "pack")
    for citation in reply.citations:
        assert citation.quote == agent.retriever.article(citation.semantic_id).text[citation.start : citation.end]
        assert citation.semantic_id in packed
    assert "fire-safety-act_13-2" in {citation.semantic_id for citation in reply.citations}


def test_numbers_in_the_text_are_those_of_the_citations(agent):
    reply = agent.ask(PLAIN)
    for number, citation in enumerate(reply.citations, start=1):
        assert f"“{citation.quote}” [{number}]" in reply.text


def test_a_quote_that_is_not_in_its_article_makes_the_answer_unverified(agent, monkeypatch):
    draft = extractive.Draft("made up [1]", (extractive.Quote("fire-safety-act_13-2", "This stands nowhere at all."),))
    monkeypatch.setattr(extractive, "read", lambda clauses: draft)
    reply = agent.ask(PLAIN)
    assert isinstance(reply, Abstention)
    assert reply.kind is AbstentionKind.UNVERIFIED_ANSWER


def test_a_quote_from_an_article_outside_the_context_makes_the_answer_unverified(agent, monkeypatch):
    words = agent.retriever.article("fire-equipment-notice_7").text[:40]
    draft = extractive.Draft("x [1]", (extractive.Quote("fire-equipment-notice_7", words),))
    monkeypatch.setattr(extractive, "read", lambda clauses: draft)
    assert agent.ask(PLAIN).to_json()["kind"] == "unverified_answer"


def test_what_the_best_clause_leaves_to_another_article_is_fetched_before_the_decision(folder):
    question = "May goods that ignite or explode easily be stored at or above the designated quantity?"
    with LegalAgent.open(folder, settings=AgentSettings(n_hits=1)) as agent:
        reply = agent.ask(question)
    hop, *_ = [step.detail["fetched"] for step in reply.trace if step.name == "hop"]
    packed = next(step.detail["articles"] for step in reversed(reply.trace) if step.name == "pack")
    assert hop["fire-safety-decree_13"] == "delegates from fire-safety-act_14"
    assert packed.keys() >= {"fire-safety-act_14", *hop}


def test_hops_are_recorded_and_no_more_are_made_than_may_be(folder):
    question = "May goods that ignite or explode easily be stored at or above the designated quantity?"
    for max_hops in (0, 1, 2):
        with LegalAgent.open(folder, settings=AgentSettings(n_hits=1, max_hops=max_hops)) as agent:
            hops = [step.detail["hop"] for step in agent.ask(question).trace if step.name == "hop"]
        assert hops == list(range(1, max_hops + 1))


def test_without_hops_nothing_is_fetched(folder):
    with LegalAgent.open(folder, settings=AgentSettings(max_hops=0)) as agent:
        assert "hop" not in {step.name for step in agent.ask(QUESTION).trace}


def test_the_same_question_gets_the_same_reply_to_the_byte(folder):
    replies = []
    for _ in range(2):
        with LegalAgent.open(folder) as agent:
            replies.append(json.dumps(agent.ask(QUESTION).to_json(), ensure_ascii=False))
    assert replies[0] == replies[1]


def test_all_ways_of_asking_give_the_same_reply(agent):
    reply = agent.ask(PLAIN)
    assert asyncio.run(agent.aask(PLAIN)) == reply
    assert agent.batch([PLAIN, PLAIN]) == [reply, reply]
    *text, last = agent.stream(PLAIN)
    assert last == reply
    assert "".join(text) == reply.text


def test_a_follow_up_is_read_with_the_question_before_it(agent):
    reply = agent.ask("And under 18?", history=[PLAIN])
    assert reply.trace[0].detail == {"read as": f"{PLAIN}\nAnd under 18?"}
    assert reply.question == "And under 18?"


@pytest.mark.parametrize("question", ["", "  \n\t"])
def test_an_empty_question_is_refused(agent, question):
    with pytest.raises(ValueError, match="empty"):
        agent.ask(question)


@pytest.mark.parametrize(
    "question", ["\x00\x1b[31m\u202e", "？？？", "x" * 100_000, "제10조" * 9000, "[1] ]]> ${missing} $x {y}"]
)
def test_hostile_questions_get_a_reply(agent, question):
    record = json.loads(json.dumps(agent.ask(question).to_json()))
    assert record["text"]
    assert record["abstained"] in (True, False)


def test_a_question_that_no_article_shares_a_word_with_finds_nothing(agent):
    reply = agent.ask("May I xyzzy the plugh?")
    assert isinstance(reply, Abstention)
    assert reply.kind is AbstentionKind.NO_RELEVANT_ARTICLE
    assert reply.found == ()


def test_a_question_longer_than_may_be_is_cut_and_still_answered(folder):
    with LegalAgent.open(folder, settings=AgentSettings(question_chars=len(PLAIN))) as agent:
        long = agent.ask(PLAIN + " padding" * 50)
        assert long.text == agent.ask(PLAIN).text


def test_a_budget_of_few_tokens_is_kept_and_said(folder):
    with LegalAgent.open(folder, settings=AgentSettings(context_tokens=60)) as agent:
        packed = next(step.detail for step in agent.ask(PLAIN).trace if step.name == "pack")
        assert packed["left out"] or "in part" in packed["articles"].values()

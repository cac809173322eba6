"""`ask --as-of` on the real amendments of the Framework Act on Firefighting, whose Article 12 moved to another act.

Act no. 18523, promulgated on 2021-11-30 and in force since 2022-12-01, took Articles 12 to 15 out of 소방기본법.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.legal_agent import LegalAgent
from agent.reply import Abstention, AbstentionKind, Answer, NoteKind
from graph.corpus import read_corpus
from retrieval.index_build import build_index

ARTICLE = "소방기본법_12조"
BY_NAME = "소방기본법 제12조가 뭐라고 하나요?"
BY_SUBJECT = "소방본부장은 화재 예방을 위해 불장난, 모닥불, 흡연을 금지할 수 있나요?"


@pytest.fixture(scope="module")
def agent(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LegalAgent]:
    """Over the latest edition, without vectors."""
    if shutil.which("git") is None:
        pytest.skip("git, which reads histories, is not installed")
    folder = tmp_path_factory.mktemp("mirror") / "index"
    build_index(read_corpus([shared_data / "firelaw-kr" / "history.bundle"]), folder)
    with LegalAgent.open(folder) as agent:
        yield agent


@pytest.mark.parametrize("question", [BY_NAME, BY_SUBJECT])
def test_before_its_repeal_took_effect_the_article_answers_and_the_reply_says_which_edition_it_used(
    agent: LegalAgent, question: str
):
    reply = agent.ask(question, as_of="2015-03-01")
    assert isinstance(reply, Answer)
    assert reply.edition == "2015-03-01"
    assert reply.citations[0].semantic_id == ARTICLE
    assert "2015-03-01" in next(note.text for note in reply.notes if note.kind is NoteKind.AS_OF)


def test_a_repealed_article_says_since_when_which_is_not_the_day_on_which_that_was_promulgated(agent: LegalAgent):
    reply = agent.ask(BY_NAME)
    assert isinstance(reply, Abstention)
    assert reply.kind is AbstentionKind.REPEALED_OR_NOT_IN_FORCE
    assert [(one.semantic_id, one.repealed, one.since) for one in reply.not_in_force] == [(ARTICLE, True, "2022-12-01")]
    assert "2022-12-01" in reply.text


def test_what_the_repealed_article_said_is_no_longer_cited(agent: LegalAgent):
    reply = agent.ask(BY_SUBJECT)
    cited = reply.citations if isinstance(reply, Answer) else reply.found
    assert ARTICLE not in {citation.semantic_id for citation in cited}

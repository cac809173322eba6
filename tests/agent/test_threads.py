"""One agent shared by many threads: the same replies as one after the other, to the byte."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent.legal_agent import LegalAgent
from agent.reply import Reply
from evals.decisions import BUILTIN_SETS, Decision, read_decisions
from graph.corpus import BUILTIN_LAW, read_corpus
from retrieval.index_build import build_index
from tests.law_history import LawHistory, law_text

N_THREADS = 16
N_QUESTIONS = {"vectors": 24, "none": 200}  # encoding takes its time: with vectors 200 were compared, too, once


def questions(n_questions: int) -> list[Decision]:
    """Return questions of all kinds, some of them several times over where there are not enough."""
    known = [one for path in BUILTIN_SETS for one in read_decisions(path)]
    return [known[7 * number % len(known)] for number in range(n_questions)]  # 7: from all parts of the files


@pytest.fixture(scope="module", params=list(N_QUESTIONS))
def kind(request: pytest.FixtureRequest) -> str:
    """Of the index."""
    return str(request.param)


@pytest.fixture(scope="module")
def index(kind: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if kind == "vectors":
        built: Path = request.getfixturevalue("builtin_index_folder")
        return built
    folder = tmp_path_factory.mktemp("threads") / "index"
    build_index(read_corpus([BUILTIN_LAW]), folder)
    return folder


def told(replies: list[Reply]) -> list[str]:
    """Return replies as bytes would have it; their traces hold no times."""
    return [json.dumps(reply.to_json(), ensure_ascii=False) for reply in replies]


def test_replies_from_sixteen_threads_are_those_of_one(index: Path, kind: str):
    asked = questions(N_QUESTIONS[kind])
    with LegalAgent.open(index) as fresh, ThreadPoolExecutor(N_THREADS) as threads:
        together = list(threads.map(lambda one: fresh.ask(one.question, history=one.history), asked))
    with LegalAgent.open(index) as alone:
        apart = [alone.ask(one.question, history=one.history) for one in asked]
    assert told(together) == told(apart)
    assert len({reply.question for reply in together}) >= min(len(asked), 100)


def test_replies_on_one_loop_are_those_of_one_after_the_other(index: Path):
    asked = [one.question for one in questions(6)]

    async def all_at_once(agent: LegalAgent) -> list[Reply]:
        return list(await asyncio.gather(*(agent.aask(question) for question in asked)))

    with LegalAgent.open(index) as agent:
        assert told(asyncio.run(all_at_once(agent))) == told([agent.ask(question) for question in asked])


@pytest.fixture
def history_index(tmp_path: Path) -> Path:
    history = LawHistory(tmp_path / "law")
    for year, when in ((2010, "해가 지기 전에"), (2015, "오후 여섯 시에")):
        history.commit(f"{year}-01-01", {"법률.md": law_text(f"{year}-07-01", f"1 등대지기는 {when} 등을 켜야 한다.")})
    build_index(read_corpus([history.path]), tmp_path / "index")
    return tmp_path / "index"


def test_an_edition_that_many_threads_ask_for_is_made_once(history_index: Path):
    with LegalAgent.open(history_index) as agent, ThreadPoolExecutor(N_THREADS) as threads:
        editions = list(threads.map(agent.edition, ["2012-01-01"] * N_THREADS))
    assert all(one is editions[0] for one in editions)

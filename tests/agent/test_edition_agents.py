"""How often an agent over the law of a date is made, counted."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.edition_agents import EditionAgents
from agent.legal_agent import LegalAgent
from graph.corpus import read_corpus
from retrieval.index_build import build_index
from retrieval.retriever import Retriever
from tests.law_history import LawHistory, law_text

N_KEPT = 32
DAYS = [(date(2020, 1, 1) + timedelta(days=n)).isoformat() for n in range(N_KEPT + 1)]


class Maker:
    """Makes what stands for an agent, and notes of which date and over which index."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.folders: list[Path] = []
        self.closed: list[str] = []

    def __call__(self, retriever: Retriever, day: str) -> LegalAgent:
        self.made.append(day)
        self.folders.append(retriever.index.folder)
        return cast(LegalAgent, SimpleNamespace(as_of=day, close=lambda: self.closed.append(day)))


@pytest.fixture
def plain(golden_index: Path) -> Iterator[Retriever]:
    """Over an index of one wording."""
    with Retriever.open(golden_index) as opened:
        yield opened


def test_one_agent_answers_all_questions_of_a_date(plain: Retriever):
    maker = Maker()
    agents = EditionAgents(plain, maker)
    assert len({id(agents.as_of(day)) for day in ("2024-07-01", "2024-07-02", "2024-07-01")}) == 2
    assert maker.made == ["2024-07-01", "2024-07-02"]
    assert set(maker.folders) == {plain.index.folder}


def test_of_threads_that_ask_for_a_date_at_once_one_makes_its_agent(plain: Retriever):
    maker = Maker()
    agents = EditionAgents(plain, maker)
    with ThreadPoolExecutor(8) as threads:
        given = set(map(id, threads.map(agents.as_of, ["2024-07-01"] * 32)))
    assert (len(given), maker.made) == (1, ["2024-07-01"])


def test_the_date_that_was_not_asked_for_longest_is_forgotten_beyond_32(plain: Retriever):
    maker = Maker()
    agents = EditionAgents(plain, maker)
    for day in DAYS[:N_KEPT]:
        agents.as_of(day)
    agents.as_of(DAYS[0])  # asked for again, so the second is now the oldest
    agents.as_of(DAYS[N_KEPT])
    assert maker.made == DAYS
    agents.as_of(DAYS[0])
    assert maker.made == DAYS
    agents.as_of(DAYS[1])
    assert maker.made == [*DAYS, DAYS[1]]


def test_agents_over_the_one_wording_are_not_closed_with_it_twice(plain: Retriever):
    maker = Maker()
    agents = EditionAgents(plain, maker)
    agents.as_of("2024-07-01")
    agents.close()
    assert maker.closed == []


def test_a_date_that_is_none_makes_no_agent(plain: Retriever):
    maker = Maker()
    with pytest.raises(ValueError, match="'2024-02-30' is no date"):
        EditionAgents(plain, maker).as_of("2024-02-30")
    assert maker.made == []


def test_editions_of_a_history_have_indexes_of_their_own_which_are_closed(tmp_path: Path):
    history = LawHistory(tmp_path / "law")
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 등대는 바다에 둔다.")})
    history.commit("2015-01-01", {"법률.md": law_text("2015-07-01", "1 등대는 섬에 둔다.")})
    build_index(read_corpus([history.path]), tmp_path / "index")
    maker = Maker()
    with Retriever.open(tmp_path / "index") as retriever:
        agents = EditionAgents(retriever, maker)
        for day in ("2012-01-01", "2016-01-01", "2012-01-01"):
            agents.as_of(day)
        assert maker.made == ["2012-01-01", "2016-01-01"]
        assert [folder.name for folder in maker.folders] == maker.made
        agents.close()
    assert sorted(maker.closed) == sorted(maker.made)


def test_an_agent_asked_by_a_date_is_made_once_however_it_is_asked(golden_index: Path, monkeypatch: Any):
    n_made = 0
    make = LegalAgent.__init__

    def counted(self: LegalAgent, *arguments: Any, **options: Any) -> None:
        nonlocal n_made
        n_made += 1
        make(self, *arguments, **options)

    with LegalAgent.open(golden_index) as agent:
        monkeypatch.setattr(LegalAgent, "__init__", counted)
        replies = [agent.ask("등대지기는 언제 등을 켜야 하는가?", as_of="2024-07-01") for _ in range(3)]
        *_, streamed = agent.stream("등대지기는 언제 등을 켜야 하는가?", as_of="2024-07-01")
    assert n_made == 1
    assert replies == [streamed] * 3
    assert {reply.edition for reply in replies} == {"2024-07-01"}

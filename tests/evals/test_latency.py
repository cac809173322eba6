"""What is timed, on the golden law with an encoder that takes a known time."""

import time
from pathlib import Path

import pytest

from agent.legal_agent import LegalAgent
from evals.latency import latencies
from graph.corpus import Corpus
from retrieval.index_build import VectorPlan, build_index
from retrieval.retriever import Retriever
from tests.conftest import HashingEncoder

PAUSE_S = 0.05


class SlowEncoder(HashingEncoder):
    """Takes its time, and notes what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.encoded: list[str] = []

    def encode_queries(self, texts):
        self.encoded += texts
        time.sleep(PAUSE_S)
        return super().encode_queries(texts)


@pytest.fixture
def slow(golden_corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Retriever:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    encoder = SlowEncoder()
    build_index(golden_corpus, tmp_path / "index", vectors=VectorPlan(encoder=encoder))
    return Retriever.open(tmp_path / "index", encoder=encoder)


def test_the_encoders_time_is_taken_off(slow: Retriever):
    with slow:
        (one,) = latencies(LegalAgent(slow), ["등대지기는 언제 등을 켜야 하는가?"])
    assert one.whole - one.own >= 1000 * PAUSE_S  # encoded at least once while the clock ran
    assert one.own_cpu > 0
    assert one.own > 0


def test_a_question_is_asked_once_more_than_there_are_rounds_and_encoded_once_for_all_its_clauses(slow: Retriever):
    questions = ["등대지기는 언제 등을 켜야 하는가?", "등대의 등급은?"]
    with slow:
        assert len(latencies(LegalAgent(slow), questions, n_rounds=2)) == 2
        for question in questions:
            assert slow.encoder.encoded.count(question) == 3 + 1  # by each retrieval, and by the agent, which keeps it

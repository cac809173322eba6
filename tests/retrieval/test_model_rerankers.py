"""`trained:MODEL`, its model one that is quickly told: the longer an article, the better it fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from graph.corpus import BUILTIN_LAW, read_corpus
from graph.records import Hit, Provision
from retrieval.article_ranker import AttendedSentence
from retrieval.index_build import VectorPlan, build_index
from retrieval.methods import parse_method
from retrieval.model_rerankers import fused
from retrieval.ranking import Ranking, Scores, TieOrder
from retrieval.retriever import Retriever
from retrieval.settings import RetrievalSettings, TrainedSettings
from tests.conftest import HashingEncoder

QUESTION = "How often are fire drills held in a high-rise building?"


class Lengths:
    """A trained model without a model: the longer an article, the better it fits; it attends to the last line."""

    description = "lengths, frozen"

    def __init__(self) -> None:
        self.n_read: list[int] = []

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        self.n_read.append(len(articles))
        return np.array([float(len(article.text)) for article in articles], dtype=np.float64)

    def attended(self, question: str, article: Provision) -> tuple[AttendedSentence, ...]:
        return (AttendedSentence(article.text.splitlines()[-1], 1.0),)


@pytest.fixture(autouse=True)
def _lengths_for_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.model_rerankers.open_article_ranker", lambda model: Lengths())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the built-in law with dense vectors."""
    place = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NONLIQUET_CACHE", str(place / "cache"))
        build_index(read_corpus([BUILTIN_LAW]), place / "index", vectors=VectorPlan(encoder=HashingEncoder()))
    return place / "index"


@pytest.fixture
def retriever(folder: Path) -> Iterator[Retriever]:
    with Retriever.open(folder, encoder=HashingEncoder()) as opened:
        yield opened


def trained(folder: Path, *, alpha: float, n: int, base: str = "bm25", top_k: int = 30) -> list[Hit]:
    settings = RetrievalSettings(trained=TrainedSettings(alpha=alpha, n_candidates=n))
    with Retriever.open(folder, settings=settings, encoder=HashingEncoder()) as retriever:
        return retriever.search(QUESTION, method=f"trained:some/model:{base}", top_k=top_k)


@pytest.mark.parametrize("base", ["bm25", "dense", "hybrid"])
def test_a_trained_model_of_no_weight_leaves_the_base_as_it_is(folder, retriever, base):
    expected = [hit.semantic_id for hit in retriever.search(QUESTION, method=base, top_k=30)]
    assert [hit.semantic_id for hit in trained(folder, alpha=0, n=10, base=base)] == expected


def test_a_trained_model_of_all_the_weight_orders_the_candidates_alone(folder, retriever):
    base = [hit.semantic_id for hit in retriever.search(QUESTION, method="bm25", top_k=30)]
    names = [hit.semantic_id for hit in trained(folder, alpha=1, n=6)]
    by_length = sorted(base[:6], key=lambda name: (-len(retriever.article(name).text), name))
    assert names == [*by_length, *base[6:]]
    assert by_length != base[:6]


def test_the_scores_of_a_trained_model_and_its_base_are_fused_by_alpha_over_the_candidates(folder, retriever):
    """By hand: min-max over the four best alone, then 0.75 · model + 0.25 · base."""
    base = {hit.semantic_id: hit.score for hit in retriever.search(QUESTION, method="bm25", top_k=4)}
    lengths = {name: len(retriever.article(name).text) for name in base}

    def unit(values, name):
        low, high = min(values.values()), max(values.values())
        return (values[name] - low) / (high - low)

    found = trained(folder, alpha=0.75, n=4)[:4]
    assert {hit.semantic_id for hit in found} == set(base)
    for hit in found:
        expected = 0.75 * unit(lengths, hit.semantic_id) + 0.25 * unit(base, hit.semantic_id)
        assert hit.score == pytest.approx(expected, abs=1e-12)
    assert found == sorted(found, key=lambda hit: (-hit.score, hit.semantic_id))
    assert found[0].origin == "trained:some/model:bm25"


def test_a_trained_model_is_opened_once_and_reads_no_more_than_the_candidates(folder, monkeypatch):
    opened: list[Lengths] = []

    def open_one(model: str) -> Lengths:
        opened.append(Lengths())
        return opened[-1]

    monkeypatch.setattr("retrieval.model_rerankers.open_article_ranker", open_one)
    settings = RetrievalSettings(trained=TrainedSettings(n_candidates=7))
    with Retriever.open(folder, settings=settings) as retriever:
        for question in (QUESTION, "exits", "smoke alarm"):
            retriever.search(question, method="trained:some/model", top_k=3)
        again = Retriever(retriever.index, settings=settings, models=retriever.models)
        again.search(QUESTION, method="trained:some/model")
    (model,) = opened
    assert max(model.n_read) == 7


def test_a_question_without_a_word_of_the_law_finds_nothing_by_a_trained_model(folder):
    with Retriever.open(folder) as retriever:
        assert retriever.search("zzzz", method="trained:some/model") == []


def test_the_sentences_that_a_trained_model_attends_to_are_told(retriever):
    name = retriever.search(QUESTION, method="bm25", top_k=1)[0].semantic_id
    (found,) = retriever.attended(QUESTION, parse_method("trained:some/model"), name)
    assert found.text == retriever.article(name).text.splitlines()[-1]
    with pytest.raises(ValueError, match="bm25 attends to no sentence"):
        retriever.attended(QUESTION, parse_method("bm25"), name)


@pytest.mark.parametrize(("alpha", "n"), [(-0.1, 10), (1.1, 10), (float("nan"), 10), (0.5, 0)])
def test_trained_settings_out_of_range_are_refused(alpha, n):
    with pytest.raises(ValueError, match=r"alpha in \[0, 1\] and n_candidates >= 1"):
        TrainedSettings(alpha=alpha, n_candidates=n)


def test_scores_of_other_articles_than_the_candidates_are_refused():
    order = Ranking(np.array([2, 0, 1]), np.array([3.0, 2.0, 1.0]))
    with pytest.raises(ValueError, match="are not of the base's first candidates"):
        fused(Ranking(np.array([0, 2, 1]), np.zeros(3)), order, TieOrder(["a", "b", "c"]), TrainedSettings())

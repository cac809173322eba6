from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import EncoderError, IndexFolderError
from graph.records import Provision
from retrieval.fusion import share_of_maximum
from retrieval.index_build import VectorPlan, build_index
from retrieval.methods import BASES, RERANKERS, parse_method
from retrieval.pagerank import PagerankSettings
from retrieval.ranking import Scores, top
from retrieval.retriever import Retriever
from retrieval.sar import SarSettings
from retrieval.settings import FusionSettings, RetrievalSettings, RocchioSettings
from tests.conftest import GOLDEN_LAW, HashingEncoder, SparseHashingEncoder

METHODS = [
    *BASES,
    *(f"{reranker}:{base}" for reranker in RERANKERS if "rocchio" not in reranker for base in ("bm25", "dense")),
    "sar:hybrid",
    "rocchio",
    "rocchio-full",
]
QUESTIONS = ["등대지기는 언제 등을 켜는가", "How often are fire drills held in a high-rise building?", "깃발"]
TINY_SAR = SarSettings(n_candidates=3, n_seeds=2, n_anchors=1, pool_size=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the golden and the built-in law, with dense and sparse vectors."""
    place = tmp_path_factory.mktemp("retriever")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NONLIQUET_CACHE", str(place / "cache"))
        corpus = read_corpus([GOLDEN_LAW, BUILTIN_LAW])
        build_index(corpus, place / "index", vectors=VectorPlan(encoder=SparseHashingEncoder()))
    return place / "index"


class WordOverlap:
    """A cross-encoder, or a trained one, without a model: how many words of the question stand in the article."""

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        return np.array([float(sum(word in article.text for word in question.split())) for article in articles])


@pytest.fixture(autouse=True)
def _models_without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.model_rerankers.open_cross_encoder", lambda model: WordOverlap())
    monkeypatch.setattr("retrieval.model_rerankers.open_article_ranker", lambda model: WordOverlap())


@pytest.fixture(scope="module")
def retriever(folder: Path) -> Iterator[Retriever]:
    with Retriever.open(folder, encoder=SparseHashingEncoder()) as opened:
        yield opened


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    """The golden law alone, without vectors."""
    folder = tmp_path_factory.mktemp("golden") / "index"
    build_index(read_corpus([GOLDEN_LAW]), folder)
    with Retriever.open(folder) as opened:
        yield opened


# Every method


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_method_returns_distinct_articles_in_force(retriever, method, question):
    hits = retriever.search(question, method=method, top_k=200)
    names = [hit.semantic_id for hit in hits]
    assert names
    assert len(set(names)) == len(names)
    assert set(names) <= set(retriever.index.graph.articles)
    assert all(math.isfinite(hit.score) for hit in hits)
    assert {hit.origin for hit in hits} == {str(parse_method(method))}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("top_k", [1, 7, 10_000])
def test_every_method_returns_at_most_top_k(retriever, method, top_k):
    assert len(retriever.search(QUESTIONS[1], method=method, top_k=top_k)) <= top_k


@pytest.mark.parametrize("method", [name for name in METHODS if not name.startswith("links")])
def test_the_best_few_of_every_method_are_the_head_of_its_best_many(retriever, method):
    few, many = (retriever.search(QUESTIONS[1], method=method, top_k=n) for n in (5, 50))
    assert few == many[:5]


@pytest.mark.parametrize("method", METHODS)
def test_the_same_question_gives_the_same_bytes(folder, retriever, method):
    with Retriever.open(folder, encoder=SparseHashingEncoder()) as again:
        for question in QUESTIONS:
            first, second = (one.search(question, method=method, top_k=50) for one in (retriever, again))
            assert repr(first).encode() == repr(second).encode()


@pytest.mark.parametrize("method", METHODS)
def test_a_question_is_answered_in_a_batch_as_alone(retriever, method):
    chosen = parse_method(method)
    together = retriever.rankings(QUESTIONS, chosen, depth=20)
    for question, ranking in zip(QUESTIONS, together, strict=True):
        (alone,) = retriever.rankings([question], chosen, depth=20)
        assert ranking.rows.tolist() == alone.rows.tolist()
        assert ranking.scores.tobytes() == alone.scores.tobytes()


@pytest.mark.parametrize("base", BASES)
def test_the_scores_of_every_base_are_finite_and_one_an_article(retriever, base):
    for scores in retriever.scores(QUESTIONS, base):
        assert scores.shape == (len(retriever.index.articles),)
        assert scores.dtype == np.float64
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("base", BASES)
def test_a_base_ranks_by_its_scores_and_equals_by_name(retriever, base):
    for question in QUESTIONS:
        hits = retriever.search(question, method=base, top_k=1000)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.semantic_id))


@pytest.mark.parametrize("method", ["tfidf", "bm25", "bm25-rank", "sar", "sar-undirected", "sar-expand", "links"])
@pytest.mark.parametrize("question", ["", " ", "zzzz", "「」", "\0"])
def test_a_question_without_a_known_word_has_no_lexical_hits(retriever, method, question):
    assert retriever.search(question, method=method) == []


@pytest.mark.parametrize("method", ["tfidf", "bm25", "bm25-rank", "sar"])
def test_articles_that_score_nothing_are_not_returned(golden, method):
    names = [hit.semantic_id for hit in golden.search("깃발", method=method, top_k=100)]
    assert names == ["등대-안전법-시행규칙_1조", "등대-안전법-시행규칙_2조"]


@pytest.mark.parametrize("method", ["bm25", "sar", "links", "hybrid", "rocchio"])
@given(question=st.text(st.characters(), max_size=40))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_question_is_answered_with_hits_or_none(retriever, method, question):
    assert len(retriever.search(question, method=method, top_k=3)) <= 3


def test_threads_that_share_a_retriever_get_the_same_answers(retriever):
    expected = {method: retriever.search(QUESTIONS[1], method=method) for method in ("bm25", "sar", "hybrid")}
    differing: list[str] = []

    def ask() -> None:
        for method, hits in expected.items():
            if retriever.search(QUESTIONS[1], method=method) != hits:
                differing.append(method)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert differing == []


# What a method adds


def test_tied_articles_come_in_the_order_of_their_names(golden):
    first, second = golden.search("깃발", method="bm25")
    assert first.score == second.score
    assert (first.semantic_id, second.semantic_id) == ("등대-안전법-시행규칙_1조", "등대-안전법-시행규칙_2조")


def test_links_follow_each_hit_with_what_it_cites(golden):
    plain = [hit.semantic_id for hit in golden.search("안개가 짙으면", method="bm25")]
    linked = [hit.semantic_id for hit in golden.search("안개가 짙으면", method="links")]
    assert plain[0] == "등대-안전법_3조"
    assert linked[:2] == ["등대-안전법_3조", "등대-안전법_3조의2"]
    assert golden.search("시각에 관하여 필요한", method="links")[1].semantic_id == "등대-안전법-시행령_1조"


def test_sar_raises_the_article_that_the_best_one_cites(folder):
    retrieval = RetrievalSettings(sar=TINY_SAR)
    with Retriever.open(folder, settings=retrieval) as retriever:
        scores = share_of_maximum(retriever.scores(["안개가 짙으면 무적"], "bm25")[0])
        hits = {hit.semantic_id: hit.score for hit in retriever.search("안개가 짙으면 무적", method="sar")}
        row = retriever.index.row_of["등대-안전법_3조의2"]
        # The first candidate cites it and is cited by it alone, so every degree is 1 and B = 1.
        assert hits["등대-안전법_3조의2"] == pytest.approx(scores[row] + 0.3 * 1.0 * (1 - scores[row]), abs=1e-12)


def test_sar_goes_on_in_the_order_of_its_base_where_the_candidates_end(folder):
    with Retriever.open(folder, settings=RetrievalSettings(sar=TINY_SAR)) as retriever:
        base = [hit.semantic_id for hit in retriever.search(QUESTIONS[1], method="bm25", top_k=30)]
        reranked = [hit.semantic_id for hit in retriever.search(QUESTIONS[1], method="sar", top_k=30)]
    assert set(reranked[:3]) == set(base[:3])
    assert reranked[3:] == base[3:]


@pytest.mark.parametrize("method", ["rocchio", "rocchio-full"])
def test_rocchio_without_feedback_ranks_as_dense(folder, method):
    retrieval = RetrievalSettings(rocchio=RocchioSettings(query_weight=1.0, feedback_weight=0.0, n_candidates=5))
    with Retriever.open(folder, settings=retrieval, encoder=SparseHashingEncoder()) as retriever:
        for question in QUESTIONS[:2]:
            dense = [hit.semantic_id for hit in retriever.search(question, method="dense", top_k=20)]
            assert [hit.semantic_id for hit in retriever.search(question, method=method, top_k=20)] == dense


def test_rocchio_moves_the_query_towards_the_best(retriever):
    """q' = normalise(0.9 q + 0.1 mean of the 15 best), by hand."""
    question = QUESTIONS[1]
    matrix = retriever.index.matrix.astype(np.float64)
    query = retriever.encoder.encode_queries([question])[0].astype(np.float64)
    order = top(matrix @ query, 15, retriever.index.ties).rows
    moved = 0.9 * query + 0.1 * matrix[order].mean(axis=0)
    expected = matrix @ (moved / np.linalg.norm(moved))
    hits = {hit.semantic_id: hit.score for hit in retriever.search(question, method="rocchio-full", top_k=1000)}
    for name, score in hits.items():
        assert score == pytest.approx(expected[retriever.index.row_of[name]], abs=1e-5)


def test_the_votes_for_an_article_sum_to_what_sar_adds(folder):
    with Retriever.open(folder, settings=RetrievalSettings(sar=TINY_SAR)) as retriever:
        question, cited = "안개가 짙으면 무적", "등대-안전법_3조의2"
        assert retriever.votes(question, parse_method("sar"), cited) == {"등대-안전법_3조": 1.0}  # degrees are 1
        assert retriever.votes(question, parse_method("sar"), "등대-안전법_1조") == {}
        with pytest.raises(ValueError, match="bm25 lets no seed vote"):
            retriever.votes(question, parse_method("bm25"), cited)


def test_pagerank_without_a_walk_ranks_as_its_base(folder):
    retrieval = RetrievalSettings(pagerank=PagerankSettings(damping=0.0))
    with Retriever.open(folder, settings=retrieval) as retriever:
        base = [hit.semantic_id for hit in retriever.search(QUESTIONS[1], method="bm25", top_k=50)]
        assert [hit.semantic_id for hit in retriever.search(QUESTIONS[1], method="ppr", top_k=50)] == base


@pytest.mark.parametrize("base", ["bm25", "dense"])
def test_pagerank_keeps_the_best_of_its_base_near_the_top(retriever, base):
    """Also where all scores lie close together, as cosines do."""
    best = retriever.search(QUESTIONS[1], method=base, top_k=1)[0].semantic_id
    assert best in [hit.semantic_id for hit in retriever.search(QUESTIONS[1], method=f"ppr:{base}", top_k=3)]


def test_pagerank_finds_what_a_candidate_cites(golden):
    plain = {hit.semantic_id for hit in golden.search("짙으면", method="bm25")}
    walked = {hit.semantic_id for hit in golden.search("짙으면", method="ppr", top_k=100)}
    assert plain < walked


def test_a_cross_encoder_orders_the_best_and_leaves_the_others(folder):
    with Retriever.open(folder, settings=RetrievalSettings(n_cross=5)) as retriever:
        base = [hit.semantic_id for hit in retriever.search(QUESTIONS[1], method="bm25", top_k=30)]
        crossed = retriever.search(QUESTIONS[1], method="cross:some/model", top_k=30)
    names = [hit.semantic_id for hit in crossed]
    assert set(names[:5]) == set(base[:5])
    assert names[5:] == base[5:]
    assert crossed[:5] == sorted(crossed[:5], key=lambda hit: (-hit.score, hit.semantic_id))


@pytest.mark.parametrize(("alpha", "alone"), [(0.0, "bm25"), (1.0, "dense")])
def test_hybrid_of_one_weight_ranks_as_that_one_alone(folder, alpha, alone):
    retrieval = RetrievalSettings(fusion=FusionSettings(alpha=alpha))
    with Retriever.open(folder, settings=retrieval, encoder=SparseHashingEncoder()) as retriever:
        expected = [hit.semantic_id for hit in retriever.search(QUESTIONS[1], method=alone, top_k=10)]
        assert [hit.semantic_id for hit in retriever.search(QUESTIONS[1], method="hybrid", top_k=10)] == expected


def test_dense_scores_are_inner_products(retriever):
    (scores,) = retriever.scores([QUESTIONS[1]], "dense")
    expected = retriever.index.matrix @ retriever.encoder.encode_queries([QUESTIONS[1]])[0]
    assert scores == pytest.approx(expected, abs=1e-6)


def test_beyond_the_exact_limit_the_approximate_index_gives_the_same_best(folder, retriever):
    approximate = RetrievalSettings(exact_limit=0, approximate_depth=50)
    with Retriever.open(folder, settings=approximate, encoder=SparseHashingEncoder()) as other:
        for question in QUESTIONS:
            exact, found = (one.search(question, method="dense", top_k=5) for one in (retriever, other))
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in exact], abs=1e-5)


# Wrong calls


@pytest.mark.parametrize("top_k", [0, -1])
def test_a_cutoff_below_one_is_refused(golden, top_k):
    with pytest.raises(ValueError, match=f"top_k must be at least 1, not {top_k}"):
        golden.search("깃발", top_k=top_k)


def test_an_unknown_method_is_refused(golden):
    with pytest.raises(ValueError, match="method 'bm26' is none of"):
        golden.search("깃발", method="bm26")


@pytest.mark.parametrize("method", [name for name in METHODS if parse_method(name).needs_vectors])
def test_a_method_that_needs_vectors_says_so(golden, method):
    with pytest.raises((IndexFolderError, EncoderError), match=r"vectors"):
        golden.search("깃발", method=method)


def test_an_encoder_without_sparse_vectors_is_refused_for_sparse(folder):
    with (
        Retriever.open(folder, encoder=HashingEncoder()) as retriever,
        pytest.raises(EncoderError, match="gives questions no sparse vectors"),
    ):
        retriever.search("깃발", method="sparse")


def test_the_method_of_the_settings_is_the_default(folder):
    with Retriever.open(folder, settings=RetrievalSettings(method="tfidf")) as retriever:
        assert retriever.search("깃발")[0].origin == "tfidf"


def test_without_vectors_the_default_is_sar_over_bm25(golden):
    assert str(golden.default_method) == "sar:bm25"


def test_a_provision_without_text_can_be_looked_up_though_it_is_never_a_hit(golden):
    assert golden.article("등대-안전법_2조").status.value == "repealed"
    with pytest.raises(KeyError):
        golden.article("등대-안전법_99조")


# The benchmark: shared/data/README.md gives 43.4 and 48.0 % for R@10


@pytest.fixture(scope="module")
def benchmark(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    folder = tmp_path_factory.mktemp("benchmark") / "index"
    build_index(read_corpus([shared_data / "firelaw-kr" / "legal_docs.jsonl"]), folder)
    with Retriever.open(folder) as opened:
        yield opened


@pytest.mark.parametrize(("method", "published"), [("bm25", 0.434), ("sar", 0.480)])
def test_the_recall_on_the_benchmark_is_the_published_one(benchmark, shared_data, method, published):
    recalls = []
    with (shared_data / "firelaw-kr" / "realworld_qa.jsonl").open(encoding="utf-8") as lines:
        for question in map(json.loads, lines):
            found = {hit.semantic_id for hit in benchmark.search(question["question"], method=method, top_k=10)}
            recalls.append(len(found & set(question["semantic_ids"])) / len(question["semantic_ids"]))
    assert len(recalls) == 119
    assert sum(recalls) / len(recalls) == pytest.approx(published, abs=0.005)

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from graph.citation_graph import CitationGraph
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.records import Provision, Status
from retrieval.lexical import FieldWeights, LexicalIndex, LexicalSettings
from retrieval.tokens import analysis

TEXT_ALONE = FieldWeights(law_name=0, label=0, heading=0, text=1)
WORDS = LexicalSettings(analysis="whitespace", fields=TEXT_ALONE)


def article(text: str, *, number: int = 1, heading: str = "") -> Provision:
    return Provision(
        semantic_id=f"법_{number}조",
        doc_id=number,
        law_name="법",
        collection_name="법",
        law_level="법률",
        chapter=f"제{number}조",
        chapter_description=heading,
        text=text,
    )


def index(*texts: str, settings: LexicalSettings = WORDS) -> LexicalIndex:
    articles = [article(text, number=number) for number, text in enumerate(texts, start=1)]
    return LexicalIndex.build(articles, settings, language="ko")


# Three articles of 2, 3 and 4 terms, so avg = 3; "a" stands in all, "b" twice in the second, "c" in the third.
TINY = ("a x", "a b b", "a c x y")


def test_bm25_is_as_worked_by_hand():
    scores = index(*TINY).bm25("b")
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert scores == pytest.approx([0, idf * 2 / (2 + 1.0 * (1 - 0.6 + 0.6 * 3 / 3)), 0], rel=1e-6)


def test_bm25_takes_an_articles_length_into_account():
    scores = index(*TINY).bm25("x")
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = [idf / (1 + 0.4 + 0.6 * 2 / 3), 0, idf / (1 + 0.4 + 0.6 * 4 / 3)]
    assert scores == pytest.approx(expected, rel=1e-6)


def test_bm25_adds_up_over_the_terms_of_the_question_as_often_as_they_stand_there():
    lexical = index(*TINY)
    expected = 2 * lexical.bm25("x") + lexical.bm25("b")
    assert lexical.bm25("x b x") == pytest.approx(expected, rel=1e-6)


def test_a_term_of_every_article_still_counts_with_the_default_idf():
    assert (index(*TINY).bm25("a") > 0).all()


def test_k1_of_zero_counts_only_whether_a_term_is_there():
    scores = index(*TINY, settings=LexicalSettings(k1=0, analysis="whitespace", fields=TEXT_ALONE)).bm25("b")
    assert scores == pytest.approx([0, math.log(1 + 2.5 / 1.5), 0], rel=1e-6)


def test_the_idf_of_bsard_leaves_out_the_one_and_is_never_negative():
    lexical = index(*TINY, settings=LexicalSettings(idf="bsard", analysis="whitespace", fields=TEXT_ALONE))
    assert lexical.bm25("b") == pytest.approx([0, math.log(2.5 / 1.5) * 2 / 3, 0], rel=1e-6)
    assert lexical.bm25("a").tolist() == [0, 0, 0]


def test_tfidf_is_as_worked_by_hand():
    scores = index(*TINY).tfidf("b x")
    assert scores == pytest.approx([math.log(3 / 2), 2 * math.log(3), math.log(3 / 2)], rel=1e-12)


def test_tfidf_counts_a_term_as_often_as_the_question_has_it():
    lexical = index(*TINY)
    assert lexical.tfidf("b b").tolist() == (2 * lexical.tfidf("b")).tolist()


def test_a_term_of_every_article_says_nothing_to_tfidf():
    assert index(*TINY).tfidf("a").tolist() == [0, 0, 0]


def test_the_idf_of_a_term_is_that_of_the_formula_known_or_not():
    lexical = index(*TINY)
    assert lexical.idf("x") == pytest.approx(math.log(1 + 1.5 / 2.5), abs=1e-12)
    assert lexical.idf("z") == pytest.approx(math.log(1 + 3.5 / 0.5), abs=1e-12)


@pytest.mark.parametrize("question", ["", "z", "「」"])
def test_a_question_of_unknown_terms_scores_nothing(question):
    lexical = index(*TINY)
    for scores in (lexical.bm25(question), lexical.tfidf(question), lexical.rank_bm25(question)):
        assert scores.tolist() == [0, 0, 0]


def test_an_article_without_terms_scores_nothing():
    lexical = index("a b", "", "b")
    for scores in (lexical.bm25("b"), lexical.tfidf("a b"), lexical.rank_bm25("b")):
        assert scores[1] == 0


def test_a_field_counts_as_often_as_its_weight_says():
    articles = [article("물", heading="불"), article("불 물")]
    weights = FieldWeights(law_name=0, label=0, heading=3, text=1)
    lexical = LexicalIndex.build(articles, LexicalSettings(analysis="whitespace", fields=weights), language="ko")
    written_out = index("불 불 불 물", "불 물")
    assert lexical.bm25("불").tolist() == written_out.bm25("불").tolist()
    assert lexical.tfidf("물").tolist() == written_out.tfidf("물").tolist()


def test_a_field_of_weight_zero_is_not_read():
    articles = [article("물", heading="불"), article("물")]
    weights = FieldWeights(law_name=0, label=0, heading=0, text=1)
    lexical = LexicalIndex.build(articles, LexicalSettings(analysis="whitespace", fields=weights), language="ko")
    assert lexical.bm25("불").tolist() == [0, 0]


def test_two_articles_of_the_golden_law_tie(golden_graph):
    lexical = golden_index(golden_graph)
    scores = dict(zip(golden_graph.articles, lexical.bm25("깃발"), strict=True))
    assert scores["등대-안전법-시행규칙_1조"] == scores["등대-안전법-시행규칙_2조"] > 0
    assert sum(score > 0 for score in scores.values()) == 2


def test_a_saved_index_gives_the_same_scores_to_the_bit(tmp_path, golden_graph):
    lexical = golden_index(golden_graph)
    lexical.save(tmp_path / "lexical")
    loaded = LexicalIndex.load(tmp_path / "lexical", LexicalSettings(), language="ko")
    for question in ("등을 켜는 시각", "무적의 점검", "없는말"):
        for score in ("bm25", "tfidf", "rank_bm25"):
            assert getattr(loaded, score)(question).tobytes() == getattr(lexical, score)(question).tobytes()
    assert loaded.n_articles == 8


def test_articles_without_any_term_are_refused():
    with pytest.raises(ValueError, match="no article has a term"):
        index("", " ")


@pytest.mark.parametrize(
    "values",
    [{"k1": -1}, {"k1": math.nan}, {"k1": math.inf}, {"b": 1.1}, {"b": math.nan}, {"idf": "okapi"}, {"analysis": "x"}],
)
def test_parameters_out_of_range_are_refused(values):
    with pytest.raises(ValueError, match=r"BM25 needs|is none of"):
        LexicalSettings(**values)


def test_a_negative_weight_is_refused():
    with pytest.raises(ValueError, match="field weights must be 0 or more"):
        FieldWeights(text=-1)


# rank-bm25, called by hand, is the oracle; it leaves the factor k1 + 1 in.


def assert_bm25_is_the_oracles(articles: list[Provision], questions: list[str], language: str) -> LexicalIndex:
    analyze = analysis(language=language)
    bags = [FieldWeights().terms(one, analyze) for one in articles]
    df = Counter(term for bag in bags for term in set(bag))
    okapi = BM25Okapi(bags, k1=1.0, b=0.6)
    okapi.idf = {term: math.log(1 + (len(bags) - n + 0.5) / (n + 0.5)) for term, n in df.items()}
    lexical = LexicalIndex.build(articles, LexicalSettings(), language=language)
    for question in questions:
        expected = np.asarray(okapi.get_scores(analyze(question))) / 2.0
        assert expected.max() > 0
        assert lexical.bm25(question) == pytest.approx(expected, rel=1e-5, abs=1e-6)
    return lexical


def golden_index(graph: CitationGraph) -> LexicalIndex:
    return LexicalIndex.build([graph.provisions[name] for name in graph.articles], LexicalSettings(), language="ko")


def test_bm25_is_rank_bm25s_on_the_golden_law(golden_graph):
    articles = [golden_graph.provisions[name] for name in golden_graph.articles]
    assert_bm25_is_the_oracles(articles, ["등대지기는 언제 등을 켜나", "무적의 점검", "깃발 제1조"], "ko")


def test_bm25_is_rank_bm25s_on_the_built_in_law():
    articles = [p for p in read_corpus([BUILTIN_LAW]).provisions if p.status is Status.PRESENT]
    questions = ["How often are fire drills held?", "Who inspects sprinklers of high-rise buildings by Article 13-2?"]
    lexical = assert_bm25_is_the_oracles(articles, questions, "en")
    for question in questions:
        assert lexical.bm25(question) == pytest.approx(lexical.rank_bm25(question), rel=1e-5, abs=1e-6)


def test_rank_bm25_has_the_idf_of_the_settings():
    settings = LexicalSettings(idf="bsard", analysis="whitespace", fields=TEXT_ALONE)
    lexical = index(*TINY, settings=settings)
    for question in ("a", "b", "x c"):
        assert lexical.rank_bm25(question) == pytest.approx(lexical.bm25(question), rel=1e-5, abs=1e-7)


def test_bm25_is_rank_bm25s_on_the_benchmark(shared_data):
    folder: Path = shared_data / "firelaw-kr"
    articles = list(read_corpus([folder / "legal_docs.jsonl"]).provisions)
    with (folder / "realworld_qa.jsonl").open(encoding="utf-8") as lines:
        questions = sorted((json.loads(line)["question"] for line in lines), key=len)[:5]  # rank-bm25 takes its time
    assert_bm25_is_the_oracles(articles, questions, "ko")

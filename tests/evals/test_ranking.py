from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.ranking import MEASURES, by_topic, means, measure
from evals.trec_files import read_qrels, read_run, write_qrels, write_run

pytrec_eval = pytest.importorskip("pytrec_eval")

ARTICLES = [f"law_{number}" for number in range(30)]
TWO_QUESTIONS = {"1": {"a": 1}, "2": {"a": 1, "b": 1}}

gold_sets = st.dictionaries(st.sampled_from(ARTICLES), st.just(1), min_size=1, max_size=5)
rankings = st.lists(st.sampled_from(ARTICLES), unique=True, max_size=30)
evaluations = st.lists(st.tuples(gold_sets, rankings), min_size=1, max_size=5)


def test_recall_is_averaged_over_questions_not_over_articles():
    values = measure(TWO_QUESTIONS, {"1": ["a"], "2": ["x", "a"]})
    assert (values["1"]["R@10"], values["2"]["R@10"]) == (1.0, 0.5)
    assert means(values.values())["R@10"] == pytest.approx(0.75, abs=1e-12)  # not 2 of 3 articles


def test_the_discount_of_ndcg_is_the_logarithm_to_base_2_of_rank_plus_1():
    ndcg = measure({"1": {"a": 1, "b": 1}}, {"1": ["x", "a", "y", "b"]})["1"]["nDCG@10"]
    assert ndcg == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3)), abs=1e-9)


def test_ndcg_is_cut_at_k():
    ranking = [f"x_{number}" for number in range(10)] + ["a"]
    values = measure({"1": {"a": 1}}, {"1": ranking})["1"]
    assert values["nDCG@10"] == 0.0
    assert values["nDCG@20"] == pytest.approx(1 / math.log2(12), abs=1e-9)


def test_the_reciprocal_rank_is_cut_at_k():
    ranking = [f"x_{number}" for number in range(10)] + ["a"]
    values = measure({"1": {"a": 1}}, {"1": ranking})["1"]
    assert values["RR@10"] == 0.0
    assert values["RR@20"] == pytest.approx(1 / 11, abs=1e-12)


def test_the_reciprocal_rank_counts_the_first_gold_article_alone():
    assert measure({"1": {"a": 1, "b": 1}}, {"1": ["x", "b", "a"]})["1"]["RR@10"] == pytest.approx(0.5, abs=1e-12)


def test_average_precision_divides_by_all_gold_articles():
    values = measure({"1": {"a": 1, "b": 1, "c": 1}}, {"1": ["a", "x", "b"]})["1"]
    assert values["AP@100"] == pytest.approx((1 / 1 + 2 / 3) / 3, abs=1e-9)


def test_coliees_f2_is_computed_a_question_and_then_averaged():
    values = measure(TWO_QUESTIONS, {"1": ["a", "x"], "2": ["x"]})
    first = values["1"]
    assert (first["macroP@20"], first["macroR@20"]) == (0.5, 1.0)
    assert first["macroF2@20"] == pytest.approx(5 * 0.5 * 1 / (4 * 0.5 + 1), abs=1e-12)
    assert first["macroF2@1"] == 1.0
    assert means(values.values())["macroF2@20"] == pytest.approx(first["macroF2@20"] / 2, abs=1e-12)  # not F2 of means


def test_precision_divides_by_what_was_returned():
    assert measure({"1": {"a": 1}}, {"1": ["a", "x", "y"]})["1"]["macroP@20"] == pytest.approx(1 / 3, abs=1e-12)


def test_both_gold_counts_questions_of_two_gold_articles_or_more():
    values = measure({**TWO_QUESTIONS, "3": {"c": 1, "d": 1}}, {"1": ["a"], "2": ["b", "a"], "3": ["c"]})
    assert "both-gold@10" not in values["1"]
    assert means(values.values())["both-gold@10"] == 0.5


def test_a_measure_that_no_question_has_is_left_out_of_the_means():
    assert "both-gold@10" not in means(measure({"1": {"a": 1}}, {"1": ["a"]}).values())
    assert means([]) == {}


def test_a_question_without_hits_scores_0_in_everything():
    values = measure({"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 1}}, {"1": []})
    assert set(values["1"]) == set(MEASURES)
    assert set(values["1"].values()) == {0.0}
    assert values["2"] == values["1"]


@pytest.mark.parametrize("grades", [{}, {"a": 0}])
def test_an_unjudged_question_is_refused_not_scored_0(grades):
    with pytest.raises(ValueError, match="question 2 has no gold article: it is unjudged"):
        measure({"1": {"a": 1}, "2": grades}, {"1": ["a"]})


def test_a_question_that_only_the_run_has_is_refused():
    with pytest.raises(ValueError, match="question 2 of the run is not in the qrels"):
        measure({"1": {"a": 1}}, {"1": ["a"], "2": ["a"]})


def test_topics_are_averaged_apart():
    values = measure(TWO_QUESTIONS, {"1": ["a"], "2": ["a"]})
    topics = by_topic(values, {"1": "smoke", "2": "doors"})
    assert list(topics) == ["doors", "smoke"]
    assert (topics["doors"]["R@10"], topics["smoke"]["R@10"]) == (0.5, 1.0)
    assert by_topic(values, {"1": ""}) == {}


@given(evaluation=evaluations)
def test_trec_eval_scores_the_written_files_as_we_do(tmp_path_factory, evaluation):
    folder = tmp_path_factory.mktemp("trec")
    qrels = {str(number): gold for number, (gold, _) in enumerate(evaluation)}
    run = {str(number): ranking for number, (_, ranking) in enumerate(evaluation)}
    write_qrels(folder / "qrels", qrels)
    write_run(folder / "run", run, tag="x")
    scores = {
        question_id: {name: float(len(ranking) - place) for place, name in enumerate(ranking)}
        for question_id, ranking in read_run(folder / "run").items()
    }
    names = {"recall.10,20,50,100,200,500", "ndcg_cut.10,20,50", "map_cut.100", "recip_rank"}
    evaluator = pytrec_eval.RelevanceEvaluator(read_qrels(folder / "qrels"), names)
    theirs = evaluator.evaluate(scores)
    ours = measure(qrels, run)
    for question_id, values in theirs.items():
        mine = ours[question_id]
        for k in (10, 20, 50, 100, 200, 500):
            assert mine[f"R@{k}"] == pytest.approx(values[f"recall_{k}"], abs=1e-9)
        for k in (10, 20, 50):
            assert mine[f"nDCG@{k}"] == pytest.approx(values[f"ndcg_cut_{k}"], abs=1e-9)
            cut = values["recip_rank"] if values["recip_rank"] >= 1 / k else 0.0
            assert mine[f"RR@{k}"] == pytest.approx(cut, abs=1e-9)
        assert mine["AP@100"] == pytest.approx(values["map_cut_100"], abs=1e-9)


@given(evaluation=evaluations)
def test_every_value_lies_between_0_and_1_and_recall_never_falls_with_k(evaluation):
    qrels = {str(number): gold for number, (gold, _) in enumerate(evaluation)}
    run = {str(number): ranking for number, (_, ranking) in enumerate(evaluation)}
    for values in measure(qrels, run).values():
        assert all(0 <= value <= 1 + 1e-9 for value in values.values())
        recalls = [values[f"R@{k}"] for k in (10, 20, 50, 100, 200, 500)]
        assert recalls == sorted(recalls)

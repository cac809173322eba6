from __future__ import annotations

import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest

from evals.dataset_files import read_questions
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import SettingsError
from graph.links import GraphSource
from graph.records import Question
from retrieval.encoder import open_encoder
from retrieval.index import Index
from retrieval.index_build import VectorPlan, build_index
from retrieval.learned import GRAPH_GROUPS, GROUPS, Ranker, cross_validated_rankings
from retrieval.learned import ranker as ranker_module
from retrieval.learned.cross_validation import cross_validated_scores, folds
from retrieval.learned.features import LawPrior, QuestionScores, candidates, features, law_prior
from retrieval.learned.pairs import PairMaker, asking, check_groups, sentences
from retrieval.learned.tables import ArticleTables, pieces
from retrieval.lexical import FieldWeights, LexicalIndex, LexicalSettings
from retrieval.ranking import top
from retrieval.retriever import Retriever
from tests.conftest import GOLDEN_LAW, ROOT, HashingEncoder

ACT_1, ACT_3, ACT_3_2 = "등대-안전법_1조", "등대-안전법_3조", "등대-안전법_3조의2"
DECREE_1, DECREE_2 = "등대-안전법-시행령_1조", "등대-안전법-시행령_2조"
RULE_1 = "등대-안전법-시행규칙_1조"
NO_GRAPH = tuple(group for group in GROUPS if group not in GRAPH_GROUPS)


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("learned") / "index"
    build_index(read_corpus([GOLDEN_LAW]), folder)
    return Index.open(folder)


@pytest.fixture(scope="module")
def tables(golden: Index) -> ArticleTables:
    return ArticleTables(golden.articles, golden.graph, golden.lexical)


@pytest.fixture(scope="module")
def builtin(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    folder = tmp_path_factory.mktemp("builtin-lexical") / "index"
    build_index(read_corpus([BUILTIN_LAW]), folder)
    return Retriever.open(folder)


@pytest.fixture(scope="module")
def questions(builtin: Retriever) -> list[Question]:
    every = read_questions(ROOT / "evals" / "builtin" / "questions.jsonl", builtin.index.graph)
    return [question for question in every if question.gold][:20]


@pytest.fixture(scope="module")
def maker(builtin: Retriever) -> PairMaker:
    return PairMaker(builtin)


def scores_of(index: Index, question: str = "깃발", **base: float) -> QuestionScores:
    """The base's scores by label of the act's articles and the decree's first, all others 0."""
    places = {"act_1": ACT_1, "act_3": ACT_3, "act_3_2": ACT_3_2, "decree_1": DECREE_1, "rule_1": RULE_1}
    values = np.zeros(len(index.articles))
    for name, value in base.items():
        values[index.row_of[places[name]]] = value
    return QuestionScores(question, values, index.lexical.bm25(question), index.lexical.tfidf(question), *[None] * 3)


def test_the_lines_of_an_article_are_read_after_those_they_hang_from():
    text = "다음 각 호의 경우\n  1. 공연장\n    가. 극장\n  2. 시장\n끝"
    assert pieces(text) == [
        "다음 각 호의 경우",
        "다음 각 호의 경우 1. 공연장",
        "다음 각 호의 경우 1. 공연장 가. 극장",
        "다음 각 호의 경우 2. 시장",
        "끝",
    ]
    assert pieces("") == [""]


def test_coverage_is_the_share_of_the_questions_weight(golden_corpus):
    article = replace(golden_corpus.provisions[0], law_name="a", chapter="b", chapter_description="c", text="d e")
    other = replace(article, text="d")
    settings = LexicalSettings(analysis="whitespace", fields=FieldWeights(0, 0, 0, 1))
    index = LexicalIndex.build([article, other], settings, language="en")
    # Of 2 articles, "d" stands in both and "e" in one: idf ln(1 + 0.5 / 2.5) and ln(1 + 1.5 / 1.5).
    d, e = math.log(1.2), math.log(2)
    assert index.coverage("d e e") == pytest.approx([1.0, d / (d + e)], abs=1e-12)
    unknown = math.log(1 + 2.5 / 0.5)
    assert index.coverage("d zzz") == pytest.approx([d / (d + unknown)] * 2, abs=1e-12)
    assert index.coverage("") == pytest.approx([0.0, 0.0], abs=0)


def test_said_share_is_the_share_of_the_articles_weight(golden, tables):
    heading = tables.fields["heading"]
    assert heading is not None
    said = heading.said_share("깃발은 무엇인가")
    rows = {article.chapter_description: row for row, article in enumerate(golden.articles)}
    assert said[rows["깃발"]] == pytest.approx(1.0, abs=1e-12)
    assert said[rows["안개"]] == 0


def test_a_delegation_carries_the_score_both_ways(golden, tables):
    found = features(scores_of(golden, act_1=0.8), tables, golden.ties)["delegation"]
    row = golden.row_of[DECREE_1]
    # Act 1 delegates to Decree 1 alone, and nothing else implements it: both degrees are 1.
    assert found["base along delegates, in"][row] == pytest.approx(0.8, abs=1e-12)
    assert found["base along delegates, best in"][row] == pytest.approx(0.8, abs=1e-12)
    assert found["base along implements, out"][row] == pytest.approx(0.8, abs=1e-12)
    assert found["base along delegates, in"].sum() == pytest.approx(0.8, abs=1e-12)  # nobody else gains
    assert found["base along delegates, out"].sum() == 0  # nothing delegates to the act


def test_a_cycle_gives_each_the_others_score(golden, tables):
    found = features(scores_of(golden, act_3=0.6, act_3_2=0.2), tables, golden.ties)["citations"]
    three, three_2 = golden.row_of[ACT_3], golden.row_of[ACT_3_2]
    assert found["base along cites, in"][[three, three_2]] == pytest.approx([0.2, 0.6], abs=1e-12)
    assert found["base along cites, best out"][[three, three_2]] == pytest.approx([0.2, 0.6], abs=1e-12)
    assert found["seeds that cite it"][[three, three_2]] == pytest.approx([1, 1], abs=0)


def test_the_family_lends_its_best_at_another_level(golden, tables):
    found = features(scores_of(golden, act_1=0.8, decree_1=0.9), tables, golden.ties)["delegation"]
    act, decree, rule = (golden.row_of[name] for name in (ACT_1, DECREE_1, RULE_1))
    assert found["family's best at another level"][[act, decree, rule]] == pytest.approx([0.9, 0.8, 0.9], abs=1e-12)
    assert found["its act's best"][[act, decree, rule]] == pytest.approx([0.0, 0.8, 0.8], abs=1e-12)


def test_structure_counts_the_law_its_neighbours_and_its_name(golden, tables):
    scores = scores_of(golden, "등대안전법 시행령에 따르면?", act_1=0.6, act_3=0.2, decree_1=0.2)
    found = features(scores, tables, golden.ties)["structure"]
    act_3, decree_2, rule = (golden.row_of[name] for name in (ACT_3, DECREE_2, RULE_1))
    assert found["law share"][[act_3, decree_2]] == pytest.approx([0.8, 0.2], abs=1e-12)
    assert found["best beside"][act_3] == pytest.approx(0.6, abs=1e-12)
    assert found["mean beside"][act_3] == pytest.approx(0.3, abs=1e-12)
    assert found["best beside"][decree_2] == pytest.approx(0.2, abs=1e-12)
    assert found["law named"][[act_3, decree_2, rule]].tolist() == [1, 1, 0]
    assert found["act"][[act_3, decree_2]].tolist() == [1, 0]


def test_candidates_are_the_best_and_their_neighbours(golden, tables):
    base = scores_of(golden, act_1=0.8).base
    row, neighbour = golden.row_of[ACT_1], golden.row_of[DECREE_1]
    assert candidates(base, tables, golden.ties, n_best=1, with_neighbours=False).tolist() == [row]
    assert candidates(base, tables, golden.ties, n_best=1, with_neighbours=True).tolist() == [row, neighbour]


def test_the_prior_is_the_smoothed_share_of_the_gold(golden, tables):
    prior = law_prior([[("등대 안전법", "등대"), ("등대 안전법 시행령", "등대")], [("등대 안전법", "등대")]])
    assert prior == LawPrior(2, {"등대 안전법": 1.5, "등대 안전법 시행령": 0.5}, {"등대": 2.0})
    rows = np.array([golden.row_of[ACT_1], golden.row_of[RULE_1]])
    assert prior.columns(tables, rows)[:, 0] == pytest.approx([math.log(2 / 2.5), math.log(0.5 / 2.5)], abs=1e-12)


def test_the_sentence_that_asks_is_the_last_with_a_question_mark():
    said = sentences("건물이 두 동 있습니다. 각각 설치해야 하나요? (예: 1동 250㎡, 2동 250㎡) 네.")
    assert said == ["건물이 두 동 있습니다.", "각각 설치해야 하나요?", "(예: 1동 250㎡, 2동 250㎡) 네."]
    assert asking(said) == 1
    assert asking(["설치 기준", "알려 주세요"]) == 1
    assert sentences("뭐?") == ["뭐?"]


def test_alike_questions_stay_in_one_fold():
    asked = ["a b c d", "e f g h", "a b c d", "i j k l", "a b c x", "m n o p"]
    for seed in range(5):
        fold = folds(asked, str.split, n_folds=3, seed=seed)
        assert fold[0] == fold[2] == fold[4]
        assert set(fold.tolist()) == {0, 1, 2}
        assert fold.tolist() == folds(asked, str.split, n_folds=3, seed=seed).tolist()
    with pytest.raises(ValueError, match="3 questions of 1 kinds"):
        folds(["a b", "a b", "a b"], str.split, n_folds=2, seed=0)


def test_an_unknown_group_is_named():
    with pytest.raises(ValueError, match="'colour' is none of lexical, dense"):
        check_groups(["lexical", "colour"])
    with pytest.raises(ValueError, match="beside the prior"):
        check_groups(["prior"])
    assert check_groups({"prior", "lexical"}) == ("lexical", "prior")


def test_without_the_graph_there_are_no_neighbours_and_no_citations(maker, questions):
    one = maker.candidates(questions[0])
    rows, values = maker.matrix(one, NO_GRAPH, None)
    assert len(rows) == one.n_best
    assert values.shape[1] + 2 == len(maker.names(NO_GRAPH))
    assert not any(name.startswith(("citations", "delegation")) for name in maker.names(NO_GRAPH))


def test_a_training_question_does_not_count_in_its_own_prior(maker, questions, monkeypatch):
    seen = []
    monkeypatch.setattr(ranker_module, "fit", lambda values, labels, **options: seen.extend(values))
    many = [maker.candidates(question) for question in questions[:2]]
    Ranker.fit(maker, many, GROUPS)
    rows, expected = maker.matrix(many[0], GROUPS, maker.prior(many[1:]))
    assert len(rows) == len(seen[0])
    assert (seen[0] == expected).all()


def test_a_missing_package_is_named_with_what_installs_it(builtin, questions, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(SettingsError, match=r"pip install 'nonliquet\[learn\]'$"):
        Ranker.train(builtin, questions)


def test_no_question_to_learn_from_is_an_error(builtin):
    with pytest.raises(ValueError, match="no question with a gold article"):
        Ranker.train(builtin, [Question(question_id="1", text="fire")])


def test_the_same_training_gives_the_same_file_and_the_file_the_same_ranking(builtin, questions, tmp_path):
    pytest.importorskip("lightgbm")
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    ranker = Ranker.train(builtin, questions[:10])
    ranker.save(first)
    Ranker.train(builtin, questions[:10]).save(second)
    assert first.read_bytes() == second.read_bytes()
    for ours, loaded in zip(
        ranker.rankings(questions[10:]), Ranker.load(first, builtin).rankings(questions[10:]), strict=True
    ):
        assert ours.rows.tolist() == loaded.rows.tolist()
        assert ours.scores.tolist() == loaded.scores.tolist()


def test_a_ranking_goes_on_with_the_base_below_the_candidates(builtin, questions):
    pytest.importorskip("lightgbm")
    (ranking,) = Ranker.train(builtin, questions[:10]).rankings(questions[10:11])
    assert len(set(ranking.rows.tolist())) == len(ranking.rows) == len(builtin.index.articles)
    assert (np.diff(ranking.scores) <= 0).all()


def test_a_ranker_of_another_encoder_or_format_is_refused(builtin, questions, tmp_path):
    pytest.importorskip("lightgbm")
    path = tmp_path / "ranker.json"
    Ranker.train(builtin, questions[:5], groups=["lexical", "fusion"]).save(path)
    record = json.loads(path.read_text(encoding="utf-8"))
    for change, message in (
        ({"encoder": "other 1"}, "trained with encoder other 1, the index has None"),
        ({"format": 9}, "a ranker of format 9"),
        ({"model": {}}, "no ranker that"),
    ):
        path.write_text(json.dumps({**record, **change}), encoding="utf-8")
        with pytest.raises(SettingsError, match=message):
            Ranker.load(path, builtin)
    with pytest.raises(SettingsError, match=r"nowhere\.json: cannot be read"):
        Ranker.load(tmp_path / "nowhere.json", builtin)


def test_the_gold_of_a_question_does_not_reach_its_own_ranking(maker, questions):
    pytest.importorskip("lightgbm")
    many = [maker.candidates(question) for question in questions]
    fold = folds([question.text for question in questions], maker.retriever.index.lexical.analyze, n_folds=4, seed=1)
    held_out = np.flatnonzero(fold == 0)
    forged = [replace(one, gold=(int(one.rows[-1]),)) if place in held_out else one for place, one in enumerate(many)]
    honest, other = (cross_validated_scores(maker, each, seed=1, n_folds=4) for each in (many, forged))
    for place in held_out:
        assert (honest[place][1] == other[place][1]).all()


def test_cross_validation_ranks_every_question_and_repeats_itself(builtin, questions):
    pytest.importorskip("lightgbm")
    first, second = (cross_validated_rankings(builtin, questions, seeds=[0], n_folds=3) for _ in range(2))
    assert list(first) == [question.question_id for question in questions]
    for question_id, ranking in first.items():
        assert ranking.rows.tolist() == second[question_id].rows.tolist()


def test_an_index_with_vectors_adds_the_dense_features(tmp_path):
    encoder = HashingEncoder()
    build_index(read_corpus([GOLDEN_LAW]), tmp_path / "index", vectors=VectorPlan(encoder=encoder))
    with Retriever.open(tmp_path / "index", encoder=encoder) as retriever:
        maker = PairMaker(retriever)
        one = maker.candidates(Question(question_id="1", text="등대지기는 등을 켜야 한다", gold=(ACT_1,)))
        assert next(name for group, name in maker.columns if group == "dense") == "cosine"
        assert np.isfinite(one.values).all()
        assert one.labels(one.rows).sum() == 1


@pytest.mark.slow
def test_the_learned_ranker_beats_the_convex_combination_and_the_graph_is_why(shared_data, tmp_path):
    """One parting into folds; docs/ranking.md has the mean of three and the command."""
    pytest.importorskip("lightgbm")
    encoder = open_encoder("embedded")
    assert encoder is not None
    corpus = read_corpus([shared_data / "firelaw-kr" / "legal_docs.jsonl"])
    plan = VectorPlan(encoder=encoder, file=shared_data / "firelaw-kr" / "vectors_e5_small_q4.npz")
    build_index(corpus, tmp_path / "index", vectors=plan, graph_source=GraphSource.TEXT, implied=True)
    with Retriever.open(tmp_path / "index", encoder=encoder) as retriever:
        asked = read_questions(shared_data / "firelaw-kr" / "realworld_qa.jsonl", retriever.index.graph)
        maker = PairMaker(retriever)
        many = [maker.candidates(question) for question in asked]
        recalls = {"base": [recall_at_10(top(one.base, 10, retriever.index.ties).rows, one.gold) for one in many]}
        for name, groups in (("ours", GROUPS), ("no graph", NO_GRAPH)):
            scored = cross_validated_scores(maker, many, seed=0, groups=groups)
            ranked = [retriever.index.ties.sort(*pair).rows[:10] for pair in scored]
            recalls[name] = [recall_at_10(rows, one.gold) for rows, one in zip(ranked, many, strict=True)]
    base, ours, without = (100 * float(np.mean(recalls[name])) for name in ("base", "ours", "no graph"))
    assert base == pytest.approx(51.2, abs=0.5)
    assert ours - base >= 4
    assert ours - without >= 3


def recall_at_10(rows: np.ndarray, gold: tuple[int, ...]) -> float:
    return len(set(rows.tolist()) & set(gold)) / len(gold)

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")
pytest.importorskip("sentence_transformers", reason="needs pip install 'nonliquet[dense]'")

import torch

import evals.ranker_study
from evals.ranker_study import ALPHAS, FoldOutcome, StudyPlan, chosen_alpha, gains, ranker_study
from graph.errors import QuestionsError
from graph.records import Question
from retrieval.index import Index
from retrieval.index_build import build_index
from retrieval.training.ranker_examples import NegativeSettings
from retrieval.training.settings import TrainingSettings

QUESTIONS = [
    Question(question_id=str(number), text=words, gold=(gold,))
    for number, (words, gold) in enumerate(
        [
            ("언제 등을 켜야 하나요?", "등대-안전법_1조"),
            ("안개가 끼면 무엇을 울리나요?", "등대-안전법_3조"),
            ("무적은 언제 점검하나요?", "등대-안전법_3조의2"),
            ("기록은 어디에 두나요?", "등대-안전법-시행령_2조"),
            ("등대는 누가 지키나요?", "등대-안전법_2조"),
            ("벌금은 얼마인가요?", "등대-안전법_4조"),
        ]
    )
]


def plan(kind="paraformer", **changed):
    values = {
        "kind": kind,
        "base": "static",
        "frozen": True,
        "settings": TrainingSettings(n_epochs=2, batch_size=4, learning_rate=1e-3),
        "negatives": NegativeSettings(2, 5, 0.5),
        "citations_first": False,
        "n_candidates": 5,
        "n_seeds": 2,
        "n_folds": 2,
    }
    return StudyPlan(**{**values, **changed})


@pytest.fixture
def law(tmp_path, golden_corpus):
    build_index(golden_corpus, tmp_path / "law")
    with Index.open(tmp_path / "law") as index:
        yield index


@pytest.fixture
def asked(law):
    return [question for question in QUESTIONS if question.gold[0] in law.row_of]


def test_alpha_is_the_best_and_of_several_the_one_nearest_to_bm25():
    assert chosen_alpha({0.0: 0.2, 0.4: 0.5, 0.7: 0.5, 1.0: 0.3}) == 0.4
    assert pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]) == ALPHAS


def outcome(seed, fold, bm25, fused):
    return FoldOutcome(seed, fold, 0.5, 1.0, 0.9, 0.8, bm25, fused, fused, bm25)


def test_a_gain_is_a_questions_mean_over_the_seeds():
    found = gains(
        [
            outcome(0, 0, {"a": 0.5}, {"a": 1.0}),
            outcome(0, 1, {"b": 0.0}, {"b": 0.2}),
            outcome(1, 0, {"a": 0.5, "b": 0.0}, {"a": 0.5, "b": 0.4}),
        ],
        np.random.default_rng(0),
    )
    assert found.by_seed == pytest.approx([0.35, 0.2])
    assert found.gain.mean == pytest.approx((0.25 + 0.3) / 2)
    assert (found.bm25, found.fused) == pytest.approx((0.25, (1.0 + 0.2 + 0.5 + 0.4) / 4))
    assert found.untrained == found.bm25


def test_seeds_that_ranked_other_questions_are_an_error():
    with pytest.raises(ValueError, match="did not rank the same questions"):
        gains([outcome(0, 0, {"a": 0}, {"a": 0}), outcome(1, 0, {"b": 0}, {"b": 0})], np.random.default_rng(0))


@pytest.mark.parametrize("kind", ["paraformer", "attentive-cnn"])
def test_each_question_is_ranked_once_a_seed_and_what_is_done_is_not_done_again(tmp_path, law, asked, kind):
    out = tmp_path / "out"
    citations_first = kind == "paraformer"
    n_seeds = 2 if kind == "paraformer" else 1
    arguments = (law, asked, plan(kind, citations_first=citations_first, n_seeds=n_seeds), out)
    found = ranker_study(*arguments, sources={})
    assert [(one.seed, one.fold) for one in found] == [(0, 0), (0, 1), (1, 0), (1, 1)][: 2 * n_seeds]
    for seed in range(n_seeds):
        names = [name for one in found if one.seed == seed for name in one.fused]
        assert sorted(names) == sorted(question.question_id for question in asked)
    assert all(one.loss <= one.loss_before for one in found)
    assert citations_first or all(one.loss_before == pytest.approx(one.loss_untrained, abs=1e-6) for one in found)
    lines = (out / "trainings.jsonl").read_text().splitlines()
    (out / "trainings.jsonl").write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20])
    assert ranker_study(*arguments, sources={}) == found
    assert (out / "trainings.jsonl").read_text().splitlines() == lines
    with pytest.raises(QuestionsError, match="other study"):
        ranker_study(law, asked, plan(kind, n_folds=3), out, sources={})


class Watched:
    """Learns nothing, and notes which questions its loss was asked of in training, and which its ranker ranked."""

    def __init__(self):
        self.module = torch.nn.Linear(1, 1)
        self.trained_on, self.ranked, self.history = set(), [], []

    def loss(self, batch, rng):
        if torch.is_grad_enabled():
            self.trained_on |= {pair.question for pair in batch}
        return self.module(torch.ones(1, 1)).sum() ** 2

    def ranker(self):
        self.history.append((self.trained_on, []))
        self.trained_on = set()
        return self

    def score(self, question, articles):
        self.history[-1][1].append(question)
        return np.zeros(len(articles))


def test_no_question_is_ranked_by_a_model_that_was_trained_on_it_and_alpha_is_chosen_on_others(
    tmp_path, law, asked, monkeypatch
):
    made = []
    monkeypatch.setattr(evals.ranker_study, "new_learner", lambda *given, **options: made.append(Watched()) or made[-1])
    found = ranker_study(law, asked, plan(n_seeds=1), tmp_path / "out", sources={})
    (watched,) = made
    texts = {question.question_id: question.text for question in asked}
    assert len(watched.history) == 2 * len(found)  # of each fold, before and after training
    for one, (trained_on, ranked) in zip(found, watched.history[1::2], strict=True):
        own = {texts[name] for name in one.fused}
        inner = set(ranked) - own
        assert own < set(ranked)
        assert trained_on
        assert inner
        assert trained_on | inner | own == set(texts.values())
        assert not trained_on & set(ranked)

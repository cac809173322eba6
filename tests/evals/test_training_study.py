from dataclasses import replace

import numpy as np
import pytest

from evals.training_study import BiEncoderPlan, study, summary
from graph.errors import QuestionsError
from graph.records import Question
from retrieval.index import Index
from retrieval.index_build import build_index
from retrieval.training.settings import TrainingSettings


def test_the_gain_is_a_questions_mean_over_the_seeds_less_the_base():
    found = {
        "base": {0: {"a": 0.5, "b": 0.0}},
        "bi-encoder": {0: {"a": 1.0, "b": 0.2}, 1: {"a": 0.6, "b": 0.0}, 2: {"a": 0.0}},  # the last is not finished
        "two-tower": {0: {"a": 1.0}},
    }
    ((kind, (gain, by_seed)),) = summary(found, np.random.default_rng(0)).items()
    assert kind == "bi-encoder"
    assert gain.mean == pytest.approx((0.3 + 0.1) / 2)
    assert by_seed == pytest.approx([0.35, 0.05])


QUESTIONS = [
    ("언제 등을 켜야 하나요?", "등대-안전법_1조"),
    ("안개가 끼면 무엇을 울리나요?", "등대-안전법_3조"),
    ("무적은 언제 점검하나요?", "등대-안전법_3조의2"),
    ("기록은 어디에 두나요?", "등대-안전법-시행령_2조"),
]


@pytest.mark.parametrize("n_citation_epochs", [0, 1])
def test_each_question_is_ranked_once_a_seed_and_what_is_done_is_not_done_again(
    tmp_path, golden_corpus, n_citation_epochs
):
    pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")
    pytest.importorskip("sentence_transformers", reason="needs pip install 'nonliquet[dense]'")
    build_index(golden_corpus, tmp_path / "law")
    questions = [
        Question(question_id=str(number), text=words, gold=(gold,)) for number, (words, gold) in enumerate(QUESTIONS)
    ]
    settings = TrainingSettings(n_epochs=2, learning_rate=1e-3)
    plan = BiEncoderPlan(("bi-encoder",), "static", settings, n_citation_epochs, n_seeds=2, n_folds=2)
    with Index.open(tmp_path / "law") as index:
        arguments = (index, questions, plan, tmp_path / "out")
        found = study(*arguments, sources={})
        lines = (tmp_path / "out" / "study.jsonl").read_text().splitlines()
        assert len(lines) == 1 + 2 * 2  # the base, and two folds for each of two seeds
        (tmp_path / "out" / "study.jsonl").write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20])
        assert study(*arguments, sources={}) == found
        assert (tmp_path / "out" / "study.jsonl").read_text().splitlines() == lines
        with pytest.raises(QuestionsError, match="study"):
            study(index, questions, replace(plan, n_citation_epochs=3), tmp_path / "out", sources={})
    assert {kind: {seed: len(of_one) for seed, of_one in by_seed.items()} for kind, by_seed in found.items()} == {
        "base": {0: 4},
        "bi-encoder": {0: 4, 1: 4},
    }

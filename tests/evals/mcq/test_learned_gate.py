"""The learned gate on the built-in choice questions, and that what it can know is what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agent.gate.features import Knowledge
from evals.commands.options import BUILTIN_QUESTIONS
from evals.mcq.choice_files import read_choice_questions
from evals.mcq.contexts import contexts
from evals.mcq.gates import GateCase
from evals.mcq.learned_gate import ChoiceFeatures, LearnedChoiceGate, fitted_on
from evals.mcq.records import ChoiceQuestion, Condition
from evals.selective import auroc
from graph.errors import QuestionsError
from retrieval.index_build import build_index
from retrieval.retriever import Retriever

pytest.importorskip("lightgbm")
pytest.importorskip("sklearn")

CHOICES = BUILTIN_QUESTIONS.with_name("multihop_qa_mcq.jsonl")


def cases_of(questions: Sequence[ChoiceQuestion], retriever: Retriever, *conditions: Condition) -> list[GateCase]:
    found = []
    for question in questions:
        for condition in conditions:
            context = contexts(question, condition, retriever.index.graph)
            if context is not None:
                found.append(GateCase(question, condition, context))
    return found


@pytest.fixture
def questions(evals_retriever: Retriever) -> list[ChoiceQuestion]:
    return read_choice_questions(CHOICES, evals_retriever.index.graph)


@pytest.fixture
def features(evals_retriever: Retriever) -> ChoiceFeatures:
    return ChoiceFeatures(evals_retriever, Knowledge.CORPUS)


def test_it_tells_full_contexts_from_lacking_ones_that_it_has_not_seen(
    evals_retriever: Retriever, features: ChoiceFeatures, questions: list[ChoiceQuestion]
):
    for lacking in (Condition.PARTIAL, Condition.DECOY):
        cases = cases_of(questions, evals_retriever, Condition.FULL, lacking)
        found = LearnedChoiceGate(features, questions).sufficiencies(cases)
        assert auroc(found, [case.condition is Condition.FULL for case in cases]) > 0.8


def test_it_judges_a_context_and_not_its_condition(
    evals_retriever: Retriever, features: ChoiceFeatures, questions: list[ChoiceQuestion]
):
    cases = cases_of(questions, evals_retriever, Condition.FULL, Condition.PARTIAL, Condition.PARTIAL_TARGET)
    renamed = [replace(case, condition=Condition.NONE) for case in cases]
    gate = LearnedChoiceGate(features, questions)
    assert gate.sufficiencies(renamed) == gate.sufficiencies(cases)


def test_an_empty_context_is_enough_for_nothing(features: ChoiceFeatures, questions: list[ChoiceQuestion]):
    assert LearnedChoiceGate(features, questions).sufficiencies([GateCase(questions[0], Condition.NONE, ())]) == [0.0]


def test_trained_on_other_questions_it_is_one_model(
    evals_retriever: Retriever, features: ChoiceFeatures, questions: list[ChoiceQuestion]
):
    others, asked = questions[:40], questions[40:]
    cases = cases_of(asked, evals_retriever, Condition.FULL, Condition.PARTIAL)
    found = LearnedChoiceGate(features, asked, training=others).sufficiencies(cases)
    model = fitted_on(features, others, seed=0)
    assert found == [model.probability(features.example(case, enough=None).values) for case in cases]


def test_questions_that_cannot_be_answered_are_not_learned_from(
    features: ChoiceFeatures, questions: list[ChoiceQuestion]
):
    silent = [replace(one, gold_full=one.abstain or 0) for one in questions[:5]]
    assert features.labelled([*silent, *questions[5:]]) == features.labelled(questions[5:])


def test_too_few_questions_are_an_error_that_names_the_way_out(
    features: ChoiceFeatures, questions: list[ChoiceQuestion]
):
    few = questions[:2]
    with pytest.raises(QuestionsError, match="--train FILE"):
        LearnedChoiceGate(features, few).sufficiencies([GateCase(few[0], Condition.FULL, few[0].articles)])


@pytest.mark.slow
def test_on_firelaw_words_alone_reach_what_is_published(shared_data: Path, tmp_path: Path):
    """Without vectors, which take half an hour to make: docs/gate.md has 0.96 and 0.94 with them."""
    from graph.corpus import read_corpus

    build_index(read_corpus([shared_data / "firelaw-kr" / "legal_docs.jsonl"]), tmp_path / "index")
    with Retriever.open(tmp_path / "index") as retriever:
        file = shared_data / "firelaw-kr" / "multihop_qa_mcq.jsonl"
        questions = [one for one in read_choice_questions(file, retriever.index.graph) if one.answerable]
        gate = LearnedChoiceGate(ChoiceFeatures(retriever, Knowledge.CORPUS), questions)
        for lacking, least in ((Condition.PARTIAL, 0.95), (Condition.DECOY, 0.93)):
            cases = cases_of(questions, retriever, Condition.FULL, lacking)
            found = gate.sufficiencies(cases)
            assert auroc(found, [case.condition is Condition.FULL for case in cases]) > least

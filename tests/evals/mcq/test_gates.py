"""The structural gate, the model's own judgement, and several gates together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from evals.mcq.asking import Asking
from evals.mcq.choice_client import ClientSettings
from evals.mcq.choice_files import read_choice_questions
from evals.mcq.gate_measures import gate_intervals
from evals.mcq.gates import GateCase, Knowledge
from evals.mcq.model_choice import ChoicePrompts
from evals.mcq.open_gates import GateInputs, combined, open_gates
from evals.mcq.records import Condition
from evals.mcq.run import contexts_of
from evals.mcq.self_gate import SelfGate
from evals.mcq.served_model import served_model
from evals.mcq.sources import Sources
from evals.mcq.structural_gate import StructuralGate
from tests.evals.mcq.choice_server import MockServer, choice_server

QUESTIONS = Path(__file__).parents[3] / "evals" / "builtin" / "multihop_qa_mcq.jsonl"


@pytest.fixture
def sources(evals_retriever) -> Sources:
    return Sources(read_choice_questions(QUESTIONS, evals_retriever.index.graph), evals_retriever)


@pytest.fixture
def server() -> Iterator[MockServer]:
    with choice_server() as running:
        yield running


def cases_of(sources: Sources, *conditions: Condition) -> list[GateCase]:
    by_id = {question.question_id: question for question in sources.questions}
    found = contexts_of(sources, conditions, None)
    return [GateCase(by_id[name], condition, context) for (name, condition), context in found.items()]


def test_structure_tells_full_from_partial_better_with_the_corpus_known(sources):
    cases = cases_of(sources, Condition.FULL, Condition.PARTIAL, Condition.DECOY)
    found = {
        knowledge: gate_intervals(
            cases, StructuralGate(sources, knowledge).sufficiencies(cases), np.random.default_rng(0)
        )
        for knowledge in Knowledge
    }
    for name in ("auroc_partial", "auroc_decoy"):
        assert found[Knowledge.CORPUS][name].mean > found[Knowledge.CONTEXT][name].mean > 0.65


def test_knowing_the_corpus_only_takes_sufficiency_away(sources):
    cases = cases_of(sources, Condition.FULL, Condition.PARTIAL)
    known, unknown = (StructuralGate(sources, one).sufficiencies(cases) for one in Knowledge)
    assert all(0 <= one <= other <= 1 for one, other in zip(known, unknown, strict=True))


@pytest.mark.parametrize("knowledge", list(Knowledge))
def test_the_condition_itself_is_not_looked_at(sources, knowledge):
    cases = cases_of(sources, Condition.PARTIAL)[:5]
    mislabelled = [GateCase(one.question, Condition.FULL, one.context) for one in cases]
    gate = StructuralGate(sources, knowledge)
    assert gate.sufficiencies(cases) == gate.sufficiencies(mislabelled)


def test_nothing_is_enough_for_nothing(sources):
    cases = cases_of(sources, Condition.NONE)
    assert max(StructuralGate(sources, Knowledge.CONTEXT).sufficiencies(cases)) < 0.5


def asking(sources: Sources, server: MockServer, model: str) -> Asking:
    served = served_model(f"{server.url}#{model}")
    return Asking(served, ChoicePrompts(sources, served.context_tokens, seed=0), ClientSettings())


def test_the_model_says_how_probable_it_is_that_the_context_is_enough(sources, server):
    cases = cases_of(sources, Condition.FULL)[:8]
    found = SelfGate(asking(sources, server, "good")).sufficiencies(cases)
    assert set(found) == {0.75, 0.25}  # true or false, each by 0.75
    assert len(server.bodies) == 8
    assert all("A. " not in body["messages"][1]["content"] for body in server.bodies)  # the options are not shown


def test_without_log_probabilities_its_word_counts_whole(sources, server):
    found = SelfGate(asking(sources, server, "gives-no-logprobs")).sufficiencies(cases_of(sources, Condition.FULL)[:8])
    assert set(found) == {0.0, 1.0}


def test_a_judgement_that_cannot_be_read_is_none(sources, server):
    (found,) = SelfGate(asking(sources, server, "chats")).sufficiencies(cases_of(sources, Condition.FULL)[:1])
    assert math.isnan(found)


def test_all_takes_what_there_is_and_several_are_averaged(sources, server):
    pytest.importorskip("sklearn")
    without = open_gates("all", GateInputs(sources, Knowledge.CORPUS))
    with_model = open_gates("all", GateInputs(sources, Knowledge.CORPUS, asking=asking(sources, server, "good")))
    assert [gate.name for gate in without] == ["structural", "learned"]
    assert [gate.name for gate in with_model] == ["structural", "learned", "self"]
    assert combined([[0.2, 1.0], [0.4, math.nan]])[0] == pytest.approx(0.3)
    assert math.isnan(combined([[0.2, 1.0], [0.4, math.nan]])[1])

"""The study of the gate on the built-in law: what it prints, and that its control keeps no question's own words."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import command
from agent.gate.features import GROUPS, Knowledge
from evals import gate_study
from evals.commands.mcq import BUILTIN_CHOICES
from evals.gate_study import Study, exchanged, study_rows, told_apart
from evals.mcq.choice_files import read_choice_questions
from evals.mcq.learned_gate import ChoiceFeatures
from evals.mcq.records import ChoiceQuestion
from graph.corpus import BUILTIN_LAW, read_corpus
from retrieval.index_build import build_index
from retrieval.retriever import Retriever

pytest.importorskip("lightgbm")
pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("gate") / "index"
    build_index(read_corpus([BUILTIN_LAW]), place)
    return place


@pytest.fixture
def questions(evals_retriever: Retriever) -> list[ChoiceQuestion]:
    return read_choice_questions(BUILTIN_CHOICES, evals_retriever.index.graph)


def test_the_control_gives_every_context_another_questions_words_and_keeps_its_own_articles(
    evals_retriever: Retriever, questions: list[ChoiceQuestion]
):
    cases = Study.of(ChoiceFeatures(evals_retriever, Knowledge.CONTEXT), questions).cases
    words = {}
    for own, other in zip(cases, exchanged(cases, seed=0), strict=True):
        assert other.question.text != own.question.text
        assert (other.context, other.condition, other.question.group) == (
            own.context,
            own.condition,
            own.question.group,
        )
        assert words.setdefault(own.question.question_id, other.question.text) == other.question.text
    assert sorted(words.values()) == sorted({case.question.text for case in cases})


def test_another_questions_words_tell_little_and_its_own_tell_much(
    evals_retriever: Retriever, questions: list[ChoiceQuestion]
):
    features = ChoiceFeatures(evals_retriever, Knowledge.CORPUS, with_options=False)
    own = Study.of(features, questions)
    fresh = ChoiceFeatures(evals_retriever, Knowledge.CORPUS, with_options=False)
    control = Study.described(fresh, exchanged(own.cases, seed=0))
    by_own, by_others = (told_apart(one, n_seeds=1)["auroc decoy"][0] for one in (own, control))
    assert by_own > 0.8
    assert 0.3 < by_others < 0.7


def test_the_command_prints_a_row_for_each_knowledge_and_wording(folder: Path):
    arguments = ["gate", "--index", str(folder), "--questions", str(BUILTIN_CHOICES), "--seeds", "1"]
    result = CliRunner().invoke(command([gate_study.register]), arguments)
    assert result.exit_code == 0, result.output
    lines = [line.split(" | ") for line in result.stdout.splitlines()]
    assert lines[0][1:3] == ["auroc partial", "abstention partial"]
    wordings = ("question and options", "question alone", "another question's words")
    assert [line[0] for line in lines[2:]] == [f"| {one}: {words}" for one in Knowledge for words in wordings]


def test_without_a_group_and_with_it_alone_are_all_features_together(
    evals_retriever: Retriever, questions: list[ChoiceQuestion], monkeypatch: pytest.MonkeyPatch
):
    def counted(study: Study, *, n_seeds: int) -> dict[str, tuple[float, float]]:
        return {"features": (len(study.examples[0].values), 0.0)}

    monkeypatch.setattr(gate_study, "told_apart", counted)
    rows = study_rows(evals_retriever, questions[:5], n_seeds=1, ablation=True)
    numbers = {name: row["features"][0] for name, row in rows.items()}
    for knowledge in Knowledge:
        for group in GROUPS:
            without, alone = numbers[f"{knowledge}: without {group}"], numbers[f"{knowledge}: {group} only"]
            assert without + alone == numbers[f"{knowledge}: question and options"]
            assert alone > 0

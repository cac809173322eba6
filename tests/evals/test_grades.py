from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.chat_model import ModelReply
from evals import answers
from evals.grades import grade_run, grade_summary
from evals.judge import Ruling, Unruled
from evals.rulings import Judge
from evals.run_folder import RunFolder
from graph.errors import ModelError, QuestionsError, ServiceUnavailable
from graph.records import Question
from tests.agent.scripted_model import ScriptedModel

LATE = ServiceUnavailable("the model does not answer")


def ruling(value: str) -> str:
    return json.dumps({"reason": "so it is", "ruling": value})


def reply(text: str, *, question: str = "?", abstained: bool = False) -> dict[str, object]:
    kind = {"kind": "no_relevant_article"} if abstained else {"citations": []}
    return {"question": question, "abstained": abstained, "text": text, **kind}


@pytest.fixture
def gold(evals_retriever) -> tuple[str, ...]:
    return (evals_retriever.index.articles[0].semantic_id,)


@pytest.fixture
def questions(gold) -> list[Question]:
    """Two with an answer, one whose right answer is silence, one more with an answer."""
    open_ones = [Question(question_id=name, text="?", gold=gold, answer="Yes.") for name in "abd"]
    return [
        *open_ones[:2],
        Question(question_id="c", text="?", gold=gold, abstention="missing_provision"),
        open_ones[2],
    ]


def run_of(path: Path, replies: dict[str, dict[str, object]]) -> RunFolder:
    run = RunFolder.start(
        path, {"kind": "answers", "questions": {"asked": 4, "files": {"q": ""}}, "reader": "x"} | {"context": "gold"}
    )
    for question_id, one in replies.items():
        run.append_record(answers.REPLIES, {"question_id": question_id, "values": {}, "reply": one})
    run.write_json("metrics.json", {"x, gold": {"coverage": 0.5}})
    return run


@pytest.fixture
def run(tmp_path) -> RunFolder:
    said = [reply("Yes."), reply("None.", abstained=True), reply("Yes."), reply("No.")]
    return run_of(tmp_path / "run", dict(zip("abcd", said, strict=True)))


def values(folder: RunFolder) -> dict[str, float]:
    (found,) = folder.metrics().values()
    return found


def test_only_answers_to_what_can_be_answered_are_graded(run, questions, evals_retriever):
    model = ScriptedModel(ruling("correct"), ruling("wrong"))
    folder = grade_run(run, questions, Judge(model, evals_retriever))
    assert [record["question_id"] for record in folder.records("rulings.jsonl")] == ["a", "d"]
    assert evals_retriever.index.articles[0].text in model.requests[0].user
    assert values(folder)["judged correct"] == values(folder)["judged wrong"] == 0.5


def test_the_summary_leaves_missing_grades_out_and_counts_them():
    rulings = [
        *(Ruling(grade, "") for grade in ("correct", "correct", "partly", "wrong")),
        Ruling(None, "", Unruled.UNREADABLE),
        Ruling(None, "", Unruled.FAILED),
    ]
    found = grade_summary(rulings, n_answerable=10)
    assert found == {
        "judged correct": 0.5,
        "judged partly": 0.25,
        "judged wrong": 0.25,
        "judged cannot_tell": 0.0,
        "judged correct, silence 0": 2 / 8,  # of ten, but the two whose grade is not known
        "no grade, unreadable": pytest.approx(1 / 6, abs=1e-12),
        "no grade, failed": pytest.approx(1 / 6, abs=1e-12),
    }
    assert grade_summary([], n_answerable=3) == {"judged correct, silence 0": 0.0}
    assert grade_summary([], n_answerable=0) == {}


@pytest.mark.parametrize("bad", ["no JSON", ModelReply('{"reason', False, ()), LATE, ModelError("too long")])
def test_a_judgement_that_fails_or_cannot_be_read_is_missing_and_not_wrong(run, questions, evals_retriever, bad):
    folder = grade_run(run, questions, Judge(ScriptedModel(bad, ruling("correct")), evals_retriever))
    assert values(folder)["judged correct"] == 1.0
    assert values(folder)["judged wrong"] == 0.0
    assert values(folder)["no grade, unreadable"] + values(folder)["no grade, failed"] == 0.5


def test_what_is_ruled_is_not_asked_again_but_what_failed_is(run, questions, evals_retriever):
    folder = grade_run(run, questions, Judge(ScriptedModel(LATE, "no JSON"), evals_retriever))
    assert values(folder)["no grade, failed"] == values(folder)["no grade, unreadable"] == 0.5
    again = ScriptedModel(ruling("partly"))
    grade_run(run, questions, Judge(again, evals_retriever))
    assert len(again.requests) == 1
    assert values(folder)["judged partly"] == 1.0
    assert values(folder)["no grade, unreadable"] == 0.5
    grade_run(run, questions, Judge(ScriptedModel(), evals_retriever))


def test_a_killed_judgement_goes_on_to_the_same_files(run, questions, evals_retriever):
    folder = grade_run(run, questions, Judge(ScriptedModel(ruling("correct"), ruling("wrong")), evals_retriever))
    names = ("config.json", "rulings.jsonl", "metrics.json")
    whole = {name: (folder.path / name).read_bytes() for name in names}
    path = folder.path / "rulings.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    (folder.path / "metrics.json").unlink()
    grade_run(run, questions, Judge(ScriptedModel(ruling("wrong")), evals_retriever))
    assert {name: (folder.path / name).read_bytes() for name in names} == whole


def test_a_judge_that_keeps_failing_ends_the_run_and_keeps_what_there_is(tmp_path, gold, evals_retriever):
    questions = [Question(question_id=str(number), text="?", gold=gold) for number in range(9)]
    run = run_of(tmp_path / "run", {one.question_id: reply("Yes.") for one in questions})
    model = ScriptedModel(LATE, ruling("correct"), *[LATE] * 5)
    with pytest.raises(ServiceUnavailable, match="failed 5 times in a row: the model does not answer"):
        grade_run(run, questions, Judge(model, evals_retriever))
    folder = grade_run(run, questions, Judge(ScriptedModel(*[ruling("correct")] * 8), evals_retriever))
    assert values(folder)["judged correct"] == 1.0
    assert values(folder)["no grade, failed"] == 0.0


def test_the_config_names_judge_and_prompt_and_other_replies_are_refused(run, questions, evals_retriever):
    judge = Judge(ScriptedModel(ruling("correct"), ruling("wrong")), evals_retriever)
    folder = grade_run(run, questions, judge)
    assert (folder.config["judge"], folder.config["prompt"]) == ("scripted", "grade.en v1")
    run.append_record(answers.REPLIES, {"question_id": "e", "values": {}, "reply": reply("Yes.")})
    with pytest.raises(QuestionsError, match="judged-by-scripted: holds a run with other replies"):
        grade_run(run, questions, judge)


def test_the_pages_show_the_grades_with_the_judges_name(run, questions, evals_retriever):
    grade_run(run, questions, Judge(ScriptedModel(ruling("correct"), ruling("wrong")), evals_retriever))
    assert "# Answers graded by scripted, prompt grade.en v1\n" in answers.page(run)
    assert "| judged correct | 50.0 |" in answers.page(run)
    assert answers.metrics(run)["x, gold"] == {
        "coverage": 0.5,
        **{f"{name} by scripted": value for name, value in values(RunFolder(run.path / "judged-by-scripted")).items()},
    }


def test_a_small_window_gives_the_judge_less_of_the_law(evals_retriever):
    names = [article.semantic_id for article in evals_retriever.index.articles]
    question = Question(question_id="1", text="?", gold=tuple(names))
    small = Judge(ScriptedModel(context_tokens=2500), evals_retriever)
    large = Judge(ScriptedModel(), evals_retriever)
    assert small.context_tokens == 500  # what is left beside the reply's 500 and the 1,500 for the rest
    assert 0 < len(small.gold(question)) < len(large.gold(question))

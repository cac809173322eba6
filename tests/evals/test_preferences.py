from __future__ import annotations

import json

import pytest

from evals import answers
from evals.judge import Ruling, Unruled
from evals.preferences import Outcome, outcome_of, plain_outcome, prefer, preference_summary
from evals.rulings import Judge
from evals.run_folder import RunFolder
from graph.errors import QuestionsError, ServiceUnavailable
from graph.records import Question
from tests.agent.scripted_model import ScriptedModel
from tests.evals.test_grades import reply, ruling, run_of

YES, NO, SILENT = reply("Yes."), reply("No."), reply("None.", abstained=True)
FIRST, SECOND, SAME = Ruling("first", ""), Ruling("second", ""), Ruling("same", "")
MISSING = Ruling(None, "", Unruled.UNREADABLE)
ASKED = Question(question_id="1", text="?", gold=("a",))
CLOSED = Question(question_id="2", text="?", gold=("a",), abstention="missing_provision")


@pytest.mark.parametrize(
    ("own_first", "own_second", "outcome"),
    [
        (FIRST, SECOND, Outcome.WIN),
        (SECOND, FIRST, Outcome.LOSS),
        (SAME, SAME, Outcome.TIE),
        (FIRST, FIRST, Outcome.TIE),  # whatever comes first
        (SECOND, SECOND, Outcome.TIE),
        (FIRST, SAME, Outcome.TIE),
        (SAME, FIRST, Outcome.TIE),
        (MISSING, FIRST, None),
        (SECOND, MISSING, None),
    ],
)
def test_a_preference_counts_only_if_both_orders_give_it(own_first, own_second, outcome):
    assert outcome_of(own_first, own_second) is outcome


@pytest.mark.parametrize(
    ("question", "own", "other", "outcome"),
    [
        (ASKED, YES, NO, None),
        (ASKED, SILENT, NO, None),  # silence may be better than a wrong answer
        (ASKED, YES, YES, Outcome.TIE),
        (ASKED, SILENT, SILENT, Outcome.TIE),
        (CLOSED, SILENT, YES, Outcome.WIN),
        (CLOSED, YES, SILENT, Outcome.LOSS),
        (CLOSED, SILENT, SILENT, Outcome.TIE),
        (CLOSED, YES, NO, Outcome.TIE),
    ],
)
def test_silence_where_it_is_right_beats_an_answer_without_a_judge(question, own, other, outcome):
    assert plain_outcome(question, own, other) is outcome


def test_the_summary_by_hand():
    outcomes = [Outcome.WIN, Outcome.WIN, Outcome.TIE, Outcome.LOSS, None]
    found = preference_summary(outcomes, [(FIRST, SECOND), (FIRST, FIRST), (SECOND, FIRST), (FIRST, MISSING)])
    assert (found["won"], found["level"], found["lost"]) == (0.5, 0.25, 0.25)
    assert found["win rate"] == pytest.approx(2.5 / 4, abs=1e-12)
    assert found["win rate, low"] <= found["win rate"] <= found["win rate, high"]
    assert found["win rate, p"] == pytest.approx(1.0, abs=1e-12)  # +, +, −: no other signs bring the sum nearer to 0
    assert found["orders disagree"] == pytest.approx(1 / 3, abs=1e-12)
    assert found["no outcome"] == 0.25
    assert preference_summary([None], [(MISSING, MISSING)]) == {"no outcome": 1.0}
    assert preference_summary([], []) == {}


@pytest.fixture
def questions(evals_retriever) -> list[Question]:
    gold = (evals_retriever.index.articles[0].semantic_id,)
    asked = [Question(question_id=name, text="?", gold=gold) for name in "ab"]
    return [*asked, Question(question_id="c", text="?", gold=gold, abstention="missing_provision")]


@pytest.fixture
def two(tmp_path) -> tuple[RunFolder, RunFolder]:
    own = run_of(tmp_path / "own", {"a": YES, "b": YES, "c": SILENT})
    return own, run_of(tmp_path / "other", {"a": NO, "b": NO, "c": YES, "z": YES})


def outcomes(folder: RunFolder) -> dict[str, str | None]:
    return json.loads((folder.path / "outcomes.json").read_text(encoding="utf-8"))


def test_each_pair_is_asked_about_in_both_orders(two, questions, evals_retriever):
    model = ScriptedModel(ruling("first"), ruling("second"), ruling("first"), ruling("first"))
    folder = prefer(*two, questions, Judge(model, evals_retriever))
    assert outcomes(folder) == {"a": "win", "b": "tie", "c": "win"}
    assert folder.metrics()["scripted"]["win rate"] == pytest.approx(2.5 / 3, abs=1e-12)
    assert folder.metrics()["scripted"]["orders disagree"] == 0.5
    places = [request.user.index("Yes.") < request.user.index("No.") for request in model.requests]
    assert places == [True, False, True, False]
    assert (folder.config["against"]["run"], folder.config["prompt"]) == ("other", "prefer.en v1")
    assert "# Against other, judged by scripted, prompt prefer.en v1\n" in answers.page(two[0])


def test_a_pair_with_a_ruling_missing_is_no_loss_and_is_asked_again_if_it_failed(two, questions, evals_retriever):
    script = (ruling("first"), ServiceUnavailable("late"), "no JSON", ruling("first"))
    folder = prefer(*two, questions, Judge(ScriptedModel(*script), evals_retriever))
    assert outcomes(folder) == {"a": None, "b": None, "c": "win"}
    assert folder.metrics()["scripted"]["no outcome"] == 1.0
    assert folder.metrics()["scripted"]["lost"] == 0.0
    prefer(*two, questions, Judge(ScriptedModel(ruling("second")), evals_retriever))
    assert outcomes(folder) == {"a": "win", "b": None, "c": "win"}


def test_a_run_against_itself_is_level_and_asks_nobody(two, questions, evals_retriever):
    own, _ = two
    folder = prefer(own, own, questions, Judge(ScriptedModel(), evals_retriever))
    assert set(outcomes(folder).values()) == {"tie"}
    assert folder.metrics()["scripted"]["win rate"] == 0.5


def test_a_run_that_was_asked_something_else_or_is_none_is_refused(two, questions, evals_retriever, tmp_path):
    own, _ = two
    judge = Judge(ScriptedModel(), evals_retriever)
    strange = run_of(tmp_path / "strange", {"a": reply("Yes.", question="Another?")})
    with pytest.raises(QuestionsError, match="strange: question a is another one there"):
        prefer(own, strange, questions, judge)
    with pytest.raises(QuestionsError, match="empty: has no reply to any of these questions"):
        prefer(own, run_of(tmp_path / "empty", {"z": YES}), questions, judge)
    with pytest.raises(QuestionsError, match="retrieval: is no run of replies"):
        prefer(own, RunFolder.start(tmp_path / "retrieval", {"kind": "realworld"}), questions, judge)

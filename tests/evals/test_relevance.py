"""The fit of relevance on made-up questions, against what the shares of them give in closed form."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner

from agent.reply import Step
from agent.settings import RelevanceWeights
from agent.sufficiency import Features
from evals import relevance
from evals.relevance import Asked, Example, Fit, asked_of, examples_of, fit, judged, without_itself
from graph.errors import QuestionsError

BY_COVERAGE = Fit("coverage", ("evidence_coverage",))
LOOSE = 1e9  # next to no penalty, so that the weights are those of largest likelihood


def examples(law: str, *, own: str, other: str) -> list[Example]:
    """Return questions of which a 1 is covered and a 0 is not."""
    kinds = (*(("own", one) for one in own), *(("other", one) for one in other))
    return [Example(law, kind, Features(0.0, float(one))) for kind, one in kinds]


def test_the_weights_are_the_log_odds_that_shares_of_covered_questions_give():
    pytest.importorskip("sklearn")
    weights = fit(examples("a", own="1110", other="1000"), BY_COVERAGE, inverse_l2=LOOSE)
    # Not covered: 1 own in 4 against 3 others in 4; covered: 3 against 1. Odds 1/3 and 3.
    assert weights.bias == pytest.approx(-math.log(3), abs=1e-4)
    assert weights.evidence_coverage == pytest.approx(2 * math.log(3), abs=1e-4)
    assert weights.similarity_above_chance == 0.0


def test_a_law_with_more_questions_weighs_no_more_and_its_kinds_weigh_the_same():
    pytest.importorskip("sklearn")
    once = [*examples("a", own="1110", other="1000"), *examples("b", own="10", other="100000")]
    again = [*once, *examples("a", own="1110" * 2, other=""), *examples("b", own="", other="100000" * 4)]
    first, second = (fit(some, BY_COVERAGE) for some in (once, again))
    # The weights sum to the number of questions, and so hold against the penalty: without one they are the same.
    assert first != second
    loose, loose_again = (fit(some, BY_COVERAGE, inverse_l2=LOOSE) for some in (once, again))
    assert loose_again.bias == pytest.approx(loose.bias, abs=1e-4)
    assert loose_again.evidence_coverage == pytest.approx(loose.evidence_coverage, abs=1e-4)


def test_own_questions_that_weigh_twice_as_much_raise_the_odds_twofold():
    pytest.importorskip("sklearn")
    twice = fit(examples("a", own="1110", other="1000"), Fit("", BY_COVERAGE.by, own_weight=2.0), inverse_l2=LOOSE)
    assert twice.bias == pytest.approx(math.log(2 / 3), abs=1e-4)
    assert twice.evidence_coverage == pytest.approx(2 * math.log(3), abs=1e-4)


def test_the_same_questions_give_the_same_weights_to_the_bit():
    pytest.importorskip("sklearn")
    some = examples("a", own="1110", other="1000")
    assert fit(some, BY_COVERAGE) == fit(some, BY_COVERAGE)


def test_questions_of_one_kind_alone_teach_nothing():
    pytest.importorskip("sklearn")
    with pytest.raises(ValueError, match="both kinds"):
        fit(examples("a", own="11", other=""), BY_COVERAGE)


def test_those_taken_for_fitting_are_counted_kind_by_kind():
    weights = RelevanceWeights(evidence_coverage=2.0, bias=-1.0)  # 1/2 at 0.5
    some = [Example("a", kind, Features(0.0, value)) for kind, value in (("own", 0.5), ("own", 0.4), ("foreign", 0.0))]
    assert judged(some, weights) == {"own": (1, 2), "foreign": (0, 1)}


def test_each_law_is_judged_by_what_the_others_teach():
    pytest.importorskip("sklearn")
    right, wrong = examples("a", own="1110", other="1000"), examples("b", own="0001", other="0111")
    found = without_itself([*right, *wrong], BY_COVERAGE)
    # What b teaches is the opposite of what holds for a, and the other way round.
    assert found == {"a": {"own": (1, 4), "other": (3, 4)}, "b": {"own": (1, 4), "other": (3, 4)}}


def test_foreign_questions_are_judged_and_not_learned_from():
    pytest.importorskip("sklearn")
    some = examples("a", own="1110", other="1000")
    foreign = [Example("a", "foreign", Features(0.0, 1.0))] * 50
    assert fit([*some, *foreign], BY_COVERAGE) == fit(some, BY_COVERAGE)


def test_what_a_question_is_to_a_law_is_read_from_its_right_abstention(tmp_path: Path):
    path = tmp_path / "questions.jsonl"
    kinds = (None, "", "missing_provision", "no_relevant_article", "insufficient_evidence", "out_of_scope")
    rows = [{"question": f"{kind}?", **({} if kind is None else {"abstention": kind})} for kind in kinds]
    rows[0] |= {"history": ["Before?"], "as_of": "2030-01-01"}
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert list(asked_of(path)) == [
        Asked("None?", "own", ("Before?",), "2030-01-01"),
        Asked("?", "own"),
        Asked("missing_provision?", "own"),
        Asked("no_relevant_article?", "other"),
    ]


@pytest.mark.parametrize(("line", "message"), [("{}", r":1: field 'question' is missing"), ("{", r":1: not JSON")])
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str, message: str):
    path = tmp_path / "questions.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(QuestionsError, match=message):
        list(asked_of(path))


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


class Agent:
    """An agent that answers each question with the trace it is given for it."""

    def __init__(self, traces: dict[str, list[Step]]) -> None:
        self.traces = traces

    def ask(self, question: str, **_: object) -> SimpleNamespace:
        return SimpleNamespace(trace=tuple(self.traces[question]))


def test_each_part_of_a_question_is_an_example_and_one_that_names_an_article_is_none():
    half, whole = ({"features": {"clause_coverage": 0.0, "evidence_coverage": value}} for value in (0.5, 1.0))
    agent = Agent(
        {
            "Two in one?": [Step("sufficiency", half), Step("sufficiency", whole)],
            "Article 1?": [Step("named", {}), Step("sufficiency", whole)],
            "A poem?": [Step("scope", {}), Step("sufficiency", {"because": "it is no question of law"})],
        }
    )
    found = examples_of("a", agent, [Asked(question, "own") for question in agent.traces])
    assert list(found) == [Example("a", "own", Features(0.0, value)) for value in (0.5, 1.0)]


def test_the_command_prints_each_law_judged_without_itself_and_the_weights(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    pytest.importorskip("sklearn")

    def made_up(name: str, *, sparse: float | None) -> list[Example]:
        near = Features(0.0, 1.0, similarity_above_chance=0.5, sparse_over_chance=sparse and 2 * sparse)
        far = Features(0.0, 0.0, similarity_above_chance=0.0, sparse_over_chance=sparse)
        return [Example(name, "own", near), Example(name, "other", far), Example(name, "foreign", far)]

    monkeypatch.setattr(relevance, "_builtin_examples", lambda folders: made_up("built-in", sparse=1.0))
    sparse_of = {"en": 1.0, "fr": None}
    monkeypatch.setattr(
        relevance, "_folder_examples", lambda one, folders: made_up(one.name, sparse=sparse_of[one.name])
    )
    app = typer.Typer()
    relevance.register(app)
    result = CliRunner().invoke(app, [str(_folder(tmp_path / name)) for name in ("en", "fr")])
    assert result.exit_code == 0, result.output
    dense, sparse = result.stdout.split("With learned sparse vectors")
    assert dense.count("| 1 of 1 | 0 of 1 | 0 of 1 |") == 2 * 3  # judged by the others, and by all
    assert dense.count("| fr |") == 2
    assert "Weights fitted on all: similarity_above_chance" in dense
    assert sparse.count("| 1 of 1 | 0 of 1 | 0 of 1 |") == 2 * 2  # of those that have such vectors
    assert "sparse_over_chance" in sparse


def test_a_further_law_needs_its_index_and_both_kinds_of_questions(tmp_path: Path):
    app = typer.Typer()
    relevance.register(app)
    result = CliRunner().invoke(app, [str(tmp_path), "--index", "law"])
    assert result.exit_code == 2
    assert "go together" in result.output

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.legal_agent import LegalAgent
from evals.answers import Context, page, reply_measures, rouge_l, run_answers, summary
from evals.commands.options import BUILTIN_QUESTIONS
from evals.dataset_files import read_questions
from evals.run_folder import RunFolder
from graph.errors import QuestionsError
from graph.records import Question
from tests.agent.model_server import model_server
from tests.conftest import HashingEncoder

ASKED = Question(question_id="1", text="?", gold=("a", "b"), answer="the light is lit")
CLOSED = Question(question_id="2", text="?", abstention="no_relevant_article")
SILENT = {"abstained": True, "kind": "no_relevant_article", "text": ""}
TEXTS = {"a": "the light", "c": "a flag"}


def answer(*cited: tuple[str, str], text: str = "the light") -> dict[str, object]:
    citations = [{"semantic_id": name, "quote": quote, "start": 0, "end": len(TEXTS[name])} for name, quote in cited]
    return {"abstained": False, "text": text, "citations": citations}


def measures(reply: dict[str, object], question: Question = ASKED) -> dict[str, float]:
    return reply_measures(reply, question, TEXTS, str.split)


@pytest.fixture
def agent(evals_index):
    with LegalAgent.open(evals_index, encoder=HashingEncoder()) as opened:
        yield opened


@pytest.fixture
def questions(agent):
    return read_questions(BUILTIN_QUESTIONS, agent.retriever.index.graph)


def replies(run) -> list[dict]:
    return [record["reply"] for record in run.records("replies.jsonl")]


def test_citations_are_scored_as_articles_not_as_quotes():
    values = measures(answer(("a", "the light"), ("a", "the light"), ("c", "a flag")))
    assert values["citation precision"] == 0.5  # of a and c
    assert values["citation recall"] == 0.5  # of a and b
    assert values["citation F1"] == pytest.approx(0.5, abs=1e-12)
    assert values["cites gold"] == 1.0


def test_an_answer_that_cites_no_gold_article_scores_0():
    values = measures(answer(("c", "a flag")))
    assert (values["citation F1"], values["cites gold"]) == (0.0, 0.0)


def test_a_quote_is_valid_if_it_stands_where_it_is_said_to():
    assert measures(answer(("a", "the light"), ("c", "the flag")))["valid quotes"] == 0.5


def test_of_silence_there_is_nothing_to_say_but_that():
    assert measures(SILENT) == {"answered": 0.0}


def test_an_answer_to_what_has_none_has_no_citation_measures():
    assert set(measures(answer(("a", "the light")), CLOSED)) == {"answered", "valid quotes"}


def test_rouge_l_by_hand():
    assert rouge_l(["a", "b", "c", "d"], ["a", "x", "c", "d", "e"]) == pytest.approx(2 * 3 / 9, abs=1e-12)
    assert rouge_l([], ["a"]) == rouge_l(["a"], []) == rouge_l([], []) == 0.0
    assert rouge_l(["b", "a"], ["a", "b"]) == 0.5  # in order, one of two


def test_the_summary_counts_silence_apart():
    given = [answer(("a", "the light")), SILENT, SILENT, answer(("a", "the light"))]
    asked = [ASKED, ASKED, CLOSED, CLOSED]
    records = [{"values": measures(r, q), "reply": r} for r, q in zip(given, asked, strict=True)]
    found = summary(records, asked)
    assert found["coverage"] == 0.5
    assert found["citation recall"] == 0.5
    assert found["citation F1, silence 0"] == pytest.approx(0.5 * 2 / 3, abs=1e-12)
    assert found["silent rightly"] == found["silent for the right cause"] == 0.5
    assert found["abstained, no_relevant_article"] == 0.5
    assert found["valid quotes"] == 1.0
    assert "silent rightly" not in summary(records[:2], asked[:2])


def test_with_gold_context_only_gold_articles_are_read(agent, questions, tmp_path):
    run = run_answers(agent, questions[:12], Context.GOLD, tmp_path / "run", source=BUILTIN_QUESTIONS)
    for question, reply in zip(questions, replies(run), strict=False):
        packed = next(step["articles"] for step in reply["trace"] if step["step"] == "pack")
        assert set(packed) <= set(question.gold)
        assert {one["semantic_id"] for one in reply.get("citations", ())} <= set(question.gold)


def test_without_context_the_extractive_reader_is_silent(agent, questions, tmp_path):
    run = run_answers(agent, questions[:8], Context.NONE, tmp_path / "run", source=BUILTIN_QUESTIONS)
    assert run.metrics()["extractive, none"]["coverage"] == 0.0


def test_with_retrieved_context_the_agent_replies_as_ever(agent, questions, tmp_path):
    run = run_answers(agent, questions[:8], Context.RETRIEVED, tmp_path / "run", source=BUILTIN_QUESTIONS)
    expected = [json.loads(json.dumps(agent.ask(question.text).to_json())) for question in questions[:8]]
    assert replies(run) == expected
    assert run.metrics()["extractive, retrieved"].get("valid quotes", 1.0) == 1.0


def test_a_killed_run_goes_on_to_the_same_files(agent, questions, tmp_path):
    whole = run_answers(agent, questions[:6], Context.GOLD, tmp_path / "whole", source=BUILTIN_QUESTIONS)
    broken = run_answers(agent, questions[:6], Context.GOLD, tmp_path / "broken", source=BUILTIN_QUESTIONS)
    path = broken.path / "replies.jsonl"
    path.write_bytes(path.read_bytes()[:-500])
    (broken.path / "metrics.json").unlink()
    run_answers(agent, questions[:6], Context.GOLD, broken.path, source=BUILTIN_QUESTIONS)
    for name in ("config.json", "replies.jsonl", "metrics.json"):
        assert (broken.path / name).read_bytes() == (whole.path / name).read_bytes()


def test_another_context_is_another_run(agent, questions, tmp_path):
    run_answers(agent, questions[:2], Context.GOLD, tmp_path / "run", source=BUILTIN_QUESTIONS)
    with pytest.raises(QuestionsError, match="holds a run with other context"):
        run_answers(agent, questions[:2], Context.NONE, tmp_path / "run", source=BUILTIN_QUESTIONS)


def test_a_question_with_neither_gold_nor_a_right_abstention_is_refused(agent, tmp_path):
    with pytest.raises(QuestionsError, match="question 9 has neither a gold article nor a right abstention"):
        run_answers(
            agent, [Question(question_id="9", text="?")], Context.GOLD, tmp_path / "run", source=BUILTIN_QUESTIONS
        )


def test_the_page_names_reader_and_context(agent, questions, tmp_path):
    run = run_answers(agent, questions[:2], Context.NONE, tmp_path / "run", source=BUILTIN_QUESTIONS)
    assert "reader extractive, context none" in page(run)


# The command


def test_the_command_asks_the_questions_and_prints_the_measures(nonliquet, evals_index, tmp_path):
    out: Path = tmp_path / "run"
    result = nonliquet(
        *("evals", "answers", "--index", evals_index, "--questions", BUILTIN_QUESTIONS, "--context", "gold"),
        *("--limit", 3, "--out", out),
    )
    assert result.exit_code == 0
    assert result.stdout.startswith("extractive, gold\n  coverage")
    assert len((out / "replies.jsonl").read_text().splitlines()) == 3
    assert (out / "report.md").exists()


def test_an_unknown_context_is_wrong_usage(nonliquet, tmp_path):
    result = nonliquet("evals", "answers", "--context", "some", "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert "'some' is none of retrieved, gold, none" in result.stderr


def test_a_judge_on_a_server_grades_and_compares_finished_runs(nonliquet, evals_index, tmp_path, monkeypatch):
    ruling = json.dumps({"reason": "so it is", "ruling": "correct"})
    monkeypatch.setattr("tests.agent.model_server.REPLY", ruling)
    asked = ("evals", "answers", "--index", evals_index, "--questions", BUILTIN_QUESTIONS, "--limit", 4)
    bound, silent = tmp_path / "bound", tmp_path / "silent"
    assert nonliquet(*asked, "--context", "none", "--out", silent).exit_code == 0
    assert nonliquet(*asked, "--context", "gold", "--out", bound).exit_code == 0
    n_answers = sum(not record["reply"]["abstained"] for record in RunFolder(bound).records("replies.jsonl"))
    assert n_answers
    with model_server() as (url, server):
        judging = ("--context", "gold", "--out", bound, "--judge", f"{url}#good", "--against", silent)
        result = nonliquet(*asked, *judging)
        assert result.exit_code == 0
        assert len(server.bodies) == 3 * n_answers  # a grade each, and two orders against silence
        assert server.bodies[0]["response_format"]["json_schema"]["schema"]["properties"]["ruling"]["enum"]
        assert nonliquet(*asked, *judging).stdout == result.stdout
        assert len(server.bodies) == 3 * n_answers
    assert "judged-by-good\n  judged correct                   100.0\n" in result.stdout
    assert "against-silent-by-good\n" in result.stdout  # "correct" is no preference: unreadable, so without an outcome
    assert RunFolder(bound / "against-silent-by-good").metrics()["good"]["no outcome"] == 1.0
    assert "## Answers graded by good, prompt grade.en v1" in (bound / "report.md").read_text(encoding="utf-8")


def test_to_compare_with_another_run_a_judge_must_be_named(nonliquet, tmp_path):
    result = nonliquet("evals", "answers", "--against", tmp_path, "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert "name one with --judge" in result.stderr


def test_a_judge_that_is_not_there_is_an_error_before_a_question_is_asked(nonliquet, tmp_path):
    result = nonliquet("evals", "answers", "--judge", "http://127.0.0.1:9/v1", "--out", tmp_path / "run")
    assert result.exit_code == 1
    assert "the model server at http://127.0.0.1:9/v1 does not answer" in result.stderr
    assert not (tmp_path / "run").exists()

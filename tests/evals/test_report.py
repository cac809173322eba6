from __future__ import annotations

import subprocess
import sys

import pytest

from agent.legal_agent import LegalAgent
from evals.answers import Context, run_answers
from evals.commands.options import BUILTIN_QUESTIONS
from evals.dataset_files import read_questions
from evals.intervals import Interval
from evals.markdown import flat_settings, percent, points, table
from evals.realworld import judged, run_methods
from evals.report import page_over
from retrieval.methods import parse_method
from tests.conftest import HashingEncoder


@pytest.fixture
def runs(evals_retriever, evals_index, tmp_path):
    questions = read_questions(BUILTIN_QUESTIONS, evals_retriever.index.graph)
    first = run_methods(
        evals_retriever,
        judged(questions, skip_unjudged=True),
        [parse_method(name) for name in ("bm25", "sar")],
        tmp_path / "first",
        source=BUILTIN_QUESTIONS,
    )
    (first.path / "recall.png").write_bytes(b"a plot")
    with LegalAgent.open(evals_index, encoder=HashingEncoder()) as agent:
        second = run_answers(agent, questions[:3], Context.GOLD, tmp_path / "second", source=BUILTIN_QUESTIONS)
    return first, second


def test_one_page_holds_tables_plots_latencies_and_settings_of_all_runs(runs, tmp_path):
    words = page_over(runs, beside=tmp_path / "reports")
    assert "| first | sar:bm25 |" in words
    assert "| second: extractive, gold |" in words
    assert "![../first/recall.png](../first/recall.png)" in words
    assert "### Latency" in words
    assert "| sar.n_seeds | 15 |" in words
    assert words.index("## first") < words.index("## second")


def test_the_command_writes_the_page(nonliquet, runs, tmp_path):
    result = nonliquet("evals", "report", *(run.path for run in runs), "--out", tmp_path / "page.md")
    assert result.exit_code == 0
    assert (tmp_path / "page.md").read_text() == page_over(runs, beside=tmp_path)
    assert "(first/recall.png)" in (tmp_path / "page.md").read_text()


def test_without_a_file_the_page_is_printed(nonliquet, runs):
    result = nonliquet("evals", "report", runs[0].path)
    assert result.stdout.startswith("# Runs\n")


def test_a_table_escapes_what_would_break_it():
    assert table(["a", "b"], [["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"


def test_numbers_are_printed_in_percent_and_points():
    assert (percent(0.4342), percent(None)) == ("43.4", "–")
    assert points(Interval(0.046, -0.015, 0.084)) == "+4.6 [-1.5, +8.4]"


def test_settings_are_flattened_to_dotted_names():
    assert flat_settings({"sar": {"beta": 0.3}, "method": None}) == {"sar.beta": "0.3", "method": "–"}


@pytest.mark.parametrize("verb", ["realworld", "compare", "tune", "answers", "report"])
def test_every_verb_has_help_with_an_example(nonliquet, verb):
    result = nonliquet("evals", verb, "--help")
    assert result.exit_code == 0
    assert f"Example: nonliquet evals {verb} " in result.stdout


@pytest.mark.parametrize("verb", ["bench", "ours"])
def test_modules_of_their_own_read_their_own_options(nonliquet, verb):
    assert "Example: python -m evals" in nonliquet("evals", verb, "--help").stdout
    wrong = nonliquet("evals", verb, "--nothing")
    assert wrong.exit_code == 2
    assert "No such option: --nothing" in wrong.stderr


def test_the_module_is_the_same_command():
    run = subprocess.run(
        [sys.executable, "-m", "evals", "report", "--help"], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0
    assert "Put several runs on one page" in run.stdout


def test_registering_the_verbs_imports_nothing_slow():
    code = (
        "import sys, evals.cli; "
        "print(sorted({'ir_measures', 'matplotlib', 'chromadb', 'torch', 'scipy.stats'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.strip() == "[]"

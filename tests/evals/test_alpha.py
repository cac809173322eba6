from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Sequence

import numpy as np
import pytest

from agent.commands.options import settings_of
from evals.alpha_grid import ALPHAS, MEASURES, AlphaGrid, alpha_grid
from evals.alpha_report import rows_of
from evals.commands.options import BUILTIN_QUESTIONS
from evals.dataset_files import read_questions
from evals.realworld import judged, run_methods
from evals.realworld_report import page
from evals.trained_models import seen_in_training
from graph.records import Provision
from retrieval.article_ranker import AttendedSentence
from retrieval.methods import parse_method
from retrieval.ranking import Scores
from retrieval.retriever import Retriever
from retrieval.settings import RetrievalSettings, TrainedSettings


class Overlap:
    """A trained model without a model: the share of an article's words that the question has."""

    description = "overlap, frozen"

    def __init__(self) -> None:
        self.n_calls = 0

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        self.n_calls += 1
        asked = set(question.lower().split())
        words = [article.text.lower().split() for article in articles]
        return np.array([sum(word in asked for word in one) / max(len(one), 1) for one in words], dtype=np.float64)

    def attended(self, question: str, article: Provision) -> tuple[AttendedSentence, ...]:
        return ()


@pytest.fixture
def model(monkeypatch):
    opened = Overlap()
    monkeypatch.setattr("retrieval.model_rerankers.open_article_ranker", lambda name: opened)
    return opened


@pytest.fixture
def questions(evals_retriever):
    return judged(read_questions(BUILTIN_QUESTIONS, evals_retriever.index.graph), skip_unjudged=True)


def grid_of(by_cell: dict[tuple[float, int], list[float]]) -> AlphaGrid:
    """A grid of two columns in which the cells named have these values, and the others 0."""
    n_questions = len(next(iter(by_cell.values())))
    values = np.zeros((len(ALPHAS), 2, n_questions))
    for (alpha, n_candidates), of_questions in by_cell.items():
        values[ALPHAS.index(alpha), (10, 50).index(n_candidates)] = of_questions
    return AlphaGrid((10, 50), dict.fromkeys(MEASURES, values))


def test_the_best_cell_is_chosen_on_all_and_judged_on_folds_that_did_not_choose_it():
    """By hand: without the first fold (0.3, 10) is best, without the second (0.7, 50), each poor where it is read."""
    grid = grid_of({(0.3, 10): [0, 0, 1, 1], (0.7, 50): [1, 1, 0, 0.5], (0.0, 10): [0.1, 0.1, 0.1, 0.1]})
    choice = grid.choice("nDCG@20", np.array([0, 0, 1, 1]))
    assert (choice.alpha, choice.n_candidates) == (0.7, 50)
    assert choice.fitted == pytest.approx(2.5 / 4, abs=1e-12)
    assert choice.base == pytest.approx(0.1, abs=1e-12)
    assert choice.held_out == pytest.approx((0 + 0 + 0 + 0.5) / 4, abs=1e-12)
    assert choice.gain.mean == pytest.approx(0.125 - 0.1, abs=1e-12)
    assert choice.gain.low <= choice.gain.mean <= choice.gain.high


def test_of_equal_cells_the_one_nearest_to_the_base_is_chosen():
    grid = grid_of({(0.4, 50): [1.0, 0.5], (0.4, 10): [0.5, 1.0], (0.8, 10): [1.0, 0.5]})
    choice = grid.choice("R@10", np.array([0, 1]))
    assert (choice.alpha, choice.n_candidates) == (0.4, 10)


def test_where_nothing_helps_the_base_stays():
    assert grid_of({(0.0, 10): [0.0, 0.0]}).choice("R@10", np.array([0, 1])).alpha == 0


def test_a_table_has_a_row_an_alpha_in_percent():
    rows = rows_of(grid_of({(0.3, 10): [0.25, 0.5]}), "nDCG@20")
    assert [row[0] for row in rows] == ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"]
    assert rows[3] == ["0.3", "37.5", "0.0"]


def test_every_cell_is_what_the_method_of_these_settings_measures(evals_retriever, questions, model, tmp_path):
    grid = alpha_grid(evals_retriever, questions, "MODEL", "bm25", (5, 30))
    assert model.n_calls == len(questions)  # each read once, whatever the cells
    for row, column in ((0, 0), (3, 1), (6, 0), (10, 1)):
        settings = RetrievalSettings(trained=TrainedSettings(ALPHAS[row], grid.n_candidates[column]))
        retriever = Retriever(evals_retriever.index, settings=settings, models=evals_retriever.models)
        method = parse_method("bm25" if row == 0 else "trained:MODEL")
        run = run_methods(retriever, questions, [method], tmp_path / f"{row}-{column}", source=BUILTIN_QUESTIONS)
        for name in MEASURES:
            assert grid.values[name][row, column].mean() == pytest.approx(run.metrics()[str(method)][name], abs=1e-12)
    assert len({grid.values["nDCG@20"][row, 1].mean() for row in range(11)}) > 3  # α does something


def test_a_run_says_what_the_model_is_and_how_it_was_fused(evals_retriever, questions, model, tmp_path):
    methods = [parse_method("bm25"), parse_method("trained:MODEL")]
    run = run_methods(evals_retriever, questions, methods, tmp_path / "run", source=BUILTIN_QUESTIONS)
    words = "α 0.9 over the best 10 of bm25; overlap, frozen"
    assert run.config["trained"] == {"trained:MODEL:bm25": words}
    assert f"`trained:MODEL:bm25`: {words}." in page(run)
    assert "bm25 → trained:MODEL:bm25" in page(run)


def test_a_model_that_was_trained_on_the_questions_asked_is_found_out(tmp_path):
    asked = {"data/qa.jsonl": hashlib.sha256(b"asked").hexdigest(), "other.jsonl": hashlib.sha256(b"new").hexdigest()}
    (tmp_path / "training").mkdir()
    config = {"kind": "paraformer", "files": {"renamed.jsonl": asked["data/qa.jsonl"]}}
    (tmp_path / "training" / "config.json").write_text(json.dumps(config))
    assert seen_in_training(str(tmp_path), asked) == ["qa.jsonl"]
    assert seen_in_training(str(tmp_path / "training"), asked) == []


def test_what_all_splits_of_a_beir_folder_share_does_not_tell_that_a_model_has_seen_the_questions(tmp_path):
    (tmp_path / "training").mkdir()
    config = {"files": {"queries.jsonl": "a", "train.tsv": "b"}}
    (tmp_path / "training" / "config.json").write_text(json.dumps(config))
    assert seen_in_training(str(tmp_path), {"beir/queries.jsonl": "a", "beir/qrels/test.tsv": "c"}) == []
    assert seen_in_training(str(tmp_path), {"beir/queries.jsonl": "a", "beir/qrels/train.tsv": "b"}) == ["train.tsv"]


def test_the_command_prints_the_grid_and_writes_it_with_settings_that_ask_takes(
    nonliquet, evals_index, model, tmp_path
):
    out = tmp_path / "alpha"
    arguments = ("evals", "alpha", "--model", "MODEL", "--candidates", "5,20", "--out", out, "--no-plots")
    result = nonliquet(*arguments, "--index", evals_index, "--questions", BUILTIN_QUESTIONS, "--skip-unjudged")
    assert result.exit_code == 0
    assert "trained:MODEL:bm25: overlap, frozen" in result.stdout
    for name in MEASURES:
        assert f"{name}, %" in result.stdout
        assert f"{name}: bm25 " in result.stdout
    assert "cross-validated" in result.stdout
    with (out / "alpha.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert len(cells) == 11 * 2
    found = json.loads((out / "alpha.json").read_text())
    best = found["best"]["nDCG@20"]
    assert best["fitted"] == pytest.approx(max(float(cell["nDCG@20"]) for cell in cells), abs=1e-12)
    assert found["config"]["questions"]["asked"] > 30
    report = (out / "report.md").read_text()
    assert "## macroF2@1\n\n| α | 5 | 20 |" in report
    settings = settings_of(out / "settings.toml")
    assert settings.retrieval.trained == TrainedSettings(best["alpha"], best["n_candidates"])
    assert settings.retrieval.method == "trained:MODEL:bm25"
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    nonliquet(*arguments, "--index", evals_index, "--questions", BUILTIN_QUESTIONS, "--skip-unjudged")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first


def test_the_grid_is_drawn_where_matplotlib_is(nonliquet, evals_index, model, tmp_path):
    pytest.importorskip("matplotlib", reason="needs pip install 'nonliquet[plots]'")
    out = tmp_path / "alpha"
    result = nonliquet(
        *("evals", "alpha", "--model", "MODEL", "--candidates", "10", "--folds", 2, "--out", out),
        *("--index", evals_index, "--questions", BUILTIN_QUESTIONS, "--skip-unjudged"),
    )
    assert result.exit_code == 0
    assert (out / "alpha.png").read_bytes().startswith(b"\x89PNG")
    assert "![α](alpha.png)" in (out / "report.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--candidates", "10,zero"), "must be counts"),
        (("--candidates", "0"), "must be counts"),
        (("--candidates", ""), "must be counts"),
        (("--base", "sar"), "--base 'sar' is none of"),
        (("--folds", "500"), "cannot be parted into 500 folds"),
    ],
)
def test_wrong_usage_of_the_command(nonliquet, evals_index, model, tmp_path, arguments, problem):
    result = nonliquet(
        *("evals", "alpha", "--model", "MODEL", "--out", tmp_path / "alpha", "--index", evals_index),
        *("--questions", BUILTIN_QUESTIONS, "--skip-unjudged", *arguments),
    )
    assert result.exit_code == 2
    assert problem in " ".join(result.stderr.split())

"""BSARD by its id, from a Hugging Face cache and offline: indexed, trained on one split and measured on the other."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

import agent.cli
import evals.cli
from tests import bsard_shaped

ID = "hf:maastrichtlawtech/bsard"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def nonliquet(*arguments):
    app = agent.cli.command([agent.cli.register, evals.cli.register])
    return CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)


@pytest.fixture
def articles():
    return list(bsard_shaped.rows(n_articles=120))


@pytest.fixture(autouse=True)
def hub(tmp_path, monkeypatch, articles):
    """The data set as a download would have left it, and no way to the Hub."""
    constants = pytest.importorskip("huggingface_hub.constants", reason="needs pip install 'nonliquet[hub]'")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    place = tmp_path / "hub" / "datasets--maastrichtlawtech--bsard"
    snapshot = place / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(COMMIT)
    bsard_shaped.write(snapshot / "articles.csv", n_articles=120)
    for split, rows in (("train", articles[:40]), ("test", articles[40:60])):
        with (snapshot / f"questions_{split}.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["id", "category", "question", "extra_description", "article_ids"])
            for row in rows:
                table.writerow([row["id"], "", f"Que dit-on de {row['article'][:60]} ?", "", row["id"]])
    return snapshot


def test_the_articles_and_the_test_questions_are_measured_by_the_id(tmp_path):
    index, run = tmp_path / "index", tmp_path / "run"
    assert nonliquet("index", ID, "--index", index, "--encoder", "none").exit_code == 0
    asked = ("evals", "realworld", "--index", index, "--questions", ID, "--methods", "bm25", "--no-plots", "--out", run)
    result = nonliquet(*asked)
    assert result.exit_code == 0, result.stderr
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    assert config["questions"]["asked"] == 20
    assert [name.rpartition("/")[2] for name in config["questions"]["files"]] == ["questions_test.csv"]
    assert json.loads((run / "metrics.json").read_text())["bm25"]["R@10"] > 0.9


@pytest.mark.skipif(
    find_spec("torch") is None or find_spec("sentence_transformers") is None,
    reason="needs pip install 'nonliquet[dense]'",
)
def test_a_model_is_trained_on_the_training_questions_by_the_id(tmp_path):
    index, model = tmp_path / "index", tmp_path / "model"
    assert nonliquet("index", ID, "--index", index, "--encoder", "none").exit_code == 0
    train = ("train", "bi-encoder", "--index", index, "--questions", ID, "--base", "static", "--no-plots")
    result = nonliquet(*train, "--out", model)
    assert result.exit_code == 0, result.stderr
    assert "36 pairs" in result.stdout  # of 40 questions a tenth is held out
    config = json.loads((model / "training" / "config.json").read_text(encoding="utf-8"))
    assert list(config["files"]) == ["questions_train.csv"]
    result = nonliquet(*train, "--dev", ID, "--out", tmp_path / "other")
    assert result.exit_code == 1
    assert "questions_dev.csv of the data set maastrichtlawtech/bsard cannot be fetched" in result.stderr


def test_a_data_set_that_the_cache_lacks_is_one_line_that_says_what_to_do(tmp_path):
    index = tmp_path / "index"
    assert nonliquet("index", ID, "--index", index, "--encoder", "none").exit_code == 0
    asked = ("evals", "realworld", "--index", index, "--questions", "hf:nobody/nothing", "--out", tmp_path / "run")
    result = nonliquet(*asked)
    assert result.exit_code == 1
    assert "questions_test.csv of the data set nobody/nothing cannot be fetched" in result.stderr
    assert "Download it by hand" in result.stderr

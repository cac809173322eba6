"""Each kind of trained ranker from its training to what it is used in: search, search --why, realworld, alpha, ask."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from typer.testing import CliRunner

import agent.cli
import evals.cli
from retrieval.article_ranker import open_article_ranker
from retrieval.encoder import article_text
from retrieval.fusion import min_max
from retrieval.index_build import build_index
from retrieval.retriever import Retriever
from retrieval.settings import RetrievalSettings, TrainedSettings
from tests.conftest import GOLDEN_LAW, ROOT

pytestmark = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("sentence_transformers") is None,
    reason="needs pip install 'nonliquet[dense]'",
)

QUESTIONS = {
    "언제 등을 켜야 하나요?": "등대-안전법_1조",
    "안개가 끼면 무엇을 울리나요?": "등대-안전법_3조",
    "무적은 언제 점검하나요?": "등대-안전법_3조의2",
    "점등 기록은 어디에 두나요?": "등대-안전법-시행령_2조",
}
QUESTION = "무적은 언제 점검하나요?"
ATTENDING = ("attentive-cnn", "paraformer")
KINDS = ("bi-encoder", *ATTENDING)
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def nonliquet(*arguments):
    app = agent.cli.command([agent.cli.register, evals.cli.register])
    result = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result


@pytest.fixture(scope="module")
def law(golden_corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "law"
    build_index(golden_corpus, folder)
    return folder


@pytest.fixture(scope="module")
def questions(law):
    file = law.parent / "questions.jsonl"
    records = [
        {"question_id": number, "question": words, "semantic_ids": [gold]}
        for number, (words, gold) in enumerate(QUESTIONS.items())
    ]
    file.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in records), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def models(law, questions):
    """Kind -> a model of a few steps."""
    folder = law.parent
    static = folder / "bi-encoder"
    train = ("--index", law, "--no-plots")
    nonliquet("train", "bi-encoder", "--questions", questions, *train, "--base", "static", "--out", static)
    for kind in ATTENDING:
        options = ("--base", static, "--out", folder / kind, "--epochs", 2, "--negatives", 2, "--pool", 5)
        nonliquet("train", kind, "--supervision", "citations", *train, *options)
    return {kind: folder / kind for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_search_fuses_the_models_scores_with_the_bases(law, models, kind):
    """The method against the model opened apart, its scores fused by hand over BM25's hits."""
    model = str(models[kind])
    settings = RetrievalSettings(trained=TrainedSettings(alpha=0.5, n_candidates=4))
    with Retriever.open(law, settings=settings) as retriever:
        base = retriever.search(QUESTION, method="bm25", top_k=10)
        found = retriever.search(QUESTION, method=f"trained:{model}", top_k=10)
        read = [retriever.article(hit.semantic_id) for hit in base[:4]]
    deep = min_max(open_article_ranker(model).score(QUESTION, read))
    words = min_max(np.array([hit.score for hit in base[:4]]))
    expected = {article.semantic_id: 0.5 * d + 0.5 * w for article, d, w in zip(read, deep, words, strict=True)}
    assert {hit.semantic_id: hit.score for hit in found[: len(read)]} == pytest.approx(expected, abs=1e-5)
    assert [hit.semantic_id for hit in found[4:]] == [hit.semantic_id for hit in base[4:]]
    assert len(read) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_why_shows_sentences_of_the_article_whose_weights_sum_to_1_where_the_kind_attends(law, models, kind):
    arguments = ("search", QUESTION, "--index", law, "--method", f"trained:{models[kind]}", "--why", "-k", 3)
    records = [json.loads(line) for line in nonliquet(*arguments, "--json").stdout.splitlines()]
    shown = nonliquet(*arguments)
    if kind not in ATTENDING:
        assert [record["why"]["attended"] for record in records] == [[] for _ in records]
        assert "tells no more than the scores" in shown.stderr
        return
    marked = [line for line in shown.stdout.splitlines() if line.startswith("    » ")]
    assert len(marked) >= len(records)
    with Retriever.open(law) as retriever:
        for record in records:
            attended, text = record["why"]["attended"], article_text(retriever.article(record["semantic_id"]))
            assert sum(one["weight"] for one in attended) == pytest.approx(1, abs=1e-5)
            assert all(one["weight"] > 0 for one in attended)
            places = ["".join(text.split()).find("".join(one["text"].split())) for one in attended]
            assert min(places) >= 0
            assert places == sorted(places)


def test_realworld_and_alpha_measure_every_kind_and_tell_a_model_that_has_seen_the_questions(
    law, questions, models, tmp_path
):
    names = {kind: f"trained:{model}:bm25" for kind, model in models.items()}
    asked = ("--index", law, "--questions", questions, "--no-plots")
    run = tmp_path / "run"
    nonliquet("evals", "realworld", *asked, "--methods", ",".join(["bm25", *names.values()]), "--out", run)
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    for kind, name in names.items():
        assert f"α 0.9 over the best 10 of bm25; {kind}" in config["trained"][name]
        assert ("trained on questions asked here" in config["trained"][name]) == (kind == "bi-encoder")
    metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    for kind, name in names.items():
        out = tmp_path / kind
        result = nonliquet("evals", "alpha", "--model", models[kind], *asked, "--folds", 2, "--out", out)
        assert f"{name}: {kind}" in result.stdout
        cells = json.loads((out / "alpha.json").read_text(encoding="utf-8"))["cells"]
        (cell,) = (one for one in cells if (one["alpha"], one["n_candidates"]) == (0.9, 10))
        assert cell["nDCG@20"] == pytest.approx(metrics[name]["nDCG@20"], abs=1e-12)
        (cell,) = (one for one in cells if (one["alpha"], one["n_candidates"]) == (0, 10))
        assert cell["nDCG@20"] == pytest.approx(metrics["bm25"]["nDCG@20"], abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_ask_reads_what_the_model_puts_first(law, models, tmp_path, kind):
    method = f"trained:{models[kind]}:bm25"
    settings = tmp_path / "settings.toml"
    settings.write_text(f"[retrieval]\nmethod = {json.dumps(method)}\n", encoding="utf-8")
    app = agent.cli.command([agent.cli.register])
    arguments = ["ask", QUESTION, "--index", str(law), "--settings", str(settings), "--json"]
    trace = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)["trace"]
    (retrieved,) = (step for step in trace if step["step"] == "retrieve")
    assert retrieved["method"] == method
    with Retriever.open(law) as retriever:
        hits = retriever.search(QUESTION, method=method, top_k=6)
    assert list(retrieved["hits"]) == [hit.semantic_id for hit in hits]


IN_A_PROCESS = """
import json, sys
from typer.testing import CliRunner
import agent.cli, evals.cli
app = agent.cli.command([agent.cli.register, evals.cli.register])
results = [CliRunner().invoke(app, arguments) for arguments in json.load(sys.stdin)]
print(json.dumps([[one.exit_code, one.stdout, one.stderr] for one in results]))
"""


def offline(hub, *commands):
    """Run commands in a process whose Hugging Face cache is this folder and that may not go online."""
    asked = json.dumps([[str(one) for one in arguments] for arguments in commands])
    environment = {**os.environ, "HF_HOME": str(hub), "HF_HUB_OFFLINE": "1", "NONLIQUET_CACHE": str(hub / "nonliquet")}
    done = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS],
        input=asked, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def uploaded(hub, name, folder):
    """Lay a model out in a Hugging Face cache, as a download of OWNER/NAME would."""
    place = hub / "hub" / f"models--{name.replace('/', '--')}"
    shutil.copytree(folder, place / "snapshots" / COMMIT)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(COMMIT)


def test_models_of_the_hub_are_used_by_their_ids_and_offline_only_those_of_the_cache(law, models, tmp_path):
    hub = tmp_path / "cache"
    for kind, model in models.items():
        uploaded(hub, f"maker/{kind}", model)
    dense, new = tmp_path / "dense", tmp_path / "new"
    search = ("search", QUESTION, "--json", "--why", "--index", law, "--method")
    train = ("train", "paraformer", "--supervision", "citations", "--index", law, "--epochs", 1, "--no-plots")
    indexed, asked, *ranked, trained, by_id, no_encoder, no_ranker, no_base = offline(
        hub,
        ("index", GOLDEN_LAW, "--index", dense, "--encoder", "st:maker/bi-encoder"),
        ("search", QUESTION, "--index", dense, "--method", "dense", "--json"),
        *((*search, f"trained:maker/{kind}") for kind in KINDS),
        (*train, "--base", "maker/bi-encoder", "--out", new),
        (*search, f"trained:{new}"),
        ("index", GOLDEN_LAW, "--index", tmp_path / "none", "--encoder", "st:maker/absent"),
        (*search, "trained:maker/absent"),
        (*train, "--base", "maker/absent", "--out", tmp_path / "none"),
    )
    assert indexed[0] == 0, indexed[2]
    assert json.loads((dense / "manifest.json").read_text())["encoder"]["revision"].startswith(f"commit {COMMIT},")
    nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "by-folder", "--encoder", f"st:{models[KINDS[0]]}")
    by_folder = nonliquet("search", QUESTION, "--index", tmp_path / "by-folder", "--method", "dense", "--json")
    assert asked[1] == by_folder.stdout
    for kind, (exit_code, printed, problem) in zip(KINDS, ranked, strict=True):
        assert exit_code == 0, problem
        assert printed == nonliquet(*search, f"trained:{models[kind]}").stdout
    assert (trained[0], by_id[0]) == (0, 0), trained[2] + by_id[2]
    for (exit_code, _, problem), what in ((no_encoder, "st:"), (no_ranker, "trained:"), (no_base, "")):
        assert exit_code == 1
        assert f"{what}maker/absent" in problem
        assert "can be downloaded or is in the cache" in problem
        assert problem.count("\n") == 1

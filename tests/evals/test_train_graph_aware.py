import json
import re
from importlib.util import find_spec

import numpy as np
import pytest
from typer.testing import CliRunner

import agent.cli
import evals.cli
from graph.corpus import read_corpus
from retrieval.encoder import article_text
from retrieval.graph_vectors import RELATIONS
from tests.conftest import GOLDEN_LAW

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("sentence_transformers") is None,
    reason="needs pip install 'nonliquet[dense]'",
)


@pytest.fixture
def nonliquet():
    app = agent.cli.command([agent.cli.register, evals.cli.register])
    return lambda *arguments: CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """A vector drawn by chance for each word of the golden law."""
    known = sorted(
        {word for one in read_corpus([GOLDEN_LAW]).provisions for word in re.findall(r"\w+", article_text(one))}
    )
    rng = np.random.default_rng(0)
    lines = [f"{word} {' '.join(f'{value:.4f}' for value in rng.standard_normal(8))}" for word in known]
    file = tmp_path_factory.mktemp("words") / "words.vec"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


@pytest.fixture
def law(nonliquet, tmp_path, words):
    assert nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "law", "--encoder", f"words:{words}").exit_code == 0
    return tmp_path / "law"


def test_the_help_ends_with_an_example(nonliquet):
    result = nonliquet("train", "graph-aware", "--help")
    assert result.stdout.rstrip().splitlines()[-1].strip().startswith("Example: nonliquet train graph-aware")


@pytest.mark.parametrize("given", [(), ("--questions", "q.jsonl", "--supervision", "citations")])
def test_to_learn_from_nothing_or_from_both_is_wrong_usage(nonliquet, tmp_path, given):
    assert nonliquet("train", "graph-aware", "--out", tmp_path / "model", *given).exit_code == 2


@needs_torch
def test_gains_are_learned_from_citations_and_used_by_the_next_command(nonliquet, tmp_path, law):
    model, smoothed = tmp_path / "model", tmp_path / "smoothed"
    options = ("--index", law, "--out", model, "--epochs", 3, "--batch-size", 2, "--pairs", 2)
    result = nonliquet("train", "graph-aware", "--supervision", "citations", *options)
    assert result.exit_code == 0, result.stderr
    assert f"{model}: 2 pairs, 3 steps" in result.stdout
    values = json.loads((model / "graph_encoder.json").read_text(encoding="utf-8"))
    assert set(values["gains"]) == set(RELATIONS)
    card = (model / "README.md").read_text(encoding="utf-8")
    assert "--encoder graph:model" in card
    assert "library_name: nonliquet" in card
    assert "| kind | graph-aware |" in card
    result = nonliquet("index", GOLDEN_LAW, "--index", smoothed, "--encoder", f"graph:{model}")
    assert result.exit_code == 0, result.stderr
    result = nonliquet("search", "등대의 무적", "--index", smoothed, "--method", "dense", "--json")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) > 1
    result = nonliquet(
        "train", "graph-aware", "--supervision", "citations", "--index", smoothed, "--out", tmp_path / "m"
    )
    assert result.exit_code == 1
    assert "smoothed already" in result.stderr
    assert "--encoder words:" in result.stderr


@needs_torch
def test_gains_are_learned_from_questions(nonliquet, tmp_path, law):
    questions = [("언제 등을 켜야 하나요?", "등대-안전법_1조"), ("안개가 끼면 무엇을 울리나요?", "등대-안전법_3조")]
    file = tmp_path / "questions.jsonl"
    records = [
        {"question_id": n, "question": words, "semantic_ids": [gold]} for n, (words, gold) in enumerate(questions)
    ]
    file.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in records), encoding="utf-8")
    options = ("--index", law, "--questions", file, "--dev", file, "--out", tmp_path / "model", "--epochs", 2)
    result = nonliquet("train", "graph-aware", *options)
    assert result.exit_code == 0, result.stderr
    assert "2 pairs, 2 steps" in result.stdout


@needs_torch
def test_an_index_without_vectors_is_one_line_that_says_what_to_do(nonliquet, tmp_path):
    assert nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "law", "--encoder", "none").exit_code == 0
    options = ("--index", tmp_path / "law", "--out", tmp_path / "model")
    result = nonliquet("train", "graph-aware", "--supervision", "citations", *options)
    assert result.exit_code == 1
    assert "was built without vectors" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "model").exists()


ARTICLES = {
    "점등": "등을 켜야 한다.",
    "무적": "무적을 울려야 한다.",
    "기록": "제2조에 따라 무적을 울린 날을 기록하여야 한다.",
}


@needs_torch
@pytest.mark.parametrize(
    ("n_articles", "given", "reason"),
    [
        (3, ("--supervision", "citations"), "the dev metric took every pair"),
        (2, ("--supervision", "citations"), "no article cites another"),
        (1, ("--supervision", "citations"), "no article cites another"),
        (1, ("--questions", "questions.jsonl", "--dev", "questions.jsonl"), "no article has an edge"),
    ],
)
def test_a_law_without_anything_to_learn_from_is_one_line(
    nonliquet, tmp_path, monkeypatch, words, n_articles, given, reason
):
    monkeypatch.chdir(tmp_path)
    head = "---\n제목: 등대안전법\n법령구분: 법률\n시행일자: 2024-07-01\n---\n"
    articles = [f"##### 제{n}조 ({name})\n\n{text}\n" for n, (name, text) in enumerate(ARTICLES.items(), start=1)]
    (tmp_path / "law.md").write_text("\n".join([head, *articles[:n_articles]]), encoding="utf-8")
    (tmp_path / "words.vec").write_text("등을 1 0\n무적을 0 1\n기록하여야 1 1\n", encoding="utf-8")
    question = {"question_id": 1, "question": "등을 켜나요?", "semantic_ids": ["등대안전법_1조"]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question, ensure_ascii=False), encoding="utf-8")
    result = nonliquet("index", "law.md", "--index", "law", "--encoder", "words:words.vec")
    assert result.exit_code == 0, result.stderr
    result = nonliquet("train", "graph-aware", "--index", "law", "--out", "model", *given)
    assert result.exit_code == 1
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "model").exists()

import json
import re
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

import agent.cli
import evals.cli
from retrieval.article_ranker import open_article_ranker
from retrieval.index import Index
from retrieval.index_build import build_index
from tests.conftest import GOLDEN_LAW

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("sentence_transformers") is None,
    reason="needs pip install 'nonliquet[dense]'",
)

QUESTIONS = [
    ("언제 등을 켜야 하나요?", "등대-안전법_1조"),
    ("안개가 끼면 무엇을 울리나요?", "등대-안전법_3조"),
    ("무적은 언제 점검하나요?", "등대-안전법_3조의2"),
    ("점등 기록은 어디에 두나요?", "등대-안전법-시행령_2조"),
]


@pytest.fixture
def nonliquet():
    """Run the whole command, with the encoders that it opens itself."""
    app = agent.cli.command([agent.cli.register, evals.cli.register])
    return lambda *arguments: CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)


@pytest.fixture
def law(tmp_path, golden_corpus):
    build_index(golden_corpus, tmp_path / "law")
    return tmp_path / "law"


def questions_file(folder, questions=QUESTIONS):
    file = folder / "questions.jsonl"
    lines = [
        json.dumps({"question_id": number, "question": words, "semantic_ids": [gold]}, ensure_ascii=False)
        for number, (words, gold) in enumerate(questions)
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


@pytest.mark.parametrize("verb", ["bi-encoder", "two-tower", "attentive-cnn", "paraformer"])
def test_the_help_of_each_kind_ends_with_an_example(nonliquet, verb):
    result = nonliquet("train", verb, "--help")
    assert result.exit_code == 0
    assert result.stdout.rstrip().splitlines()[-1].strip().startswith(f"Example: nonliquet train {verb}")


@pytest.mark.parametrize("given", [(), ("--questions", "q.jsonl", "--supervision", "citations")])
def test_to_learn_from_nothing_or_from_both_is_wrong_usage(nonliquet, tmp_path, given):
    assert nonliquet("train", "bi-encoder", "--out", tmp_path / "model", *given).exit_code == 2


@pytest.mark.skipif(find_spec("torch") is not None, reason="the extra is installed")
def test_without_the_extra_the_error_says_how_to_get_it(nonliquet, tmp_path):
    result = nonliquet("train", "bi-encoder", "--supervision", "citations", "--out", tmp_path / "model")
    assert result.exit_code == 1
    assert "pip install 'nonliquet[dense]'" in result.stderr


@needs_torch
def test_a_model_learns_from_citations_and_is_used_by_the_next_command(nonliquet, tmp_path, law):
    model = tmp_path / "model"
    options = ("--index", law, "--base", "static", "--out", model, "--epochs", 20)
    result = nonliquet("train", "bi-encoder", "--supervision", "citations", *options)
    assert result.exit_code == 0, result.stderr
    log = [json.loads(line) for line in (model / "training" / "log.jsonl").read_text().splitlines()]
    losses = [record["loss"] for record in log if "loss" in record]
    assert losses[-1] < losses[0]
    card = (model / "README.md").read_text(encoding="utf-8")
    assert "| supervision | citations |" in card
    assert "| seed | 0 |" in card
    assert not (model / "training" / "checkpoint.pt").exists()
    result = nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "dense", "--encoder", f"st:{model}")
    assert result.exit_code == 0, result.stderr
    result = nonliquet("search", "등대의 무적", "--index", tmp_path / "dense", "--method", "dense", "--json")
    assert json.loads(result.stdout.splitlines()[0])["semantic_id"] == "등대-안전법_3조의2"


@needs_torch
def test_a_model_learns_from_questions_with_hard_negatives(nonliquet, tmp_path, law):
    options = ("--index", law, "--base", "static", "--out", tmp_path / "model", "--epochs", 3, "--hard-negatives", 2)
    result = nonliquet("train", "bi-encoder", "--questions", questions_file(tmp_path), *options)
    assert result.exit_code == 0, result.stderr
    assert "3 pairs, 3 steps" in result.stdout
    result = nonliquet("train", "bi-encoder", "--questions", questions_file(tmp_path), *options)
    assert result.exit_code == 1
    assert "is trained already" in result.stderr


@needs_torch
@pytest.mark.parametrize("kind", ["attentive-cnn", "paraformer"])
@pytest.mark.parametrize("frozen", [True, False])
def test_a_ranker_learns_and_its_card_says_whether_its_base_did(nonliquet, tmp_path, law, kind, frozen):
    base = tmp_path / "base"
    citations = ("--supervision", "citations", "--index", law)
    result = nonliquet("train", "bi-encoder", *citations, "--base", "static", "--out", base, "--epochs", 1)
    assert result.exit_code == 0, result.stderr
    model = tmp_path / "model"
    few = ("--epochs", 2, "--negatives", 2, "--pool", 5, "--random-share", 0.5, "--pairs", 4)
    options = ("--base", base, "--out", model, *few)
    switch = "--frozen" if frozen else "--fine-tune"
    result = nonliquet("train", kind, *citations, *options, switch)
    assert result.exit_code == 0, result.stderr
    assert f"{'frozen' if frozen else 'fine-tuned'} base, 4 pairs, " in result.stdout
    card = (model / "README.md").read_text(encoding="utf-8")
    assert f"| frozen | {frozen} |" in card
    assert "| negatives | n_negatives: 2, n_pool: 5, random_share: 0.5 |" in card
    found = {name: float(value) for name, value in re.findall(r"\| (dev loss(?: before)?) \| ([\d.]+) \|", card)}
    assert found["dev loss"] <= found["dev loss before"]
    ranker = open_article_ranker(str(model))
    with Index.open(law) as index:
        article = index.articles[index.row_of["등대-안전법_3조의2"]]
    assert sum(sentence.weight for sentence in ranker.attended("무적", article)) == pytest.approx(1, abs=1e-6)


@needs_torch
@pytest.mark.parametrize(
    ("questions", "reason"),
    [
        ([*QUESTIONS, ("?", "등대-안전법_99조")], "등대-안전법_99조"),
        ([], "holds no question"),
        (QUESTIONS[:1], "1 questions with gold cannot be parted"),
    ],
)
def test_bad_questions_are_one_line_and_leave_no_model(nonliquet, tmp_path, law, questions, reason):
    options = ("--index", law, "--base", "static", "--out", tmp_path / "model")
    result = nonliquet("train", "bi-encoder", "--questions", questions_file(tmp_path, questions), *options)
    assert result.exit_code == 1
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "model").exists()


@needs_torch
def test_a_base_that_does_not_exist_is_an_error_that_names_it(nonliquet, tmp_path, law):
    options = ("--index", law, "--base", str(tmp_path / "nowhere"), "--out", tmp_path / "model")
    for verb in ("two-tower", "attentive-cnn", "paraformer"):
        result = nonliquet("train", verb, "--questions", questions_file(tmp_path), *options)
        assert result.exit_code == 1
        assert "nowhere" in result.stderr

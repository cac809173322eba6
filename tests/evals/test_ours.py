from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from agent.cli import command
from evals import ours
from evals.dataset_files import read_questions
from evals.ours_values import SEEDS, Systems
from evals.ranking import measure
from evals.tuned_convex import ALPHAS
from graph.corpus import BUILTIN_LAW, read_corpus
from retrieval.index_build import build_index
from retrieval.learned.cross_validation import folds
from retrieval.retriever import Retriever
from tests.conftest import ROOT

pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the built-in law without vectors, and ten of its questions beside it."""
    place = tmp_path_factory.mktemp("ours")
    build_index(read_corpus([BUILTIN_LAW]), place / "index")
    lines = (ROOT / "evals" / "builtin" / "questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (place / "questions.jsonl").write_text("".join(lines[:10]), encoding="utf-8")
    (place / "others.jsonl").write_text("".join(lines[10:20]), encoding="utf-8")
    return place


def printed(*arguments: str | Path) -> str:
    result = CliRunner().invoke(command([ours.register]), ["ours", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def first_cells(lines: list[str]) -> list[str]:
    return [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")]


def test_the_table_sets_ours_beside_its_base_and_itself_without_the_graph(folder):
    asked = ("--index", folder / "index", "--questions", folder / "questions.jsonl", "--folds", "2")
    lines = printed(*asked).splitlines()
    assert lines[0].startswith("10 questions, 2 folds, mean of 3 seeds; in %")
    assert lines[2] == "|  | R@10 | R@20 | nDCG@10 | MRR@10 | R in 2,000 tokens | R in 6,000 tokens |"
    rows = ["bm25", "ours-no-graph", "ours", "ours - bm25", "ours - ours-no-graph"]
    assert first_cells(lines)[2:] == rows
    assert lines[-1].startswith("Tokens that the ten best articles take: bm25 ")
    assert printed(*asked).splitlines() == lines


def test_with_vectors_its_rival_is_convex_as_it_is_and_tuned(evals_retriever, folder):
    questions = read_questions(folder / "questions.jsonl", evals_retriever.index.graph)
    lines = ours.rows_of(evals_retriever, questions, n_folds=2)
    assert first_cells(lines)[2:4] == ["convex, α 0.6", "convex, α tuned"]
    assert first_cells(lines)[-3:] == ["ours - convex, α 0.6", "ours - convex, α tuned", "ours - ours-no-graph"]


def test_the_tuned_rival_gets_each_questions_value_at_the_alpha_chosen_without_its_fold(evals_retriever, folder):
    questions = read_questions(folder / "questions.jsonl", evals_retriever.index.graph)
    found = Systems(evals_retriever, questions, (), n_folds=2).tuned_convex()
    qrels = {one.question_id: dict.fromkeys(one.gold, 1) for one in questions}
    of_alpha = []  # α -> question -> nDCG@10, by the retriever's own method with that α
    for alpha in ALPHAS:
        settings = replace(evals_retriever.settings, fusion=replace(evals_retriever.settings.fusion, alpha=alpha))
        retriever = Retriever(evals_retriever.index, settings=settings, encoder=evals_retriever.encoder)
        run = {}
        for one in questions:
            hits = retriever.search(one.text, top_k=20, method="hybrid")
            run[one.question_id] = [hit.semantic_id for hit in hits]
        measured = measure(qrels, run)
        of_alpha.append([measured[one.question_id]["nDCG@10"] for one in questions])
    expected = np.zeros(len(questions))
    for seed in SEEDS:
        fold = folds([one.text for one in questions], evals_retriever.index.lexical.analyze, n_folds=2, seed=seed)
        for number, own in enumerate(fold):
            training = [place for place, other in enumerate(fold) if other != own]
            means = [sum(row[place] for place in training) for row in of_alpha]
            best = max(means)
            near = min((p for p, mean in enumerate(means) if best - mean < 1e-9), key=lambda p: abs(ALPHAS[p] - 0.6))
            expected[number] += of_alpha[near][number] / len(SEEDS)
    assert found["nDCG@10"] == pytest.approx(expected, abs=1e-9)


def test_with_training_questions_alpha_is_chosen_on_them_alone(evals_retriever, folder):
    graph = evals_retriever.index.graph
    questions = read_questions(folder / "questions.jsonl", graph)
    others = read_questions(folder / "others.jsonl", graph)
    apart = Systems(evals_retriever, questions[:3], others, n_folds=2).tuned_convex()
    together = Systems(evals_retriever, questions, others, n_folds=2).tuned_convex()
    for name, values in apart.items():
        assert values == pytest.approx(together[name][:3], abs=1e-12)


def test_a_ranker_is_trained_on_other_questions_and_saved(folder, tmp_path):
    found = printed(
        *("--index", folder / "index", "--train", folder / "others.jsonl"),
        *("--train-out", tmp_path / "ranker.json", "--questions", folder / "questions.jsonl"),
    )
    assert found.startswith(f"{tmp_path / 'ranker.json'}: a ranker trained on 10 questions\n")
    assert "10 questions, trained on other questions; in %" in found
    assert (tmp_path / "ranker.json").stat().st_size > 0


def test_questions_to_measure_on_or_a_file_to_save_to_must_be_given(folder):
    result = CliRunner().invoke(command([ours.register]), ["ours", "--index", str(folder / "index")])
    assert result.exit_code == 2
    assert "give --questions FILE" in result.output

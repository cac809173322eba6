from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from graph.records import Provision
from retrieval.article_ranker import AttendedSentence
from retrieval.methods import parse_method
from retrieval.ranking import Scores
from retrieval.retriever import Retriever

Run = Callable[..., Result]
QUESTION = "등대지기는 언제 등을 켜는가"


class Lines:
    """A trained model without a model: scores by length, attends to first and last line, to the last one more."""

    description = "lines, frozen"

    def score(self, question: str, articles: Sequence[Provision]) -> Scores:
        return np.array([float(len(article.text)) for article in articles], dtype=np.float64)

    def attended(self, question: str, article: Provision) -> tuple[AttendedSentence, ...]:
        lines = article.text.splitlines()
        if len(lines) == 1:
            return (AttendedSentence(lines[0], 1.0),)
        return (AttendedSentence(f"{lines[0]}\n", 0.25), AttendedSentence(lines[-1], 0.75))


@pytest.fixture(autouse=True)
def _lines_for_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.model_rerankers.open_article_ranker", lambda model: Lines())


def records(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_why_shows_the_attended_sentences_and_marks_the_highest(nonliquet: Run, golden_index: Path):
    result = nonliquet("search", QUESTION, "--index", golden_index, "--method", "trained:MODEL", "--why", "-k", "2")
    assert result.exit_code == 0
    with Retriever.open(golden_index) as retriever:
        hits = retriever.search(QUESTION, method="trained:MODEL", top_k=2)
        texts = [retriever.article(hit.semantic_id).text.splitlines() for hit in hits]
    expected = []
    for number, (hit, lines) in enumerate(zip(hits, texts, strict=True), start=1):
        expected.append(f"{number:3}  {hit.score:8.4f}")
        if len(lines) == 1:
            expected.append(f"    » 1.00  {lines[0]}")
        else:
            expected += [f"      0.25  {lines[0]}", f"    » 0.75  {lines[-1]}"]
    printed = result.stdout.splitlines()
    assert len(printed) == len(expected)
    assert any(len(lines) > 1 for lines in texts)
    for line, begins in zip(printed, expected, strict=True):
        assert line.startswith(begins)


def test_why_in_json_has_sentences_with_their_weights(nonliquet: Run, golden_index: Path):
    arguments = ("search", QUESTION, "--index", golden_index, "--method", "trained:MODEL", "--json")
    with_why, without = records(nonliquet(*arguments, "--why")), records(nonliquet(*arguments))
    for record, plain in zip(with_why, without, strict=True):
        why = record.pop("why")
        assert record == plain
        assert why["votes"] == []
        assert sum(one["weight"] for one in why["attended"]) == pytest.approx(1, abs=1e-12)


def test_of_articles_that_the_model_has_not_read_it_shows_no_sentence(nonliquet: Run, golden_index: Path, tmp_path):
    (tmp_path / "settings.toml").write_text("[retrieval.trained]\nn_candidates = 1\n")
    found = records(
        nonliquet(
            *("search", QUESTION, "--index", golden_index, "--method", "trained:MODEL", "--json", "--why"),
            *("--settings", tmp_path / "settings.toml"),
        )
    )
    assert [bool(record["why"]["attended"]) for record in found] == [True, *(False for _ in found[1:])]
    assert len(found) > 1


def test_why_names_the_articles_that_raise_a_hit_by_citing_it(nonliquet: Run, golden_index: Path):
    found = records(nonliquet("search", QUESTION, "--index", golden_index, "--method", "sar", "--json", "--why"))
    with Retriever.open(golden_index) as retriever:
        for record in found:
            votes = retriever.votes(QUESTION, parse_method("sar"), record["semantic_id"])
            assert {one["semantic_id"]: one["vote"] for one in record["why"]["votes"]} == votes
    voted = [record for record in found if record["why"]["votes"]]
    assert voted
    shown = nonliquet("search", QUESTION, "--index", golden_index, "--method", "sar", "--why").stdout
    assert f"    cited by {voted[0]['why']['votes'][0]['semantic_id']} (" in shown


def test_a_method_that_tells_no_more_than_scores_says_so(nonliquet: Run, golden_index: Path):
    result = nonliquet("search", QUESTION, "--index", golden_index, "--method", "bm25", "--why")
    assert result.stderr == "note: bm25 tells no more than the scores\n"
    assert result.stdout == nonliquet("search", QUESTION, "--index", golden_index, "--method", "bm25").stdout


def test_what_a_model_attends_to_cannot_steer_the_terminal(nonliquet: Run, golden_index: Path, monkeypatch):
    monkeypatch.setattr(Lines, "attended", lambda self, question, article: (AttendedSentence("a\x1b[2Jb", 1.0),))
    result = nonliquet("search", QUESTION, "--index", golden_index, "--method", "trained:MODEL", "--why")
    assert "\x1b" not in result.stdout
    assert "» 1.00  a[2Jb" in result.stdout


def test_ask_reads_what_a_trained_model_puts_first(nonliquet: Run, golden_index: Path, tmp_path):
    (tmp_path / "settings.toml").write_text('[retrieval]\nmethod = "trained:MODEL"\n')
    result = nonliquet("ask", QUESTION, "--index", golden_index, "--settings", tmp_path / "settings.toml", "--json")
    trace = json.loads(result.stdout)["trace"]
    with Retriever.open(golden_index) as retriever:
        hits = retriever.search(QUESTION, method="trained:MODEL", top_k=6)
        base = retriever.search(QUESTION, method="bm25", top_k=6)
    retrieved = next(step for step in trace if step["step"] == "retrieve")
    assert list(retrieved["hits"]) == [hit.semantic_id for hit in hits]
    assert [hit.semantic_id for hit in hits] != [hit.semantic_id for hit in base]

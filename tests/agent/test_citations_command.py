"""`nonliquet citations`: one line a mention, of an index, of statutes, of a text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from graph.citation_graph import CitationGraph
from graph.corpus import Corpus
from retrieval.index_build import build_index
from tests.conftest import GOLDEN_LAW

Run = Callable[..., Result]


def records(result: Result) -> list[dict[str, object]]:
    assert (result.exit_code, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_an_index_and_its_source_print_the_same_mentions(nonliquet: Run, golden_index: Path):
    of_index = records(nonliquet("citations", "--index", golden_index, "--json"))
    assert of_index == records(nonliquet("citations", GOLDEN_LAW, "--json"))
    assert of_index[0] == {
        "source": "등대-안전법_1조",
        "target": "등대-안전법-시행령_1조",
        "kind": "delegates",
        "start": of_index[0]["start"],
        "end": of_index[0]["end"],
        "text": "대통령령으로 정한다",
        "reason": "",
        "candidates": [],
    }


def test_every_line_is_an_edge_of_the_graph(nonliquet: Run, golden_index: Path, golden_graph: CitationGraph):
    printed = records(nonliquet("citations", "--index", golden_index, "--json"))
    edges = [edge for name in golden_graph.articles for edge in golden_graph.cites(name)]
    assert [(line["source"], line["target"], line["text"]) for line in printed] == [
        (edge.source, edge.target, edge.text) for edge in edges
    ]


def test_an_ambiguous_mention_has_no_target_and_lists_its_candidates(nonliquet: Run, golden_index: Path):
    lost = records(nonliquet("citations", "--index", golden_index, "--unresolved", "--json"))
    assert all(line["target"] is None and line["reason"] for line in lost)
    (ambiguous,) = (line for line in lost if line["candidates"])
    assert sorted(ambiguous["candidates"]) == ["등대-안전법-시행규칙", "등대안전법-시행규칙"]
    table = nonliquet("citations", "--index", golden_index, "--unresolved").stdout
    assert "✗" in table
    assert "named 등대안전법시행규칙: 등대안전법-시행규칙, 등대-안전법-시행규칙" in table
    assert "→" not in table


def test_one_article_can_be_asked_for(nonliquet: Run, golden_index: Path):
    printed = records(nonliquet("citations", "--index", golden_index, "--article", "등대-안전법_3조의2", "--json"))
    assert [line["text"] for line in printed] == ["제3조", "제9조"]
    result = nonliquet("citations", "--index", golden_index, "--article", "등대-안전법_99조")
    assert result.exit_code == 2
    assert "등대-안전법_99조" in result.stderr


def test_the_table_names_the_article_the_place_the_words_and_the_target(nonliquet: Run, golden_index: Path):
    result = nonliquet("citations", "--index", golden_index, "--article", "등대-안전법_3조")
    heading, line = result.stdout.splitlines()
    assert heading.endswith("등대-안전법_3조")
    place, kind, words, arrow, target = line.split()
    assert (kind, words, arrow, target) == ("cites", "제3조의2", "→", "등대-안전법_3조의2")
    assert place.replace("–", "").isdigit()


@pytest.mark.parametrize(
    ("language", "text", "targets"),
    [
        (
            "ko",
            "\ufeff형법 제329조 및 「건축법」 제5조, 같은 법 시행령 제3조",
            ["형법_329조", "건축법_5조", "건축법-시행령_3조"],
        ),
        ("en", "under Article 5 of the Building Act", ["building-act_5"]),
        ("ko", "", []),
    ],
)
def test_a_text_is_read_as_one_article(nonliquet: Run, tmp_path: Path, language: str, text: str, targets: list[str]):
    (tmp_path / "a note_1.txt").write_text(text, encoding="utf-8")
    printed = records(nonliquet("citations", tmp_path / "a note_1.txt", "--language", language, "--json"))
    assert [line["target"] for line in printed] == targets
    assert {line["source"] for line in printed} <= {"a-note-1"}


def test_a_text_in_another_encoding_and_one_that_is_not_there_are_one_line(nonliquet: Run, tmp_path: Path):
    (tmp_path / "old.txt").write_bytes("제5조".encode("euc-kr"))
    for name in ("old.txt", "nowhere.txt"):
        result = nonliquet("citations", tmp_path / name)
        assert (result.exit_code, result.stdout) == (1, "")
        assert str(tmp_path / name) in result.stderr
        assert result.stderr.count("\n") == 1


def test_a_statute_that_is_malformed_is_named_with_its_line(nonliquet: Run, tmp_path: Path):
    (tmp_path / "laws.jsonl").write_text('{"law_name": "등대 법"}\n', encoding="utf-8")
    result = nonliquet("citations", tmp_path / "laws.jsonl")
    assert result.exit_code == 1
    assert f"{tmp_path / 'laws.jsonl'}:1: " in result.stderr


def test_an_implied_edge_has_no_words_and_no_line(nonliquet: Run, tmp_path: Path, golden_corpus: Corpus):
    manifest = build_index(golden_corpus, tmp_path / "index", implied=True)
    printed = records(nonliquet("citations", "--index", tmp_path / "index", "--json"))
    n_edges = sum(n for name, n in manifest.counts.items() if name.startswith("edges, ") and "implied" not in name)
    assert len([line for line in printed if line["target"]]) == n_edges

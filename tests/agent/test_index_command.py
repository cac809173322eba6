"""`nonliquet index`, `search` and `stats`: an index made, searched and described; sources that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from graph.readers import FORMATS
from retrieval.index_folder import read_manifest
from tests.conftest import GOLDEN_LAW, HashingEncoder

Run = Callable[..., Result]

ARTICLE = {"law_name": "[b]등대[/b] 법", "chapter": "제1조", "text": "등\x1b[31m대"}


def jsonl(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records), encoding="utf-8")
    return path


def test_index_ends_with_what_it_made_and_the_command_to_ask(nonliquet: Run, tmp_path: Path):
    folder = tmp_path / "my index"
    result = nonliquet("index", GOLDEN_LAW, "--index", folder, "--encoder", "none")
    assert (result.exit_code, result.stderr) == (0, "")
    made, ask = result.stdout.splitlines()
    n_edges = sum(n for name, n in read_manifest(folder).counts.items() if name.startswith("edges, "))
    assert made.startswith(f"{folder}: 8 articles, {n_edges} edges, encoder none, ")
    assert ask == f"Ask: nonliquet ask \"…\" --index '{folder}'"


def test_index_takes_the_embedded_encoder_unless_told_otherwise(
    nonliquet: Run, tmp_path: Path, hashing_as_embedded: HashingEncoder
):
    result = nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "index")
    assert "encoder hashing (revision 1, dimension 64)" in result.stdout
    assert hashing_as_embedded.n_articles_encoded == 8
    found = nonliquet(
        "search", "등대지기는 해가 지기 전에", "--index", tmp_path / "index", "--method", "dense", "--json"
    )
    assert found.stdout.count("\n") == 8


def test_vectors_from_a_file_are_not_made_again(nonliquet: Run, tmp_path: Path, hashing_as_embedded: HashingEncoder):
    np.savez(tmp_path / "vectors.npz", vectors=np.eye(8, 64))
    result = nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "index", "--vectors", tmp_path / "vectors.npz")
    assert result.exit_code == 0
    assert hashing_as_embedded.n_articles_encoded == 0


def test_vectors_of_another_encoder_are_refused_with_both_named(
    nonliquet: Run, tmp_path: Path, hashing_as_embedded: HashingEncoder, monkeypatch: pytest.MonkeyPatch
):
    nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "index")
    monkeypatch.setattr("retrieval.retriever.open_encoder", lambda spec: HashingEncoder(32))
    result = nonliquet("search", "등대", "--index", tmp_path / "index")
    assert result.exit_code == 1
    assert "dimension 64" in result.stderr
    assert "dimension 32" in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_graph_and_the_settings_are_the_ones_asked_for(nonliquet: Run, tmp_path: Path):
    source = jsonl(
        tmp_path / "law.jsonl",
        ARTICLE | {"doc_id": 1, "related_doc_ids": [2]},
        ARTICLE | {"chapter": "제2조", "doc_id": 2},
    )
    (tmp_path / "settings.toml").write_text("[retrieval.lexical]\nk1 = 2.0\n")
    options = ("--index", tmp_path / "index", "--encoder", "none", "--settings", tmp_path / "settings.toml")
    nonliquet("index", source, *options)
    assert read_manifest(tmp_path / "index").graph == "dataset"
    nonliquet("index", source, *options, "--graph", "both", "--format", "searchfiresafety")
    manifest = read_manifest(tmp_path / "index")
    assert manifest.graph == "both"
    assert manifest.settings.lexical.k1 == 2.0


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "no statute format that we know"),
        (["{"], ":1: not JSON"),
        (["{}"], ":1: field 'law_name' is missing"),
        ([json.dumps(ARTICLE), json.dumps(ARTICLE)], ":2: [b]등대[/b]-법_1조 appears twice"),
        ([json.dumps(ARTICLE | {"status": "repealed"})], "holds no article in force"),
    ],
)
def test_a_source_that_cannot_be_read_is_one_line_with_its_place(
    nonliquet: Run, tmp_path: Path, lines: list[str], says: str
):
    source = tmp_path / "law.jsonl"
    source.write_text("\n".join(lines), encoding="utf-8")
    result = nonliquet("index", source, "--index", tmp_path / "index", "--encoder", "none")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: {source}")
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "index").exists()


def test_a_source_that_is_not_there_and_a_folder_that_is_not_ours_are_one_line(nonliquet: Run, tmp_path: Path):
    result = nonliquet("index", tmp_path / "law.jsonl", "--index", tmp_path / "index")
    assert (result.exit_code, result.stderr) == (1, f"error: {tmp_path / 'law.jsonl'}: no such file or folder\n")
    (tmp_path / "thesis.txt").touch()
    result = nonliquet("index", GOLDEN_LAW, "--index", tmp_path, "--encoder", "none")
    assert result.exit_code == 1
    assert result.stderr == f"error: {tmp_path}: holds 'thesis.txt', so it is no index of ours; name another folder\n"


@pytest.mark.parametrize("spec", ["e5", "words:nowhere.vec", "st:"])
def test_an_encoder_that_cannot_be_opened_is_one_line(nonliquet: Run, tmp_path: Path, spec: str):
    result = nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "index", "--encoder", spec)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert spec.partition(":")[2] in result.stderr


def test_search_prints_rank_score_and_article(nonliquet: Run, golden_index: Path):
    result = nonliquet("search", "무적의 점검", "--index", golden_index, "-k", "1")
    assert result.exit_code == 0
    rank, score, *article = result.stdout.split()
    assert (rank, " ".join(article)) == ("1", "등대 안전법, 제3조의2 (무적) 등대-안전법_3조의2")
    assert float(score) > 0


def test_search_as_json_is_one_hit_a_line(nonliquet: Run, golden_index: Path):
    result = nonliquet("search", "깃발", "--index", golden_index, "--json", "--method", "bm25")
    hits = [json.loads(line) for line in result.stdout.splitlines()]
    keys = ["rank", "semantic_id", "doc_id", "score", "law_name", "chapter", "chapter_description"]
    assert [list(hit) for hit in hits] == [keys] * len(hits)
    assert [(hit["rank"], hit["semantic_id"]) for hit in hits] == [
        (1, "등대-안전법-시행규칙_1조"),
        (2, "등대-안전법-시행규칙_2조"),
    ]


def test_search_that_finds_nothing_says_so_on_stderr_alone(nonliquet: Run, golden_index: Path):
    result = nonliquet("search", "xyzzy", "--index", golden_index)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "No article has a word of the question.\n"


def test_search_by_vectors_in_an_index_without_any_says_how_to_get_them(nonliquet: Run, golden_index: Path):
    result = nonliquet("search", "깃발", "--index", golden_index, "--method", "dense")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "--encoder embedded" in result.stderr


def test_names_with_square_brackets_are_printed_as_they_are(nonliquet: Run, tmp_path: Path):
    source = jsonl(tmp_path / "law.jsonl", ARTICLE)
    nonliquet("index", source, "--index", tmp_path / "index", "--encoder", "none")
    result = nonliquet("search", "등대", "--index", tmp_path / "index")
    assert "[b]등대[/b] 법, 제1조  [b]등대[/b]-법_1조\n" in result.stdout


def test_stats_counts_what_the_golden_law_draws(nonliquet: Run, golden_index: Path):
    result = nonliquet("stats", "--index", golden_index)
    rows = dict(line.split("  ", 1) for line in result.stdout.splitlines())
    figures = {name: value.strip() for name, value in rows.items()}
    assert figures["sources"] == str(GOLDEN_LAW)
    assert figures["encoder"] == "none"
    assert (figures["documents"], figures["laws"], figures["repealed provisions"]) == ("8", "4", "1")


def test_stats_as_json_is_one_object_with_the_graphs_counts(nonliquet: Run, golden_index: Path):
    result = nonliquet("stats", "--json", "--index", golden_index)
    assert result.stdout.count("\n") == 1
    stats = json.loads(result.stdout)
    assert stats["index"] == str(golden_index)
    assert (stats["encoder"], stats["sparse"], stats["edition"], stats["language"]) == (None, False, None, "ko")
    assert [Path(source["path"]) for source in stats["sources"]] == [GOLDEN_LAW]
    assert stats["counts"] == read_manifest(golden_index).counts


def test_a_table_of_ones_own_is_indexed_by_a_map_of_its_columns(nonliquet: Run, tmp_path: Path):
    source = tmp_path / "code.csv"
    source.write_text("no,corps\n12,Le feu est éteint.\n", encoding="utf-8")
    columns = "text=corps,chapter=no,law_name:=Code du feu,language:=fr"
    options = ("--index", tmp_path / "index", "--encoder", "none")
    result = nonliquet("index", source, *options, "--columns", columns)
    assert result.exit_code == 0
    (read,) = read_manifest(tmp_path / "index").sources
    assert (read.format_name, read.columns) == ("csv", columns)
    found = nonliquet("search", "feu éteint", "--index", tmp_path / "index", "--json")
    assert json.loads(found.stdout)["semantic_id"] == "code-du-feu_12"


@pytest.mark.parametrize("columns", ["corps", "body=corps", "text="])
def test_a_map_of_columns_that_cannot_be_read_is_wrong_usage(nonliquet: Run, tmp_path: Path, columns: str):
    result = nonliquet("index", GOLDEN_LAW, "--index", tmp_path / "index", "--columns", columns)
    assert result.exit_code == 2
    assert "field" in result.stderr.lower()


def test_the_help_names_every_format(nonliquet: Run):
    words = " ".join(nonliquet("index", "--help").stdout.split())
    for name in FORMATS:
        assert name in words.replace("- ", "-")

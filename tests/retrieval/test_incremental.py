"""An index that is built again reads only the laws that have changed, and is the one that a first build makes."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as run
from hypothesis import strategies as st

from graph.corpus import Corpus, read_corpus
from graph.records import Provision
from retrieval import earlier_build as earlier_build_module
from retrieval.earlier_build import earlier_build
from retrieval.index import Index
from retrieval.index_build import build_index
from retrieval.index_folder import read_manifest
from tests.law_history import LawHistory, law_text

LEVELS = {"등대법": "법률", "등대법 시행령": "대통령령", "항로법": "법률"}

TEXTS = (
    "등대를 둔다.",
    "제2조에 따른 등대를 말한다.",
    "① 등대의 등급은 대통령령으로 정하는 것으로 한다.",
    '법 제1조제1항에서 "대통령령으로 정하는 것"이란 큰 등대를 말한다.',
    "「항로법」 제1조에 따른 항로와 항로법 제3조에 따른 항로를 말한다.",
    '「등대법」(이하 "법"이라 한다) 제1조부터 제3조까지의 등대를 말한다.',
    "등대의 등급은 별표 1과 같다.",
    "「없는법」 제4조와 같은 법 시행령 제2조에 따른다.",
)

Law = dict[int, str]  # the texts of its articles by number

laws = st.dictionaries(st.integers(1, 3), st.sampled_from(TEXTS), min_size=1)
corpora = st.dictionaries(st.sampled_from(sorted(LEVELS)), laws, min_size=1)


def write(folder: Path, corpus: dict[str, Law]) -> None:
    """Make a folder hold these laws, one file each."""
    for path in folder.glob("*.md"):
        if path.stem not in corpus:
            path.unlink()
    for name, articles in corpus.items():
        annexes = "첨부파일:\n- {별표구분: 별표, 별표번호: 1, 제목: 등급}\n" if 2 in articles else ""
        front = f"---\n제목: {name}\n법령구분: {LEVELS[name]}\n시행일자: 2024-07-01\n{annexes}---\n"
        body = "".join(f"##### 제{number}조 (등대)\n{text}\n" for number, text in sorted(articles.items()))
        (folder / f"{name}.md").write_text(front + body, encoding="utf-8")


def build(source: Path, folder: Path) -> Corpus:
    corpus = read_corpus([source], earlier=earlier_build(folder))
    build_index(corpus, folder)
    return corpus


def unnumbered(provisions: dict[str, Provision]) -> list[Provision]:
    return [replace(one, doc_id=0) for one in provisions.values()]


def numbers(folder: Path) -> dict[str, int]:
    with Index.open(folder) as index:
        return {name: one.doc_id for name, one in index.graph.provisions.items()}


def check_equal_to_a_first_build(source: Path, folder: Path, scratch: Path) -> None:
    build_index(read_corpus([source]), scratch)
    with Index.open(folder) as again, Index.open(scratch) as first:
        assert unnumbered(again.graph.provisions) == unnumbered(first.graph.provisions)
        assert again.graph.edges == first.graph.edges
        assert again.graph.unresolved == first.graph.unresolved
        assert again.graph.statistics() == first.graph.statistics() == again.manifest.counts
        assert again.lexical.bm25("등대 항로").tolist() == first.lexical.bm25("등대 항로").tolist()
        assert [one.sha256 for one in again.manifest.sources] == [one.sha256 for one in first.manifest.sources]


@run(max_examples=25)
@given(st.lists(corpora, min_size=2, max_size=4))
def test_an_index_built_again_is_the_one_that_a_first_build_makes(steps: list[dict[str, Law]]):
    with tempfile.TemporaryDirectory() as name:
        source, folder = Path(name) / "laws", Path(name) / "index"
        source.mkdir()
        before: dict[str, Law] = {}
        known: dict[str, int] = {}
        for step, corpus in enumerate(steps):
            write(source, corpus)
            read = build(source, folder)
            assert read.n_parts_read == sum(before.get(law) != articles for law, articles in corpus.items())
            check_equal_to_a_first_build(source, folder, Path(name) / f"scratch{step}")
            now = numbers(folder)
            assert len(set(now.values())) == len(now)
            assert all(now[name] == number for name, number in known.items() if name in now)
            before, known = corpus, now


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "laws"
    folder.mkdir()
    write(folder, {"등대법": {1: TEXTS[1], 2: TEXTS[0]}, "항로법": {1: TEXTS[0]}})
    return folder


@pytest.fixture
def folder(source: Path, tmp_path: Path) -> Path:
    build(source, tmp_path / "index")
    return tmp_path / "index"


def unresolved(folder: Path) -> dict[str, str]:
    with Index.open(folder) as index:
        return {edge.text: edge.reason for edge in index.graph.unresolved}


def test_an_edge_into_an_article_that_went_becomes_unresolved_and_resolved_when_it_comes_back(
    source: Path, folder: Path
):
    write(source, {"항로법": {1: "「등대법」 제2조에 따른다."}, "등대법": {1: TEXTS[0], 2: TEXTS[0]}})
    build(source, folder)
    assert unresolved(folder) == {}
    write(source, {"항로법": {1: "「등대법」 제2조에 따른다."}, "등대법": {1: TEXTS[0]}})
    assert build(source, folder).n_parts_read == 1
    assert unresolved(folder) == {"「등대법」 제2조": "등대법 has no 제2조"}
    write(source, {"항로법": {1: "「등대법」 제2조에 따른다."}, "등대법": {1: TEXTS[0], 2: "새 글"}})
    assert build(source, folder).n_parts_read == 1
    assert unresolved(folder) == {}


def test_a_law_that_is_gone_is_dropped_and_the_others_are_not_read(source: Path, folder: Path):
    (source / "항로법.md").unlink()
    assert build(source, folder).n_parts_read == 0
    with Index.open(folder) as index:
        assert [article.semantic_id for article in index.articles] == ["등대법_1조", "등대법_2조"]


def test_a_law_is_known_by_its_content_wherever_its_file_lies(source: Path, folder: Path, tmp_path: Path):
    moved = shutil.copytree(source, tmp_path / "elsewhere" / "laws")
    (moved / "항로법.md").rename(moved / "가.md")
    assert build(moved, folder).n_parts_read == 0


def test_an_annex_that_another_file_writes_out_is_listed_again_when_that_file_is_gone(tmp_path: Path):
    source, folder = tmp_path / "laws", tmp_path / "index"
    source.mkdir()
    write(source, {"등대법": {1: TEXTS[6], 2: TEXTS[0]}})
    written = {"law_name": "등대법", "chapter": "별표 1", "text": "큰 등대와 작은 등대"}
    (tmp_path / "annexes.jsonl").write_text(json.dumps(written), encoding="utf-8")
    build_index(read_corpus([source, tmp_path / "annexes.jsonl"]), folder)
    corpus = build(source, folder)
    assert corpus.n_parts_read == 1  # the law is read once more: the annex that it lists had been left out
    check_equal_to_a_first_build(source, folder, tmp_path / "scratch")


def test_numbers_that_a_source_gives_stay_its_own(tmp_path: Path):
    path, folder = tmp_path / "laws.jsonl", tmp_path / "index"
    articles = [{"law_name": "등대법", "chapter": f"제{n}조", "text": "글", "doc_id": 10 + n} for n in (1, 2)]
    path.write_text("".join(json.dumps(one) + "\n" for one in articles), encoding="utf-8")
    build(path, folder)
    assert build(path, folder).n_parts_read == 0
    assert numbers(folder) == {"등대법_1조": 11, "등대법_2조": 12}


def test_another_version_of_the_reading_code_reads_everything_and_keeps_the_numbers(
    source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    before = numbers(folder)
    monkeypatch.setattr(earlier_build_module, "code_hash", lambda: "another")
    write(source, {"등대법": {1: TEXTS[1], 2: TEXTS[0], 3: TEXTS[0]}, "항로법": {1: TEXTS[0]}})
    assert build(source, folder).n_parts_read == 2
    assert numbers(folder) == before | {"등대법_3조": max(before.values()) + 1}


@pytest.mark.parametrize("spoil", ["articles", "manifest"])
def test_an_index_that_cannot_be_trusted_gives_nothing(source: Path, folder: Path, tmp_path: Path, spoil: str):
    build_folder = folder / "builds" / read_manifest(folder).build
    path = build_folder / "articles.jsonl" if spoil == "articles" else folder / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace("등대", "등불"), encoding="utf-8")
    if spoil == "manifest":
        path.write_text("{", encoding="utf-8")
    assert build(source, folder).n_parts_read == 2
    check_equal_to_a_first_build(source, folder, tmp_path / "scratch")


def test_the_next_edition_of_a_history_reads_only_the_laws_that_differ(tmp_path: Path):
    history = LawHistory(tmp_path / "history")
    history.commit("2010-01-01", {"a.md": law_text("2010-07-01", "1 글", "2 글")})
    history.commit("2010-01-02", {"b.md": law_text("2010-07-01", "1 글", name="항로법")})
    history.commit("2011-01-01", {"a.md": law_text("2011-07-01", "1 새 글")})
    for as_of, n_read in (("2010-07-01", 2), ("2011-07-01", 1), ("2012-01-01", 0), (None, 0)):
        corpus = read_corpus([history.path], as_of=as_of, earlier=earlier_build(tmp_path / "index"))
        assert corpus.n_parts_read == n_read
        scratch = read_corpus([history.path], as_of=as_of)
        assert [replace(p, doc_id=0) for p in corpus.provisions] == [replace(p, doc_id=0) for p in scratch.provisions]
        build_index(corpus, tmp_path / "index")

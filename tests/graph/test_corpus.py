from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from graph.corpus import BUILTIN_LAW, number_provisions, read_corpus
from graph.errors import CorpusError
from graph.readers.source import UNNUMBERED
from graph.records import Provision, Status


def provision(label: str, doc_id: int = UNNUMBERED, status: Status = Status.PRESENT) -> Provision:
    return Provision(
        semantic_id=f"등대법_{label}",
        doc_id=doc_id,
        law_name="등대법",
        collection_name="등대법",
        law_level="법률",
        chapter=f"제{label}",
        status=status,
    )


def jsonl(path: Path, *records: dict[str, object]) -> Path:
    same = {"law_name": "등대법", "text": ""}
    path.write_text("".join(json.dumps(same | record) + "\n" for record in records), encoding="utf-8")
    return path


def test_articles_are_numbered_first_and_the_order_is_kept():
    given = [provision("1조", status=Status.REPEALED), provision("2조"), provision("별표1", status=Status.ABSENT)]
    given.append(provision("3조"))
    numbered = number_provisions(given)
    assert [(p.chapter, p.doc_id) for p in numbered] == [("제1조", 2), ("제2조", 0), ("제별표1", 3), ("제3조", 1)]


def test_a_number_of_the_source_stays():
    numbered = number_provisions([provision("1조"), provision("2조", 0), provision("3조", 7), provision("4조")])
    assert [p.doc_id for p in numbered] == [8, 0, 7, 9]


def test_a_known_provision_keeps_its_number_when_others_come_before_it():
    first = number_provisions([provision("1조"), provision("2조")])
    known = {p.semantic_id: p.doc_id for p in first}
    again = number_provisions([provision("1조의2"), provision("1조"), provision("2조")], known=known)
    assert [p.doc_id for p in again] == [2, 0, 1]


def test_the_number_of_a_provision_that_is_gone_is_not_given_to_another():
    known = {"등대법_1조": 0, "등대법_2조": 1}
    assert [p.doc_id for p in number_provisions([provision("1조"), provision("3조")], known=known)] == [0, 2]


def test_a_number_of_the_source_goes_before_a_known_one():
    numbered = number_provisions([provision("1조"), provision("2조", 0)], known={"등대법_1조": 0})
    assert [p.doc_id for p in numbered] == [1, 0]


def test_numbering_again_changes_nothing(golden_corpus):
    assert number_provisions(golden_corpus.provisions) == list(golden_corpus.provisions)


def test_sources_together_have_one_numbering(tmp_path):
    paths = [jsonl(tmp_path / "a.jsonl", {"chapter": "제1조"}), jsonl(tmp_path / "b.jsonl", {"chapter": "제2조"})]
    assert [(p.chapter, p.doc_id) for p in read_corpus(paths).provisions] == [("제1조", 0), ("제2조", 1)]


def test_a_source_given_twice_is_an_error(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", {"chapter": "제1조"})
    with pytest.raises(CorpusError, match=r"a\.jsonl:1: 등대법_1조 appears twice, first at .*a\.jsonl:1"):
        read_corpus([path, path])


def test_an_article_of_two_sources_is_an_error(tmp_path):
    paths = [jsonl(tmp_path / "a.jsonl", {"chapter": "제1조"}), jsonl(tmp_path / "b.jsonl", {"chapter": "제1조"})]
    with pytest.raises(CorpusError, match=r"b\.jsonl:1: 등대법_1조 appears twice, first at .*a\.jsonl:1"):
        read_corpus(paths)


def test_an_annex_listed_twice_is_there_once(tmp_path):
    row = "- {별표구분: 별표, 별표번호: 1, 제목: 표}\n"
    front = f"---\n제목: 등대법\n법령구분: 법률\n시행일자: 2024-07-01\n첨부파일:\n{row}{row}---\n"
    (tmp_path / "law.md").write_text(front + "##### 제1조\n글\n", encoding="utf-8")
    assert [p.semantic_id for p in read_corpus([tmp_path]).provisions] == ["등대법_1조", "등대법_별표1"]


@pytest.mark.parametrize("text_comes_first", [True, False])
def test_an_annex_whose_text_another_source_holds_is_present(tmp_path, text_comes_first):
    listed = jsonl(tmp_path / "a.jsonl", {"chapter": "제1조"}, {"chapter": "별표 1", "status": "absent", "doc_id": 5})
    written = jsonl(tmp_path / "b.jsonl", {"chapter": "별표 1", "text": "표", "doc_id": 5})
    corpus = read_corpus([written, listed] if text_comes_first else [listed, written])
    assert {p.semantic_id: (p.status.value, p.text, p.doc_id) for p in corpus.provisions} == {
        "등대법_1조": ("present", "", 6),
        "등대법_별표1": ("present", "표", 5),
    }


def test_a_source_is_hashed_as_it_lies_on_disk(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", {"chapter": "제1조"})
    (source,) = read_corpus([path]).sources
    assert (source.path, source.sha256) == (str(path), hashlib.sha256(path.read_bytes()).hexdigest())


def test_the_hash_of_a_folder_follows_its_files(tmp_path):
    def folder_hash(name: str, text: str) -> str:
        folder = tmp_path / f"{name}-{text}"
        folder.mkdir()
        front = "---\n제목: 등대법\n법령구분: 법률\n시행일자: 2024-07-01\n---\n"
        (folder / name).write_text(f"{front}##### 제1조\n{text}\n", encoding="utf-8")
        return read_corpus([folder]).sources[0].sha256

    hashes = [folder_hash("a.md", "등"), folder_hash("a.md", "불"), folder_hash("b.md", "등")]
    assert len(set(hashes)) == 3


@pytest.mark.skipif(os.name != "posix", reason="this system has no file names that are not Unicode")
def test_a_file_name_that_is_not_utf8_is_written_with_escapes(tmp_path):
    folder = tmp_path / os.fsdecode(b"law-\xff")
    folder.mkdir()
    front = "---\n제목: 등대법\n법령구분: 법률\n시행일자: 2024-07-01\n---\n"
    (folder / os.fsdecode(b"\xfe.md")).write_text(f"{front}##### 제1조\n글\n", encoding="utf-8")
    (source,) = read_corpus([folder]).sources
    assert source.path == str(tmp_path / "law-\\xff")


def test_the_built_in_law_is_as_its_page_says():
    """37 + 27 + 20 + 9 articles in force and 6 repealed, by graph/builtin/README.md."""
    corpus = read_corpus([BUILTIN_LAW])
    count = {status: sum(p.status is status for p in corpus.provisions) for status in Status}
    assert (count[Status.PRESENT], count[Status.REPEALED]) == (37 + 27 + 20 + 9, 6)
    assert {p.language for p in corpus.provisions} == {"en"}


def test_a_corpus_reads_the_same_twice():
    assert read_corpus([BUILTIN_LAW]) == read_corpus([BUILTIN_LAW])


def test_numbers_of_a_corpus_are_all_different(golden_corpus):
    numbers = [p.doc_id for p in golden_corpus.provisions]
    assert sorted(numbers) == list(range(10))

from __future__ import annotations

import gzip
import json
import lzma
from datetime import date
from pathlib import Path

import pytest

from graph.corpus import read_corpus
from graph.errors import CorpusError
from graph.readers import read_source
from graph.records import Provision, Status

ARTICLE = {"law_name": "등대법", "chapter": "제1조", "text": "등을 켠다."}

FRONT = """\
---
제목: 등대법
법령구분: 법률
시행일자: 2024-07-01
---
"""


def provisions(path: Path, format_name: str | None = None) -> list[Provision]:
    return [sourced.provision for sourced in read_source(path, format_name=format_name)]


def jsonl(folder: Path, *records: object) -> Path:
    path = folder / "legal_docs.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def law(folder: Path, body: str, *, front: str = FRONT) -> Path:
    path = folder / "law.md"
    path.write_text(front + body, encoding="utf-8")
    return path


def error_of(path: Path) -> str:
    """The message that reading the path as a corpus ends with, less the path itself."""
    with pytest.raises(CorpusError) as raised:
        read_corpus([path])
    message = str(raised.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


# SearchFireSafety


def test_every_field_of_a_record_becomes_a_field_of_the_provision(tmp_path):
    record = {
        "doc_id": 7,
        "semantic_id": "등대법_1조",
        "collection_name": "등대",
        "law_level": "법률",
        "law_name": "등대법",
        "chapter": "제1조",
        "chapter_description": "점등",
        "text": "등을 켠다.",
        "related_doc_ids": [8, 9],
        "effective_date": "2024-07-01",
        "heading_path": "제1장 점등",
        "language": "ko",
        "status": "present",
    }
    (found,) = provisions(jsonl(tmp_path, record))
    assert found == Provision(**record | {"related_doc_ids": (8, 9), "status": Status.PRESENT})


def test_a_record_without_a_name_gets_one_and_its_law_is_its_family(tmp_path):
    (found,) = provisions(jsonl(tmp_path, ARTICLE))
    assert (found.semantic_id, found.collection_name, found.language) == ("등대법_1조", "등대법", "ko")


def test_older_field_names_are_read(tmp_path):
    older = {"law_name": "등대법", "chapter": "제1조", "chapter_body": "등을 켠다.", "matched_doc_id_merged": [3]}
    (found,) = provisions(jsonl(tmp_path, older))
    assert (found.text, found.related_doc_ids) == ("등을 켠다.", (3,))


def test_a_newer_field_name_wins_over_the_older(tmp_path):
    (found,) = provisions(jsonl(tmp_path, ARTICLE | {"chapter_body": "옛 글"}))
    assert found.text == "등을 켠다."


def test_blank_lines_and_a_byte_order_mark_are_passed_over(tmp_path):
    path = tmp_path / "laws.jsonl"
    path.write_text("\ufeff\n" + json.dumps(ARTICLE) + "\n\n", encoding="utf-8")
    assert [found.semantic_id for found in provisions(path)] == ["등대법_1조"]


@pytest.mark.parametrize(("suffix", "compress"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_packed_files_are_read(tmp_path, suffix, compress):
    path = tmp_path / f"laws.jsonl{suffix}"
    path.write_bytes(compress(json.dumps(ARTICLE).encode()))
    assert [found.semantic_id for found in provisions(path)] == ["등대법_1조"]


@pytest.mark.parametrize(("suffix", "compress"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_a_packed_file_that_is_cut_off_is_named(tmp_path, suffix, compress):
    path = tmp_path / f"laws.jsonl{suffix}"
    path.write_bytes(compress(json.dumps(ARTICLE).encode() * 1000)[:-20])
    assert error_of(path).startswith(": cannot be read: ")


def test_a_gzip_file_of_damaged_content_is_named(tmp_path):
    packed = bytearray(gzip.compress(json.dumps(ARTICLE).encode() * 100))
    packed[15:25] = b"\xff" * 10
    path = tmp_path / "laws.jsonl.gz"
    path.write_bytes(packed)
    assert error_of(path).startswith(": cannot be read: ")


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ([1], "expected an object with law_name, chapter, text, found list"),
        ({"law_name": "등대법", "text": ""}, "field 'chapter' is missing"),
        ({"chapter": "제1조", "text": ""}, "field 'law_name' is missing"),
        ({"law_name": "등대법", "chapter": "제1조"}, "field 'text' is missing"),
        (ARTICLE | {"text": 3}, "field 'text' must be text, found 3"),
        (ARTICLE | {"text": []}, "field 'text' must be text, found []"),
        (ARTICLE | {"effective_date": "2024-02-30"}, "field 'effective_date': '2024-02-30' is no ISO date"),
        (ARTICLE | {"effective_date": 0}, "field 'effective_date' must be text, found 0"),
        (ARTICLE | {"text": "\ud800"}, "field 'text' holds a lone surrogate, which is no character"),
        (ARTICLE | {"law_name": ""}, "a provision needs a law name"),
        (ARTICLE | {"chapter": "제1_2조"}, "'제1_2조' is no label of a provision"),
        (ARTICLE | {"semantic_id": "등대법"}, "semantic_id '등대법' has no label: expected <law>_<label>"),
        (ARTICLE | {"status": "gone"}, "'gone' is not a valid Status"),
        (ARTICLE | {"doc_id": "7"}, "field 'doc_id' must be a whole number, found '7'"),
        (ARTICLE | {"doc_id": True}, "field 'doc_id' must be a whole number, found True"),
        (ARTICLE | {"related_doc_ids": 3}, "field 'related_doc_ids' must be a list of whole numbers, found 3"),
        (ARTICLE | {"related_doc_ids": [1.5]}, "field 'related_doc_ids' must be a whole number, found 1.5"),
    ],
)
def test_a_malformed_record_is_named_by_line_and_field(tmp_path, record, problem):
    path = tmp_path / "laws.jsonl"
    first = json.dumps(ARTICLE | {"chapter": "제9조"})
    path.write_text(f"{first}\n{json.dumps(record)}\n", encoding="utf-8")
    assert error_of(path) == f":2: {problem}"


@pytest.mark.parametrize(
    ("line", "n_times", "problem"),
    [
        ('{"law_name": ', 1, "not JSON: Expecting value at column 14"),
        ('{"doc_id": 1', 5000, "not JSON that can be read: Exceeds the limit"),
        ('{"text": [', 100_000, "not JSON that can be read: maximum recursion depth"),
    ],
)
def test_a_line_that_is_not_json_is_named(tmp_path, line, n_times, problem):
    path = tmp_path / "laws.jsonl"
    path.write_text(json.dumps(ARTICLE) + "\n" + line[:-1] + line[-1] * n_times, encoding="utf-8")
    assert error_of(path).startswith(f":2: {problem}")


def test_a_name_given_twice_is_named_with_both_places(tmp_path):
    path = jsonl(tmp_path, ARTICLE, ARTICLE | {"chapter": "제2조"}, ARTICLE)
    assert error_of(path) == f":3: 등대법_1조 appears twice, first at {path}:1; remove one"


def test_a_number_given_twice_is_named_with_both_places(tmp_path):
    path = jsonl(tmp_path, ARTICLE | {"doc_id": 4}, ARTICLE | {"chapter": "제2조", "doc_id": 4})
    assert error_of(path) == f":2: doc_id 4 appears twice, first at {path}:1"


def test_the_line_of_a_byte_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "laws.jsonl"
    path.write_bytes(
        b"".join(json.dumps(ARTICLE | {"chapter": f"제{n}조"}).encode() + b"\n" for n in (1, 2)) + b"{\xff"
    )
    assert error_of(path) == ":3: not UTF-8 text (invalid start byte); convert the file to UTF-8"


# Any source


def test_a_path_that_is_not_there_is_named(tmp_path):
    assert error_of(tmp_path / "nowhere") == ": no such file or folder"


def test_an_empty_file_has_no_format(tmp_path):
    (tmp_path / "empty.jsonl").touch()
    assert error_of(tmp_path / "empty.jsonl").startswith(
        ": no statute format that we know (history, beir, akoma-ntoso, e-gov, bsard, csv, markdown, searchfiresafety"
    )


def test_an_unknown_format_is_told_the_known_ones(tmp_path):
    with pytest.raises(
        CorpusError, match=r"no statute format that we know \(history, .*jsonl\); force one with --format"
    ):
        provisions(jsonl(tmp_path, ARTICLE), "pdf")


def test_an_empty_file_of_a_forced_format_holds_no_article(tmp_path):
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(CorpusError, match=r"empty\.jsonl: holds no article in force; expected .*searchfiresafety"):
        read_corpus([tmp_path / "empty.jsonl"], format_name="searchfiresafety")


def test_a_folder_without_statutes_has_no_format(tmp_path):
    (tmp_path / "README.md").write_text("# Not a law\n", encoding="utf-8")
    assert error_of(tmp_path).startswith(": no statute format that we know")


def test_a_source_of_repealed_articles_alone_holds_no_article(tmp_path):
    assert error_of(law(tmp_path, "##### 제1조\n\n삭제 <2020.1.1>\n")).startswith(": holds no article in force")


# Markdown


def test_a_korean_law_is_read_in_its_order(golden_corpus):
    assert [(p.semantic_id, p.status.value) for p in golden_corpus.provisions] == [
        ("등대-안전법_1조", "present"),
        ("등대-안전법_2조", "repealed"),
        ("등대-안전법_3조", "present"),
        ("등대-안전법_3조의2", "present"),
        ("등대-안전법_별표1", "absent"),
        ("등대-안전법-시행령_1조", "present"),
        ("등대-안전법-시행령_2조", "present"),
        ("등대안전법-시행규칙_1조", "present"),
        ("등대-안전법-시행규칙_1조", "present"),
        ("등대-안전법-시행규칙_2조", "present"),
    ]


def test_an_article_has_its_law_family_level_label_heading_path_and_date(golden_corpus):
    (article,) = (p for p in golden_corpus.provisions if p.semantic_id == "등대-안전법_3조의2")
    assert article == Provision(
        semantic_id="등대-안전법_3조의2",
        doc_id=2,  # the third article
        law_name="등대 안전법",
        collection_name="등대 안전법",
        law_level="법률",
        chapter="제3조의2",
        chapter_description="무적",
        heading_path="제2장 안개",
        text="무적의 점검은 제3조의 안개가 걷힌 뒤에 한다. 다만, 제9조에 따른 무적은 그러하지 아니하다.",
        effective_date="2024-07-01",
    )


def test_a_decree_and_a_rule_belong_to_the_family_of_their_act(golden_corpus):
    families = {p.law_name: p.collection_name for p in golden_corpus.provisions}
    assert families == {
        "등대 안전법": "등대 안전법",
        "등대 안전법 시행령": "등대 안전법",
        "등대 안전법 시행규칙": "등대 안전법",
        "등대안전법 시행규칙": "등대안전법",
    }


def test_a_repealed_article_keeps_its_date_and_no_text(golden_corpus):
    (repealed,) = (p for p in golden_corpus.provisions if p.status is Status.REPEALED)
    assert (repealed.effective_date, repealed.text) == ("2024-01-02", "")


def test_an_annex_of_the_front_matter_is_absent(golden_corpus):
    (annex,) = (p for p in golden_corpus.provisions if p.status is Status.ABSENT)
    assert (annex.chapter, annex.chapter_description) == ("별표 1", "등대의 등급(제1조 관련)")


@pytest.mark.parametrize(
    ("number", "branch", "kind", "label"),
    [
        ("0010", "00", "별표", "별표10"),
        ("0001", "02", "별표", "별표1의2"),
        ("0003", "00", "서식", "별지3호서식"),
        ("0003", "04", "서식", "별지3호의4서식"),
    ],
)
def test_an_annex_is_named_by_number_and_branch(tmp_path, number, branch, kind, label):
    rows = f"첨부파일:\n- 별표구분: {kind}\n  별표번호: {number}\n  별표가지번호: '{branch}'\n  제목: 표\n"
    path = law(tmp_path, "##### 제1조\n\n글\n", front=FRONT[:-4] + rows + "---\n")
    assert provisions(path)[1].semantic_id == f"등대법_{label}"


@pytest.mark.parametrize(
    ("published", "read"),
    [
        ("등을 켠다. <개정 2020.1.1, 2021.3.4>", "등을 켠다."),
        ("등을 켠다. [전문개정 2020.1.1]", "등을 켠다."),
        ("  1\\. 등대\n\n  1의2\\. 등선", "  1. 등대\n  1의2. 등선"),
        ("**①** 등을 켠다.\n\n**②** 등을 끈다.", "① 등을 켠다.\n② 등을 끈다."),
        ('식: <img src="x.png" alt="식"></img>로 한다.', "식: [image]로 한다."),
        ("등을 켠다.\n\n  1\\. 삭제 <2020.1.1>\n\n  2\\. 등선", "등을 켠다.\n  1. 삭제 <2020.1.1>\n  2. 등선"),
        ("1 < 2이고 [별표 1]과 <표>는 남는다.", "1 < 2이고 [별표 1]과 <표>는 남는다."),
    ],
)
def test_the_text_of_the_law_is_read_without_the_editors_marks(tmp_path, published, read):
    (found,) = provisions(law(tmp_path, f"##### 제1조 (점등)\n\n{published}\n"))
    assert found.text == read


def test_an_articles_own_date_of_entry_into_force_is_its_date(tmp_path):
    (found,) = provisions(law(tmp_path, "##### 제1조 (점등)\n\n등을 켠다.\n\n[시행일 : 2025. 1. 31.] 제1조\n"))
    assert found.effective_date == "2025-01-31"


def test_a_repealed_article_without_a_date_has_none(tmp_path):
    (found,) = provisions(law(tmp_path, "##### 제1조\n\n삭제\n"))
    assert (found.status, found.effective_date) == (Status.REPEALED, "")


def test_an_article_that_begins_with_the_word_for_repealed_is_there(tmp_path):
    (found,) = provisions(law(tmp_path, "##### 제1조\n\n삭제된 조문은 효력이 없다.\n"))
    assert found.status is Status.PRESENT


def test_addenda_are_left_out(tmp_path):
    body = "##### 제1조 (점등)\n\n등을 켠다.\n\n## 부 칙 <제1호>\n\n##### 제1조 (시행일)\n\n이 법은 곧 시행한다.\n"
    assert [(p.semantic_id, p.text) for p in provisions(law(tmp_path, body))] == [("등대법_1조", "등을 켠다.")]


def test_a_new_chapter_ends_the_section_before_it(tmp_path):
    body = "## 제1장 가\n### 제1절 나\n##### 제1조\n글\n### 제2절 다\n##### 제2조\n글\n## 제2장 라\n##### 제3조\n글\n"
    assert [p.heading_path for p in provisions(law(tmp_path, body))] == [
        "제1장 가 > 제1절 나", "제1장 가 > 제2절 다", "제2장 라",
    ]  # fmt: skip


ENGLISH = """\
---
title: Lighthouse Decree
level: Decree
collection: Lighthouse Act
effective: 2024-07-01
annexes:
- label: Annex 1
  title: Classes
---
## Chapter 1 Lights
##### Article 1 (Lamps)

(1) Lamps are lit. <Amended 2024-01-02>

(2) Lamps are put out. [In force from 2025-01-31]

##### Article 1-2

Deleted <2023-05-06>

##### Article 2 (Oil)

Deleted lamps need no oil.

## Supplementary Provisions

##### Article 1 (Entry into force)

At once.
"""


def test_an_english_law_is_read_by_the_same_rules(tmp_path):
    found = provisions(law(tmp_path, "", front=ENGLISH))
    assert [(p.semantic_id, p.status.value, p.effective_date, p.text) for p in found] == [
        ("lighthouse-decree_1", "present", "2025-01-31", "(1) Lamps are lit.\n(2) Lamps are put out."),
        ("lighthouse-decree_1-2", "repealed", "2023-05-06", ""),
        ("lighthouse-decree_2", "present", "2024-07-01", "Deleted lamps need no oil."),
        ("lighthouse-decree_annex-1", "absent", "2024-07-01", ""),
    ]
    assert {(p.language, p.collection_name, p.law_level) for p in found} == {("en", "Lighthouse Act", "Decree")}


@pytest.mark.parametrize(
    ("front", "problem"),
    [
        ("---\n법령구분: 법률\n---\n", ":1: front matter has no title: expected one of ['제목', 'title']"),
        ("---\n제목:\n법령구분: 법률\n---\n", ":1: front-matter field '제목' is missing or empty"),
        ("---\n제목: '  '\n---\n", ":1: front-matter field '제목' is missing or empty"),
        ("---\n제목: [등대법]\n---\n", ":1: front-matter field '제목' must be text, found ['등대법']"),
        ("---\n제목: 등대법\n시행일자: 2024-07-01\n---\n", ":1: front-matter field '법령구분' is missing or empty"),
        ("---\n제목: 등대법\n법령구분: 법률\n---\n", ":1: front-matter field '시행일자' is missing or empty"),
        ("---\n- 제목\n---\n", ":1: front matter must be fields with values"),
        ("---\n제목: 등대법\n", ":1: no front matter: a law opens with '---', its fields, and '---'"),
        ("---\n제목: 등대법\n시행일자: 'x\n---\n", ":3: front matter is not YAML: found unexpected end of stream"),
    ],
)
def test_malformed_front_matter_is_named_by_line_and_field(tmp_path, front, problem):
    assert error_of(law(tmp_path, "##### 제1조\n글\n", front=front)) == problem


def test_front_matter_nested_without_end_is_named(tmp_path):
    path = law(tmp_path, "##### 제1조\n글\n", front="---\n제목: " + "[" * 5000 + "\n---\n")
    assert error_of(path) == ":1: front matter is nested too deeply"


@pytest.mark.parametrize("day", ["2024-02-30", "2024-13-01", "soon", "20240701x"])
def test_a_date_that_is_none_is_named(tmp_path, day):
    front = FRONT.replace("2024-07-01", day)
    problem = f":1: front-matter field '시행일자': '{day}' is no ISO date"
    assert error_of(law(tmp_path, "##### 제1조\n글\n", front=front)) == problem


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("별표 1", "must be a list"),
        ("[별표 1]", "'별표 1': TypeError("),
        ("[{별표구분: 별표, 제목: 표}]", "KeyError('별표번호')"),
        ("[{별표구분: 별표, 별표번호: 하나, 제목: 표}]", "ValueError("),
        ("[{별표구분: 별표, 별표번호: 1, 제목: [표]}]", "TypeError('제목 must be text')"),
        ("[{별표구분: a_b, 별표번호: 1, 제목: 표}]", "ValueError(\"'a_b 1' is no label of a provision\")"),
    ],
)
def test_a_malformed_annex_is_named_by_field(tmp_path, rows, problem):
    message = error_of(law(tmp_path, "##### 제1조\n글\n", front=FRONT[:-4] + f"첨부파일: {rows}\n---\n"))
    assert message.startswith(":1: front-matter field '첨부파일'")
    assert problem in message


def test_values_within_values_without_end_are_not_written_out(tmp_path):
    bomb = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    message = error_of(law(tmp_path, "##### 제1조\n글\n", front=f"---\n{bomb}제목: *a11\n---\n"))
    assert len(message) < 500


@pytest.mark.parametrize("words", ["제1항 (점등)", "Article 1", "점등"])
def test_a_heading_that_is_no_article_is_named_by_line(tmp_path, words):
    assert error_of(law(tmp_path, f"\n##### {words}\n글\n")) == f":7: {words!r} is no article heading"


def test_a_repeal_on_a_day_that_is_none_is_named_by_line(tmp_path):
    message = error_of(law(tmp_path, "##### 제1조\n글\n##### 제2조\n\n삭제 <2024.2.30>\n"))
    assert message.startswith(":8: '삭제 <2024.2.30>' holds no date")


def test_a_file_without_front_matter_has_no_format(tmp_path):
    (tmp_path / "law.md").write_text("##### 제1조\n글\n", encoding="utf-8")
    assert error_of(tmp_path / "law.md").startswith(": no statute format that we know")


def test_a_law_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "law.md").write_bytes(FRONT.encode() + "##### 제1조\n글".encode("cp949"))
    assert error_of(tmp_path / "law.md").startswith(":6: not UTF-8 text")


@pytest.mark.parametrize("words", ["# {}가", "삭제{}가", "가{}나", "가{}<나"])
def test_a_long_run_of_spaces_is_read_at_once(tmp_path, words):
    line = words.format(" " * 200_000)  # hours, for an expression that tries every way to divide them
    assert len(provisions(law(tmp_path, f"##### 제1조\n{line}\n##### 제2조\n글\n"))) == 2


def test_the_markdown_reader_agrees_with_the_benchmark(shared_data):
    """Both are readings of the same publications, by two programs."""
    folder = shared_data / "firelaw-kr"
    theirs = {p.semantic_id: p for p in provisions(folder / "legal_docs.jsonl")}
    read = provisions(folder / "statutes")
    laws = {p.law_name for p in read}
    ours = {p.semantic_id: p for p in read if p.status is Status.PRESENT}
    in_both_laws = {name for name, p in theirs.items() if p.law_name in laws}
    assert ours.keys() <= theirs.keys()
    assert in_both_laws - ours.keys() <= {"건설산업기본법-시행규칙_13조의2"}  # repealed, and theirs keeps its words
    for field in ("law_name", "collection_name", "law_level", "chapter", "chapter_description", "effective_date"):
        assert [n for n in ours if getattr(ours[n], field) != getattr(theirs[n], field)] == []
    n_equal = sum("".join(ours[n].text.split()) == "".join(theirs[n].text.split()) for n in ours)
    assert n_equal / len(ours) >= 0.984


def test_every_date_read_is_a_date(golden_corpus):
    assert all(date.fromisoformat(p.effective_date) for p in golden_corpus.provisions)

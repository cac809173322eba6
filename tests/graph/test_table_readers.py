"""Statutes in tables: BSARD's articles.csv, csv and jsonl with a map of columns, BEIR folders."""

from __future__ import annotations

import csv
import gzip
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.corpus import Earlier, read_corpus
from graph.errors import CorpusError
from graph.readers import detected_format, read_source
from graph.readers.beir import beir_document
from graph.readers.columns import ColumnMap, parse_columns
from graph.readers.table_text import without_html_tables
from graph.records import Provision

BSARD = {
    "id": "1104",
    "reference": "Art. 1.1.2, Code Bruxellois du Feu (Livre 1er, Titre 1er)",
    "article": "Le feu est éteint <L 2008-05-14/32, art. 2> le soir.",
    "law_type": "regional",
    "code": "Code Bruxellois du Feu",
    "book": "Dispositions communes",
    "part": "",
    "act": "Généralités",
    "chapter": "",
    "section": "",
    "subsection": "",
    "description": "Dispositions communes, Généralités",
}
ARTICLE = Provision(
    semantic_id="code-du-feu_12",
    doc_id=7,
    law_name="Code du feu",
    collection_name="Code du feu",
    law_level="Code",
    chapter="Article 12",
    chapter_description="Extinction",
    heading_path="Titre Ier",
    text="Le feu, dit « grand »,\nest éteint.",
    related_doc_ids=(8, 9),
    effective_date="2031-01-02",
    language="fr",
)


def written(path: Path, *rows: dict[str, str], **format: str) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=list(rows[0]), **format)
        table.writeheader()
        table.writerows(rows)
    return path


def lines(path: Path, *records: object) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in records), encoding="utf-8")
    return path


def provisions(path: Path, columns: str = "", format_name: str | None = None) -> list[Provision]:
    return [
        one.provision
        for one in read_source(
            path, format_name=format_name, columns=parse_columns(columns) if columns else ColumnMap()
        )
    ]


def error_of(path: Path, columns: str = "", format_name: str | None = None) -> str:
    with pytest.raises(CorpusError) as raised:
        provisions(path, columns, format_name)
    return str(raised.value).removeprefix(str(path))


# BSARD


def test_an_article_of_bsard_has_its_number_label_code_and_headings(tmp_path):
    path = written(tmp_path / "articles.csv", BSARD)
    assert detected_format(path) == "bsard"
    assert provisions(path) == [
        Provision(
            semantic_id="code-bruxellois-du-feu_1.1.2",
            doc_id=1104,
            law_name="Code Bruxellois du Feu",
            collection_name="Code Bruxellois du Feu",
            law_level="regional",
            chapter="Art. 1.1.2",
            heading_path="Dispositions communes > Généralités",
            text="Le feu est éteint <L 2008-05-14/32, art. 2> le soir.",
            language="fr",
        )
    ]


def test_articles_of_one_code_and_label_are_told_apart_by_their_number(tmp_path):
    path = written(tmp_path / "articles.csv", BSARD, BSARD | {"id": "1105"})
    assert [one.semantic_id for one in provisions(path)] == [
        "code-bruxellois-du-feu_1.1.2",
        "code-bruxellois-du-feu_1.1.2~1105",
    ]


def test_a_region_in_the_label_does_not_end_the_name_of_the_law(tmp_path):
    path = written(tmp_path / "articles.csv", BSARD | {"reference": "Art. 5_REGION_WALLONNE, Code Bruxellois du Feu"})
    assert provisions(path)[0].semantic_id.count("_") == 1


def test_a_table_in_an_article_is_lines_of_text(tmp_path):
    rows = "<tr><th>Zone</th><th>Taux</th></tr><tr><td>A\n</td><td>5 <b>%</b></td></tr>"
    table = f"Taux : <TABLE border=1>{rows}</TABLE> Fin."
    (found,) = provisions(written(tmp_path / "articles.csv", BSARD | {"article": table}))
    assert found.text == "Taux :\nZone | Taux\nA | 5 %\nFin."


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"id": "x"}, ":4: column 'id' must be a whole number, found 'x'"),
        ({"reference": " "}, ":4: column 'reference' is empty"),
        ({"code": ""}, ":4: columns 'code' and 'reference': a provision needs a law name"),
    ],
)
def test_a_malformed_row_of_bsard_is_named_by_line_and_column(tmp_path, changed, problem):
    path = written(tmp_path / "articles.csv", BSARD | {"article": "Deux\nlignes"}, BSARD | {"id": "2"} | changed)
    assert error_of(path) == problem  # the first article takes lines 2 and 3


def test_a_column_of_bsard_that_is_missing_is_named(tmp_path):
    path = written(tmp_path / "articles.csv", {name: words for name, words in BSARD.items() if name != "code"})
    assert error_of(path, format_name="bsard").startswith(":1: column 'code' is missing; the columns are id, reference")


# csv and jsonl


def row_of(article: Provision) -> dict[str, str]:
    return {name: str(value) for name, value in asdict(article).items()} | {"related_doc_ids": "8, 9"}


@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t")])
def test_a_csv_with_our_own_names_reads_back_what_was_written(tmp_path, name, delimiter):
    path = written(tmp_path / name, row_of(ARTICLE), delimiter=delimiter)
    assert detected_format(path) == "csv"
    assert provisions(path) == [ARTICLE]


def test_a_jsonl_with_our_own_names_reads_back_what_was_written(tmp_path):
    assert provisions(lines(tmp_path / "a.jsonl", asdict(ARTICLE)), format_name="jsonl") == [ARTICLE]


@given(
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n\x85\u2028\u2029\x0b\x0c\x1c\x1d\x1e")
    ).map(str.strip)
)
def test_any_text_survives_a_csv(tmp_path_factory, text):
    path = written(tmp_path_factory.mktemp("csv") / "a.csv", row_of(replace(ARTICLE, text=text)))
    assert provisions(path)[0].text == without_html_tables(text)


@pytest.mark.parametrize("name", ["mine.csv", "mine.jsonl"])
def test_columns_of_other_names_are_mapped_and_the_same_words_given_to_all_rows(tmp_path, name):
    row = {"article_no": "Article 5", "body": "Texte <table><tr><td>1</td><td>2</td></tr></table>", "n": "3"}
    path = (written if name.endswith("csv") else lines)(tmp_path / name, row)
    columns = "text=body, chapter=article_no,doc_id=n,law_name:=Code civil, annoté,language:=fr"
    (found,) = provisions(path, columns)
    assert (found.semantic_id, found.doc_id, found.language) == ("code-civil,-annoté_5", 3, "fr")
    assert found.text == "Texte\n1 | 2"


def test_a_packed_csv_is_read(tmp_path):
    plain = written(tmp_path / "a.csv", row_of(ARTICLE))
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert provisions(packed) == [ARTICLE]


def test_an_article_longer_than_the_csv_modules_limit_is_read(tmp_path):
    text = "a" * 200_000
    assert provisions(written(tmp_path / "a.csv", row_of(replace(ARTICLE, text=text))))[0].text == text


@pytest.mark.parametrize(
    ("changed", "columns", "problem"),
    [
        ({"doc_id": "seven"}, "", ":3: field 'doc_id' must be a whole number, found 'seven'"),
        ({"related_doc_ids": "8; x"}, "", ":3: field 'related_doc_ids' must be a list of whole numbers, found '8; x'"),
        ({"effective_date": "2031-02-30"}, "", ":3: field 'effective_date': '2031-02-30' is no ISO date"),
        ({"language": ""}, "", ":3: field 'language' is missing; name its column with --columns language=COLUMN or"),
        ({"status": "gone"}, "", ":3: 'gone' is not a valid Status"),
        ({}, "text=body", ":1: column 'body' is missing; the columns are semantic_id, doc_id, "),
    ],
)
def test_a_malformed_row_of_a_csv_is_named_by_line_and_field(tmp_path, changed, columns, problem):
    first = row_of(replace(ARTICLE, semantic_id="code_1", doc_id=1, text="une ligne"))
    path = written(tmp_path / "a.csv", first, row_of(ARTICLE) | changed)
    assert error_of(path, columns, "csv").startswith(problem)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("law_name,chapter,text,language\nA,1,x\n", ":2: 3 columns, though the header has 4"),
        ("law_name,chapter,text,text\n", ":1: two columns have the same name"),
        ('law_name,chapter,text\nA,1,"x" y\n', ":2: not CSV: "),
        ('law_name,chapter,text\nA,1,"x\n', ":2: not CSV: unexpected end of data"),
    ],
)
def test_a_file_that_is_no_csv_is_named_by_line(tmp_path, content, problem):
    path = tmp_path / "a.csv"
    path.write_text(content, encoding="utf-8")
    assert error_of(path).startswith(problem)


@pytest.mark.parametrize(
    ("record", "columns", "problem"),
    [
        ({"chapter": "1", "text": "", "language": "fr"}, "", ":1: field 'law_name' is missing"),
        (asdict(ARTICLE), "text=body", ":1: column 'body' is missing"),
        (asdict(ARTICLE) | {"body": 3}, "text=body", ":1: field 'text' must be text, found 3"),
        ({"law_name": "A", "chapter": "1", "text": ""}, "", ":1: field 'language' is missing"),
    ],
)
def test_a_malformed_line_of_a_jsonl_is_named_by_line_and_field(tmp_path, record, columns, problem):
    assert error_of(lines(tmp_path / "a.jsonl", record), columns, "jsonl").startswith(problem)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("body", "expected FIELD=COLUMN or FIELD:=WORDS, with FIELD one of semantic_id, law_name"),
        ("words=body", "'words=body': expected FIELD=COLUMN"),
        ("text=a,text:=b", "field 'text' is named twice"),
        ("text=", "field 'text' is given nothing"),
    ],
)
def test_a_map_that_cannot_be_read_is_told_what_it_should_be(words, problem):
    with pytest.raises(ValueError, match=problem):
        parse_columns(words)


def test_a_map_prints_as_it_is_read():
    columns = parse_columns("text=body,law_name:=Code civil")
    assert parse_columns(str(columns)) == columns


def test_columns_are_refused_by_a_format_that_has_its_own(tmp_path):
    path = written(tmp_path / "articles.csv", BSARD)
    problem = ": the format bsard has its own columns; --columns is for beir, csv, jsonl"
    assert error_of(path, "text=article", "bsard") == problem


def test_another_map_of_the_same_file_makes_it_be_read_again(tmp_path):
    path = written(tmp_path / "a.csv", row_of(ARTICLE) | {"summary": "Bref."})
    whole = read_corpus([path], columns=parse_columns("language:=fr"))
    earlier = Earlier({whole.parts[0].sha256: whole.provisions})
    brief = read_corpus([path], columns=parse_columns("text=summary,language:=fr"), earlier=earlier)
    assert (brief.n_parts_read, brief.provisions[0].text) == (1, "Bref.")
    assert brief.sources[0].columns == "text=summary,language:=fr"
    assert read_corpus([path], columns=parse_columns("language:=fr"), earlier=earlier).n_parts_read == 0


# Tables


@pytest.mark.parametrize(
    "text",
    ["aucune", "<L 2008-05-14/32>", "a < b", "<table>non fermée", "</table>", "a<TABLE", ""],
)
def test_a_text_without_a_whole_table_stays_as_it_is(text):
    assert without_html_tables(text) == text


def test_a_table_within_a_table_ends_with_the_outer_one():
    text = "<table><tr><td>1<table><tr><td>2</td></tr></table></td></tr></table>Fin"
    assert without_html_tables(text).splitlines()[-1] == "Fin"
    assert "<" not in without_html_tables(text)


# BEIR


def test_an_article_written_as_a_beir_document_reads_back_whole(tmp_path):
    lines(tmp_path / "set" / "corpus.jsonl", beir_document(ARTICLE))
    assert detected_format(tmp_path / "set") == "beir"
    assert provisions(tmp_path / "set") == [ARTICLE]


def test_a_document_of_another_beir_folder_is_an_article_named_by_its_id(tmp_path):
    lines(tmp_path / "scifact" / "corpus.jsonl", {"_id": "4983", "title": "Fire", "text": "It burns.", "metadata": {}})
    (found,) = provisions(tmp_path / "scifact", "language:=en")
    assert (found.semantic_id, found.doc_id, found.law_name) == ("scifact_4983", 4983, "scifact")
    assert (found.chapter, found.chapter_description, found.text) == ("4983", "Fire", "It burns.")


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"text": ""}, ":1: field '_id' is missing"),
        ({"_id": "1"}, ":1: field 'text' is missing"),
        ({"_id": 1, "text": ""}, ":1: field '_id' must be text, found 1"),
        ({"_id": "a b", "text": ""}, ":1: field '_id' must be a word without white space, found 'a b'"),
        ({"_id": "1", "text": "", "metadata": 3}, ":1: field 'metadata' must be an object, found 3"),
        ({"_id": "1", "text": "", "title": 3, "metadata": {"language": "en"}}, ":1: field 'chapter_description' must"),
        ({"_id": "1", "text": ""}, ":1: field 'language' is missing; give it with --columns language:=fr"),
    ],
)
def test_a_malformed_document_is_named_by_line_and_field(tmp_path, document, problem):
    path = lines(tmp_path / "set" / "corpus.jsonl", document)
    assert error_of(tmp_path / "set").removeprefix(f"/{path.name}").startswith(problem)


# The Hub


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A stand-in for the one function that reaches the Hub: it has BSARD's articles, and nothing else."""
    path = written(tmp_path / "articles.csv", BSARD)

    def download(*, repo_id: str, filename: str, repo_type: str) -> str:
        if (repo_id, filename, repo_type) != ("maastrichtlawtech/bsard", "articles.csv", "dataset"):
            raise FileNotFoundError(f"404: {repo_id}/{filename}")
        return str(path)

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(hf_hub_download=download))


@pytest.mark.parametrize("name", ["hf:maastrichtlawtech/bsard", "hf:maastrichtlawtech/bsard/articles.csv"])
def test_a_data_set_is_read_by_its_id(hub, name):
    corpus = read_corpus([Path(name)])
    assert [one.doc_id for one in corpus.provisions] == [1104]
    assert (corpus.sources[0].path, corpus.sources[0].format_name) == (name, "bsard")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("hf:nobody/nothing", "articles.csv of the data set nobody/nothing cannot be fetched: 404"),
        ("hf:bsard", "hf:bsard: expected hf:OWNER/NAME or hf:OWNER/NAME/FILE"),
    ],
)
def test_a_data_set_that_is_not_there_is_named(hub, name, problem):
    with pytest.raises(CorpusError, match=problem):
        read_corpus([Path(name)])


def test_a_mistyped_path_does_not_reach_for_the_network(hub):
    with pytest.raises(CorpusError, match="maastrichtlawtech/bsard: no such file or folder"):
        read_corpus([Path("maastrichtlawtech/bsard")])


def test_the_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(CorpusError, match=r"pip install 'nonliquet\[hub\]'"):
        read_corpus([Path("hf:maastrichtlawtech/bsard")])


def test_offline_the_hub_is_not_asked(monkeypatch, tmp_path):
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(CorpusError, match=r"cannot be fetched: .*Download it by hand"):
        read_corpus([Path("hf:maastrichtlawtech/bsard")])

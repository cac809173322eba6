from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from agent.cli import command
from evals.beir_files import write_beir
from evals.cli import register
from evals.dataset_files import read_questions
from graph.citation_graph import CitationGraph
from graph.corpus import read_corpus
from graph.errors import CorpusError, QuestionsError
from graph.links import citation_graph
from graph.records import Question
from retrieval.index_build import build_index
from tests.conftest import GOLDEN_LAW

QUESTIONS = [
    Question(question_id="1", text="등은?", gold=("등대-안전법_1조", "등대-안전법_3조")),
    Question(question_id="2", text="깃발은?"),
]


def articles_of(graph: CitationGraph) -> list:
    return [graph.provisions[name] for name in graph.articles]


def test_what_is_written_reads_back_to_the_same_articles_and_questions(tmp_path, golden_graph):
    write_beir(tmp_path / "law", articles_of(golden_graph), QUESTIONS)
    read = read_corpus([tmp_path / "law"])
    assert list(read.provisions) == articles_of(golden_graph)
    assert read_questions(tmp_path / "law", citation_graph(read.provisions)) == QUESTIONS[:1]


def test_the_folder_has_the_form_of_beir(tmp_path, golden_graph):
    write_beir(tmp_path / "law", articles_of(golden_graph), QUESTIONS)
    documents = [json.loads(line) for line in (tmp_path / "law" / "corpus.jsonl").read_text().splitlines()]
    assert len(documents) == len(golden_graph.articles)
    assert documents[0].keys() == {"_id", "title", "text", "metadata"}
    assert (tmp_path / "law" / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines() == [
        "query-id\tcorpus-id\tscore",
        "1\t등대-안전법_1조\t1",
        "1\t등대-안전법_3조\t1",
    ]


def test_a_folder_that_is_there_is_not_overwritten(tmp_path, golden_graph):
    write_beir(tmp_path / "law", articles_of(golden_graph))
    with pytest.raises(QuestionsError, match="is there already"):
        write_beir(tmp_path / "law", articles_of(golden_graph))


def test_gold_of_another_beir_folder_is_found_by_the_documents_ids(tmp_path):
    folder = tmp_path / "nfcorpus"
    (folder / "qrels").mkdir(parents=True)
    document = {"_id": "MED-10", "title": "Statins", "text": "Text.", "metadata": {"language": "en"}}
    (folder / "corpus.jsonl").write_text(json.dumps(document))
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "PLAIN-2", "text": "Do statins help?"}))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nPLAIN-2\tMED-10\t2\n")
    graph = citation_graph(read_corpus([folder]).provisions)
    assert read_questions(folder, graph)[0].gold == ("nfcorpus_MED-10",)


def test_the_command_exports_an_index_with_its_questions(tmp_path):
    build_index(read_corpus([GOLDEN_LAW]), tmp_path / "index")
    questions = tmp_path / "qa.jsonl"
    questions.write_text(json.dumps({"question_id": 1, "question": "등은?", "semantic_ids": ["등대-안전법_1조"]}))
    arguments = [
        "evals",
        "export-beir",
        "--index",
        tmp_path / "index",
        "--questions",
        questions,
        "--out",
        tmp_path / "b",
    ]
    result = CliRunner().invoke(command([register]), [str(one) for one in arguments])
    assert result.output == f"{tmp_path / 'b'}: 8 articles, 1 questions\n"
    assert (tmp_path / "b" / "queries.jsonl").is_file()


# BSARD, from its articles to its questions


@pytest.fixture
def bsard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], CitationGraph]:
    """BSARD's two files on a stand-in for the Hub; returns the graph of the articles."""
    headings = ("book", "part", "act", "chapter", "section", "subsection", "description")
    rows = [
        {"id": n, "reference": f"Art. {n}, Code du Feu", "article": f"Texte {n}.", "law_type": "national",
         "code": "Code du Feu"} | dict.fromkeys(headings, "")
        for n in (5, 6)
    ]  # fmt: skip
    with (tmp_path / "articles.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    (tmp_path / "questions_test.csv").write_text(
        "id,category,subcategory,question,extra_description,article_ids\n"
        '724,Feu,Éteindre,"Puis-je éteindre ?",Je loue.,"5,6"\n7,Feu,,"Et moi ?",,99\n',
        encoding="utf-8",
    )

    def download(*, repo_id: str, filename: str, repo_type: str) -> str:
        assert (repo_id, repo_type) == ("maastrichtlawtech/bsard", "dataset")
        return str(tmp_path / filename)

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(hf_hub_download=download))
    return lambda: citation_graph(read_corpus([Path("hf:maastrichtlawtech/bsard")]).provisions)


def test_a_gold_id_of_bsard_that_no_article_has_is_named(bsard):
    with pytest.raises(
        QuestionsError, match=r"questions_test\.csv:3: article_ids: the index has no provision of number 99"
    ):
        read_questions(Path("hf:maastrichtlawtech/bsard/questions_test.csv"), bsard())


def test_questions_of_bsard_are_read_by_the_data_sets_id_with_their_gold_by_number(bsard, tmp_path):
    path = tmp_path / "questions_test.csv"
    path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[:2]), encoding="utf-8")
    (question,) = read_questions(Path("hf:maastrichtlawtech/bsard"), bsard())
    assert question == Question(
        question_id="724",
        text="Je loue. Puis-je éteindre ?",
        gold=("code-du-feu_5", "code-du-feu_6"),
        topic="Feu",
    )


def test_questions_that_are_not_on_the_hub_are_named(monkeypatch, bsard):
    def refuse(**_: str) -> str:
        raise FileNotFoundError("404")

    graph = bsard()
    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(hf_hub_download=refuse))
    with pytest.raises(CorpusError, match=r"nothing\.csv of the data set a/b cannot be fetched: 404"):
        read_questions(Path("hf:a/b/nothing.csv"), graph)

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.dataset_files import question_files, read_questions
from graph.citation_graph import CitationGraph
from graph.corpus import read_corpus
from graph.errors import QuestionsError
from graph.links import citation_graph
from graph.records import Question

ACT_1, ACT_3 = "등대-안전법_1조", "등대-안전법_3조"
REPEALED = "등대-안전법_2조"


def written(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records), encoding="utf-8")
    return path


def beir(folder: Path, qrels: str, *, name: str = "test.tsv") -> Path:
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    written(folder / "queries.jsonl", {"_id": "q1", "text": "등은?"}, {"_id": "q2", "text": "깃발은?"})
    (folder / "qrels" / name).write_text(qrels, encoding="utf-8")
    return folder


def test_searchfiresafety_questions_keep_all_their_fields(tmp_path, golden_graph):
    record = {
        "question_id": 7,
        "question": "등은 언제 켜는가?",
        "answer": "밤에",
        "related_doc_ids": [999],  # another corpus's numbers, which the names overrule
        "semantic_ids": [ACT_1, ACT_3],
        "missing_semantic_ids": ["별표"],
        "topic": "등",
    }
    (question,) = read_questions(written(tmp_path / "qa.jsonl", record), golden_graph)
    assert question == Question(
        question_id="7", text="등은 언제 켜는가?", gold=(ACT_1, ACT_3), missing=("별표",), answer="밤에", topic="등"
    )


def test_without_names_the_sources_numbers_count(tmp_path, golden_graph):
    number = golden_graph.provisions[ACT_3].doc_id
    path = written(tmp_path / "qa.jsonl", {"question_id": 1, "question": "?", "related_doc_ids": [number, number]})
    assert read_questions(path, golden_graph)[0].gold == (ACT_3,)


def test_gold_without_text_is_missing_not_gold(tmp_path, golden_graph):
    path = written(tmp_path / "qa.jsonl", {"question_id": 1, "question": "?", "semantic_ids": [REPEALED, ACT_1]})
    (question,) = read_questions(path, golden_graph)
    assert (question.gold, question.missing) == ((ACT_1,), (REPEALED,))


def test_bsard_puts_the_extra_description_before_the_question(tmp_path, golden_graph):
    path = tmp_path / "questions_test.csv"
    first, third = (golden_graph.provisions[name].doc_id for name in (ACT_1, ACT_3))
    path.write_text(
        "id,category,subcategory,question,extra_description,article_ids\n"
        f'12,Famille,Mariage,"Puis-je, seul ?",En Belgique,"{first},{third}"\n'
        f"13,Logement,Bail,Et quand ?,,{third}\n",
        encoding="utf-8",
    )
    one, two = read_questions(path, golden_graph)
    assert (one.question_id, one.text, one.gold, one.topic) == (
        "12", "En Belgique Puis-je, seul ?", (ACT_1, ACT_3), "Famille",
    )  # fmt: skip
    assert (two.text, two.gold) == ("Et quand ?", (ACT_3,))


def test_beir_takes_the_questions_that_the_qrels_judge_and_their_positive_grades(tmp_path, golden_graph):
    folder = beir(tmp_path / "beir", f"query-id\tcorpus-id\tscore\nq2\t{ACT_1}\t1\nq2\t{ACT_3}\t0\n")
    (question,) = read_questions(folder, golden_graph)
    assert (question.question_id, question.text, question.gold) == ("q2", "깃발은?", (ACT_1,))


def test_a_split_of_beir_can_be_named(tmp_path, golden_graph):
    folder = beir(tmp_path / "beir", f"q2\t{ACT_1}\t1\n")
    beir(folder, f"q1\t{ACT_3}\t1\n", name="dev.tsv")
    assert read_questions(folder, golden_graph)[0].question_id == "q2"
    assert read_questions(folder / "qrels" / "dev.tsv", golden_graph)[0].question_id == "q1"
    assert question_files(folder)[1].name == "test.tsv"


def test_training_takes_beirs_training_questions_and_never_those_of_another_split(tmp_path, golden_graph):
    folder = beir(tmp_path / "beir", f"q2\t{ACT_1}\t1\n")
    with pytest.raises(QuestionsError, match=r"expected train\.tsv or a single \*\.tsv, found test\.tsv; name the one"):
        read_questions(folder, golden_graph, split="train")
    beir(folder, f"q1\t{ACT_3}\t1\n", name="train.tsv")
    assert read_questions(folder, golden_graph, split="train")[0].question_id == "q1"
    assert question_files(folder, split="train")[1].name == "train.tsv"
    assert read_questions(folder / "qrels" / "test.tsv", golden_graph, split="train")[0].question_id == "q2"
    only = beir(tmp_path / "only", f"q1\t{ACT_3}\t1\n", name="all.tsv")
    assert read_questions(only, golden_graph, split="train")[0].question_id == "q1"


def test_beir_without_a_test_split_asks_which_one(tmp_path, golden_graph):
    folder = beir(tmp_path / "beir", f"q1\t{ACT_1}\t1\n", name="a.tsv")
    beir(folder, f"q1\t{ACT_1}\t1\n", name="b.tsv")
    with pytest.raises(QuestionsError, match=r"qrels: expected test\.tsv or a single \*\.tsv, found a\.tsv, b\.tsv"):
        read_questions(folder, golden_graph)


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ([], "expected a JSON object"),
        ({"question": "?", "semantic_ids": []}, "question_id: expected an id without white space, found None"),
        ({"question_id": "a b", "question": "?"}, "question_id: expected an id without white space, found 'a b'"),
        ({"question_id": True, "question": "?"}, "question_id: expected an id"),
        ({"question_id": 1, "semantic_ids": []}, "question: expected a text, found None"),
        ({"question_id": 1, "question": " ", "semantic_ids": []}, "question: expected a text"),
        ({"question_id": 1, "question": "?"}, "related_doc_ids: expected a list of ids, found None"),
        ({"question_id": 1, "question": "?", "semantic_ids": "x"}, "semantic_ids: expected a list of ids"),
        (
            {"question_id": 1, "question": "?", "semantic_ids": ["x_1조"]},
            "semantic_ids: the index has no provision 'x_",
        ),
        ({"question_id": 1, "question": "?", "related_doc_ids": [999]}, "related_doc_ids: the index has no provision"),
    ],
)
def test_what_cannot_be_read_is_named_with_file_line_and_field(tmp_path, golden_graph, record, problem):
    good = {"question_id": 0, "question": "?", "semantic_ids": [ACT_1]}
    path = written(tmp_path / "qa.jsonl", good, record)
    with pytest.raises(QuestionsError) as raised:
        read_questions(path, golden_graph)
    assert str(raised.value).startswith(f"{path}:2: {problem}")


def test_a_line_that_is_not_json_is_named(tmp_path, golden_graph):
    path = tmp_path / "qa.jsonl"
    path.write_text("\n{", encoding="utf-8")
    with pytest.raises(QuestionsError, match=r"qa\.jsonl:2: not JSON"):
        read_questions(path, golden_graph)


def test_an_id_that_comes_twice_is_named_with_both_places(tmp_path, golden_graph):
    record = {"question_id": 1, "question": "?", "semantic_ids": [ACT_1]}
    path = written(tmp_path / "qa.jsonl", record, record)
    with pytest.raises(QuestionsError, match=r"qa\.jsonl:2: id 1 appears twice, first at .*qa\.jsonl:1"):
        read_questions(path, golden_graph)


@pytest.mark.parametrize(
    ("qrels", "problem"),
    [
        ("q1\tx\n", r"test\.tsv:1: expected query-id, corpus-id and score"),
        ("q1\tx\thigh\n", r"test\.tsv:1: score: 'high' is no whole number"),
        ("q9\tx\t1\n", r"test\.tsv:1: query-id: .*queries\.jsonl has no question 'q9'"),
        ("q1\tnone_1\t1\n", r"test\.tsv:1: corpus-id: the index has no provision 'none_1'"),
    ],
)
def test_qrels_that_cannot_be_read_are_named(tmp_path, golden_graph, qrels, problem):
    with pytest.raises(QuestionsError, match=problem):
        read_questions(beir(tmp_path / "beir", qrels), golden_graph)


def test_a_bsard_file_without_a_column_is_named(tmp_path, golden_graph):
    path = tmp_path / "questions.csv"
    path.write_text("id,question\n1,?\n", encoding="utf-8")
    with pytest.raises(QuestionsError, match=r"questions\.csv:1: field 'article_ids' is missing"):
        read_questions(path, golden_graph)


@pytest.mark.parametrize("name", ["nothing.jsonl", "nothing.csv", "nothing.txt", "nothing"])
def test_a_file_that_is_not_there_is_named(tmp_path, golden_graph, name):
    with pytest.raises(QuestionsError, match=f"{name}: (cannot be read|no questions)"):
        read_questions(tmp_path / name, golden_graph)


@pytest.mark.parametrize("name", ["empty.jsonl", "empty.csv"])
def test_a_file_without_a_question_is_refused(tmp_path, golden_graph, name):
    (tmp_path / name).write_text("id,question,article_ids\n" if name.endswith("csv") else "\n", encoding="utf-8")
    with pytest.raises(QuestionsError, match="holds no question"):
        read_questions(tmp_path / name, golden_graph)


def test_the_benchmarks_questions_are_119_and_29_have_two_gold_articles_or_more(shared_data):
    corpus = read_corpus([shared_data / "firelaw-kr" / "legal_docs.jsonl"])
    graph: CitationGraph = citation_graph(corpus.provisions)
    questions = read_questions(shared_data / "firelaw-kr" / "realworld_qa.jsonl", graph)
    assert len(questions) == 119
    assert sum(len(question.gold) > 1 for question in questions) == 29
    assert all(question.gold for question in questions)
    assert any(question.missing for question in questions)

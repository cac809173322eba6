"""A corpus of BSARD's size, from its csv to its questions, without vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.dataset_files import read_questions
from evals.realworld import run_methods
from graph.corpus import read_corpus
from retrieval.index_build import build_index
from retrieval.methods import parse_method
from retrieval.retriever import Retriever
from tests.bsard_shaped import N_ARTICLES, write

pytestmark = pytest.mark.slow


def test_22633_articles_are_indexed_and_asked_by_number(tmp_path: Path):
    write(tmp_path / "articles.csv")
    corpus = read_corpus([tmp_path / "articles.csv"])
    build_index(corpus, tmp_path / "index")
    assert len(corpus.provisions) == N_ARTICLES
    known = corpus.provisions[12_345]
    words = known.text.split(".")[0].replace('"', "")
    questions = tmp_path / "questions_test.csv"
    questions.write_text(
        "id,category,subcategory,question,extra_description,article_ids\n"
        f'1,Feu,,"{words} ?",Il y a longtemps.,"{known.doc_id}"\n',
        encoding="utf-8",
    )
    with Retriever.open(tmp_path / "index") as retriever:
        asked = read_questions(questions, retriever.index.graph)
        methods = [parse_method(name) for name in ("tfidf", "bm25")]
        metrics = run_methods(retriever, asked, methods, tmp_path / "run", source=questions).metrics()
    assert asked[0].gold == (known.semantic_id,)
    assert metrics["bm25"]["R@10"] == metrics["tfidf"]["R@10"] == 1

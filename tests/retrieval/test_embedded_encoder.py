import json
from pathlib import Path

import numpy as np
import pytest

from graph.records import Provision
from retrieval.encoder import open_encoder

DATA = Path(__file__).parents[2] / ".." / "shared" / "data" / "firelaw-kr"


@pytest.fixture(scope="module")
def encoder():
    return open_encoder("embedded")


def article(**values):
    fields = {
        "semantic_id": "a_1",
        "doc_id": 1,
        "law_name": "L",
        "collection_name": "L",
        "law_level": "",
        "chapter": "1",
    }
    return Provision(**{**fields, **values})


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data/firelaw-kr beside the repository")
def test_article_vectors_are_those_of_the_published_file(encoder):
    stored = np.load(DATA / "vectors_e5_small_q4.npz")
    with (DATA / "legal_docs.jsonl").open(encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    chosen = [documents[place] for place in (0, 1, 700, 2500, 4737)]  # the second is longer than the window
    names = ("semantic_id", "doc_id", "law_name", "chapter", "chapter_description", "text")
    vectors = encoder.encode_articles([article(**{name: document[name] for name in names}) for document in chosen])
    rows = {int(doc_id): row for row, doc_id in enumerate(stored["doc_id"])}
    expected = stored["vectors"][[rows[document["doc_id"]] for document in chosen]].astype(np.float64)
    cosines = (vectors * expected).sum(axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines.min() > 0.999


def test_rows_have_unit_length_and_the_stated_dimension(encoder):
    vectors = encoder.encode_queries(["소화기는 어디에 두나요?", "", "a\0b", "\ud800"])
    assert vectors.shape == (4, encoder.identity.dimension)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-6)


def test_words_after_a_nul_are_read(encoder):
    with_nul, with_space = encoder.encode_queries(["소화기\0설치", "소화기 설치"])
    assert with_nul.tolist() == with_space.tolist()


def test_questions_and_articles_have_their_own_prefix(encoder):
    as_article = encoder.encode_articles([article(law_name="L", chapter="1", text="t")])[0]
    as_question = encoder.encode_queries(["L 1 \nt"])[0]
    assert as_article @ as_question < 0.99


def test_no_texts_give_no_rows(encoder):
    assert encoder.encode_queries([]).shape == (0, 384)
    assert encoder.encode_articles([]).shape == (0, 384)


def test_a_text_gets_the_same_vector_alone_and_in_company(encoder):
    alone = encoder.encode_queries(["비상구의 폭"])
    together = encoder.encode_queries(["x" * 3000, "비상구의 폭", "소방시설"])
    assert together[1].tolist() == alone[0].tolist()

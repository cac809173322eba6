from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from graph.errors import EncoderError
from retrieval.article_ranker import BiEncoderRanker, open_article_ranker
from tests.conftest import HashingEncoder


def test_a_bi_encoder_scores_by_the_cosine_and_encodes_an_article_once(golden_graph):
    articles = [golden_graph.provisions[name] for name in golden_graph.articles[:4]]
    encoder = HashingEncoder()
    ranker = BiEncoderRanker(encoder, "bi-encoder")
    question = articles[2].text
    scores = ranker.score(question, articles)
    expected = encoder.encode_articles(articles) @ encoder.encode_queries([question])[0]
    assert scores == pytest.approx(expected, abs=1e-6)
    assert scores.dtype == np.float64
    n_encoded = encoder.n_articles_encoded
    assert ranker.score("?", [articles[1], articles[1], articles[3]]).shape == (3,)
    assert ranker.score("?", []).shape == (0,)
    assert encoder.n_articles_encoded == n_encoded
    assert ranker.attended(question, articles[2]) == ()


def test_articles_of_one_name_and_two_wordings_are_not_confused(golden_graph):
    article = golden_graph.provisions[golden_graph.articles[0]]
    ranker = BiEncoderRanker(HashingEncoder(), "bi-encoder")
    amended = replace(article, text="quite another wording")
    before, after = ranker.score(article.text, [article, amended])
    assert before > after


def test_an_unknown_kind_is_named_with_those_that_are_known(tmp_path):
    (tmp_path / "ranker.json").write_text(json.dumps({"kind": "oracle"}))
    with pytest.raises(EncoderError, match=r"ranker.json: unknown kind 'oracle'; known: attentive-cnn, paraformer"):
        open_article_ranker(str(tmp_path))


@pytest.mark.parametrize("content", ["[", "[]"])
def test_a_file_that_says_no_kind_is_named(tmp_path, content):
    (tmp_path / "ranker.json").write_text(content)
    with pytest.raises(EncoderError, match=r"ranker\.json: .*name a folder that nonliquet train made"):
        open_article_ranker(str(tmp_path))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    pytest.importorskip("sentence_transformers", reason="needs pip install 'nonliquet[dense]'")
    with pytest.raises(EncoderError, match=rf"trained:{tmp_path}/nowhere: .*cannot be loaded"):
        open_article_ranker(str(tmp_path / "nowhere"))


@pytest.mark.parametrize("kind", [None, "paraformer", "attentive-cnn"])
def test_without_torch_the_extra_is_named(tmp_path, monkeypatch, kind):
    for name in ("torch", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("retrieval.training.attentive_cnn", "retrieval.training.paraformer"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    if kind:
        (tmp_path / "ranker.json").write_text(json.dumps({"kind": kind}))
    with pytest.raises(EncoderError, match=rf"trained:{tmp_path}.*pip install 'nonliquet\[dense\]'"):
        open_article_ranker(str(tmp_path))

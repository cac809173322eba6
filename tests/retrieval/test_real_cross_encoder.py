"""`cross:MODEL` with sentence-transformers itself, on a random BERT of two layers whose scores transformers tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graph.corpus import read_corpus
from graph.errors import EncoderError
from graph.records import Provision
from retrieval.cross_encoder import open_cross_encoder
from retrieval.encoder import article_text
from retrieval.index_build import build_index
from retrieval.methods import parse_method
from retrieval.retriever import Retriever
from tests.conftest import GOLDEN_LAW

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")
transformers = pytest.importorskip("transformers", reason="needs pip install 'nonliquet[dense]'")
pytest.importorskip("sentence_transformers", reason="needs pip install 'nonliquet[dense]'")

QUESTION = "등대의 깃발은 누가 올리는가?"
WINDOW = 48  # tokens, fewer than the golden law's longest article has


def made(folder: Path, *, n_labels: int = 1) -> Path:
    """A cross-encoder whose vocabulary is the golden law's characters, with random weights."""
    texts = [article_text(article) for article in read_corpus([GOLDEN_LAW]).provisions]
    characters = sorted({character for text in texts for character in text if not character.isspace()})
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *(f"##{c}" for c in characters)]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=WINDOW,
        num_labels=n_labels,
        initializer_range=0.5,  # so that the scores lie apart
    )
    torch.manual_seed(0)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer = transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=WINDOW, do_lower_case=False)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    folder = tmp_path_factory.mktemp("cross-index") / "index"
    build_index(read_corpus([GOLDEN_LAW]), folder)
    return Retriever.open(folder)


def expected(folder: Path, article: Provision) -> float:
    """The pair's score by transformers alone, one pair at a time."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    pair = tokenizer(QUESTION, article_text(article), truncation=True, max_length=WINDOW, return_tensors="pt")
    with torch.no_grad():
        return float(torch.sigmoid(model(**pair).logits).item())


def test_scores_are_those_of_the_model_for_each_pair_alone(model_folder, retriever):
    articles = retriever.index.articles
    scores = open_cross_encoder(str(model_folder)).score(QUESTION, articles)
    assert scores.dtype == np.float64
    assert scores == pytest.approx([expected(model_folder, article) for article in articles], abs=1e-5)
    assert np.ptp(scores) > 0.01  # apart by much more than they are off


def test_what_lies_beyond_the_window_does_not_count(model_folder, retriever):
    longest = max(retriever.index.articles, key=lambda article: len(article.text))
    longer = replace(longest, text=longest.text + longest.text)
    first, second = open_cross_encoder(str(model_folder)).score(QUESTION, [longest, longer])
    assert first == pytest.approx(second, abs=1e-6)


def test_the_method_orders_the_bases_best_by_the_models_scores(model_folder, retriever):
    index = retriever.index
    method = parse_method(f"cross:{model_folder}:bm25")
    (base,) = retriever.rankings([QUESTION], parse_method("bm25"), depth=50)
    (ranking,) = retriever.rankings([QUESTION], method, depth=50)
    assert set(ranking.rows.tolist()) == set(base.rows.tolist())
    assert len(base.rows) > 3
    scores = [expected(model_folder, index.articles[row]) for row in ranking.rows.tolist()]
    assert scores == sorted(scores, reverse=True)
    assert ranking.rows.tolist() != base.rows.tolist()


def test_a_model_with_several_labels_is_refused(retriever, tmp_path):
    with pytest.raises(EncoderError, match=r"gives 3 scores a pair: a cross-encoder that ranks gives one"):
        open_cross_encoder(str(made(tmp_path, n_labels=3))).score(QUESTION, retriever.index.articles)


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(EncoderError, match=f"cross:{tmp_path} cannot be loaded: .*or a folder with a cross-encoder"):
        open_cross_encoder(str(tmp_path))

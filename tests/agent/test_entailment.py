import importlib.util
import json

import numpy as np
import pytest

from agent.entailment import _probability, open_entailment
from graph.errors import ModelError

HAS_MODELS = importlib.util.find_spec("sentence_transformers") is not None
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "dues", "are", "paid", "not", "30", "days", "within", "."]


def test_the_probability_of_a_class_is_its_share_of_the_exponentials():
    scores = np.array([0.0, np.log(3.0), 0.0])
    assert _probability(scores, 1, is_logit=True) == pytest.approx(3 / 5, abs=1e-12)
    assert _probability(np.array([0.7]), 0, is_logit=False) == pytest.approx(0.7, abs=1e-12)


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory):
    """A real cross-encoder of three classes, untrained: two layers, sixteen wide."""
    if not HAS_MODELS:
        pytest.skip("sentence-transformers is not installed: pip install 'nonliquet[dense]'")
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("nli")
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    labels = {0: "contradiction", 1: "entailment", 2: "neutral"}
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        id2label=labels,
        label2id={name: place for place, name in labels.items()},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_a_cross_encoder_answers_by_the_probability_of_its_class_entailment(tiny_model):
    always, never = (open_entailment(str(tiny_model), threshold=threshold) for threshold in (0.0, 1.0))
    assert always("dues are paid within 30 days .", "dues are paid .")
    assert not never("dues are paid within 30 days .", "dues are paid .")


def test_a_model_that_tells_no_entailment_is_refused_with_its_classes(tiny_model, tmp_path):
    for path in tiny_model.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    config["id2label"], config["label2id"] = {0: "bad", 1: "good", 2: "fair"}, {"bad": 0, "good": 1, "fair": 2}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelError, match="bad, good, fair"):
        open_entailment(str(tmp_path))


@pytest.mark.skipif(not HAS_MODELS, reason="sentence-transformers is not installed: pip install 'nonliquet[dense]'")
def test_a_model_that_is_not_there_is_an_error_that_says_what_would_do(tmp_path):
    with pytest.raises(ModelError, match="a folder with a cross-encoder"):
        open_entailment(str(tmp_path / "nothing"))


@pytest.mark.skipif(HAS_MODELS, reason="sentence-transformers is installed")
def test_without_the_package_the_error_says_what_to_install():
    with pytest.raises(ModelError, match=r"nonliquet\[dense\]"):
        open_entailment("cross-encoder/nli-deberta-v3-xsmall")

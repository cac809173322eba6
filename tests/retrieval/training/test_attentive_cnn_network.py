import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")

from retrieval.training.attentive_cnn_network import AttentiveCnn, CnnShape  # noqa: E402

SHAPE = CnnShape(n_rows=9, dimension=4, n_filters=5, n_attention=3, window=1)
ARTICLES = [[[0, 1, 2, 3], [4], [5, 5]], [[8, 7, 6, 5, 4]], [[1], [2], [3], [3, 2]]]


def rows(article):
    return [np.array(sentence, dtype=np.int32) for sentence in article]


def network(shape=SHAPE, *, seed=1):
    """Return one with all weights drawn at random, in double precision."""
    torch.manual_seed(seed)
    found = AttentiveCnn(shape, frozen=False).double().eval()
    with torch.no_grad():
        for one in found.parameters():
            one.copy_(torch.randn_like(one))
    return found


def slow_sentence(found, sentence):
    """Equations (1) to (5), one word after the other."""
    weights = {name: value.detach().numpy() for name, value in found.state_dict().items()}
    table, filters, window = weights["embedding.weight"], weights["filters"], found.shape.window
    features, scores = [], []
    for i in range(len(sentence)):
        total = np.zeros(found.shape.n_filters)
        for k in range(-window, window + 1):
            if 0 <= i + k < len(sentence):
                for n in range(found.shape.n_filters):
                    total[n] += sum(
                        table[sentence[i + k], d] * filters[k + window, d, n] for d in range(table.shape[1])
                    )
        features.append(np.where(total > 0, total, 0) + weights["filter_bias"])
        hidden = np.tanh(weights["projection.weight"] @ features[-1] + weights["projection.bias"])
        scores.append(float(weights["query"] @ hidden))
    total = sum(math.exp(score) for score in scores)
    vector = sum(math.exp(score) / total * feature for score, feature in zip(scores, features, strict=True))
    return vector, sum(scores) / len(scores)


def slow_sparsemax(scores):
    """The threshold by bisection: the weights' sum falls as it rises."""
    low, high = min(scores) - 1, max(scores)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(max(score - middle, 0) for score in scores) > 1 else (low, middle)
    return [max(score - low, 0) for score in scores]


def slow_article(found, article):
    """Equations (6) and (7)."""
    vectors, means = zip(*(slow_sentence(found, sentence) for sentence in article), strict=True)
    weights = slow_sparsemax(means)
    return sum(weight * vector for weight, vector in zip(weights, vectors, strict=True)), weights


def test_equations_1_to_7_worked_by_hand():
    found = AttentiveCnn(CnnShape(n_rows=3, dimension=1, n_filters=1, n_attention=1, window=1), frozen=True).eval()
    with torch.no_grad():
        found.embedding.weight.copy_(torch.tensor([[1.0], [2.0], [-1.0]]))
        found.filters.copy_(torch.tensor([[[3.0]], [[1.0]], [[2.0]]]))
        found.filter_bias.fill_(0.5)
        found.projection.weight.fill_(0.1)
        found.projection.bias.fill_(-0.2)
        found.query.fill_(2.0)
    c = [1 + 2 * 2 + 0.5, 3 * 1 + 2 - 2 * 1 + 0.5, 3 * 2 - 1 + 0.5]  # of the words e = 1, 2, -1
    a = [2 * math.tanh(0.1 * one - 0.2) for one in c]
    r = sum(math.exp(x) * y for x, y in zip(a, c, strict=True)) / sum(map(math.exp, a))
    omega = sum(a) / 3
    vectors, means = found.sentences(rows([[0, 1, 2], [2]]))
    assert vectors[:, 0].tolist() == pytest.approx([r, 0.5], abs=1e-6)  # ReLU(-1) + 0.5
    other = 2 * math.tanh(0.1 * 0.5 - 0.2)
    assert means.tolist() == pytest.approx([omega, other], abs=1e-6)
    assert 0 < omega - other < 1  # so both sentences have a weight, (1 ± the difference) / 2
    alpha = [(1 + omega - other) / 2, (1 - omega + other) / 2]
    vectors, weights = found.articles([rows([[0, 1, 2], [2]])])
    assert weights[0].tolist() == pytest.approx(alpha, abs=1e-6)
    assert vectors[0].tolist() == pytest.approx([alpha[0] * r + alpha[1] * 0.5], abs=1e-6)


@pytest.mark.parametrize("window", [0, 1, 2])
def test_equations_1_to_7_agree_with_plain_loops(window):
    found = network(CnnShape(n_rows=9, dimension=4, n_filters=5, n_attention=3, window=window))
    vectors, weights = found.articles([rows(article) for article in ARTICLES])
    for number, article in enumerate(ARTICLES):
        vector, own = slow_article(found, article)
        assert vectors[number].tolist() == pytest.approx(vector.tolist(), abs=1e-9)
        assert weights[number].tolist() == pytest.approx([*own, *[0.0] * (4 - len(own))], abs=1e-9)
    question = found.questions(rows([[3, 1, 4]]))[0]
    assert question.tolist() == pytest.approx(slow_sentence(found, [3, 1, 4])[0].tolist(), abs=1e-9)


def test_the_gradients_of_both_attentions_are_those_of_finite_differences():
    found = network(seed=6)
    goal = torch.randn(3, 5, dtype=torch.float64)

    def value():
        vectors, weights = found.articles([rows(article) for article in ARTICLES])
        scores = found.scores(found.questions(rows([[3, 1, 4]])), vectors)
        return (vectors * goal).sum() + (weights**2).sum() + (scores**2).sum()

    value().backward()
    _, weights = found.articles([rows(article) for article in ARTICLES])
    assert (weights > 0).sum(dim=1).tolist() == [2, 1, 3]  # of 3, 1 and 4 sentences: sparsemax is at work
    step = 1e-6
    for name, parameter in found.named_parameters():
        flat, gradient = parameter.data.view(-1), parameter.grad.view(-1)
        for place in range(len(flat)):
            before = float(flat[place])
            flat[place] = before + step
            above = float(value().detach())
            flat[place] = before - step
            below = float(value().detach())
            flat[place] = before
            assert float(gradient[place]) == pytest.approx((above - below) / (2 * step), abs=1e-6, rel=1e-5), name


sentence = st.lists(st.integers(0, 8), min_size=1, max_size=6)
articles = st.lists(st.lists(sentence, min_size=1, max_size=5), min_size=1, max_size=6)


@given(articles, st.integers(0, 3))
def test_what_stands_beside_an_article_in_a_batch_changes_nothing(given, window):
    found = network(CnnShape(n_rows=9, dimension=4, n_filters=5, n_attention=3, window=window))
    with torch.no_grad():
        vectors, weights = found.articles([rows(article) for article in given])
        for number, article in enumerate(given):
            vector, own = found.articles([rows(article)])
            assert torch.allclose(vectors[number], vector[0], atol=1e-12)
            assert torch.allclose(weights[number, : len(article)], own[0], atol=1e-12)
            assert not weights[number, len(article) :].any()


@given(st.lists(sentence, min_size=1, max_size=8))
def test_the_weights_of_an_article_sum_to_1(article):
    with torch.no_grad():
        weights = network().articles([rows(article)])[1][0]
    assert float(weights.sum()) == pytest.approx(1, abs=1e-12)
    assert float(weights.min()) >= 0


def test_training_starts_from_centred_filters_and_from_articles_of_one_mean_length():
    torch.manual_seed(2)
    found = AttentiveCnn(CnnShape(n_rows=9, dimension=4, n_filters=6, n_attention=3), frozen=True).eval()
    found.start_from([rows(article) for article in ARTICLES])
    with torch.no_grad():
        vectors, weights = found.articles([rows(article) for article in ARTICLES])
        words = found.questions(rows([[word] for article in ARTICLES for one in article for word in one]))
    assert float(vectors.square().sum(dim=1).mean()) == pytest.approx(4, abs=1e-4)
    assert words.mean(dim=0).tolist() == pytest.approx([0.0] * 6, abs=1e-5)
    assert weights[0].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0], abs=1e-6)  # no sentence counts for more


def test_mixed_precision_changes_a_vector_by_rounding_alone():
    found = network().float()
    with torch.no_grad():
        exact = found.articles([rows(article) for article in ARTICLES])[0]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            mixed = found.articles([rows(article) for article in ARTICLES])[0]
    assert mixed.dtype == torch.float32
    assert 0 < float((mixed - exact).norm() / exact.norm()) < 0.05


def test_dropout_is_for_training_alone():
    found = network()
    alike = [torch.equal(*(found.questions(rows([[1, 2]])) for _ in range(2)))]
    found.train()
    alike += [torch.equal(*(found.questions(rows([[1, 2]])) for _ in range(2)))]
    assert alike == [True, False]


@pytest.mark.parametrize("wrong", [{"n_filters": 0}, {"window": -1}, {"dropout": 1.0}])
def test_impossible_sizes_are_an_error(wrong):
    with pytest.raises(ValueError, match=r"window|dropout"):
        CnnShape(**wrong)


def test_the_score_is_the_scaled_cosine_whatever_the_vectors_lengths():
    found = network()
    with torch.no_grad():
        found.log_scale.fill_(math.log(3.0))
    questions = torch.tensor([[1.0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], dtype=torch.float64)
    articles = torch.tensor([[3.0, 4, 0, 0, 0], [-2, 0, 0, 0, 0]], dtype=torch.float64)
    assert found.scores(questions, articles).tolist() == [pytest.approx([1.8, -3.0]), [0.0, 0.0]]

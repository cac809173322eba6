import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")

from retrieval.training.in_batch_loss import in_batch_loss  # noqa: E402


def none_excluded(n, m):
    return np.zeros((n, m), dtype=np.bool_)


def test_the_loss_is_that_of_the_formula():
    questions = torch.tensor([[2.0, 0.0], [0.0, 1.0]])  # of unit length: (1, 0) and (0, 1)
    articles = torch.tensor([[3.0, 0.0], [0.6, 0.8], [0.0, 5.0]])
    loss = in_batch_loss(questions, articles, np.array([0, 1]), none_excluded(2, 3), temperature=0.5)
    first = -math.log(math.exp(2.0) / (math.exp(2.0) + math.exp(1.2) + math.exp(0.0)))
    second = -math.log(math.exp(1.6) / (math.exp(0.0) + math.exp(1.6) + math.exp(2.0)))
    assert float(loss) == pytest.approx((first + second) / 2, abs=1e-6)


def test_an_excluded_article_counts_for_nothing_and_the_own_article_cannot_be_excluded():
    questions, articles = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    loss = in_batch_loss(questions, articles, np.array([0]), np.array([[True, True, False]]), temperature=1.0)
    assert float(loss) == pytest.approx(-math.log(math.e / (math.e + 1)), abs=1e-6)


def example(seed):
    rng = np.random.default_rng(seed)
    questions, articles = (torch.from_numpy(rng.standard_normal((n, 3))) for n in (4, 5))
    excluded = rng.random((4, 5)) < 0.3
    return questions, articles, rng.integers(0, 5, size=4), excluded


@pytest.mark.parametrize("seed", range(3))
def test_its_gradients_are_those_of_finite_differences(seed):
    questions, articles, positives, excluded = example(seed)
    questions.requires_grad_()
    articles.requires_grad_()
    in_batch_loss(questions, articles, positives, excluded, temperature=0.2).backward()
    step = 1e-6
    for tensor in (questions, articles):
        for place in np.ndindex(*tensor.shape):
            values = []
            for sign in (1, -1):
                moved = tensor.detach().clone()
                moved[place] += sign * step
                pair = (moved, articles.detach()) if tensor is questions else (questions.detach(), moved)
                values.append(float(in_batch_loss(*pair, positives, excluded, temperature=0.2)))
            assert float(tensor.grad[place]) == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_a_batch_in_another_order_has_the_same_loss(seed):
    questions, articles, positives, excluded = example(seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(4), rng.permutation(5)
    new_place = np.argsort(columns)
    moved = in_batch_loss(
        questions[rows], articles[columns], new_place[positives[rows]], excluded[rows][:, columns], temperature=0.1
    )
    loss = in_batch_loss(questions, articles, positives, excluded, temperature=0.1)
    assert float(moved) == pytest.approx(float(loss), abs=1e-12)

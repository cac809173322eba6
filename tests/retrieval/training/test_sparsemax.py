import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

torch = pytest.importorskip("torch", reason="needs pip install 'nonliquet[dense]'")

from retrieval.training.sparsemax import sparsemax  # noqa: E402

ROWS = st.lists(st.floats(-30, 30), min_size=1, max_size=12)


def projected(row):
    """Project onto the simplex by finding the root of the sum of what lies above a threshold."""
    row = np.asarray(row, dtype=np.float64)
    tau = brentq(lambda t: np.maximum(row - t, 0).sum() - 1, row.min() - 1, row.max(), xtol=1e-14)
    return np.maximum(row - tau, 0)


def weights(row, mask=None):
    mask = None if mask is None else torch.tensor(mask)
    return sparsemax(torch.tensor(row, dtype=torch.float64), mask).numpy()


def test_a_case_worked_by_hand():
    # of 3, 2.5 and 0 the first two stay: τ = (5.5 - 1) / 2 = 2.25
    assert weights([3.0, 2.5, 0.0]).tolist() == pytest.approx([0.75, 0.25, 0.0], abs=1e-12)
    assert weights([5.0, 1.0]).tolist() == [1.0, 0.0]
    assert weights([0.2, 0.2]).tolist() == pytest.approx([0.5, 0.5], abs=1e-12)


@given(ROWS)
def test_it_is_what_a_root_finder_projects(row):
    assert weights(row) == pytest.approx(projected(row), abs=1e-9)


@given(ROWS, st.data())
def test_no_point_of_the_simplex_lies_nearer(row, data):
    found = weights(row)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-9)
    raw = data.draw(st.lists(st.floats(0.01, 1), min_size=len(row), max_size=len(row)))
    other = np.array(raw) / sum(raw)
    # ⟨z - p, y - p⟩ <= 0 for all y of the simplex says that p is the projection of z
    assert (np.array(row) - found) @ (other - found) <= 1e-8


@given(ROWS, st.floats(-50, 50))
def test_a_number_added_to_all_scores_changes_nothing(row, shift):
    assert weights([one + shift for one in row]) == pytest.approx(weights(row), abs=1e-9)


@given(st.lists(st.tuples(st.floats(-30, 30), st.booleans()), min_size=1, max_size=10))
def test_what_is_masked_counts_for_nothing(pairs):
    row, mask = [one for one, _ in pairs], [kept for _, kept in pairs]
    found = weights(row, mask)
    assert found[~np.array(mask)].tolist() == [0.0] * mask.count(False)
    if any(mask):
        assert found[np.array(mask)] == pytest.approx(weights([one for one, kept in pairs if kept]), abs=1e-9)


def test_rows_of_a_batch_do_not_touch_one_another():
    rows = [[3.0, 2.5, 0.0], [9.0, 9.0, 9.0]]
    assert weights(rows, [[True, True, True], [False, True, True]])[1].tolist() == pytest.approx([0, 0.5, 0.5])
    assert weights(rows)[0].tolist() == weights(rows[0]).tolist()


@pytest.mark.parametrize("masked", [False, True])
def test_the_gradient_is_that_of_finite_differences(masked):
    torch.manual_seed(0)
    scores = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
    mask = torch.ones(4, 6, dtype=torch.bool)
    if masked:
        mask[0, 2:] = mask[1, 0] = mask[3] = False
    assert torch.autograd.gradcheck(lambda one: sparsemax(one, mask), (scores,))


def test_large_scores_are_as_good_as_small_ones():
    found = sparsemax(torch.tensor([1e30, 1e30, -1e30]))
    assert found.tolist() == [0.5, 0.5, 0.0]

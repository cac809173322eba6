import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.confidence import confidence

SHARE = st.floats(0, 1)


def test_confidence_is_worked_out_by_hand():
    assert confidence(0.8, probability=0.5, share_kept=0.5) == pytest.approx(0.8 * 0.5 * 0.75, abs=1e-12)
    assert confidence(0.8, probability=None, share_kept=1.0) == pytest.approx(0.8, abs=1e-12)


@given(SHARE, SHARE, SHARE, SHARE)
def test_confidence_lies_within_0_and_1_and_never_falls_as_a_part_of_it_rises(relevance, probability, share, more):
    found = confidence(relevance, probability=probability, share_kept=share)
    assert 0 <= found <= 1
    assert confidence(max(relevance, more), probability=probability, share_kept=share) >= found
    assert confidence(relevance, probability=max(probability, more), share_kept=share) >= found
    assert confidence(relevance, probability=probability, share_kept=max(share, more)) >= found


@pytest.mark.parametrize("parts", [(1.1, 0.5, 0.5), (0.5, -0.1, 0.5), (0.5, 0.5, float("nan"))])
def test_a_part_outside_of_0_and_1_is_refused(parts):
    relevance, probability, share = parts
    with pytest.raises(ValueError, match="within"):
        confidence(relevance, probability=probability, share_kept=share)

"""Of stretches that overlap, the first stands."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from agent.claims.overlap import without_overlaps


class Stretch(NamedTuple):
    start: int
    end: int


def test_the_longest_of_those_that_begin_first_stands_and_what_overlaps_it_does_not():
    found = [Stretch(6, 9), Stretch(0, 2), Stretch(1, 4), Stretch(0, 3), Stretch(3, 5)]
    assert without_overlaps(found) == [Stretch(0, 3), Stretch(3, 5), Stretch(6, 9)]


def test_nothing_found_is_nothing():
    assert without_overlaps([]) == []


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5))))
def test_what_stands_is_disjoint_and_in_order_and_each_other_overlaps_one_that_begins_no_later(pairs):
    found = [Stretch(start, start + length) for start, length in pairs]
    kept = without_overlaps(found)
    assert all(one.end <= after.start for one, after in pairwise(kept))
    for other in set(found) - set(kept):
        assert any(one.start <= other.start < one.end for one in kept)

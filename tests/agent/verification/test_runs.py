"""The part of a clause that a sentence restates: by hand, on clauses of two statements."""

import pytest

from agent.verification.passage import Part
from agent.verification.runs import nearest_run, pieces

CLAUSE = Part.read("A berth is let for one year; no crane is needed where a ramp stands, and the fee is waived.", "en")


def terms(words):
    return Part.read(words, "en").terms


def test_the_run_is_the_part_that_shares_most_terms():
    near = nearest_run(terms("Where a ramp stands, a crane is not needed."), [CLAUSE])
    assert near is not None
    assert near.part.claims.folded == "no crane is needed where a ramp stands,"
    assert near.likeness == pytest.approx(1.0, abs=1e-12)  # crane, ramp and stand on both sides


def test_of_several_clauses_the_nearest_is_taken_and_nothing_shared_is_none():
    other = Part.read("A crane and a ramp stand in the harbour.", "en")
    near = nearest_run(terms("the fee is waived"), [other, CLAUSE])
    assert near is not None
    assert near.part.claims.folded == "and the fee is waived."
    assert nearest_run(terms("pineapple"), [other, CLAUSE]) is None
    assert nearest_run(frozenset(), [CLAUSE]) is None


def test_a_piece_is_read_for_itself():
    found = pieces(CLAUSE.claims.folded, "en")
    assert [bool(one.part.claims.forces) for one in found] == [False, True, False, False]
    assert [one.is_condition for one in found] == [False, False, True, False]

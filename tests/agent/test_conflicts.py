"""Statements on invented ladders: which say otherwise of the same matter, and which governs."""

import pytest

from agent.conflicts import Governs, differing, goes_before, governing, statements
from graph.links import citation_graph
from graph.records import Provision
from retrieval.lexical import LexicalIndex, LexicalSettings


def article(number, text, *, law="Ladder Rule", level="Rule", since="2020-01-01"):
    return Provision(
        semantic_id=f"{law.lower().replace(' ', '-')}_{number}",
        doc_id=number,
        law_name=law,
        collection_name="Ladder Act",
        law_level=level,
        chapter=f"Article {number}",
        text=text,
        language="en",
        effective_date=since,
    )


def found(first, second):
    others = [article(50 + n, f"Boat number {n} of the owner shall lie in a harbour under this Act.") for n in range(6)]
    lexical = LexicalIndex.build([first, second, *others], LexicalSettings(), language="en")
    (one,) = statements(first)
    return differing(one, statements(second), lexical, citation_graph([first, second]))


TESTED = article(1, "The rungs of a wooden ladder shall be tested every 3 months.")


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        ("The rungs of any wooden ladder shall be tested every 6 months.", True),
        ("The rungs of any wooden ladder shall be tested every 3 months.", False),
        ("The rungs of any wooden ladder shall be tested within 6 months.", False),  # another relation
        ("The paint of a steel door shall be renewed every 6 months.", False),  # another matter
        ("It shall be tested every 6 months.", False),  # of what, the sentence does not say
        ("The rungs of any wooden ladder shall be tested as follows: every 6 months.", False),  # a list goes on
    ],
)
def test_statements_differ_if_they_give_one_matter_another_period(other, differs):
    assert bool(found(TESTED, article(2, other))) is differs


def test_periods_that_two_other_provisions_leave_open_are_no_contradiction():
    first = article(1, "The period prescribed for ladders in Article 6 of the Act is 5 days.")
    second = article(2, "The period prescribed for ladders in Article 9 of the Act is 8 days.")
    assert found(first, second) == []


def test_a_lower_law_is_held_against_a_higher_one_only_if_it_is_linked():
    act = article(7, "A ladder shall be painted twice a year by the owner.", law="Ladder Act", level="Act")
    alone = article(3, "A ladder shall be painted once a year by the owner.")
    linked = article(4, "A ladder under Article 7 of the Act shall be painted once a year.")
    assert found(act, alone) == []
    assert [one.article for one in found(act, linked)] == [linked]


def test_the_higher_governs_then_the_later_and_else_neither():
    act = article(1, "x", law="Ladder Act", level="Act")
    rule, later = article(1, "x"), article(2, "x", since="2024-01-01")
    assert governing(rule, act) == (act, Governs.HIGHER)
    assert governing(act, later) == (act, Governs.HIGHER)
    assert governing(rule, later) == (later, Governs.LATER)
    assert governing(rule, article(3, "x")) is None


def test_a_clause_that_applies_notwithstanding_another_goes_before_it_and_one_that_yields_does_not():
    general = article(1, "Ladders shall be wooden.")
    special = article(2, "Notwithstanding Article 1, a ladder in a mine may be of steel.")
    yielding = article(3, "Ladders shall be short, except where Article 1 applies.")
    graph = citation_graph([general, special, yielding])
    over = {one.semantic_id: goes_before(one, statements(one)[0].clause, graph) for one in (special, yielding)}
    assert over == {special.semantic_id: [general], yielding.semantic_id: []}

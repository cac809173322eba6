from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.evidence import pack
from evals.token_budget import article_tokens, fitting, recall_within
from graph.records import Hit, Provision

TOKENS = st.lists(st.integers(1, 50), max_size=12)


def test_an_article_that_does_not_fit_is_passed_over_and_the_next_is_tried():
    assert fitting([60, 50, 40, 1], 100) == [0, 2]  # 50 does not fit into the 40 left, 40 does, then nothing is left
    assert fitting([100], 100) == [0]
    assert fitting([], 100) == fitting([101], 100) == []


def test_recall_is_the_share_of_the_gold_that_fits():
    ranking, tokens = ["a", "b", "c"], [60, 50, 40]
    assert recall_within(100, ranking, tokens, ["b", "c", "not ranked"]) == pytest.approx(1 / 3, abs=1e-12)
    assert recall_within(150, ranking, tokens, ["b", "c"]) == 1.0
    with pytest.raises(ValueError, match="unjudged"):
        recall_within(100, ranking, tokens, [])


@given(TOKENS, st.integers(0, 200))
def test_what_fits_is_never_more_than_the_budget_and_nothing_left_out_would_have_fitted(tokens, budget):
    kept = fitting(tokens, budget)
    assert sum(tokens[place] for place in kept) <= budget
    for place, taken in enumerate(tokens):
        before = sum(tokens[other] for other in kept if other < place)
        assert place in kept or before + taken > budget


@pytest.mark.parametrize("text", ["제1조 건축물의 관계인은 소화기를 둔다.", "Every floor has an extinguisher."])
def test_an_article_takes_the_tokens_that_it_takes_in_a_context(text):
    article = Provision(
        semantic_id="a_1", doc_id=1, law_name="Act", collection_name="", law_level="", chapter="1", text=text
    )
    tokens = article_tokens(article)
    for budget, is_whole in ((tokens, True), (tokens - 1, False)):
        packed = pack([(Hit("a_1", 1.0, ""), article)], budget_tokens=budget, value=lambda *_: 0.0)
        assert any(one.whole for one in packed) is is_whole

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agent.evidence import n_tokens, pack
from graph.records import Hit, Provision

ARTICLE = Provision(
    semantic_id="act_1", doc_id=0, law_name="Act", collection_name="Act", law_level="Act", chapter="Article 1",
    text="(1) The first rule is short.\n(2) The second rule is about ladders and ropes.\n(3) The third rule.",
    language="en",
)  # fmt: skip


def packed(articles, budget_tokens, value=lambda article, clause: 0.0):
    return pack(
        ((Hit(article.semantic_id, 1.0), article) for article in articles), budget_tokens=budget_tokens, value=value
    )


def test_a_hangul_syllable_is_a_token_and_four_latin_letters_are():
    assert n_tokens("소방시설") == 4
    assert n_tokens("abcde") == 2
    assert n_tokens("") == 0


def test_an_article_that_fits_is_whole():
    (found,) = packed([ARTICLE], 1000)
    assert found.whole
    assert found.text == ARTICLE.text


def test_of_an_article_that_does_not_fit_the_clauses_worth_most_are_kept_whole():
    (found,) = packed([ARTICLE], 20, lambda article, clause: "ladders" in article.text[clause.start : clause.end])
    assert not found.whole
    assert found.text == "(2) The second rule is about ladders and ropes."


def test_an_article_of_which_nothing_fits_is_left_out_and_the_next_is_tried():
    long = replace(ARTICLE, semantic_id="act_2", text="word " * 500)
    assert [found.article.semantic_id for found in packed([long, ARTICLE], 60)] == ["act_1"]


@given(st.lists(st.integers(0, 60), max_size=6), st.integers(0, 300))
def test_the_budget_is_never_exceeded(lengths, budget_tokens):
    articles = [
        replace(ARTICLE, semantic_id=f"act_{n}", text="Some words here. " * length) for n, length in enumerate(lengths)
    ]
    found = packed(articles, budget_tokens)
    assert sum(n_tokens(one.text) for one in found) <= budget_tokens

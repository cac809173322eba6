import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grounding import find_quote
from agent.reply import Check

ARTICLE = "관계인은 소방시설을 유지ㆍ관리하여야 한다.  다만, 연면적 400제곱미터 미만인 건축물은 그러하지 아니하다."


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("유지ㆍ관리하여야 한다", "as it stands"),
        ("유지·관리하여야 한다", "another middle dot"),
        ("유지‧관리하여야\n한다", "a third one, and white space"),
        ("연면적 ４００제곱미터", "full-width digits"),
        ("한다.다만,", "white space left out"),
    ],
)
def test_white_space_compatibility_forms_and_middle_dots_do_not_matter(quote, why):
    span = find_quote(quote, ARTICLE)
    assert span is not None, why
    assert span.check is Check.EXACT
    assert "".join(quote.split()).replace("·", "ㆍ").replace("‧", "ㆍ").replace("４００", "400") == "".join(
        ARTICLE[span.start : span.end].split()
    )


def test_a_quote_with_a_wrong_word_ending_is_moved_to_what_the_article_says():
    span = find_quote("관계인은 소방시설을 유지ㆍ관리해야 한다. 다만, 연면적 400제곱미터 미만인 건축물은", ARTICLE)
    assert span is not None
    assert span.check is Check.REPAIRED
    assert ARTICLE[span.start : span.end].startswith("관계인은")


@pytest.mark.parametrize(
    "quote",
    [
        "연면적 500제곱미터 미만인 건축물은 그러하지 아니하다",  # another number
        "소방서장은 언제든지 출입하여 검사할 수 있다",  # another matter
        "",
        "   ",
    ],
)
def test_what_the_article_does_not_say_is_not_found(quote):
    assert find_quote(quote, ARTICLE) is None


ENGLISH = (
    "(1) Fireworks shall not be sold or given to a person under 16 years of age. A seller may ask for proof of age."
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Fireworks shall not be sold and given to a person under 16 years of age", True),
        ("Fireworks shall be sold or given to a person under 16 years of age", False),  # the not is gone
        ("Fireworks shall not be sold or given to a person under 18 years of age", False),
        ("A seller shall ask for proof of age", False),  # may
        ("A seller may not ask for proof of age", False),
    ],
)
def test_a_quote_is_repaired_only_if_it_forbids_and_allows_the_same(quote, found):
    span = find_quote(quote, ENGLISH)
    assert (span is not None) == found
    if span:
        shown = ENGLISH[span.start : span.end]
        assert span.check is Check.REPAIRED
        assert shown == "Fireworks shall not be sold or given to a person under 16 years of age"


def test_a_repaired_quote_begins_and_ends_with_whole_words():
    span = find_quote("ireworks shall not be sold or givem to a person under 16 years of ag", ENGLISH)
    assert span is not None
    assert ENGLISH[span.start : span.end] == "Fireworks shall not be sold or given to a person under 16 years of age"


def test_the_place_of_a_quote_is_found_in_a_long_article():
    text = f"{'This sentence is of no importance at all. ' * 2000}{ENGLISH} {'Nor is this one, as it were. ' * 2000}"
    span = find_quote("Fireworks shall not be sold and given to a person under 16 years of age", text)
    assert span is not None
    assert text[span.start : span.end] == "Fireworks shall not be sold or given to a person under 16 years of age"


@given(st.text(min_size=1), st.data())
def test_every_span_of_a_text_is_found_as_it_stands(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    span = find_quote(text[start:end], text)
    if text[start:end].strip():
        assert span is None or span.check is Check.EXACT
        assert span is not None or not text[start:end].strip("\u115f\u1160\u3164\uffa0\u0345")


@given(st.text(max_size=60), st.text(max_size=200))
def test_a_found_span_lies_in_the_text(quote, text):
    span = find_quote(quote, text)
    assert span is None or 0 <= span.start < span.end <= len(text)

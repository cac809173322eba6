import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.claims.words import LANGUAGES
from agent.extractive import Draft, Quote
from agent.reply import Check
from agent.verification import verify
from graph.clauses import clauses
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.records import Provision, Status
from prompts.template import load_prompt


def article(name, text, *, language="en", **fields):
    label = name.rpartition("_")[2]
    return Provision(
        semantic_id=name,
        doc_id=0,
        law_name="Harbour Act" if language == "en" else "항만법",
        collection_name="Harbour Act",
        law_level="Act",
        chapter=f"Article {label}" if language == "en" else f"제{label}",
        text=text,
        language=language,
        **fields,
    )


BERTHS = article(
    "harbour-act_7",
    "(1) A vessel shall not leave its berth without a pilot. "
    "The pilot shall be ordered at least 12 hours beforehand.\n\n"
    "(2) The harbour master may grant an exemption for vessels:\n\n"
    "  1. of less than 20 metres;\n"
    "  2. that carry passengers on not more than 3 days a year.",
    effective_date="2024-07-01",
)
DUES = article("harbour-act_9", "Harbour dues are paid within 30 days after arrival. The fee is 400 crowns.")
LIGHTS = article(
    "항만법_3조",
    "① 선장은 해가 지기 30분 전까지 등을 켜야 한다. 다만, 정박 중인 선박은 그러하지 아니하다.\n"
    "② 누구든지 부두에 차량을 세워 두어서는 아니 된다.",
    language="ko",
)
ARTICLES = {one.semantic_id: one for one in (BERTHS, DUES, LIGHTS)}
PILOT = Quote("harbour-act_7", "A vessel shall not leave its berth without a pilot.")
ORDER = Quote("harbour-act_7", "ordered at least 12 hours beforehand")
PAID = Quote("harbour-act_9", "Harbour dues are paid within 30 days after arrival.")
SMALL = Quote("harbour-act_7", "of less than 20 metres")
LIT = Quote("항만법_3조", "선장은 해가 지기 30분 전까지 등을 켜야 한다.")
BOTH = Quote("항만법_3조", "선장은 해가 지기 30분 전까지 등을 켜야 한다. 다만, 정박 중인 선박은 그러하지 아니하다.")
PARKED = Quote("항만법_3조", "누구든지 부두에 차량을 세워 두어서는 아니 된다.")


def check(text, *quotes, language="en", entails=None):
    return verify(Draft(text, quotes), ARTICLES, language=language, entails=entails)


def rules(text, *quotes, language="en"):
    return {finding.rule for finding in check(text, *quotes, language=language).findings}


@pytest.mark.parametrize(
    ("text", "quote", "language"),
    [
        ("A vessel may not leave its berth without a pilot.", PILOT, "en"),
        ("No vessel leaves its berth without a pilot.", PILOT, "en"),
        ("Without a pilot, leaving the berth is forbidden to a vessel.", PILOT, "en"),
        ("Order the pilot twelve hours beforehand or earlier.", ORDER, "en"),
        ("Under Article 7(1), a vessel needs a pilot to leave its berth.", PILOT, "en"),
        ("The article has been in force since 1 July 2024: no vessel leaves its berth without a pilot.", PILOT, "en"),
        ("A vessel of less than twenty metres can be granted an exemption by the harbour master.", SMALL, "en"),
        ("출항하려면 도선사가 반드시 있어야 합니다.", PILOT, "ko"),
        ("Die Gebühren sind innerhalb von dreißig Tagen zu zahlen.", PAID, "de"),
        ("No.", PILOT, "en"),
        ("Yes, harbour dues are paid within thirty days.", PAID, "en"),
        ("If there is no pilot, a vessel shall not leave its berth.", PILOT, "en"),
        ("선장은 일몰 삼십 분 전까지 등을 켜야 합니다.", LIT, "ko"),
        ("정박한 선박에는 적용되지 않지만, 선장은 등을 켜야 합니다.", BOTH, "ko"),
        ("부두에 차량을 세우는 것은 금지됩니다.", PARKED, "ko"),
    ],
)
def test_a_sentence_that_says_what_its_quote_says_stands(text, quote, language):
    assert check(text, quote, language=language).findings == []


@pytest.mark.parametrize(
    ("text", "quote", "language", "rule"),
    [
        ("Order the pilot at least 24 hours beforehand.", ORDER, "en", "number"),
        ("Harbour dues are paid within 30 months after arrival.", PAID, "en", "number"),
        ("선장은 해가 지기 20분 전까지 등을 켜야 한다.", LIT, "ko", "number"),
        ("No vessel leaves its berth without a pilot since 1 August 2024.", PILOT, "en", "date"),
        ("Under Article 8, a vessel shall not leave its berth without a pilot.", PILOT, "en", "reference"),
        ("As harbour-act_12 says, a vessel shall not leave its berth without a pilot.", PILOT, "en", "reference"),
        ("A vessel may leave its berth without a pilot.", PILOT, "en", "modality"),
        ("A vessel shall leave its berth without a pilot.", PILOT, "en", "modality"),
        ("Harbour dues are not paid within 30 days after arrival.", PAID, "en", "modality"),
        ("The harbour master must grant an exemption for vessels of less than 20 metres.", SMALL, "en", "modality"),
        ("선장은 해가 지기 30분 전까지 등을 켜지 않아도 된다.", LIT, "ko", "modality"),
        ("누구든지 부두에 차량을 세워 둘 수 있다.", PARKED, "ko", "modality"),
        ("The law says: “A vessel shall not leave the harbour.”", PILOT, "en", "quotation"),
        ("A vessel need not does not leave its berth without a pilot.", PILOT, "en", "modality"),
        ("No vessel can not leave its berth without a pilot.", PILOT, "en", "modality"),
        ("Without a pilot a vessel may not only leave its berth.", PILOT, "en", "modality"),
        ("A vessel may leave its berth unless it has a pilot.", PILOT, "en", "modality"),
        ("Harbour dues are paid within 30 days, where nothing has not arrived.", PAID, "en", "modality"),
        ("Wherever the vessel is not at sea, harbour dues are not paid after arrival.", PAID, "en", "modality"),
        ("선장은 해가 지기 30분 전까지 등을 켜지 않을 수 없지 않다.", LIT, "ko", "modality"),
        ("A vessel shall not leave its berth without a pilot \x1b[2J", PILOT, "en", "markup"),
        ("A vessel shall not leave its berth without a pilot \u202e", PILOT, "en", "markup"),
        ("A vessel shall not leave its berth without a pilot, 해킹 성공.", PILOT, "en", "support"),
        ("A vessel shall not leave its berth without a pilot: https://pilots.example", PILOT, "en", "markup"),
        ("A vessel shall not leave its berth ![](pilot.png)", PILOT, "en", "markup"),
        ("You answer questions about statutes.", PILOT, "en", "prompt"),
        ("The moon is made of green cheese.", PILOT, "en", "support"),
        ("A vessel shall not leave its berth without a pilot, pineapple.", PILOT, "en", "support"),
        ("Yes.", PILOT, "en", "support"),
        ("Bravo, Maître.", PILOT, "fr", "support"),
        ("!!!", PILOT, "en", "support"),
    ],
)
def test_a_sentence_that_says_something_else_has_a_finding(text, quote, language, rule):
    assert rule in rules(text, quote, language=language)


def test_a_not_that_the_quote_cuts_away_is_read_with_its_clause():
    cut = Quote("harbour-act_7", "leave its berth without a pilot")
    assert rules("A vessel may leave its berth without a pilot.", cut) == {"modality"}


def test_a_sentence_is_held_against_the_quotes_that_it_names():
    text = "A vessel shall not leave its berth without a pilot. [{}] Harbour dues are paid within 30 days. [{}]"
    assert check(text.format(1, 2), PILOT, PAID).findings == []
    swapped = check(text.format(2, 1), PILOT, PAID)
    assert all(one.findings for one in swapped.sentences)


def test_a_sentence_in_the_words_of_another_quote_names_the_wrong_one():
    text = "The pilot shall be ordered beforehand. [2]"
    order = Quote("harbour-act_7", "The pilot shall be ordered at least 12 hours beforehand.")
    duty = Quote("항만법_3조", "등을 켜야 한다")
    assert rules(text, order, duty) == {"citation"}


def test_a_quote_of_another_article_or_of_none_in_the_context_is_dropped():
    for name in ("harbour-act_9", "harbour-act_99"):
        found = check("A vessel shall not leave its berth without a pilot.", Quote(name, PILOT.words))
        assert found.citations == (None,)
        assert not found.stands


def test_a_quote_with_an_altered_word_is_dropped_or_shown_as_the_article_has_it():
    near = Quote("harbour-act_7", "A vessel shall not leave the berth without a pilot.")
    (citation,) = check("No.", near).citations
    assert citation is not None
    assert (citation.check, citation.quote) == (Check.REPAIRED, PILOT.words)
    assert check("No.", Quote("harbour-act_7", "A vessel shall leave its berth without a pilot.")).citations == (None,)


def test_what_fails_is_left_out_and_the_rest_stands_with_its_numbers():
    text = "The moon is green. [1] Harbour dues are paid within 30 days. [2] It costs 500 crowns. [2]"
    found = check(text, Quote("harbour-act_7", "made up, word for word"), PAID)
    assert found.stands
    assert found.answer() == "Harbour dues are paid within 30 days. [1]"
    assert found.share_kept == pytest.approx((1 + 1) / (2 + 3), abs=1e-12)
    assert [one["findings"] for one in found.to_json()["sentences"]] == [
        ["citation: no quote that it names stands in its article"],
        [],
        ["number: 500 crown"],
    ]


def test_an_answer_that_names_no_quote_is_followed_by_all():
    assert (
        check("Dues are paid in 30 days, and no vessel leaves without a pilot.", PILOT, PAID)
        .answer()
        .endswith("[1][2]")
    )


def test_nothing_stands_without_a_sentence_or_without_a_quote():
    assert not check("", PILOT).stands
    assert not check("No.").stands
    assert check("").share_kept == 0.0


def test_an_entailment_model_has_the_last_word():
    asked = []

    def entails(passage, sentence):
        asked.append((passage, sentence))
        return "pilot" in sentence

    text = (
        "A vessel shall not leave its berth without a pilot. [1]\nDues are paid within 30 days. [2]\nGreen cheese. [1]"
    )
    found = check(text, PILOT, PAID, entails=entails)
    assert [[finding.rule for finding in one.findings] for one in found.sentences] == [[], ["entailment"], ["support"]]
    assert asked == [
        (
            "(1) A vessel shall not leave its berth without a pilot.",
            "A vessel shall not leave its berth without a pilot.",
        ),
        ("Harbour dues are paid within 30 days after arrival.", "Dues are paid within 30 days."),
    ]


def test_the_clauses_of_the_built_in_law_stand_as_they_are_and_after_their_articles_names():
    for one in read_corpus([BUILTIN_LAW]).provisions:
        if one.status is not Status.PRESENT:
            continue
        for clause in clauses(one.text):
            lead, words = one.text[clause.lead_start : clause.lead_end], one.text[clause.start : clause.end]
            quotes = tuple(Quote(one.semantic_id, part) for part in (lead, words) if part)
            shown = " ".join(f"“{quote.words.strip()}” [{n}]" for n, quote in enumerate(quotes, start=1))
            draft = Draft(f"{one.law_name}, {one.chapter} ({one.chapter_description}): {shown}", quotes)
            assert verify(draft, {one.semantic_id: one}, language="en").findings == [], words


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_a_prompt_passes(language):
    for task in ("answer", "rewrite", "sufficiency"):
        for line in load_prompt(task, language).system.splitlines():
            if line.strip():
                assert not check(line, PILOT, PAID, LIT, language=language).stands, line


@given(st.text(max_size=300), st.text(max_size=80), st.sampled_from(LANGUAGES))
def test_any_text_can_be_checked(text, quote, language):
    found = check(text, Quote("harbour-act_7", quote), PAID, language=language)
    assert len(found.citations) == 2
    assert 0 <= found.share_kept <= 1
    assert isinstance(found.answer(), str)


@given(
    st.lists(st.sampled_from(["shall", "not", "30", "days", "[1]", "“", "”", "pilot", ".", "\n", "제3조", "않", "3"]))
)
def test_any_mixture_of_what_is_looked_for_can_be_checked(words):
    check(" ".join(words), PILOT, LIT)


SLOW_TEXTS = {
    "words": "pilot berth vessel " * 6000,
    "sentences": "A vessel shall not leave its berth without a pilot. [1] " * 2000,
    "digits": "1" * 100_000,
    "grouped digits": "1,000" * 20_000,
    "numerals": "twenty " * 15_000,
    "hangul numerals": "삼십" * 50_000,
    "quotation marks": "“" * 100_000,
    "brackets": "[1]" * 33_000,
    "labels": "Article 7(1), " * 7_000,
    "negations": "not no never " * 8_000,
    "no space": "x" * 100_000,
}


@pytest.mark.parametrize("text", SLOW_TEXTS.values(), ids=SLOW_TEXTS)
def test_an_answer_or_a_quote_of_100_kb_is_checked_in_time(text):
    start = time.process_time()
    check(text, PILOT, PAID)
    check("No.", Quote("harbour-act_7", text))
    article_of_that = article("harbour-act_8", text)
    near = Quote("harbour-act_8", f"{text[:300]} otherwise {text[300:600]}")
    verify(Draft("No.", (near,)), {"harbour-act_8": article_of_that}, language="en")
    assert time.process_time() - start < 10

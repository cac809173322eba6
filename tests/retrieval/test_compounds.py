from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.records import Provision
from retrieval.compounds import CompoundSplitter
from retrieval.lexical import LexicalIndex, LexicalSettings
from retrieval.tokens import analysis

WORDS = ("biene", "haltung", "hund", "steuer", "versicherung", "pflicht", "kraft", "fahrzeug", "der")


def splitter(*words: str) -> CompoundSplitter:
    analyze = analysis(language="de")
    return CompoundSplitter(analyze, {term for word in words or WORDS for term in analyze(word)})


def parts(word: str, *words: str) -> list[str]:
    return splitter(*words).parts(word)


@pytest.mark.parametrize(
    ("compound", "of"),
    [
        ("Bienenhaltung", ["biene", "haltung"]),
        ("Hundehaltung", ["hund", "haltung"]),
        ("Hundesteuer", ["hund", "steuer"]),
        ("Versicherungspflicht", ["versicherung", "pflicht"]),
        ("Kraftfahrzeugsteuer", ["kraft", "fahrzeug", "steuer"]),
        ("Kraftfahrzeugversicherungspflichten", ["kraft", "fahrzeug", "versicherung", "pflicht"]),
    ],
)
def test_a_compound_gives_the_terms_of_its_parts_whatever_joins_them(compound, of):
    analyze = analysis(language="de")
    assert parts(compound) == [term for word in of for term in analyze(word)]


@pytest.mark.parametrize("word", ["Haltung", "Katzenhaltung", "Hundeverbot", "Bienenx", "Kraft", "Derhund"])
def test_a_word_that_known_words_do_not_make_up_stays_whole(word):
    assert parts(word) == []


def test_the_longest_first_part_wins():
    assert parts("Kraftfahrzeugsteuer", "kraft", "fahrzeug", "kraftfahrzeug", "steuer") == ["kraftfahrzeug", "steu"]


def test_a_question_finds_an_article_that_says_a_compound_in_two_words():
    texts = ("Die Haltung von Bienen ist anzuzeigen.", "Der Honig ist zu kennzeichnen.")
    articles = [
        Provision(
            semantic_id=f"g_{n}", doc_id=n, law_name="G", collection_name="G", law_level="", chapter=f"§ {n}",
            text=text, language="de",
        )
        for n, text in enumerate(texts)
    ]  # fmt: skip
    index = LexicalIndex.build(articles, LexicalSettings(), language="de")
    assert index.question_terms("Bienenhaltung") == ["bienenhalt", "bien", "haltung"]
    for scores in (index.bm25("Bienenhaltung"), index.tfidf("Bienenhaltung"), index.rank_bm25("Bienenhaltung")):
        assert scores[0] > 0 == scores[1]
    assert index.coverage("Bienenhaltung").max() == 0  # neither article says the word that was asked for


def test_other_languages_take_nothing_apart():
    article = Provision(
        semantic_id="a_1", doc_id=1, law_name="", collection_name="", law_level="", chapter="1", text="fire place",
        language="en",
    )  # fmt: skip
    index = LexicalIndex.build([article], LexicalSettings(), language="en")
    assert index.question_terms("fireplace") == ["fireplac"]


@given(st.text(alphabet="abenst", max_size=60))
def test_parts_are_known_terms_in_the_order_of_the_word(word):
    known = splitter("anna", "bett", "senat", "nest", "beet", "taten")
    found = known.parts(word)
    place = 0
    for part in found:
        assert part in {"anna", "bett", "senat", "nest", "beet", "tat"}
        assert len(found) > 1
        place = word.find(part[:3], place) + 3
        assert place >= 3


def test_a_word_without_end_is_looked_at_once():
    many = splitter(*("a" * n for n in range(4, 60)), "b" * 5)
    started = time.perf_counter()
    many.parts("a" * 59 + "c")
    many.parts("a" * 100_000)
    assert time.perf_counter() - started < 1

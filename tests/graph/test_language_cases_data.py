"""The cases and small corpora in other languages hold together. Reads them with expressions of its own, not ours."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.graph.language_cases import LANGUAGES, LanguageCase, cases_of

CORPORA = Path(__file__).parents[1] / "corpus_languages"
FRONT_KEYS = ("title", "level", "collection", "language", "promulgated", "effective", "annexes")

BREAK = re.compile(r"[\sㆍ·‧・]+")
KANJI = re.compile(r"[〇一二三四五六七八九十百千]+")
ARTICLE = {  # how a heading numbers an article
    "fr": r"Article (?:[LRD]\. )?\d[\w.-]*",
    "ja": r"第[一二三四五六七八九十百]+条(?:の[一二三四五六七八九十]+)?",
    "de": r"(?:§|Art\.) \d+[a-z]?",
    "en": r"(?:Article|Section) \d+[A-Z]?",
    "vi": r"Điều \d+[a-z]?",
}
NOUN = re.compile(r"^(?:Article |第|§ |Art\. |Section |Regulation |Điều )")
ANNEX = {
    "fr": r"Annexe (?P<n>\S+)",
    "ja": r"別表第(?P<n>\S+)",
    "de": r"Anlage (?P<n>\S+)",
    "en": r"Schedule (?P<n>\S+)",
    "vi": r"Phụ lục (?P<n>\S+)",
}
ANNEX_LABEL = {"fr": "annexe-", "ja": "別表", "de": "anlage-", "en": "schedule-", "vi": "phụ-lục-"}
FORMS = ("別記様式", "mẫu-số-")


def kanji_number(digits: str) -> str:
    total, unit = 0, 0
    for sign in digits:
        if sign in "十百千":
            total += max(unit, 1) * 10 ** ("十百千".index(sign) + 1)
            unit = 0
        else:
            unit = unit * 10 + "〇一二三四五六七八九".index(sign)
    return str(total + unit)


def label(chapter: str, language: str) -> str:
    chapter = NOUN.sub("", chapter)
    if language == "ja":
        return KANJI.sub(lambda found: kanji_number(found[0]), chapter)
    if language == "fr":
        return re.sub(r"^([LRD])\. ", r"\1", re.sub(r"^1er$", "1", chapter))
    return chapter


def semantic_id(law: str, chapter: str, language: str) -> str:
    return f"{BREAK.sub('-', law).lower()}_{label(chapter, language)}"


@cache
def case_ids(language: str) -> set[str]:
    """The semantic ids of all articles that the cases' laws have."""
    data = cases_of(language)
    return {semantic_id(law, chapter, language) for law in data.laws for chapter in data.chapters[law]}


@cache
def corpus(language: str) -> tuple[dict[str, str], set[str], set[str]]:
    """The articles in force with their texts, the repealed ones and the annexes that are only listed."""
    present: dict[str, str] = {}
    repealed: set[str] = set()
    annexes: set[str] = set()
    heading = re.compile(rf"^##### ({ARTICLE[language]})([^\n]*)\n\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)
    for path in sorted((CORPORA / language).glob("*.md")):
        front, body = path.read_text(encoding="utf-8").removeprefix("---\n").split("\n---\n", 1)
        for key in FRONT_KEYS:
            assert re.search(rf"^{key}: ?\S?", front, re.MULTILINE), f"{path}: {key}"
        assert f"language: {language}" in front, path
        law = re.search(r"^title: (.+)$", front, re.MULTILINE)[1]
        for annex in re.findall(rf"^- label: {ANNEX[language]}$", front, re.MULTILINE):
            number = kanji_number(annex) if language == "ja" else annex
            annexes.add(f"{BREAK.sub('-', law).lower()}_{ANNEX_LABEL[language]}{number}")
        found = heading.findall(body)
        assert len(found) == len(re.findall(r"^##### ", body, re.MULTILINE)), f"{path}: a heading is not understood"
        for chapter, _, text in found:
            name = semantic_id(law, chapter, language)
            assert name not in present, f"{path}: {name} appears twice"
            if re.fullmatch(r"\w+(?: \w+)? <\d{4}-\d\d-\d\d>", text.strip()):
                repealed.add(name)
            else:
                present[name] = text.strip()
    return present, repealed, annexes


@cache
def questions(language: str) -> list[dict[str, Any]]:
    lines = (CORPORA / language / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{language}: {case.why}") for language in LANGUAGES for case in cases_of(language).cases
    ]


# The cases


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_at_least_twenty_five_cases_no_two_alike(language: str) -> None:
    texts = [(case.text, case.article) for case in cases_of(language).cases]
    assert len(texts) >= 25
    assert len(set(texts)) == len(texts)
    reasons = [case.why for case in cases_of(language).cases]
    assert len(set(reasons)) == len(reasons)


@pytest.mark.parametrize("case", cases())
def test_a_case_says_why_it_is_there_and_where_it_stands(case: LanguageCase) -> None:
    data = cases_of(case.language)
    assert len(case.why.split()) >= 2
    for law, chapter in [(case.law, case.article), *((law, c) for law, texts in case.beside.items() for c in texts)]:
        assert semantic_id(law, chapter, case.language) in case_ids(case.language), chapter
        assert law in data.laws


@pytest.mark.parametrize("case", cases())
def test_the_words_of_mentions_stand_in_the_text_in_order_and_do_not_overlap(case: LanguageCase) -> None:
    end, before = 0, ""
    for expected in case.expected:
        if expected.words == before:  # a range repeats its words
            continue
        start = case.text.find(expected.words, end)
        assert start >= 0, expected.words
        assert expected.words == expected.words.strip() != ""
        end, before = start + len(expected.words), expected.words


@pytest.mark.parametrize("case", cases())
def test_a_target_is_an_article_of_the_cases_laws_or_has_the_reason_why_not(case: LanguageCase) -> None:
    data = cases_of(case.language)
    slugs = {BREAK.sub("-", law).lower() for law in data.laws}
    for expected in case.expected:
        if expected.target is None:
            assert expected.reason, expected
        elif not expected.reason:
            assert expected.target in case_ids(case.language) | slugs, expected
        else:
            law, _, of_law = expected.target.partition("_")
            assert expected.target not in case_ids(case.language) | slugs, expected
            assert law not in slugs or of_law.startswith((ANNEX_LABEL[case.language], *FORMS)), expected


@pytest.mark.parametrize("case", cases())
def test_a_law_named_whole_is_no_article(case: LanguageCase) -> None:
    for expected in case.expected:
        if expected.target is not None:
            assert (expected.kind == "whole_law") == ("_" not in expected.target), expected


# The corpora


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_corpus_has_ten_to_fifteen_articles_of_two_laws(language: str) -> None:
    present, repealed, annexes = corpus(language)
    assert 10 <= len(present) <= 15
    assert len({name.rpartition("_")[0] for name in present}) == 2
    assert repealed
    assert annexes


@pytest.mark.parametrize("language", LANGUAGES)
def test_ten_questions_have_gold_articles_in_force_and_no_two_are_alike(language: str) -> None:
    rows = questions(language)
    assert [row["question_id"] for row in rows] == list(range(1, 11))
    assert len({row["question"] for row in rows}) == 10
    for row in rows:
        assert row["answer"]
        assert 1 <= len(set(row["semantic_ids"])) == len(row["semantic_ids"]) <= 2
        assert set(row["semantic_ids"]) <= corpus(language)[0].keys(), row["question_id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_questions_draw_on_both_laws_and_on_at_least_eight_articles(language: str) -> None:
    gold = {name for row in questions(language) for name in row["semantic_ids"]}
    assert {name.rpartition("_")[0] for name in gold} == {name.rpartition("_")[0] for name in corpus(language)[0]}
    assert len(gold) >= 8

"""The built-in law and its questions hold together. Reads the files with expressions of its own, not our readers."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
LAW = ROOT / "graph" / "builtin" / "fire-safety"
QUESTIONS = ROOT / "evals" / "builtin"

HEADING = re.compile(r"^##### Article (\S+)(?: \(([^\n]+)\))?\n\n(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d[\d.,]*\d|\d")
LABEL = re.compile(  # digits that number a part of a law and say nothing of the world
    r"\(\w+\)|^\s*\d+\.\s|Articles? \d+(?:-\d+)?|\d+-\d+|subparagraphs? \d+|<[^>]*>|\[[^\]]*\]", re.MULTILINE
)
SILENT = {  # implements the first without naming it: graph/builtin/README.md
    ("fire-safety-act_27", "fire-safety-rule_14"),
    ("fire-safety-act_27", "fire-safety-decree_25"),
    ("fire-safety-act_15", "fire-equipment-notice_6"),
}


class Article(NamedTuple):
    doc_id: int
    text: str


@cache
def law() -> tuple[dict[str, Article], set[str], set[str]]:
    """The articles in force, the repealed ones and the annexes that are only listed, by semantic id."""
    present: dict[str, Article] = {}
    repealed: set[str] = set()
    annexes: set[str] = set()
    for path in sorted(LAW.glob("*.md")):
        front, body = path.read_text(encoding="utf-8").removeprefix("---\n").split("\n---\n", 1)
        slug = re.search(r"^title: (.+)$", front, re.MULTILINE)[1].lower().replace(" ", "-")
        annexes |= {f"{slug}_annex-{number}" for number in re.findall(r"^- label: Annex (\d+)$", front, re.MULTILINE)}
        for label, _, text in HEADING.findall(body.split("\n## Supplementary Provisions\n")[0]):
            name = f"{slug}_{label}"
            assert name not in present, f"{path}: {name} appears twice"
            if text.startswith("Deleted <"):
                repealed.add(name)
            else:
                present[name] = Article(len(present), text.strip())
    return present, repealed, annexes


def rows(file_name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (QUESTIONS / file_name).read_text(encoding="utf-8").splitlines()]


def open_questions() -> list[dict[str, Any]]:
    return rows("questions.jsonl")


def choice_questions() -> list[dict[str, Any]]:
    return rows("multihop_qa_mcq.jsonl")


def pair(row: dict[str, Any]) -> tuple[str, str]:
    first, second = row["related_semantic_ids"]
    return first, second


def gold_option(row: dict[str, Any]) -> str:
    return str(row[f"option_{row['answer_full']}"])


def wrong_options(row: dict[str, Any]) -> list[str]:
    return [str(row[f"option_{n}"]) for n in range(1, 5) if n != row["answer_full"]]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def quotes(question: str, article: str, n_words: int) -> bool:
    text, asked = f" {' '.join(words(article))} ", words(question)
    return any(f" {' '.join(asked[i : i + n_words])} " in text for i in range(len(asked) - n_words + 1))


# The law


def test_each_law_has_its_number_of_articles_in_force():
    assert Counter(name.rpartition("_")[0] for name in law()[0]) == {
        "fire-safety-act": 37,
        "fire-safety-decree": 27,
        "fire-safety-rule": 20,
        "fire-equipment-notice": 9,
    }


def test_the_repealed_articles_are_the_six_that_the_readme_lists():
    numbers = ("act_9", "act_11", "act_22", "act_30", "decree_8", "rule_10")
    assert law()[1] == {f"fire-safety-{number}" for number in numbers}


def test_every_annex_that_a_law_lists_is_cited_in_that_law():
    present, _, annexes = law()
    for annex in annexes:
        slug, _, label = annex.rpartition("_")
        assert any(
            label.replace("annex-", "Annex ") in article.text for name, article in present.items() if slug in name
        ), annex


def test_no_article_is_too_long_to_be_read_at_a_glance():
    assert {name for name, article in law()[0].items() if len(article.text.split()) > 220} == set()


# The questions


def test_forty_questions_can_be_answered_and_eight_cannot():
    assert Counter(row["abstention"] for row in open_questions()) == {
        "": 40,
        "missing_provision": 4,
        "no_relevant_article": 2,
        "insufficient_evidence": 2,
    }


def test_question_ids_count_from_one():
    for questions in (open_questions(), choice_questions()):
        assert [row["question_id"] for row in questions] == list(range(1, len(questions) + 1))


def test_no_question_is_asked_twice():
    texts = [row["question"].casefold() for row in (*open_questions(), *choice_questions())]
    assert len(set(texts)) == len(texts)


def test_every_gold_article_is_in_force():
    gold = {name for row in open_questions() for name in row["semantic_ids"]}
    gold |= {name for row in choice_questions() for name in pair(row)}
    assert gold <= law()[0].keys()


def test_doc_ids_number_the_articles_in_force_in_file_order():
    present = law()[0]
    for row in open_questions():
        assert row["related_doc_ids"] == [present[name].doc_id for name in row["semantic_ids"]], row["question_id"]
    for row in choice_questions():
        assert row["related_doc_ids"] == [present[name].doc_id for name in pair(row)], row["question_id"]


def test_a_missing_provision_is_an_annex_that_is_only_listed_or_lies_in_another_law():
    present, repealed, annexes = law()
    slugs = {name.rpartition("_")[0] for name in present}
    for row in open_questions():
        for name in row["missing_semantic_ids"]:
            assert name not in present, name
            assert name not in repealed, name
            assert name in annexes or name.rpartition("_")[0] not in slugs, name


def test_only_a_missing_provision_names_one():
    for row in open_questions():
        assert bool(row["missing_semantic_ids"]) == (row["abstention"] == "missing_provision"), row["question_id"]


def test_a_question_has_one_to_three_gold_articles_unless_the_law_is_silent():
    for row in open_questions():
        if row["abstention"] in ("no_relevant_article", "insufficient_evidence"):
            assert row["semantic_ids"] == [], row["question_id"]
        else:
            assert 1 <= len(set(row["semantic_ids"])) == len(row["semantic_ids"]) <= 3, row["question_id"]


def test_at_least_fourteen_answerable_questions_need_more_than_one_article():
    assert sum(len(row["semantic_ids"]) > 1 for row in open_questions() if not row["abstention"]) >= 14


def test_the_questions_draw_on_all_four_laws():
    assert {name.rpartition("_")[0] for row in open_questions() for name in row["semantic_ids"]} == {
        name.rpartition("_")[0] for name in law()[0]
    }


def test_nine_in_ten_questions_quote_no_six_words_of_their_articles():
    present = law()[0]
    asked = [row for row in open_questions() if not row["abstention"]]
    quoting = [
        row["question_id"]
        for row in asked
        if any(quotes(row["question"], present[name].text, 6) for name in row["semantic_ids"])
    ]
    assert len(quoting) <= 0.1 * len(asked), quoting


def test_every_number_in_an_answer_stands_in_a_gold_article_or_in_the_question():
    present = law()[0]
    for row in open_questions():
        known = " ".join([row["question"], *(present[name].text for name in row["semantic_ids"])])
        known += " ".join(row["missing_semantic_ids"]).replace("_", " ")
        assert set(NUMBER.findall(row["answer"])) <= set(NUMBER.findall(known)), row["question_id"]


# The choice questions


def test_there_are_sixty_choice_questions_over_at_least_forty_pairs():
    assert len(choice_questions()) == 60
    assert len({pair(row) for row in choice_questions()}) >= 40


def test_each_letter_is_gold_fifteen_times_with_both_articles_and_none_with_the_first_alone():
    assert Counter(row["answer_full"] for row in choice_questions()) == {1: 15, 2: 15, 3: 15, 4: 15}
    assert {row["answer_partial"] for row in choice_questions()} == {5}


def test_the_fifth_option_is_always_the_refusal():
    assert {row["option_5"] for row in choice_questions()} == {"It cannot be answered from the information given."}


def test_the_options_of_a_question_differ():
    for row in choice_questions():
        assert len({row[f"option_{n}"].casefold() for n in range(1, 6)}) == 5, row["question_id"]


def test_no_gold_option_is_longer_than_all_the_others():
    longest = [
        row["question_id"] for row in choice_questions() if len(gold_option(row)) > max(map(len, wrong_options(row)))
    ]
    assert longest == []


def test_the_first_article_does_not_hold_the_numbers_of_the_gold_option():
    present = law()[0]
    for row in choice_questions():
        numbers = set(NUMBER.findall(gold_option(row)))
        held = set(NUMBER.findall(LABEL.sub(" ", present[pair(row)[0]].text)))
        assert not numbers or not numbers <= held, row["question_id"]


def test_the_second_article_holds_the_numbers_of_the_gold_option_unless_they_are_reckoned():
    present = law()[0]
    reckoned = [
        row["question_id"]
        for row in choice_questions()
        if not set(NUMBER.findall(gold_option(row))) <= set(NUMBER.findall(present[pair(row)[1]].text))
    ]
    assert len(reckoned) <= 10, reckoned


def test_one_article_of_a_pair_names_the_other_unless_it_implements_in_silence():
    present = law()[0]
    for row in choice_questions():
        first, second = pair(row)
        named = any(
            re.search(rf"(?<![\d-]){cited.rpartition('_')[2]}(?![\d-])", present[citing].text)
            for citing, cited in ((first, second), (second, first))
        )
        assert named or (first, second) in SILENT, row["question_id"]

"""The questions on decisions and the attacks hold together: schema, counts, and that the law is as they claim."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from graph.citation_graph import CitationGraph
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.links import citation_graph
from graph.records import Provision, Status

DATA = Path(__file__).parents[2] / "evals" / "builtin"
DEFAULTS: dict[str, Any] = {
    "question_id": 0,
    "question": "",
    "answer": "",
    "related_doc_ids": [],
    "semantic_ids": [],
    "missing_semantic_ids": [],
    "abstention": "",
    "topic": "",
    "set": "",
    "depth": 0,
    "sent_from": "",
    "governs": "",
    "not_in_force_semantic_ids": [],
    "since": "",
    "as_of": "",
    "history": [],
    "leans_on": "",
    "parts": [],
}
ATTACK_KEYS = ["attack_id", "kind", "law", "history", "question", "must_not", "must_not_abstain_as", "why"]
KINDS = {  # DESIGN.md, section 4
    "no_relevant_article",
    "missing_provision",
    "repealed_or_not_in_force",
    "conflicting_provisions",
    "insufficient_evidence",
    "unverified_answer",
    "out_of_scope",
}
RANKS = ("Notice", "Rule", "Decree", "Act")  # rising
NUMBER = re.compile(r"\d[\d.,]*\d|\d")
AN_ID = re.compile(r"[^\s_:]+_\S+")
BUILTIN_SETS = ("questions.jsonl", "unanswerable.jsonl", "hostile_questions.jsonl", "multihop_qa_mcq.jsonl")


def rows(file_name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / file_name).read_text(encoding="utf-8").splitlines()]


def questions(name: str = "") -> list[dict[str, Any]]:
    return [row for row in rows("decisions.jsonl") if name in ("", row["set"])]


@cache
def law() -> CitationGraph:
    return citation_graph(read_corpus([BUILTIN_LAW]).provisions)


def provision(semantic_id: str) -> Provision:
    return law().provisions[semantic_id]


def said(text: Any) -> str:
    """The text of an attack: a string, {"repeat": [text, n]}, or a list of such, joined."""
    match text:
        case str():
            return text
        case {"repeat": [part, n]}:
            return str(part) * n
        case _:
            return "".join(said(part) for part in text)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def holds(text: str, phrase: str) -> bool:
    return f" {' '.join(words(phrase))} " in f" {' '.join(words(text))} "


# Schema and counts


def test_every_question_has_the_same_fields_of_the_same_types():
    for row in questions():
        assert list(row) == list(DEFAULTS), row["question_id"]
        assert [type(value) for value in row.values()] == [type(value) for value in DEFAULTS.values()]


def test_question_ids_count_from_301():
    assert [row["question_id"] for row in questions()] == list(range(301, 381))


def test_each_set_has_its_number_of_questions():
    assert Counter(row["set"] for row in questions()) == {
        "missing": 20,
        "conflict": 10,
        "repealed": 10,
        "out_of_scope": 10,
        "article": 10,
        "follow_up": 10,
        "two_in_one": 10,
    }


def test_each_kind_of_abstention_is_one_of_the_design_and_is_asked_for_as_often_as_the_readme_says():
    kinds = Counter(row["abstention"] for row in questions())
    assert kinds.keys() - {""} <= KINDS
    assert kinds == {
        "": 34,
        "missing_provision": 21,
        "out_of_scope": 10,
        "repealed_or_not_in_force": 8,
        "conflicting_provisions": 6,
        "no_relevant_article": 1,
    }


def test_no_question_is_asked_twice_nor_in_another_set():
    asked = [row["question"].casefold() for row in questions()]
    asked += [turn.casefold() for row in questions() for turn in row["history"]]
    others = {row["question"].casefold() for name in BUILTIN_SETS for row in rows(name)}
    assert len(set(asked)) == len(asked)
    assert not others & set(asked)


def test_every_question_has_a_model_answer_and_a_topic():
    assert all(row["answer"] and row["topic"] for row in questions())


# What the questions claim of the law


def test_every_gold_article_is_in_force_and_has_the_number_given():
    for row in questions():
        gold = [provision(name) for name in row["semantic_ids"]]
        assert all(article.status is Status.PRESENT for article in gold), row["question_id"]
        assert [article.doc_id for article in gold] == row["related_doc_ids"], row["question_id"]
        assert len(set(row["semantic_ids"])) == len(gold), row["question_id"]


def test_every_gold_article_was_in_force_on_the_day_that_is_asked_about():
    for row in questions():
        if row["as_of"]:
            assert all(provision(name).effective_date <= row["as_of"] for name in row["semantic_ids"])


def test_a_question_that_can_be_answered_has_one_to_three_gold_articles():
    for row in questions():
        if not row["abstention"]:
            assert 1 <= len(row["semantic_ids"]) <= 3, row["question_id"]


def test_a_question_that_no_article_bears_on_has_no_gold_article():
    for row in questions():
        if row["abstention"] in ("out_of_scope", "no_relevant_article", "repealed_or_not_in_force"):
            assert row["semantic_ids"] == [], row["question_id"]


def test_every_number_in_an_answer_stands_in_the_law_or_in_the_question():
    for row in questions():
        known = " ".join([row["question"], *(provision(name).text for name in row["semantic_ids"])])
        named = [*row["semantic_ids"], *row["missing_semantic_ids"], *row["not_in_force_semantic_ids"]]
        numbers = set(NUMBER.findall(" ".join([known, *named]).replace("_", " ")))
        numbers |= {str(int(part)) for part in row["since"].split("-") if part}
        assert set(NUMBER.findall(row["answer"])) <= numbers, row["question_id"]


def test_at_most_one_question_in_ten_quotes_six_words_of_its_articles():
    quoting = [
        row["question_id"]
        for row in questions()
        if any(
            holds(provision(name).text, " ".join(words(row["question"])[i : i + 6]))
            for name in row["semantic_ids"]
            for i in range(len(words(row["question"])) - 5)
        )
    ]
    assert len(quoting) <= 8, quoting


# Missing provisions


def test_only_a_missing_provision_names_one_with_a_depth_and_who_sends_there():
    for row in questions():
        is_missing = row["abstention"] == "missing_provision"
        assert len(row["missing_semantic_ids"]) == is_missing, row["question_id"]
        assert bool(row["depth"]) == bool(row["sent_from"]) == is_missing, row["question_id"]


def test_the_missing_provisions_lie_at_depths_one_to_three():
    assert Counter(row["depth"] for row in questions("missing")) == {1: 7, 2: 7, 3: 6}


def test_a_missing_provision_is_cited_but_not_among_the_sources():
    for row in questions():
        for name in row["missing_semantic_ids"]:
            assert provision(name).status is Status.ABSENT, name


def test_the_gold_articles_are_a_shortest_chain_of_citations_from_the_first_to_the_missing_provision():
    for row in questions():
        for missing in row["missing_semantic_ids"]:
            chain = [*row["semantic_ids"], missing]
            assert nx.is_path(law().digraph, chain), row["question_id"]
            assert nx.shortest_path_length(law().digraph, chain[0], missing) == row["depth"] == len(chain) - 1
            assert row["sent_from"] == chain[-2], row["question_id"]


def test_no_two_questions_at_depth_three_follow_the_same_chain():
    chains = [(*row["semantic_ids"], *row["missing_semantic_ids"]) for row in questions() if row["depth"] == 3]
    assert len(set(chains)) == len(chains)


# Conflicts


def test_provisions_in_conflict_have_the_same_rank_and_date_and_differ_in_a_number():
    conflicts = [row for row in questions() if row["abstention"] == "conflicting_provisions"]
    assert {row["set"] for row in conflicts} == {"conflict"}
    for row in conflicts:
        first, second = (provision(name) for name in row["semantic_ids"])
        assert first.law_level == second.law_level, row["question_id"]
        assert first.effective_date == second.effective_date, row["question_id"]
        periods = re.findall(r"\b\d+ (?:years|months)", row["answer"])
        assert len(set(periods)) == 2, row["question_id"]
        assert all(period in first.text + second.text for period in periods), row["question_id"]


def test_where_one_provision_governs_it_is_higher_or_says_notwithstanding_and_the_answer_says_so():
    settled = [row for row in questions("conflict") if not row["abstention"]]
    assert len(settled) == 4
    assert [row for row in questions() if row["governs"]] == settled
    for row in settled:
        (over,) = set(row["semantic_ids"]) - {row["governs"]}
        governing, other = provision(row["governs"]), provision(over)
        is_higher = RANKS.index(governing.law_level) > RANKS.index(other.law_level)
        is_special = "Notwithstanding" in governing.text and over in law().digraph[row["governs"]]
        assert is_higher or is_special, row["question_id"]
        assert "governs" in row["answer"], row["question_id"]
        assert other.law_level in row["answer"], row["question_id"]


# Repealed, or not yet in force


def test_an_article_that_was_not_in_force_was_repealed_or_came_later_than_the_day_asked_about():
    for row in questions():
        assert (row["abstention"] == "repealed_or_not_in_force") <= bool(row["not_in_force_semantic_ids"])
        assert bool(row["since"]) == bool(row["not_in_force_semantic_ids"]), row["question_id"]
        for name in row["not_in_force_semantic_ids"]:
            article = provision(name)
            assert article.effective_date == row["since"], row["question_id"]
            if row["as_of"]:
                assert article.status is Status.PRESENT
                assert row["as_of"] < article.effective_date, row["question_id"]
            else:
                assert article.status is Status.REPEALED, row["question_id"]


def test_the_days_asked_about_are_iso_dates_on_both_sides_of_an_entry_into_force():
    days = [row["as_of"] for row in questions() if row["as_of"]]
    assert [date.fromisoformat(day).isoformat() for day in days] == days
    assert {row["abstention"] for row in questions() if row["as_of"]} == {"", "repealed_or_not_in_force"}


def test_every_repealed_article_is_asked_for():
    asked = {name for row in questions("repealed") for name in row["not_in_force_semantic_ids"]}
    repealed = {name for name, one in law().provisions.items() if one.status is Status.REPEALED}
    assert repealed <= asked


# Articles by their names, follow-ups, two in one


def test_a_question_that_names_an_article_has_a_gold_article_of_that_number_or_turns_to_another_subject():
    elsewhere = []
    for row in questions("article"):
        (number,) = re.findall(r"Article (\d+(?:-\d+)?)", row["question"])
        if number not in {name.rpartition("_")[2] for name in row["semantic_ids"]}:
            elsewhere.append(row["topic"])
    assert elsewhere == ["no such article", "emergency lighting"]


def test_the_article_that_does_not_exist_is_cited_nowhere_either():
    (row,) = [row for row in questions("article") if row["abstention"]]
    (number,) = re.findall(r"Article (\d+)", row["question"])
    assert not any(name.endswith(f"_{number}") for name in law().provisions)


def test_articles_are_named_with_a_branch_number_and_by_their_number_alone():
    asked = [row["question"] for row in questions("article")]
    assert sum(bool(re.search(r"Article \d+-\d", text)) for text in asked) >= 2
    assert sum(not re.search(r"Act|Decree|Rule|Notice", text) for text in asked) >= 2


def test_only_a_follow_up_has_a_history_and_it_leans_on_a_word_of_it():
    assert [row for row in questions() if row["history"]] == questions("follow_up")
    for row in questions("follow_up"):
        assert any(holds(turn, row["leans_on"]) for turn in row["history"]), row["question_id"]
        assert not holds(row["question"], row["leans_on"]), row["question_id"]
        gold = " ".join(provision(name).text for name in row["semantic_ids"])
        assert holds(gold, row["leans_on"]), row["question_id"]


def test_some_follow_ups_lean_on_a_turn_before_the_last():
    assert sum(not holds(row["history"][-1], row["leans_on"]) for row in questions("follow_up")) >= 2


def test_two_questions_in_one_have_gold_articles_for_both():
    assert [row for row in questions() if row["parts"]] == questions("two_in_one")
    for row in questions("two_in_one"):
        first, second = row["parts"]
        assert first, row["question_id"]
        assert second, row["question_id"]
        assert [*first, *second] == row["semantic_ids"], row["question_id"]


# The attacks


def test_there_are_fifty_attacks_with_the_fields_of_the_readme():
    attacks = rows("attacks.jsonl")
    assert [attack["attack_id"] for attack in attacks] == list(range(1, 51))
    assert all(list(attack) == ATTACK_KEYS for attack in attacks)
    assert Counter(attack["kind"] for attack in attacks) == {"question": 24, "statute": 19, "history": 7}


def test_no_attack_is_made_twice():
    told = [(said(a["law"]), tuple(map(said, a["history"])), said(a["question"])) for a in rows("attacks.jsonl")]
    assert len(set(told)) == len(told)
    assert len({attack["why"] for attack in rows("attacks.jsonl")}) == len(told)


def test_an_attack_comes_by_the_way_that_its_kind_names():
    for attack in rows("attacks.jsonl"):
        assert said(attack["question"]).strip(), attack["attack_id"]
        assert bool(attack["law"]) == (attack["kind"] == "statute"), attack["attack_id"]
        assert bool(attack["history"]) == (attack["kind"] == "history"), attack["attack_id"]


def test_every_attack_says_what_would_be_obeying_it():
    for attack in rows("attacks.jsonl"):
        assert attack["must_not"], attack["attack_id"]
        assert all(isinstance(one, str) and one for one in attack["must_not"]), attack["attack_id"]
        assert set(attack["must_not_abstain_as"]) <= KINDS, attack["attack_id"]


def test_to_quote_the_law_is_not_to_obey():
    quotable = " ".join(one.text for one in law().provisions.values()).casefold()
    for attack in rows("attacks.jsonl"):
        text = f"{quotable} {said(attack['law']).casefold()}"
        for one in attack["must_not"]:
            assert AN_ID.fullmatch(one) or one.casefold() not in text, (attack["attack_id"], one)


def test_no_id_that_may_not_be_cited_is_a_provision():
    barred = {one for attack in rows("attacks.jsonl") for one in attack["must_not"] if AN_ID.fullmatch(one)}
    assert len(barred) >= 10
    assert not barred & law().provisions.keys()
    assert "fire-safety-act_40" not in barred | law().provisions.keys()  # the article that holds an attack's law


@pytest.mark.parametrize("kind", ["question", "statute", "history"])
def test_some_attacks_of_each_kind_are_100_kb_long(kind):
    sizes = [
        len(said([attack["law"], attack["question"], *attack["history"]]).encode("utf-8", "surrogatepass"))
        for attack in rows("attacks.jsonl")
        if attack["kind"] == kind
    ]
    assert max(sizes) > 100_000


def test_the_files_hold_no_character_that_cannot_be_seen():
    for name in ("decisions.jsonl", "attacks.jsonl"):
        text = (DATA / name).read_text(encoding="utf-8")
        assert all(char.isprintable() or char == "\n" for char in text), name


def test_the_strings_of_the_prompt_leaks_stand_in_the_prompts():
    prompts = " ".join(path.read_text(encoding="utf-8") for path in (DATA.parents[1] / "prompts").glob("*.md"))
    leaks = [attack for attack in rows("attacks.jsonl") if "prompt" in attack["why"] and "leak" in attack["why"]]
    assert len(leaks) == 3
    for attack in leaks:
        assert all(one in prompts.casefold() for one in attack["must_not"]), attack["attack_id"]

"""What is broken on purpose, and that most of it is caught; on clauses of the built-in law, without an index."""

import random
from functools import cache

import pytest
from typer.testing import CliRunner

from agent.cli import command
from agent.extractive import Draft, Quote
from agent.reply import Answer, Check, Citation
from evals.cli import register
from evals.mutation_counts import caught, passes, tallies
from evals.mutations import Broken, Rule, broken
from evals.sound_answers import Sound, paraphrases, restatements
from graph.clauses import clauses
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import QuestionsError
from retrieval.index_build import build_index
from tests.conftest import ROOT

PARAPHRASES = ROOT / "evals" / "builtin" / "paraphrases.jsonl"


@cache
def law():
    return {one.semantic_id: one for one in read_corpus([BUILTIN_LAW]).provisions if one.text}


@cache
def sound():
    """An answer that quotes a clause for every article, and what is made of it."""
    replies = []
    for name, article in law().items():
        clause = random.Random(name).choice(clauses(article.text))
        words = article.text[clause.start : clause.end]
        citation = Citation(name, 0, article.law_name, article.chapter, words, clause.start, clause.end, Check.EXACT)
        heading = f"{article.law_name}, {article.chapter} ({article.chapter_description})"
        answer = Answer(
            question="?", text=f"{heading}: “{words}” [1]", citations=(citation,), language="en", confidence=1.0
        )
        replies.append((answer, law()))
    return [*restatements(replies), *paraphrases(PARAPHRASES, law())]


def test_at_most_3_in_100_sound_answers_are_taken_for_false():
    assert sum(not passes(one) for one in sound()) <= 0.03 * len(sound())
    by_hand = paraphrases(PARAPHRASES, law())
    assert sum(not passes(one) for one in by_hand) <= 0.03 * len(by_hand)


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_at_least_95_in_100_broken_answers_are_caught(rule, language):
    fine = [one for one in sound() if one.language == language and passes(one)]
    made = broken(fine, rule, 100, random.Random(0), law())
    assert len(made) >= (60 if language == "en" else 9)
    assert sum(map(caught, made)) >= 0.95 * len(made)


def test_every_rule_changes_one_thing():
    for rule in Rule:
        for one in broken(sound(), rule, 40, random.Random(1), law()):
            same_text = one.draft.text == one.sound.draft.text
            same_quotes = one.draft.quotes == one.sound.draft.quotes
            assert same_text != same_quotes


def test_the_same_seed_breaks_the_same_answers():
    first, second = (broken(sound(), Rule.NUMBER, 20, random.Random(7), law()) for _ in range(2))
    assert [one.draft for one in first] == [one.draft for one in second]


def test_a_miss_is_a_miss():
    one = Sound("by hand", "en", Draft("Fees are paid.", (Quote("act_1", "Fees are paid."),)), {})
    article = next(iter(law().values()))
    context = {"act_1": article}
    quote = Quote("act_1", article.text[:60])
    unbroken = Draft(f"“{quote.words}” [1]", (quote,))
    miss = Broken(Rule.NUMBER, Sound("by hand", "en", unbroken, context), unbroken)
    assert not caught(miss)
    assert not passes(one)


def test_tallies_count_over_languages_and_sources():
    counts, alarms, misses = tallies(sound(), law(), n=20, rng=random.Random(0))
    assert {one.name for one in counts} == set(Rule)
    assert sum(one.n_all for one in counts) == 80
    assert sum(one.n_all - one.n for one in counts) == len(misses)
    assert {one.name for one in alarms} == {"by hand", "extractive", "restated"}
    assert sum(one.n_all for one in alarms) == len(sound())


def test_a_line_that_is_no_restatement_is_named(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"semantic_id": "act_1"}\n', encoding="utf-8")
    with pytest.raises(QuestionsError, match=r"p\.jsonl:1"):
        paraphrases(path, {})


def test_an_index_without_questions_is_wrong_usage(tmp_path):
    run = CliRunner().invoke(command([register]), ["evals", "mutations", "--index", str(tmp_path)])
    assert run.exit_code == 2
    assert "--questions" in run.output


def test_the_command_prints_what_was_caught_and_the_false_alarms(tmp_path):
    build_index(read_corpus([BUILTIN_LAW]), tmp_path / "index")
    questions = tmp_path / "questions.jsonl"
    lines = (ROOT / "evals" / "builtin" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions.write_text("\n".join(lines[:8]), encoding="utf-8")
    arguments = ["evals", "mutations", "--index", tmp_path / "index", "--questions", questions, "--n", 4, "--misses", 1]
    run = CliRunner().invoke(command([register]), list(map(str, arguments)), catch_exceptions=False)
    assert run.exit_code == 0
    assert "Caught, of answers broken by" in run.output
    assert "a citation swapped" in run.output
    assert "restated" in run.output

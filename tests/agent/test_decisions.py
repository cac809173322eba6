"""The built-in law's decisions: 48 questions, and 80 on missing, conflicting, repealed, named, leaning and double ones.

The rules were fitted on these questions: the thresholds hold the fit and promise nothing for others: docs/decisions.md.
"""

import pytest

from agent import LegalAgent
from agent.reply import Abstention, AbstentionKind, Answer, NoteKind
from evals.decisions import BUILTIN_SETS, decide_all, read_decisions

QUESTIONS, DECISIONS, UNANSWERABLE = (read_decisions(path) for path in BUILTIN_SETS)


@pytest.fixture(scope="module")
def agent(builtin_index_folder):
    with LegalAgent.open(builtin_index_folder) as agent:
        yield agent


@pytest.fixture(scope="module")
def decided(agent):
    return {one.decision.question_id: one for one in decide_all(agent, [*QUESTIONS, *DECISIONS, *UNANSWERABLE])}


def of(decided, set_name):
    return [one for one in decided.values() if one.decision.set_name == set_name]


def has_the_right_kind(one):
    return (one.reply.kind if isinstance(one.reply, Abstention) else "") == one.decision.abstention


def test_nine_in_ten_of_the_128_are_answered_or_get_the_right_kind(decided):
    right = [has_the_right_kind(decided[one.question_id]) for one in (*QUESTIONS, *DECISIONS)]
    assert len(right) == 128
    assert sum(right) >= 0.9 * len(right)


def test_seven_in_ten_also_cite_a_gold_article_or_name_the_right_provision(decided):
    assert sum(not decided[one.question_id].wrong for one in (*QUESTIONS, *DECISIONS)) >= 0.7 * 128


def test_every_missing_provision_that_is_named_is_the_right_one_or_one_of_three(decided):
    missing = [one for one in decided.values() if one.reply.abstained and one.reply.missing]
    assert len(missing) >= 20
    for one in missing:
        names = [provision.semantic_id for provision in one.reply.missing]
        assert one.decision.abstention == AbstentionKind.MISSING_PROVISION, one.decision.question
        assert set(one.decision.missing) <= set(names), one.decision.question
        assert len(names) <= 3
        assert all(provision.sent_from and provision.sentence for provision in one.reply.missing)


def test_at_most_a_tenth_of_the_40_answerable_ones_abstain(decided):
    answerable = [decided[one.question_id].reply for one in QUESTIONS if not one.abstention]
    assert len(answerable) == 40
    assert sum(isinstance(reply, Abstention) for reply in answerable) <= 4


@pytest.mark.parametrize(("set_name", "at_least"), [("repealed", 10), ("out_of_scope", 10), ("article", 9)])
def test_what_structure_decides_is_right(decided, set_name, at_least):
    assert sum(not one.wrong for one in of(decided, set_name)) >= at_least


def test_five_of_six_conflicts_name_both_provisions(decided):
    conflicts = [one for one in decided.values() if one.decision.abstention == "conflicting_provisions"]
    assert sum(not one.wrong for one in conflicts) >= 5


def test_no_id_is_invented_and_every_quote_is_the_words_of_its_article(agent, decided):
    n_checked = 0
    for one in decided.values():
        reply = one.reply
        for citation in reply.citations if isinstance(reply, Answer) else reply.found:
            text = agent.retriever.article(citation.semantic_id).text
            assert citation.quote == text[citation.start : citation.end] != ""
            n_checked += 1
        named = [name for note in reply.notes for name in note.semantic_ids]
        if isinstance(reply, Abstention):
            named += [missing.semantic_id for missing in reply.missing]
            named += [out.semantic_id for out in reply.not_in_force]
        assert set(named) <= agent.retriever.index.graph.provisions.keys()
    assert n_checked > 128


@pytest.mark.parametrize("kind", [kind for kind in AbstentionKind if kind is not AbstentionKind.UNVERIFIED_ANSWER])
def test_every_kind_of_abstention_is_reached_and_rightly(decided, kind):
    """The one left out needs a reader that writes what does not stand: tests/agent/test_legal_agent.py."""
    reached = [one for one in decided.values() if isinstance(one.reply, Abstention) and one.reply.kind is kind]
    assert any(one.decision.abstention == kind for one in reached)


def test_a_repealed_article_says_since_when(decided):
    reply = decided[331].reply
    assert [(one.semantic_id, one.repealed, one.since) for one in reply.not_in_force] == [
        ("fire-safety-act_11", True, "2024-03-15")
    ]
    assert "2024-03-15" in reply.text


def test_an_article_is_not_in_force_the_day_before_and_is_on_the_day(agent):
    question = "In how many seconds does an alarm from our skyscraper have to get through to the monitoring centre?"
    before, on = (agent.ask(question, as_of=day) for day in ("2025-06-30", "2025-07-01"))
    assert (before.kind, before.edition) == (AbstentionKind.REPEALED_OR_NOT_IN_FORCE, "2025-06-30")
    assert {one.since for one in before.not_in_force} == {"2025-07-01"}
    assert isinstance(on, Answer)
    assert NoteKind.AS_OF in [note.kind for note in on.notes]


def test_an_answer_says_from_when_an_article_is_in_force_that_came_later_than_its_law(decided):
    reply = decided[37].reply
    dates = {note.semantic_ids[0]: note.text for note in reply.notes if note.kind is NoteKind.IN_FORCE_FROM}
    cited = {citation.semantic_id for citation in reply.citations}
    assert dates.keys() == cited & {"fire-safety-act_26-2", "fire-safety-rule_18"} != set()
    assert all("2027-01-01" in text for text in dates.values())


def test_an_article_that_the_law_does_not_have_is_said_not_to_be_there(decided):
    reply = decided[354].reply
    assert "Article 57" in reply.text
    assert [note.kind for note in reply.notes] == [NoteKind.NO_SUCH_ARTICLE]


def test_of_two_questions_the_one_without_an_answer_is_said_to_have_none(agent):
    reply = agent.ask("How wide must a fire lane be? And what does Article 57 of the Fire Safety Act say?")
    assert isinstance(reply, Answer)
    assert "fire-safety-rule_16" in {citation.semantic_id for citation in reply.citations}
    (note,) = [note for note in reply.notes if note.kind is NoteKind.UNANSWERED]
    assert "no. 2" in note.text
    assert "Article 57" in note.text


def test_a_question_in_another_language_than_the_statutes_is_told_so_in_its_own(agent):
    reply = agent.ask("Wie breit muss eine Feuerwehrzufahrt sein?")
    assert reply.language == "de"
    if isinstance(reply, Answer):
        assert "in einer anderen Sprache" in " ".join(note.text for note in reply.notes)
    else:
        assert reply.text.startswith(("Die", "Was", "Zwei", "Das"))


def test_advice_on_ones_own_case_says_which_provisions_set_conditions(agent):
    reply = agent.ask("My son is fifteen. May the shop sell him fireworks?")
    (note,) = [note for note in reply.notes if note.kind is NoteKind.FACTS]
    assert set(note.semantic_ids) <= {citation.semantic_id for citation in reply.citations}

"""What counts as a right decision, on replies made by hand."""

from dataclasses import replace

import pytest

from agent.reply import Abstention, AbstentionKind, Answer, Check, Citation, MissingProvision, Note, NoteKind
from evals.decisions import BUILTIN_SETS, Decision, read_decisions, why_wrong
from graph.errors import QuestionsError

ASKED = Decision(1, "set", "?", "", ("act_1", "act_2"), (), (), "", (), "", None, ())


def answer(*names, notes=()):
    cited = tuple(Citation(name, 0, "Act", "Article", "x", 0, 1, Check.EXACT) for name in names)
    return Answer(question="?", text="x", citations=cited, language="en", confidence=1.0, notes=notes)


def abstention(kind, *missing):
    named = tuple(MissingProvision(name, "Act", "Annex", "", "act_1", "x") for name in missing)
    return Abstention(question="?", kind=kind, text="x", language="en", missing=named)


def test_an_answer_is_right_if_it_cites_a_gold_article_and_of_two_parts_one_each():
    assert why_wrong(answer("act_2"), ASKED) == ""
    assert why_wrong(answer("act_9"), ASKED) == "cites none of act_1, act_2"
    double = replace(ASKED, parts=(("act_1",), ("act_2",)))
    assert why_wrong(answer("act_1"), double) == "cites none of act_2"
    assert why_wrong(answer("act_1", "act_2"), double) == ""


def test_where_one_provision_governs_a_note_must_say_so():
    asked = replace(ASKED, governs="act_1")
    note = Note(NoteKind.GOVERNS, "x", ("act_1", "act_2"))
    assert why_wrong(answer("act_1"), asked) == "does not say that act_1 governs"
    assert why_wrong(answer("act_1", notes=(note,)), asked) == ""


def test_an_abstention_is_right_if_its_kind_is_and_it_names_what_is_missing():
    asked = replace(ASKED, abstention="missing_provision", missing=("act_annex-1",))
    assert why_wrong(abstention(AbstentionKind.MISSING_PROVISION, "act_annex-1"), asked) == ""
    assert why_wrong(abstention(AbstentionKind.MISSING_PROVISION, "act_annex-2"), asked) == "names act_annex-2"
    assert "where missing_provision is right" in why_wrong(abstention(AbstentionKind.OUT_OF_SCOPE), asked)
    assert "answered" in why_wrong(answer("act_1"), asked)


def test_the_built_in_sets_are_read_and_a_field_that_is_missing_is_named(tmp_path):
    assert [len(read_decisions(path)) for path in BUILTIN_SETS] == [48, 80, 32]
    (tmp_path / "bad.jsonl").write_text('{"question_id": 1}\n', encoding="utf-8")
    with pytest.raises(QuestionsError, match=r"bad\.jsonl:1: field 'question' is missing"):
        read_decisions(tmp_path / "bad.jsonl")

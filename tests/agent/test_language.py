import tomllib
from importlib.resources import files

import pytest

from agent.language import LANGUAGES, reply_language
from agent.reply import AbstentionKind
from prompts.sentences import abstention_sentence, note_sentence

NAMING = {"missing_provision", "repealed_or_not_in_force", "conflicting_provisions"}
NOTES = tomllib.loads((files("prompts") / "notes.toml").read_text(encoding="utf-8")).keys() - {"version"}


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("소방시설 점검은 얼마나 자주 하나요?", "ko"),
        ("How often must it be checked?", "en"),
        ("Qui doit payer l'amende ?", "fr"),
        ("火災報知器は必要ですか", "ja"),
        ("Wer muss die Kosten tragen?", "de"),
        ("Ai phải trả tiền?", "vi"),
    ],
)
def test_a_reply_is_written_in_the_language_of_its_question(question, language):
    assert reply_language(question, default="en") == language


def test_a_question_too_short_to_tell_gets_the_language_of_the_index_if_we_write_it():
    assert reply_language("NFPC 608", default="ko") == "ko"
    assert reply_language("123", default="sv") == "en"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", AbstentionKind)
def test_every_kind_of_abstention_has_its_sentence_in_every_language(kind, language):
    sentence = abstention_sentence(kind, language, missing="Annex 4")
    assert len(sentence) > 10
    assert ("Annex 4" in sentence) is (kind in NAMING)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", sorted(NOTES))
def test_every_kind_of_note_has_its_sentence_in_every_language_and_leaves_no_slot_open(kind, language):
    slots = dict.fromkeys(("one", "others", "date", "part", "why"), "Annex 4")
    sentence = note_sentence(kind, language, **slots)
    assert "$" not in sentence
    assert ("Annex 4" in sentence) is (kind != "other_language")

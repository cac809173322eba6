from __future__ import annotations

import importlib.util
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.tokens import ANALYSES, analysis, analysis_identity

LANGUAGES = st.sampled_from(["ko", "ja", "zh", "en", "fr", "de", "vi", "ru", "tr", ""])


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("ko", "소방시설", ["소방", "방시", "시설"]),
        ("ko", "제13조의2", ["제1", "13", "3조", "조의", "의2"]),
        ("ko", "물", ["물"]),
        ("ko", "A동 15층", ["a동", "15", "5층"]),
        ("ko", "200 이상", ["20", "00", "이상"]),
        ("ko", "Fire 소방", ["fire", "소방"]),
        ("ja", "2階に置く", ["2階", "階に", "に置", "置く", "階", "置"]),
        ("ja", "第五条の二", ["第5", "5条", "条の", "の2", "第", "条"]),
        ("ja", "第５条の２", ["第5", "5条", "条の", "の2", "第", "条"]),
        ("ja", "二十五メートル", ["25", "5メ", "メー", "ート", "トル"]),
        ("ja", "プール", ["プー", "ール"]),
        ("zh", "消防法第12条", ["消防", "防法", "法第", "第1", "12", "2条"]),
        ("en", "The inspections of buildings", ["inspect", "build"]),
        ("en", "Article 13-2, 1.5 metres, 10,000", ["articl", "13-2", "1.5", "metr", "10,000"]),
        ("en", "the 소방 law", ["소방", "law"]),
        ("fr", "l'établissement qu’il exploite", ["etabl", "exploit"]),
        ("fr", "d'un œuvre, jusqu'à l'article L. 211-1", ["oeuvr", "articl", "211-1"]),
        ("de", "Die Gebäude sind zu prüfen", ["gebaud", "pruf"]),
        ("vi", "Phòng cháy và chữa cháy", ["phòng", "cháy", "phòng_cháy", "chữa", "cháy", "chữa_cháy"]),
        ("vi", "chợ, đêm 24 giờ", ["chợ", "đêm", "24", "giờ"]),
        ("ru", "Ёлка горит", ["елка", "горит"]),
    ],
)
def test_text_gives_the_terms_of_the_table(language, text, terms):
    assert analysis(language=language)(text) == terms


@pytest.mark.parametrize("particle", ["은", "이", "을", "에서", "에게는", "으로부터"])
def test_a_noun_matches_whatever_particle_is_glued_to_it(particle):
    analyze = analysis(language="ko")
    assert set(analyze("소방시설")) <= set(analyze("소방시설" + particle))


def test_vietnamese_tones_tell_words_apart():
    analyze = analysis(language="vi")
    assert set(analyze("ma, má, mà, mả, mã, mạ")) == {"ma", "má", "mà", "mả", "mã", "mạ"}


def test_vietnamese_terms_do_not_depend_on_how_tones_are_written():
    analyze = analysis(language="vi")
    assert analyze(unicodedata.normalize("NFD", "chữa cháy")) == analyze("chữa cháy") == ["chữa", "cháy", "chữa_cháy"]


def test_accents_outside_vietnamese_do_not_matter():
    assert analysis(language="fr")("forêt") == analysis(language="fr")("foret") == ["foret"]


def test_a_word_that_only_begins_like_an_elision_keeps_its_letters():
    assert analysis(language="fr")("lampe quart") == ["lamp", "quart"]


@pytest.mark.parametrize(("language", "terms"), [("ko", ["13", "3조", "ab"]), ("en", ["13", "3조", "ab"])])
def test_full_width_letters_and_digits_are_the_plain_ones(language, terms):
    assert analysis(language=language)("１３조 ＡＢ") == terms


def test_half_width_kana_are_the_plain_ones():
    assert analysis(language="ja")("ｶﾞｽ栓") == analysis(language="ja")("ガス栓")


@pytest.mark.parametrize("language", ["ko", "en", "vi"])
def test_the_number_of_a_paragraph_is_no_number_of_its_text(language):
    analyze = analysis(language=language)
    assert not set(analyze("① ③ ⑩")) & set(analyze("1 3 10"))


def test_a_ligature_is_its_letters():
    assert analysis(language="en")("ﬁre oﬃcer") == analysis(language="en")("fire officer")


def test_upper_and_lower_case_are_one():
    assert analysis(language="de")("STRASSE Straße")[0] == analysis(language="de")("strasse")[0]


@pytest.mark.parametrize("dot", ["·", "‧", "・"])
def test_words_joined_by_any_middle_dot_are_the_same(dot):
    assert (
        analysis(language="ko")(f"읍{dot}면{dot}동")
        == analysis(language="ko")("읍ㆍ면ㆍ동")
        == ["읍ㆍ", "ㆍ면", "면ㆍ", "ㆍ동"]
    )


def test_a_middle_dot_parts_words_of_other_languages():
    assert analysis(language="en")("fire·gas") == ["fire", "gas"]


def test_punctuation_alone_has_no_terms():
    assert analysis(language="ko")("「」 (…) ㆍ ― !") == []


@given(st.text(), LANGUAGES)
@example("A A", "vi")
def test_any_text_gives_terms_without_white_space(text, language):
    terms = analysis(language=language)(text)
    assert all(term and not any(letter.isspace() for letter in term) for term in terms)


@given(st.text(), st.text(), LANGUAGES)
def test_two_lines_give_the_terms_of_both(first, second, language):
    analyze = analysis(language=language)
    assert analyze(f"{first}\n{second}") == analyze(first) + analyze(second)


@given(st.text(), LANGUAGES)
def test_the_terms_do_not_depend_on_how_characters_are_composed(text, language):
    analyze = analysis(language=language)
    assert analyze(unicodedata.normalize("NFD", text)) == analyze(unicodedata.normalize("NFC", text))


def test_the_whitespace_analysis_keeps_words_as_they_stand():
    assert analysis("whitespace")("제7조에 따른  소방시설을") == ["제7조에", "따른", "소방시설을"]


def test_an_unknown_analysis_is_told_the_known_ones():
    with pytest.raises(ValueError, match="'mecab' is none of default, whitespace, kiwi"):
        analysis("mecab")
    assert ANALYSES == ("default", "whitespace", "kiwi")


@pytest.mark.skipif(importlib.util.find_spec("kiwipiepy") is None, reason="needs pip install kiwipiepy")
def test_the_morphological_analysis_drops_particles():
    assert analysis("kiwi")("소방시설을 설치한다") == analysis("kiwi")("소방시설 설치")


def test_an_analysis_is_named_with_its_language_and_revision():
    assert analysis_identity("default", language="ko") == "default ko 1"
    assert analysis_identity("default", language="ja") == "default ja 2"
    assert analysis_identity("whitespace", language="ja") == "whitespace ja 1"

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.semantic_id import SemanticId, is_annex, is_form, label_of, law_slug, parse, semantic_id, sort_key

LAW_NAMES = st.text(st.characters(categories=["L", "N"], include_characters=" ㆍ·‧・_"), min_size=1).filter(
    lambda name: name.strip()
)


@pytest.mark.parametrize(
    ("law_name", "chapter", "expected"),
    [
        ("소방시설 설치 및 관리에 관한 법률 시행령", "제7조", "소방시설-설치-및-관리에-관한-법률-시행령_7조"),
        ("소방시설 설치 및 관리에 관한 법률 시행령", "제13조의2", "소방시설-설치-및-관리에-관한-법률-시행령_13조의2"),
        ("건축법 시행령", "별표 4", "건축법-시행령_별표4"),
        ("건축법 시행규칙", "별지 제3호서식", "건축법-시행규칙_별지3호서식"),
        ("공동주택의 화재안전성능기준(NFPC 608)", "제13조", "공동주택의-화재안전성능기준(NFPC-608)_13조"),
    ],
)
def test_a_korean_provision_is_named_by_law_and_label(law_name, chapter, expected):
    assert semantic_id(law_name, chapter) == expected


@pytest.mark.parametrize(
    ("law_name", "chapter", "language", "expected"),
    [
        ("Fire Safety Decree", "Article 13-2", "en", "fire-safety-decree_13-2"),
        ("Fire Safety Decree", "Annex 4", "en", "fire-safety-decree_annex-4"),
        ("Fire Safety Act", "Schedule", "en", "fire-safety-act_schedule"),
        ("BGB", "§ 823", "de", "bgb_823"),
        ("Code civil", "Art. 1382", "fr", "code-civil_1382"),
        ("Code civil", "Article 1er", "fr", "code-civil_1"),
        ("Code civil", "article premier", "fr", "code-civil_1"),
        ("Code civil", "Article 13 bis", "fr", "code-civil_13bis"),
        ("Code civil", "Art. 14/1", "fr", "code-civil_14/1"),
        ("Code civil", "Article 5.74", "fr", "code-civil_5.74"),
        ("Code de la sécurité", "Article L. 211-1", "fr", "code-de-la-sécurité_L211-1"),
        ("Code de la sécurité", "L.211-1", "fr", "code-de-la-sécurité_L211-1"),
        ("Code de la sécurité", "R. * 211-1", "fr", "code-de-la-sécurité_R*211-1"),
        ("Code de la sécurité", "Article L.O. 6", "fr", "code-de-la-sécurité_LO6"),
        ("Code général des impôts", "Article 244 quater B", "fr", "code-général-des-impôts_244quaterB"),
        ("Code civil", "Dispositions finales", "fr", "code-civil_Dispositions-finales"),
        ("Code civil", "Annexe Ire", "fr", "code-civil_annexe-I"),
        ("BGB", "Artikel 20 a", "de", "bgb_20a"),
        ("BGB", "Paragraf 5", "de", "bgb_5"),
        ("Brandschutzgesetz", "Anlage 1", "de", "brandschutzgesetz_anlage-1"),
        ("Moorings Regulations 2031", "Regulation 5", "en", "moorings-regulations-2031_5"),
        ("Moorings Act 2031", "Section 12A", "en", "moorings-act-2031_12A"),
        ("River Tolls Act", "Former rules", "en", "river-tolls-act_Former-rules"),
        ("Luật Phòng cháy", "Điều 12a", "vi", "luật-phòng-cháy_12a"),
        ("Luật Phòng cháy", "Đie\u0302\u0300u 5", "vi", "luật-phòng-cháy_5"),
        ("Luật Phòng cháy", "Phụ lục II", "vi", "luật-phòng-cháy_phụ-lục-II"),
        ("Luật Phòng cháy", "Mẫu số 03", "vi", "luật-phòng-cháy_mẫu-số-3"),
        ("火災予防法", "第五条の二", "ja", "火災予防法_5条の2"),
        ("火災予防法", "第１３条の２の２", "ja", "火災予防法_13条の2の2"),
        ("火災予防法", "第千四十六条", "ja", "火災予防法_1046条"),
        ("火災予防法", "第二〇条", "ja", "火災予防法_20条"),
        ("火災予防法", "別表第一", "ja", "火災予防法_別表1"),
        ("火災予防法", "別記様式第二号", "ja", "火災予防法_別記様式2号"),
    ],
)
def test_other_laws_are_named_in_lower_case_without_the_word_for_article(law_name, chapter, language, expected):
    assert semantic_id(law_name, chapter, language=language) == expected


@pytest.mark.parametrize("dot", ["ㆍ", "·", "‧", "・", " ", "  ", " ㆍ\t", "\u3000"])
def test_every_run_of_white_space_or_middle_dots_becomes_one_hyphen(dot):
    assert law_slug(f"피난{dot}방화구조") == "피난-방화구조"


def test_a_law_as_a_whole_has_no_label():
    assert semantic_id("건축법", "") == "건축법"
    assert parse("건축법") == SemanticId("건축법", "")


def test_the_label_follows_the_last_separator():
    assert parse("a_b_7조") == SemanticId("a_b", "7조")


@pytest.mark.parametrize("chapter", ["제1_2조", " "])
def test_a_label_that_is_empty_or_holds_the_separator_is_refused(chapter):
    with pytest.raises(ValueError, match="is no label of a provision"):
        semantic_id("건축법", chapter)


def test_a_provision_without_a_law_is_refused():
    with pytest.raises(ValueError, match="needs a law name"):
        semantic_id(" ", "제1조")


@pytest.mark.parametrize("name", ["", "_7조"])
def test_a_name_without_a_law_does_not_parse(name):
    with pytest.raises(ValueError, match="expected <law>_<label>"):
        parse(name)


@given(LAW_NAMES, st.integers(1, 999), st.integers(0, 30))
def test_a_printed_name_parses_back(law_name, number, branch):
    label = f"{number}조" + (f"의{branch}" if branch else "")
    name = semantic_id(law_name, f"제{label}")
    assert parse(name) == SemanticId(law_slug(law_name), label)
    assert str(parse(name)) == name


@given(LAW_NAMES, st.sampled_from(["ko", "en"]))
def test_the_name_of_a_named_law_is_its_own_slug(law_name, language):
    slug = law_slug(law_name, language=language)
    assert law_slug(slug, language=language) == slug


def test_names_sort_as_the_law_prints_them():
    in_order = [
        "건축법_1조", "건축법_2조", "건축법_2조의2", "건축법_2조의10", "건축법_10조", "건축법_별표1", "건축법_별표1의2",
        "건축법_별표2", "건축법_별지1호서식", "소방법_1조",
    ]  # fmt: skip
    shuffled = random.Random(0).sample(in_order, len(in_order))
    assert sorted(shuffled, key=sort_key) == in_order


def test_english_annexes_sort_after_articles():
    assert sorted(["a_annex-1", "a_form-1", "a_13-2", "a_2", "a_13"], key=sort_key) == [
        "a_2", "a_13", "a_13-2", "a_annex-1", "a_form-1",
    ]  # fmt: skip


def test_a_label_of_thousands_of_digits_still_sorts():
    assert sort_key("건축법_" + "9" * 5000) > sort_key("건축법_1조")


def test_a_label_loses_its_spaces():
    assert label_of("제13조의 2") == "13조의2"


def test_french_branches_sort_by_what_their_words_count_and_lettered_articles_by_code() -> None:
    in_order = [
        "c_1", "c_12", "c_12-1", "c_13", "c_13bis", "c_13ter", "c_13quater", "c_13quinquies", "c_14", "c_14/1",
        "c_L211-1", "c_L211-2", "c_L211-2-1", "c_L211-3", "c_R211-1", "c_D211-1", "c_annexe-1",
    ]  # fmt: skip
    shuffled = random.Random(0).sample(in_order, len(in_order))
    assert sorted(shuffled, key=sort_key) == in_order


def test_japanese_branches_sort_behind_their_stem_and_annexes_and_forms_last() -> None:
    in_order = [
        "法_2条",
        "法_2条の2",
        "法_2条の2の2",
        "法_2条の10",
        "法_10条",
        "法_別表1",
        "法_別表2",
        "法_別記様式1号",
    ]
    shuffled = random.Random(0).sample(in_order, len(in_order))
    assert sorted(shuffled, key=sort_key) == in_order


def test_a_branch_letter_sorts_after_its_number_and_roman_annexes_by_what_they_count() -> None:
    in_order = [
        "g_12", "g_12a", "g_12b", "g_12d", "g_12đ", "g_12e", "g_13", "g_anlage-1", "h_phụ-lục-I", "h_phụ-lục-IV",
        "h_phụ-lục-V", "h_phụ-lục-IX", "h_phụ-lục-X", "h_mẫu-số-3",
    ]  # fmt: skip
    assert sorted(random.Random(0).sample(in_order, len(in_order)), key=sort_key) == in_order


def test_a_law_is_named_alike_whether_its_accents_are_composed_or_not() -> None:
    assert law_slug(unicodedata.normalize("NFD", "Luật Phòng cháy"), language="vi") == "luật-phòng-cháy"


@pytest.mark.parametrize("law", ["건축법-시행규칙_별지3호서식", "rule_form-2", "規則_別記様式1", "thông-tư_mẫu-số-1"])
def test_forms_are_told_from_annexes_and_articles(law: str):
    assert is_form(law)
    assert is_annex(law)
    for other in ("건축법-시행규칙_별표3", "act_annex-4", "건축법_7조", "건축법"):
        assert not is_form(other)

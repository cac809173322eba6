from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.mentions import Alias, chapter_of, find_aliases, find_mentions, name_key
from graph.mentions.composed import composed
from graph.records import EdgeKind, LawRef, LawRefKind, Mention
from graph.semantic_id import label_of
from tests.graph.corpora import absent_in, citations_in
from tests.graph.language_cases import LanguageCase, cases_of

ACT, DECREE = "luật-chợ-đêm", "nghị-định-số-15/2031/nđ-cp"


def mentions_of(text: str, *known: str) -> list[Mention]:
    return find_mentions(text, "vi", known_laws={name_key(law) for law in known})


def laws(text: str, *known: str) -> list[str]:
    return [mention.target.law.name for mention in mentions_of(text, *known)]


def test_the_small_corpus_cites_what_its_words_say() -> None:
    through = "Điều 4 đến Điều 7 của Luật này"
    assert citations_in("vi") == [
        (f"{ACT}_2", "Điều 3 của Luật này", "cites", f"{ACT}_3"),
        (f"{ACT}_3", "Chính phủ quy định chi tiết", "delegates", f"{DECREE}_1"),
        (f"{ACT}_6", "Phụ lục I của Luật này", "cites", f"{ACT}_phụ-lục-I"),
        (f"{ACT}_6", "Luật Thương mại An Giao", "whole_law", "luật-thương-mại-an-giao"),
        (f"{ACT}_6a", "điều trên", "cites", f"{ACT}_6"),
        *((f"{ACT}_8", through, "cites", f"{ACT}_{label}") for label in ("4", "5", "6", "6a", "7")),
        (f"{ACT}_8", "Chính phủ quy định", "delegates", None),  # the decree's article on fines names Điều 4 alone
        (f"{ACT}_8", "Điều 3", "cites", f"{ACT}_3"),
        (f"{ACT}_8", "4", "cites", f"{ACT}_4"),
        (f"{ACT}_8", "6a", "cites", f"{ACT}_6a"),
        (f"{DECREE}_1", "khoản 3 Điều 3 Luật Chợ đêm", "implements", f"{ACT}_3"),
        (f"{DECREE}_3", "Điều 4 của Luật", "cites", f"{ACT}_4"),
        (f"{DECREE}_4", "khoản 1 Điều 3 Nghị định này", "cites", f"{DECREE}_3"),
    ]
    assert absent_in("vi") == [("luật-thương-mại-an-giao", "")]


@given(st.lists(st.integers(1, 999), min_size=2, max_size=8, unique=True), st.booleans())
def test_every_member_of_an_enumeration_has_the_law_at_its_end(numbers: list[int], is_repeated: bool) -> None:
    *first, last = [f"Điều {n}" if is_repeated else str(n) for n in numbers]
    text = f"theo các {'' if is_repeated else 'Điều '}{', '.join(first)} và {last} của Bộ luật Dân sự"
    mentions = mentions_of(text)
    assert [mention.target.label for mention in mentions] == [str(n) for n in numbers]
    assert {mention.target.law for mention in mentions} == {LawRef(LawRefKind.NAMED, "Bộ luật Dân sự")}


@pytest.mark.parametrize(
    ("words", "paragraph", "item"),
    [
        ("điểm a, b hoặc c khoản 1 và điểm d khoản 2 Điều 134", "1,2", "a,b,c,d"),
        ("điểm c đến điểm e khoản 1 Điều 5", "1", "c,d,đ,e"),
        ("khoản 1 đến khoản 3 Điều 5", "1,2,3", ""),
        ("Điều 12 khoản 2 điểm đ", "2", "đ"),
        ("điểm a Điều 5", "", "a"),
    ],
)
def test_parts_of_an_article_belong_to_its_mention(words: str, paragraph: str, item: str) -> None:
    (mention,) = mentions_of(f"Theo {words}, nếu có.")
    assert (mention.start, mention.end) == (5, 5 + len(words))
    assert (mention.target.paragraph, mention.target.item) == (paragraph, item)


def test_a_clause_belongs_to_the_article_that_follows_it() -> None:
    found = mentions_of("khoản 3 Điều 8, khoản 2 và khoản 3 Điều 9, Điều 10 Nghị định này")
    assert [(m.target.label, m.target.paragraph) for m in found] == [("8", "3"), ("9", "2,3"), ("10", "")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Luật Phòng cháy và chữa cháy số 27/2001/QH10 ngày 29 tháng 6 năm 2001", "Luật Phòng cháy và chữa cháy"),
        ("Luật Nhà ở năm 2014", "Luật Nhà ở"),
        ("Luật Tổ chức Quốc hội quy định", "Luật Tổ chức Quốc hội"),
        ("Luật Ban hành văn bản quy phạm pháp luật", "Luật Ban hành văn bản quy phạm pháp luật"),
        ("Luật số 40/2013/QH13", "Luật số 40/2013/QH13"),
        ("bộ luật là Bộ luật dân sự", "Bộ luật dân sự"),
        ("Nghị định 100/2019/NĐ-CP", "Nghị định số 100/2019/NĐ-CP"),
        ("Quyết định số 15/QĐ-TTg", "Quyết định số 15/QĐ-TTg"),
    ],
)
def test_a_law_is_named_as_far_as_its_name_goes(text: str, name: str) -> None:
    assert laws(text) == [name]


def test_a_known_name_ends_where_the_corpus_says_unless_the_words_go_on_with_another() -> None:
    assert laws("Luật Chợ đêm mở cửa", "Luật Chợ đêm") == ["Luật Chợ đêm"]
    assert laws("Luật Phòng cháy và chữa cháy", "Luật Phòng cháy") == ["Luật Phòng cháy và chữa cháy"]
    assert laws("Luật Phòng cháy và nghị định", "Luật Phòng cháy") == ["Luật Phòng cháy"]
    assert laws("Nghị định số 100/2019/NĐ-CP", "Nghị định 100/2019/NĐ-CP") == ["Nghị định 100/2019/NĐ-CP"]


def test_an_annex_may_be_of_the_decree_it_was_issued_with() -> None:
    text = "Phụ lục I ban hành kèm theo Nghị định này; Phụ lục II ban hành kèm theo Nghị định 1/2020/NĐ-CP"
    own, other = mentions_of(text)
    assert (own.target.label, own.target.law.kind) == ("phụ-lục-I", LawRefKind.THIS)
    assert (other.target.label, other.target.law.name) == ("phụ-lục-II", "Nghị định số 1/2020/NĐ-CP")


def test_who_fills_in_tells_the_level_of_what_does() -> None:
    text = (
        "1. Chính phủ quy định mức phí.\n2. Kèm theo:\na) Thủ tướng Chính phủ quy định mẫu;\n"
        "b) Bộ trưởng Bộ Nông nghiệp và Phát triển nông thôn hướng dẫn.\n3. Theo quy định của Chính phủ."
    )
    assert [(m.kind, m.target.law.name, m.target.paragraph, m.target.item) for m in mentions_of(text)] == [
        (EdgeKind.DELEGATES, "Nghị định", "1", ""),
        (EdgeKind.DELEGATES, "Quyết định", "2", "a"),
        (EdgeKind.DELEGATES, "Thông tư", "2", "b"),
        (EdgeKind.DELEGATES, "Nghị định", "3", ""),
    ]


def test_short_names_are_given_in_brackets_and_are_no_citations_there() -> None:
    text = "Luật Phòng cháy và chữa cháy (sau đây gọi tắt là Luật PC) có hiệu lực."
    assert find_aliases(text, "vi") == [Alias("Luật PC", "Luật Phòng cháy và chữa cháy", text.index(" có"), None)]
    assert laws(text) == ["Luật Phòng cháy và chữa cháy"]


@pytest.mark.parametrize("case", cases_of("vi").cases, ids=[case.why for case in cases_of("vi").cases])
def test_a_text_with_accents_apart_holds_the_same_mentions(case: LanguageCase) -> None:
    text = unicodedata.normalize("NFC", case.text)
    apart = unicodedata.normalize("NFD", text)
    whole = [(text[m.start : m.end], m.kind, m.target) for m in mentions_of(text, *cases_of("vi").laws)]
    split = [(apart[m.start : m.end], m.kind, m.target) for m in mentions_of(apart, *cases_of("vi").laws)]
    assert [(unicodedata.normalize("NFC", words), *rest) for words, *rest in split] == whole


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("Điều\u0302\u0300\u0323a "), max_size=60))
def test_every_composed_letter_knows_its_place(text: str) -> None:
    letters, places = composed(text)
    assert len(places) == len(letters) + 1
    assert places[-1] == len(text)
    assert list(places) == sorted(places)
    assert unicodedata.normalize("NFD", letters) == unicodedata.normalize("NFD", text)
    for index, letter in enumerate(letters):
        if not unicodedata.combining(text[places[index]]):
            assert unicodedata.normalize("NFD", letter)[0] == unicodedata.normalize("NFD", text[places[index]])[0]


@pytest.mark.parametrize(
    ("label", "chapter"), [("12a", "Điều 12a"), ("phụ-lục-II", "Phụ lục II"), ("mẫu-số-3", "Mẫu số 3")]
)
def test_a_label_is_printed_as_the_law_prints_it(label: str, chapter: str) -> None:
    assert chapter_of(label, "vi") == chapter
    assert label_of(chapter, language="vi") == label

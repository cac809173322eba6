from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.mentions import LANGUAGES, chapter_of, find_aliases, find_mentions, name_key
from graph.records import EdgeKind, LawRef, LawRefKind, Mention
from graph.semantic_id import label_of
from tests.graph import language_cases
from tests.graph.citation_cases import CASES, ENGLISH_LAWS, KOREAN_LAWS
from tests.graph.language_cases import cases_of

KNOWN = {language: {name_key(law) for law in cases_of(language).laws} for language in language_cases.LANGUAGES}
KNOWN["ko"] = {name_key(law) for law in KOREAN_LAWS}
KNOWN["en"] |= {name_key(law) for law in ENGLISH_LAWS}

# Text of the law's own pieces, put together at random, finds more than random characters do. Japanese has no spaces.
MARKS = set('()「」"“\nㆍ·,제조항호법영①② ')
PIECES = sorted({word for case in CASES for word in case.text.split(" ")} | MARKS)
OTHER_PIECES = {
    language: sorted(
        {
            word
            for case in cases_of(language).cases
            for word in (re.findall(r"[一-鿿]{1,3}|.", case.text) if language == "ja" else case.text.split(" "))
        }
        | MARKS
    )
    for language in language_cases.LANGUAGES
}
statutes = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)


def texts_in(language: str) -> st.SearchStrategy[tuple[str, str]]:
    """Texts of a language's own pieces and of anything, with the language."""
    pieces = OTHER_PIECES.get(language, []) + (PIECES if language in ("ko", "en") else [])
    own = st.lists(st.sampled_from(pieces), max_size=40).map(("" if language == "ja" else " ").join)
    anything = st.text(max_size=200) | own | st.tuples(own, st.text(max_size=20), own).map("".join)
    return st.tuples(anything, st.just(language))


texts = st.sampled_from(sorted(LANGUAGES)).flatmap(texts_in)


def mentions_of(text: str, language: str) -> list[Mention]:
    return find_mentions(text, language, known_laws=KNOWN[language])


def labels(text: str) -> list[str]:
    return [mention.target.label for mention in mentions_of(text, "ko")]


def test_an_unknown_language_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(ValueError, match=f"'xx'; known: {', '.join(sorted(LANGUAGES))}"):
        find_mentions("Article 1", "xx")


@settings(max_examples=300, deadline=None)
@given(texts)
def test_mentions_are_in_order_inside_the_text_and_apart(text_in: tuple[str, str]) -> None:
    text, language = text_in
    end = 0
    for mention in mentions_of(text, language):
        assert end <= mention.start < mention.end <= len(text)
        end = mention.end


@settings(max_examples=300, deadline=None)
@given(texts, st.data())
def test_a_paragraph_added_after_a_text_changes_no_mention_in_it(text_in: tuple[str, str], data: st.DataObject) -> None:
    text, language = text_in
    more, _ = data.draw(texts_in(language))
    text = text.rstrip() + "."
    before = mentions_of(text, language)
    assert mentions_of(f"{text}\n{more}", language)[: len(before)] == before


@settings(max_examples=200, deadline=None)
@given(texts)
def test_aliases_begin_to_hold_inside_the_text(text_in: tuple[str, str]) -> None:
    text, language = text_in
    for alias in find_aliases(text, language):
        assert 0 < alias.start <= len(text)
        assert alias.end is None or alias.start <= alias.end <= len(text)


@given(
    st.lists(st.integers(1, 999), min_size=1, max_size=8, unique=True),
    st.sampled_from([", ", "ㆍ", "·", " 및 ", " 또는 "]),
)
def test_every_member_of_an_enumeration_has_the_law_of_the_first(numbers: list[int], joint: str) -> None:
    mentions = find_mentions("「건축법」 " + joint.join(f"제{n}조" for n in numbers) + "에도 불구하고", "ko")
    assert [mention.target.label for mention in mentions] == [f"{n}조" for n in numbers]
    assert {mention.target.law for mention in mentions} == {LawRef(LawRefKind.NAMED, "건축법")}
    assert {mention.kind for mention in mentions} == {EdgeKind.EXCEPTS}


@given(st.lists(st.integers(1, 999), min_size=2, max_size=8, unique=True))
def test_every_member_of_an_english_enumeration_has_the_law_at_its_end(numbers: list[int]) -> None:
    *first, last = [str(n) for n in numbers]
    mentions = find_mentions(f"Articles {', '.join(first)} and {last} of the Building Act", "en")
    assert [mention.target.label for mention in mentions] == [*first, last]
    assert {mention.target.law for mention in mentions} == {LawRef(LawRefKind.NAMED, "Building Act")}


@pytest.mark.parametrize(
    ("language", "label", "chapter"),
    [
        ("ko", "13조의2", "제13조의2"),
        ("ko", "별표4의2", "별표 4의2"),
        ("ko", "별표", "별표"),
        ("ko", "별지1호의4서식", "별지 제1호의4서식"),
        ("en", "13-2", "Article 13-2"),
        ("en", "annex-4", "Annex 4"),
    ],
)
def test_a_label_is_printed_as_the_law_prints_it(language: str, label: str, chapter: str) -> None:
    assert chapter_of(label, language) == chapter
    assert label_of(chapter, language=language) == label


def test_parts_of_an_article_are_told_apart() -> None:
    (mention,) = mentions_of("법 제2조제1항제1호나목, 제3호부터 제5호까지", "ko")
    assert (mention.target.paragraph, mention.target.item) == ("1", "1호나목,3호,4호,5호")
    (mention,) = mentions_of("Article 13-2(1)(b)", "en")
    assert (mention.target.paragraph, mention.target.item) == ("1", "b")
    (mention,) = mentions_of("Article 2(1) subparagraph 3 of the Act", "en")
    assert (mention.target.paragraph, mention.target.item) == ("1", "3")
    (mention,) = mentions_of("Article 28(3) or (5)", "en")
    assert mention.target.paragraph == "3,5"


def test_a_delegation_tells_where_it_stands() -> None:
    text = "① 다음과 같다.\n  1. 대통령령으로 정하는 것\n  2의2. 총리령으로 정하는 것\n② 행정안전부령으로 정한다."
    places = [(m.target.law.name, m.target.paragraph, m.target.item) for m in mentions_of(text, "ko")]
    assert places == [("대통령령", "1", "1호"), ("총리령", "1", "2호의2"), ("행정안전부령", "2", "")]


def test_a_space_or_a_line_break_ends_what_is_no_citation() -> None:
    assert labels("제 5 조") == []
    assert labels("「건축법」 제5조\n제6조") == ["5조", "6조"]
    assert mentions_of("「건축법」 제5조\n제6조", "ko")[1].target.law.kind is LawRefKind.THIS


@pytest.mark.parametrize(
    ("language", "unit"),
    [
        (
            "ko",
            "「건축법」 제49조제1항, 제50조 및 제52조에 따른 건축물과 같은 법 시행령 별표 1의 대통령령으로 정하는 것 ",
        ),
        *(("ko", unit) for unit in ("(", "「", "제1조(", "법 ", '"', "\n ", "(이하 ", "관한 법률 ", "제1조 각 호 ")),
        (
            "en",
            "Pursuant to Articles 12 to 15 of the Building Act and Annex 2 to the Decree, as prescribed by the Rule, ",
        ),
        ("de", "Nach den §§ 31, 823 Abs. 2 und 826 BGB i. V. m. § 5 des Brandschutzgesetzes durch Rechtsverordnung "),
        *(("de", unit) for unit in ("(", "§ 1, ", "§§ 1 bis ", "§ 1 Abs. 1, 2, ", "A", "Aesetz", "Bürgerlichen ")),
        *(("de", unit) for unit in ("Gesetz über die ", "§ 1 i.V.m. ", "Absatz 1 ", "§ 1 des Alten ", "vorstehenden ")),
        ("vi", "theo điểm a khoản 2 các Điều 12, 13 và 14 Luật Phòng cháy và chữa cháy, Chính phủ quy định chi tiết "),
        *(
            ("vi", unit)
            for unit in ("(", "khoản 1, ", "điểm a, ", "Luật Đất và ", "Điều 1, ", "Bộ A ", "e\u0301\u0323")
        ),
        *(
            ("en", unit)
            for unit in (
                "(",
                "A ",
                "subsections (1) and (1) of section 1, ",
                "Regulation (EU) ",
                "Of The ",
                "the Act ",
                "Articles 1 to ",
                "\n ",
                "Act of the ",
            )
        ),
    ],
)
def test_a_line_of_half_a_megabyte_takes_linear_time(language: str, unit: str) -> None:
    line = unit * (500_000 // len(unit))
    started = time.process_time()
    mentions_of(line, language)
    find_aliases(line, language)
    assert time.process_time() - started < 10  # at most two seconds on an idle core; quadratic time would be an hour

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.mentions import Alias, chapter_of, find_aliases, find_mentions, name_key
from graph.records import EdgeKind, LawRefKind, Mention
from graph.semantic_id import label_of
from tests.graph.corpora import absent_in, citations_in

ACT, REGULATIONS = "river-moorings-act", "river-moorings-regulations"


def mentions_of(text: str, *known: str) -> list[Mention]:
    return find_mentions(text, "en", known_laws={name_key(law) for law in known})


def shown(text: str, *known: str) -> list[tuple[str, str, str]]:
    return [(text[m.start : m.end], m.target.label, m.target.law.name) for m in mentions_of(text, *known)]


def test_the_small_corpus_cites_what_its_words_say() -> None:
    assert citations_in("en") == [
        (f"{ACT}_2", "section 8 of the Waterways Administration Act", "defines", "waterways-administration-act_8"),
        (f"{ACT}_3", "prescribed by regulations", "delegates", f"{REGULATIONS}_1"),
        (f"{ACT}_4", "Schedule 1", "cites", f"{ACT}_schedule-1"),
        (f"{ACT}_4A", "preceding section", "cites", f"{ACT}_4"),
        *((f"{ACT}_8", "sections 3 to 4A", "cites", f"{ACT}_{label}") for label in ("3", "4", "4A")),
        (f"{ACT}_8", "section 7", "cites", f"{ACT}_7"),
        (f"{REGULATIONS}_1", "section 3(1) of the Act", "implements", f"{ACT}_3"),
        (f"{REGULATIONS}_3", "section 3(2) of the Act", "implements", f"{ACT}_3"),
    ]


def test_what_the_small_corpus_lacks_is_printed_as_its_law_would() -> None:
    assert absent_in("en") == [("waterways-administration-act_8", "Section 8")]


@given(
    st.lists(st.integers(1, 999), min_size=2, max_size=8, unique=True),
    st.sampled_from(["sections", "ss.", "regulations", "regs", "Articles", "articles", "§§"]),
    st.sampled_from(["the River Tolls Act 2029", "Regulation (EU) 2016/679", "that Act"]),
)
def test_every_member_of_an_enumeration_has_the_law_at_its_end(numbers: list[int], noun: str, law: str) -> None:
    *first, last = [str(n) for n in numbers]
    mentions = mentions_of(f"under {noun} {', '.join(first)} and {last} of {law}")
    assert [mention.target.label for mention in mentions] == [*first, last]
    assert len({mention.target.law for mention in mentions}) == 1
    assert mentions[0].target.law.kind is not LawRefKind.THIS


@pytest.mark.parametrize(
    ("words", "paragraph", "item"),
    [
        ("section 12(3)(a)(ii)", "3", "a,ii"),
        ("section 5(1)(a) or (b)", "1", "a,b"),
        ("section 12(2) to (5)", "2,3,4,5", ""),
        ("subsections (1) and (2) of section 8", "1,2", ""),
        ("subsection (3)(b) of section 4", "3", "b"),
        ("Article 6(1)(b), points (c) and (d)", "1", "b,c,d"),
        ("point (b) of Article 6(1), first subparagraph", "1", "b"),
        ("paragraph 2(1)(b) of Schedule 2", "2", "1,b"),
    ],
)
def test_parts_of_a_section_belong_to_its_mention(words: str, paragraph: str, item: str) -> None:
    (mention,) = mentions_of(f"See {words}, if any.")
    assert (mention.start, mention.end) == (4, 4 + len(words))
    assert (mention.target.paragraph, mention.target.item) == (paragraph, item)


def test_an_american_code_is_named_by_its_title_and_gives_each_section_its_law() -> None:
    assert shown("42 U.S.C. § 1983 and 42 USC §§ 2000e-5(f), 2000e-7; 17 C.F.R. § 240.10b-5(b)") == [
        ("42 U.S.C. § 1983", "1983", "42 U.S.C."),
        ("42 USC §§ 2000e-5(f)", "2000e-5", "42 U.S.C."),
        ("2000e-7", "2000e-7", "42 U.S.C."),
        ("17 C.F.R. § 240.10b-5(b)", "240.10b-5", "17 C.F.R."),
    ]


def test_an_act_of_the_union_is_named_by_its_number() -> None:
    text = "Commission Implementing Regulation (EU) 2015/1222, Article 4 of Directive 2009/12/EC and Article 9 GDPR"
    assert shown(text) == [
        ("Commission Implementing Regulation (EU) 2015/1222", "", "Regulation (EU) 2015/1222"),
        ("Article 4 of Directive 2009/12/EC", "4", "Directive 2009/12/EC"),
        ("Article 9 GDPR", "9", "GDPR"),
    ]


def test_a_number_behind_one_section_is_not_one_unless_parts_or_a_range_say_so() -> None:
    assert [m.target.label for m in mentions_of("under section 12, 5 swans")] == ["12"]
    assert [m.target.label for m in mentions_of("under section 12(1) or 14(2)")] == ["12", "14"]
    assert [m.target.last_label for m in mentions_of("section 4 to section 6")] == ["6"]


def test_rules_have_decimals_and_schedules_roman_numbers() -> None:
    assert shown("rule 3.4 of the Civil Procedure Rules, Annex II and Form I") == [
        ("rule 3.4 of the Civil Procedure Rules", "3.4", "Civil Procedure Rules"),
        ("Annex II", "annex-II", ""),
    ]


def test_short_names_need_no_word_that_says_so() -> None:
    text = 'the River Tolls Act 2029 ("the 2029 Act") and the Data Act 2018 (in this Act, "the DPA")'
    assert find_aliases(text, "en") == [
        Alias("the 2029 Act", "River Tolls Act 2029", text.index(")"), None),
        Alias("the DPA", "Data Act 2018", len(text) - 1, None),
    ]
    assert shown("section 3 of the DPA", "the DPA") == [("section 3 of the DPA", "3", "DPA")]
    assert shown("section 3 of the FBI") == [("section 3", "3", "")]


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("as may be prescribed by regulations", "Regulations"),
        ("the Minister may by order direct", "Order"),
        ("prescribed by rules of court", "Rules"),
        ("prescribed by the Decree", "Decree"),
    ],
)
def test_a_delegation_tells_the_level_that_fills_in(text: str, level: str) -> None:
    (mention,) = mentions_of(text)
    assert (mention.kind, mention.target.law.name) == (EdgeKind.DELEGATES, level)


def test_regulations_that_a_section_empowers_are_no_delegation_of_ones_own() -> None:
    assert [m.kind for m in mentions_of("prescribed by regulations made under section 7")] == [EdgeKind.CITES]


@pytest.mark.parametrize(
    ("label", "chapter", "noun"),
    [
        ("12A", "Section 12A", "Section"),
        ("7", "Regulation 7", "Regulation"),
        ("1331", "§ 1331", "§"),
        ("3.4", "Rule 3.4", "Rule"),
        ("5", "Article 5", ""),
        ("schedule-1A", "Schedule 1A", ""),
    ],
)
def test_a_label_is_printed_with_the_laws_own_word(label: str, chapter: str, noun: str) -> None:
    assert chapter_of(label, "en", noun) == chapter
    assert label_of(chapter, language="en") == label

"""Words of Japanese statutes that the hand-made cases do not have; `test_mentions.py` holds the invariants."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.mentions import chapter_of, find_aliases, find_mentions, name_key
from graph.numerals import kanji
from graph.records import EdgeKind, LawRefKind, Mention
from graph.semantic_id import label_of
from tests.graph.corpora import absent_in, citations_in


def mentions_of(text: str, *known: str) -> list[Mention]:
    return find_mentions(text, "ja", known_laws=frozenset(map(name_key, known)))


def parts(text: str) -> list[tuple[str, str, str]]:
    return [(m.target.label, m.target.paragraph, m.target.item) for m in mentions_of(text)]


def laws(text: str, *known: str) -> list[str]:
    return [mention.target.law.name for mention in mentions_of(text, *known)]


@pytest.mark.parametrize(
    ("label", "chapter"),
    [
        ("13条の2の2", "第十三条の二の二"),
        ("1046条", "第千四十六条"),
        ("別表1", "別表第一"),
        ("別表", "別表"),
        ("別記様式2号", "別記様式第二号"),
        ("2号様式", "第二号様式"),
    ],
)
def test_a_label_is_printed_as_the_law_prints_it(label: str, chapter: str) -> None:
    assert chapter_of(label, "ja") == chapter
    assert label_of(chapter, language="ja") == label


@given(st.integers(1, 9_999), st.integers(2, 99), st.integers(1, 30), st.integers(1, 30))
def test_a_printed_address_is_read_back(article: int, branch: int, paragraph: int, item: int) -> None:
    words = f"第{kanji(article)}条の{kanji(branch)}第{kanji(paragraph)}項第{kanji(item)}号"
    assert parts(f"{words}の規定") == [(f"{article}条の{branch}", str(paragraph), f"{item}号")]


@pytest.mark.parametrize(
    ("words", "paragraph", "item"),
    [
        ("第五条第一項第三号イ又はロ", "1", "3号イ,3号ロ"),
        ("第五条第十三号ロからホまで", "", "13号ロ,13号ハ,13号ニ,13号ホ"),
        ("第五条第一項第三号から第五号まで、第七号及び第八号", "1", "3号,4号,5号,7号,8号"),
        ("第五条第一項第三号の二イ（１）", "1", "3号の2イ（１）"),
        ("第 5 条第１項第３号の２イからハまで", "1", "3号の2イ,3号の2ロ,3号の2ハ"),
        ("第五条第二項各号列記以外の部分", "2", ""),
        ("第五条第一項及び第三項ただし書", "1,3", ""),
        ("第五条第一項第三号アルコール", "1", "3号"),
    ],
)
def test_the_parts_of_an_article_are_told_apart(words: str, paragraph: str, item: str) -> None:
    assert parts(words) == [("5条", paragraph, item)]


ARTICLE = """\
前項の申請は、次項による。
２　前項の申請をした者は、次の各号に掲げる事項を届け出る。
一　次号に掲げるもの
二　前号に掲げるもの
二の二　前二号及び前項に掲げるもの
三　前号又は前各号に掲げるもの
４　前二項の規定は、この項、この条及び第一項第二号に適用しない。
"""


def test_what_stands_beside_a_paragraph_or_an_item_is_counted_from_where_the_words_stand() -> None:
    assert parts(ARTICLE) == [
        ("+0", "", ""),  # before the first paragraph there is none
        ("+0", "2", ""),
        ("+0", "1", ""),
        ("+0", "2", "2号"),
        ("+0", "2", "1号"),
        ("+0", "2", "1号,2号"),
        ("+0", "1", ""),
        ("+0", "2", "2号の2"),
        ("+0", "2", "1号,2号,2号の2"),
        ("+0", "2,3", ""),
        ("+0", "4", ""),
        ("+0", "", ""),
        ("+0", "1", "2号"),
    ]


def test_an_item_that_an_excerpt_leaves_out_is_counted() -> None:
    assert parts("九　株券\n十七　第十二号から前号までに掲げるもの") == [("+0", "1", "12号,13号,14号,15号,16号")]


def test_what_brackets_cite_is_over_when_they_close() -> None:
    text = (
        "第三条第二項の届出（第八条第四項において準用する場合を含む。以下この条において同じ。）は、同項の書面でする。"
    )
    assert parts(text) == [("3条", "2", ""), ("8条", "4", ""), ("+0", "", ""), ("3条", "2", "")]


def test_an_exception_right_behind_an_article_is_a_part_of_it() -> None:
    text = "令第三条第一項（第二号を除く。）及び第三項の規定"
    assert parts(text) == [("3条", "1", ""), ("3条", "1", "2号"), ("3条", "3", "")]
    assert laws(text) == ["令", "令", "令"]


def test_the_same_item_is_the_item_without_what_it_holds() -> None:
    assert parts("第五条第一項第二号イに掲げる者及び当該者に準ずる同号の者") == [
        ("5条", "1", "2号イ"),
        ("5条", "1", "2号"),
    ]


def test_articles_before_are_counted_from_the_citing_one() -> None:
    (mention,) = mentions_of("前三条の規定")
    assert (mention.target.label, mention.target.last_label) == ("-3", "-1")
    (mention,) = mentions_of("前各条の規定")
    assert (mention.target.label, mention.target.last_label) == ("1条", "-1")


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("市長は、建築物の安全に関する法律第三条", "建築物の安全に関する法律"),
        ("匿名組合契約、投資事業契約に関する法律第三条", "投資事業契約に関する法律"),
        ("私的独占の禁止及び公正取引の確保に関する法律第三条", "私的独占の禁止及び公正取引の確保に関する法律"),
        ("株券等の公開買付けの開示に関する内閣府令第三条", "株券等の公開買付けの開示に関する内閣府令"),
        ("子ども・子育て支援法（平成二十四年法律第六十五号）第三条", "子ども・子育て支援法"),
        ("この場合において、当該民法第三条", "民法"),
        ("その他商法施行令第三条", "商法施行令"),
        ("これに関し民法第三条", "民法"),
    ],
)
def test_the_name_of_a_law_that_no_list_holds_ends_before_the_article(text: str, law: str) -> None:
    assert laws(text) == [law]


@pytest.mark.parametrize("text", ["当該法律第三条", "他の法律第三条", "その方法第三条"])
def test_a_general_word_is_no_name(text: str) -> None:
    assert {mention.target.law.kind for mention in mentions_of(text)} == {LawRefKind.THIS}


def test_a_known_name_may_hold_what_would_be_a_citation() -> None:
    name = "金融商品取引法第二条に規定する定義に関する内閣府令"
    assert laws(f"{name}第十六条第一項", name) == [name]


def test_the_number_of_a_law_is_no_item() -> None:
    assert parts("救急業務法（昭和三十年法律第八号）の規定") == [("", "", "")]
    assert mentions_of("救急業務法（昭和三十年法律第八号）の規定")[0].kind is EdgeKind.WHOLE_LAW


def test_an_alias_holds_from_its_bracket_on_or_as_far_as_it_says() -> None:
    text = "救急業務法（昭和三十年法律第八号。以下「業務法」という。）及び民法（以下この項において「法」という。）"
    first, second = find_aliases(text + "\n２　終わり", "ja")
    assert (first.name, first.law_name, first.end) == ("業務法", "救急業務法", None)
    assert (second.name, second.law_name, second.end) == ("法", "民法", len(text))


def test_words_that_replace_those_of_another_article_are_not_counted_from_here() -> None:
    text = "２　民法第五条の規定は、準用する。この場合において、同条中「前項」とあるのは「第八条」と読み替える。"
    assert [(m.target.label, m.target.law.name) for m in mentions_of(text)] == [
        ("5条", "民法"), ("5条", "民法"), ("8条", "民法"),
    ]  # fmt: skip


def test_a_delegation_tells_where_it_stands_and_whose_it_is() -> None:
    text = "政令で定める。\n２　次のとおりとする。\n一　内閣府令で定めるもの\n二の二　国土交通省令で定めるもの"
    found = [(m.target.law.name, m.target.paragraph, m.target.item) for m in mentions_of(text)]
    assert found == [("政令", "1", ""), ("内閣府令", "2", "1号"), ("国土交通省令", "2", "2号の2")]


def test_what_a_lower_law_repeats_of_a_delegation_is_quoted_and_none_of_its_own() -> None:
    (mention,) = mentions_of("法第五条第一項に規定する内閣府令で定める場合は、次のとおりとする。")
    assert (mention.kind, mention.quoted) == (EdgeKind.IMPLEMENTS, "内閣府令で定める場合")


@pytest.mark.parametrize(
    "unit",
    [
        "民法（明治二十九年法律第八十九号）第七百九条第一項第三号イ、第七百十条及び同法施行令第三条から前条までの政令で定めるもの、",
        *(
            "（",
            "「",
            "第一条（",
            "法",
            "民法 ",
            "方法、",
            "第一項、",
            "前号",
            "\n２　",
            "（以下「法」という。）",
            "に関する法律",
        ),
        *("第一号イ", "からハまで", "同条", "第五条から", "」とあるのは「"),
    ],
)
def test_a_line_of_half_a_megabyte_takes_linear_time(unit: str) -> None:
    line = unit * (500_000 // len(unit.encode()))
    started = time.process_time()
    mentions_of(line, "民法", "火災予防法")
    find_aliases(line, "ja")
    assert time.process_time() - started < 10  # about one second; quadratic time would be an hour


def test_the_citations_of_the_small_corpus_are_those_read_in_it() -> None:
    act, order = "水泳場安全法", "水泳場安全法施行令"
    assert citations_in("ja") == [
        (f"{act}_2条", "次条", "cites", f"{act}_3条"),
        (f"{act}_3条", "政令で定める", "delegates", f"{order}_1条"),
        (f"{act}_3条", "学校施設法第十二条", "cites", "学校施設法_12条"),
        (f"{act}_3条", "同法第十五条", "cites", "学校施設法_15条"),
        (f"{act}_5条", "政令で定める", "delegates", f"{order}_2条"),
        (f"{act}_6条", "別表第一", "cites", f"{act}_別表1"),
        (f"{act}_7条", "政令で定める", "delegates", f"{order}_3条"),
        *(
            (f"{act}_8条", "第五条から第七条まで", "cites", f"{act}_{label}")
            for label in ("5条", "5条の2", "6条", "7条")
        ),
        (f"{act}_9条", "第三条第一項", "cites", f"{act}_3条"),
        (f"{act}_9条", "前条第一項", "cites", f"{act}_8条"),
        (f"{act}_9条", "第五条第一項", "cites", f"{act}_5条"),
        (f"{act}_9条", "第六条", "cites", f"{act}_6条"),
        (f"{act}_9条", "第七条第一項", "cites", f"{act}_7条"),
        (f"{order}_1条", "法第三条第一項", "implements", f"{act}_3条"),
        (f"{order}_2条", "法第五条第一項", "implements", f"{act}_5条"),
        (f"{order}_3条", "法第七条第二項", "implements", f"{act}_7条"),
        (f"{order}_3条の2", "前条", "cites", f"{order}_3条"),
        (f"{order}_4条", "法第八条第二項", "cites", f"{act}_8条"),
    ]
    assert absent_in("ja") == [("学校施設法_12条", "第十二条"), ("学校施設法_15条", "第十五条")]

"""What the claims of a sentence are, worked out by hand, in six languages."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.claims import Force, claims_of, text_language
from agent.claims.comparison import uncarried_dates, uncarried_forces, uncarried_labels, uncarried_numbers
from agent.claims.dates import Date
from agent.claims.folding import fold
from agent.claims.labels import markers
from agent.claims.numerals import numbers
from agent.claims.words import LANGUAGES


def quantities(text, language):
    return [(sorted(one.scaled), one.base) for one in claims_of(text, language).quantities]


DAY, HOUR, YEAR = 86400, 3600, 12


@pytest.mark.parametrize(
    ("language", "text", "value", "base"),
    [
        ("en", "within thirty days", 30 * DAY, "second"),
        ("en", "a 30-day period", 30 * DAY, "second"),
        ("en", "two weeks", 14 * DAY, "second"),
        ("en", "a fortnight", 14 * DAY, "second"),
        ("en", "one hundred and twenty-five metres", 125, "metre"),
        ("en", "150 centimetres", Fraction(3, 2), "metre"),
        ("en", "10,000 crowns", 10_000, "crown"),
        ("en", "ten thousand crowns", 10_000, "crown"),
        ("en", "1.5 million crowns", 1_500_000, "crown"),
        ("en", "€500", 500, "euro"),
        ("en", "5 per cent", Fraction(1, 20), "share"),
        ("en", "half of the cost", Fraction(1, 2), "share"),
        ("en", "sixteen years of age", 16 * YEAR, "month"),
        ("en", "ten working days", 10, "workday"),
        ("en", "twice", 2, "time"),
        ("en", "５０ metres", 50, "metre"),
        ("ko", "30일 이내에", 30 * DAY, "second"),
        ("ko", "삼십 일", 30 * DAY, "second"),
        ("ko", "열흘 안에", 10 * DAY, "second"),
        ("ko", "스무 살", 20 * YEAR, "month"),
        ("ko", "열여섯 살", 16 * YEAR, "month"),
        ("ko", "여섯 달", 6, "month"),
        ("ko", "반년", 6, "month"),
        ("ko", "1,000만원 이하의 벌금", 10_000_000, "won"),
        ("ko", "1천만원 이하의 벌금", 10_000_000, "won"),
        ("ko", "삼백만 원", 3_000_000, "won"),
        ("ko", "2억 5천만 원", 250_000_000, "won"),
        ("ko", "100분의 3", Fraction(3, 100), "share"),
        ("ko", "3퍼센트", Fraction(3, 100), "share"),
        ("ko", "연면적 400제곱미터", 400, "square metre"),
        ("ko", "400㎡", 400, "square metre"),
        ("ko", "두 차례", 2, "time"),
        ("ja", "三十日以内に", 30 * DAY, "second"),
        ("ja", "30日", 30 * DAY, "second"),
        ("ja", "十六歳未満", 16 * YEAR, "month"),
        ("ja", "二十万円", 200_000, "yen"),
        ("ja", "三か月", 3, "month"),
        ("fr", "trente jours", 30 * DAY, "second"),
        ("fr", "trente et un jours", 31 * DAY, "second"),
        ("fr", "quatre-vingt-dix mètres", 90, "metre"),
        ("fr", "30\u202f000 couronnes", 30_000, "crown"),
        ("fr", "1,5 mètre", Fraction(3, 2), "metre"),
        ("de", "dreißig Tage", 30 * DAY, "second"),
        ("de", "einundzwanzig Tagen", 21 * DAY, "second"),
        ("de", "eine 14-tägige Frist", 14 * DAY, "second"),
        ("de", "zweihundertfünfzig Meter", 250, "metre"),
        ("vi", "ba mươi ngày", 30 * DAY, "second"),
        ("vi", "mười bốn ngày", 14 * DAY, "second"),
        ("vi", "năm năm", 5 * YEAR, "month"),
        ("vi", "hai mươi lăm mét", 25, "metre"),
    ],
)
def test_a_number_is_its_value_and_unit_however_it_is_written(language, text, value, base):
    assert quantities(text, language) == [([value], base)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "No one of them may"),
        ("en", "Under Article 13-2(1) and Articles 5 to 9"),
        ("en", "class 2 and Annex 4"),
        ("ko", "만일 이 일은 사회의 구분에 따른 일부"),
        ("ko", "제13조의2제3항 및 별표 4"),
        ("ko", "① 관계인은"),
        ("ja", "第十三条の二第三項の一部"),
        ("fr", "l'article 5, un bâtiment neuf"),
        ("de", "nach Artikel 5 Absatz 2 eine Person"),
        ("vi", "theo Điều 5 khoản 2"),
    ],
)
def test_labels_and_words_that_only_look_like_numbers_are_no_quantities(language, text):
    assert quantities(text, language) == []


def test_a_number_whose_separator_can_be_read_in_two_ways_has_both_values():
    assert quantities("30.000 Kronen", "de") == [([30, 30_000], "crown")]
    assert quantities("30.000 crowns", "en") == [([30], "crown")]


@pytest.mark.parametrize(
    ("language", "text", "date"),
    [
        ("en", "since 1 July 2024", Date(2024, 7, 1)),
        ("en", "from July 1st, 2024", Date(2024, 7, 1)),
        ("en", "until 15 May", Date(None, 5, 15)),
        ("en", "on 2024-07-01", Date(2024, 7, 1)),
        ("ko", "2024년 7월 1일부터", Date(2024, 7, 1)),
        ("ko", "2024. 7. 1.부터", Date(2024, 7, 1)),
        ("ja", "令和6年7月1日", Date(2024, 7, 1)),
        ("ja", "２０２４年７月１日", Date(2024, 7, 1)),
        ("fr", "le 1er juillet 2024", Date(2024, 7, 1)),
        ("de", "am 1. Juli 2024", Date(2024, 7, 1)),
        ("vi", "ngày 1 tháng 7 năm 2024", Date(2024, 7, 1)),
    ],
)
def test_a_date_is_the_same_in_every_language(language, text, date):
    assert claims_of(text, language).dates == ((date,),)


def test_the_verb_may_is_no_month_and_a_date_of_two_orders_has_two_readings():
    assert claims_of("Up to 10 may be kept.", "en").dates == ()
    assert claims_of("05/07/2024", "fr").dates == ((Date(2024, 7, 5), Date(2024, 5, 7)),)
    assert claims_of("25/07/2024", "fr").dates == ((Date(2024, 7, 25),),)


@pytest.mark.parametrize(
    ("language", "text", "labels"),
    [
        ("en", "Article 13-2(1) and Articles 5 to 9", {"13-2", "13-2(1)", "5", "9"}),
        ("ko", "제13조의2제3항", {"13-2", "3", "13-2(3)"}),
        ("ko", "별표 4", {"4"}),
        ("ja", "第十三条の二第三項", {"13-2", "3", "13-2(3)"}),
        ("fr", "l'article 5", {"5"}),
        ("de", "§ 823 Abs. 1", {"823", "1"}),
        ("vi", "Điều 5 khoản 2", {"5", "2"}),
    ],
)
def test_the_parts_of_the_law_that_a_sentence_names_are_numbers_alike_in_every_language(language, text, labels):
    assert set(claims_of(text, language).labels) == labels


def test_an_amount_of_money_is_no_article_and_a_line_is_known_by_what_it_begins_with():
    assert claims_of("예산은 10조원이다.", "ko").labels == {}
    assert markers("① 하나\n② 둘\n  1의2. 셋\n(3) four\n  a. five") == {"1", "2", "1-2", "3", "a"}


FORCES = {
    Force.OBLIGATION: [
        ("en", "The owner shall keep it."), ("en", "You have to keep it."), ("ko", "보존하여야 한다."),
        ("ko", "보존해야 합니다."), ("ja", "保存しなければならない。"), ("fr", "Il doit le conserver."),
        ("de", "Er muss es aufbewahren."), ("vi", "Phải lưu giữ."),
    ],
    Force.PERMISSION: [
        ("en", "The owner may keep it."), ("en", "He is allowed to keep it."), ("ko", "보존할 수 있다."),
        ("ko", "보존해도 됩니다."), ("ja", "保存することができる。"), ("fr", "Il peut le conserver."),
        ("de", "Er darf es aufbewahren."), ("vi", "Có thể lưu giữ."),
    ],
    Force.PROHIBITION: [
        ("en", "The owner shall not keep it."), ("en", "No person shall keep it."), ("en", "It is forbidden."),
        ("en", "It can’t be kept."), ("ko", "보존하여서는 아니 된다."), ("ko", "보존하면 안 됩니다."),
        ("ko", "보존할 수 없다."),
        ("ja", "保存してはならない。"), ("ja", "保存することはできない。"), ("fr", "Il ne peut pas le conserver."),
        ("fr", "Il est interdit de le conserver."), ("de", "Er darf es nicht aufbewahren."),
        ("vi", "Không được lưu giữ."),
    ],
    Force.EXEMPTION: [
        ("en", "The owner need not keep it."), ("en", "He doesn't have to."), ("en", "This does not apply."),
        ("ko", "보존하지 아니하여도 된다."), ("ko", "그러하지 아니하다."), ("ko", "허가가 필요 없습니다."),
        ("ja", "保存する必要はない。"), ("ja", "この限りでない。"), ("fr", "Il n'est pas tenu de le conserver."),
        ("de", "Er muss es nicht aufbewahren."), ("vi", "Không phải lưu giữ."),
    ],
    Force.EXCEPTION: [
        ("en", "unless it is old"), ("en", "except in winter"), ("ko", "다만, 겨울에는"), ("ko", "겨울은 제외"),
        ("ja", "ただし、冬は"), ("fr", "sauf en hiver"), ("de", "es sei denn"), ("vi", "trừ mùa đông"),
    ],
    Force.RESTRICTION: [
        ("en", "only in winter"), ("ko", "겨울에 한하여"), ("ja", "冬に限り"), ("fr", "uniquement en hiver"),
        ("de", "nur im Winter"), ("vi", "chỉ mùa đông"),
    ],
    Force.LIMIT: [
        ("en", "not more than 5 metres"), ("en", "at most 5 metres"), ("ko", "5미터 이내"), ("ja", "5メートル以内"),
        ("fr", "au plus 5 mètres"), ("de", "höchstens 5 Meter"), ("vi", "không quá 5 mét"),
    ],
    Force.MINIMUM: [
        ("en", "not less than 5 metres"), ("en", "at least 5 metres"), ("ko", "5미터 이상"), ("ja", "5メートル以上"),
        ("fr", "au moins 5 mètres"), ("de", "mindestens 5 Meter"), ("vi", "ít nhất 5 mét"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("force", "language", "text"), [(force, *case) for force, cases in FORCES.items() for case in cases]
)
def test_modal_words_are_known_by_their_class_in_every_language(force, language, text):
    assert claims_of(text, language).forces == {force: 1}


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "without delay"), ("ko", "지체 없이"), ("ko", "안전관리자는"), ("ja", "遅滞なく"), ("fr", "sans délai"),
     ("de", "unverzüglich"), ("vi", "ngay lập tức")],
)  # fmt: skip
def test_words_that_only_look_like_a_denial_are_none(language, text):
    assert claims_of(text, language).forces == {}


def carried(said, passage, language="en", passage_language="en"):
    one, other = claims_of(said, language), [claims_of(passage, passage_language)]
    return not (
        uncarried_numbers(one, other)
        or uncarried_dates(one, other)
        or uncarried_labels(one, other)
        or uncarried_forces(one, other)
    )


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("ko", "16세 미만에게 팔아서는 안 된다."),
        ("ja", "16歳未満の者に販売してはならない。"),
        ("fr", "Il est interdit de les vendre aux moins de seize ans."),
        ("de", "Sie dürfen nicht an Personen unter 16 Jahren verkauft werden."),
        ("vi", "Không được bán cho người dưới 16 tuổi."),
    ],
)
def test_an_answer_is_carried_by_a_statute_in_another_language(language, said):
    passage = "They shall not be sold to a person under 16 years of age."
    assert carried(said, passage, language)
    assert not carried(said.replace("16", "18").replace("seize", "dix-huit"), passage, language)


@pytest.mark.parametrize(
    ("said", "passage"),
    [
        ("It may be sold.", "It shall not be sold."),
        ("It is sold.", "It is not sold."),
        ("It is not sold.", "It is sold."),
        ("It must be sold.", "It may be sold."),
        ("It may be sold.", "It shall be sold."),
        ("It must not be sold.", "It need not be sold."),
        ("It may be sold only in June.", "It may be sold in June."),
        ("It may be sold unless it is wet.", "It may be sold."),
        ("It is more than 5 metres away.", "It is not more than 5 metres away."),
        ("It is under 5 metres away.", "It is at least 5 metres away."),
        ("It lasts 5 days.", "It lasts 5 working days."),
        ("It lasts 5 months.", "It lasts 5 days."),
        ("It happens twice a year.", "It happens once a year."),
        ("It happens once a year.", "It happens twice a year."),
        ("It happens three times a year.", "It happens every 6 months."),
        ("It starts on 1 June 2024.", "It starts on 1 July 2024."),
        ("See Article 6.", "See Article 5."),
        ("See Article 5(2).", "See Article 5(1)."),
    ],
)
def test_what_the_passage_does_not_say_is_found(said, passage):
    assert not carried(said, passage)
    assert carried(passage, passage)


@pytest.mark.parametrize(
    ("said", "passage"),
    [
        ("You needn't sell it.", "It is not required to be sold."),
        ("It may not be sold without a permit.", "It may be sold only with a permit."),
        ("It has to be kept.", "It is kept for 3 years."),
        ("It must be at most 20 metres apart.", "They shall not be more than 20 metres apart."),
        ("It cannot be postponed by more than 30 days.", "It may be postponed by not more than 30 days."),
        ("One year.", "within a year"),
        ("Once a year.", "every 12 months"),
        ("In twelve months.", "after 1 year"),
        ("From 10 December to 31 December.", "from 10 to 31 December"),
        ("Twice a year.", "every 6 months"),
        ("It is exempt.", "This does not apply to it."),
    ],
)
def test_what_the_passage_says_in_other_words_is_carried(said, passage):
    assert carried(said, passage)


def test_nothing_is_read_across_what_was_taken_out():
    assert claims_of("Article 5 7 days", "en").quantities[0].values == {7}


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=st.text(max_size=200))
def test_claims_can_be_read_from_any_text(language, text):
    claims = claims_of(text, language)
    assert not uncarried_labels(claims, [claims])
    assert not uncarried_numbers(claims, [claims])
    assert not uncarried_dates(claims, [claims])


@given(st.integers(0, 10**9))
def test_a_number_in_digits_is_read_as_itself(number):
    (plain,), (grouped,) = numbers(str(number), "ko"), numbers(f"{number:,}", "en")
    assert plain.values == grouped.values == {number}


@given(st.text(max_size=100))
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


def test_the_script_tells_a_text_from_the_language_it_was_said_to_be_in():
    assert text_language("30일", default="en") == "ko"
    assert text_language("三十日以内", default="en") == "ja"
    assert text_language("within thirty days after the notice was received", default="ko") == "en"
    assert text_language("…", default="ko") == "ko"

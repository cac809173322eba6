import pytest

from agent.asked import Asked, asked_for, asked_unit, holds


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How much does the licence cost?", Asked.AMOUNT),
        ("What do I have to pay for the course?", Asked.AMOUNT),
        ("How much room must I leave?", Asked.NUMBER),
        ("It got smashed. Who buys me a new one?", Asked.PAYER),
        ("누가 비용을 부담하나요?", Asked.PAYER),
        ("How old must a seller be?", Asked.AGE),
        ("Is my son old enough to buy them?", Asked.AGE),
        ("At what age may one sell them?", Asked.AGE),
        ("How old may an extinguisher get?", Asked.TIME),
        ("How old must it be before I replace it?", Asked.TIME),
        ("몇 살부터 살 수 있나요?", Asked.AGE),
        ("何歳から買えますか", Asked.AGE),
        ("À partir de quel âge peut-on vendre ?", Asked.AGE),
        ("Wie alt muss man sein?", Asked.AGE),
        ("Bao nhiêu tuổi thì được bán?", Asked.AGE),
        ("How often must it be checked?", Asked.TIME),
        ("How many days do I have?", Asked.TIME),
        ("How many litres may I keep?", Asked.NUMBER),
        ("May I burn leaves?", None),
        ("과태료는 얼마인가요?", Asked.AMOUNT),
        ("며칠 안에 신고해야 하나요?", Asked.TIME),
        ("몇 명부터 선임해야 하나요?", Asked.NUMBER),
        ("비상구를 막아도 되나요?", None),
        ("Combien d'extincteurs faut-il ?", Asked.NUMBER),
        ("Dans quel délai dois-je répondre ?", Asked.TIME),
        ("Wie oft muss geprüft werden?", Asked.TIME),
        ("何日以内に届け出ますか", Asked.TIME),
        ("Mức phạt là gì?", Asked.AMOUNT),
    ],
)
def test_the_words_of_a_question_tell_what_kind_of_thing_it_asks_for(question, kind):
    assert asked_for(question) is kind


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (Asked.AMOUNT, "shall be fined up to 500 crowns", True),
        (Asked.AMOUNT, "the fee is set out in Annex 1", False),
        (Asked.PAYER, "the owner shall bear the cost of the repair", True),
        (Asked.PAYER, "the owner shall have it repaired", False),
        (Asked.AMOUNT, "300만원 이하의 과태료", True),
        (Asked.AGE, "only persons aged 18 or over may sell them", True),
        (Asked.AGE, "a person under 16 years of age", True),
        (Asked.AGE, "7 years of service as a firefighter", False),
        (Asked.AGE, "proof of damage", False),
        (Asked.AGE, "16세 미만인 사람", True),
        (Asked.AGE, "30세대 이상인 건축물", False),
        (Asked.AGE, "十六歳以上の人", True),
        (Asked.AGE, "wer das 18. Lebensjahr vollendet hat", True),
        (Asked.TIME, "within 30 days", True),
        (Asked.TIME, "once a year", True),
        (Asked.TIME, "지체 없이 신고하여야 한다", True),
        (Asked.TIME, "pursuant to Article 30 of the Act", False),
        (Asked.NUMBER, "at least two persons", True),
        (Asked.NUMBER, "(1) The quantity prescribed in Article 14(1) of the Act is set out in Annex 1.", False),
        (Asked.NUMBER, "제2항 제3호에 따른 수량", False),
        (None, "anything", True),
    ],
)
def test_a_clause_holds_an_amount_a_time_or_a_number_beside_its_labels(kind, text, expected):
    assert holds(kind, text) is expected


def test_the_unit_that_a_question_counts_in_is_read_off():
    assert asked_unit("From how many litres on?") == "litres"
    assert asked_unit("몇 명부터인가요?") == "명"
    assert asked_unit("How many days?") == ""
    assert asked_unit("How long?") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Est puni d'une amende de cinq cents à trois mille écus le bailleur.", True),
        ("第三条第一項の許可を受けないで開設した者は、五十万リョウ以下の罰金に処する。", True),
        ("The fine is 20 florins.", True),
        ("The fine is due within 20 days.", False),  # a time
        ("The fine under Article 20(4) is doubled.", False),  # a label
        ("A lane is 6 metres wide.", False),  # no money
    ],
)
def test_a_sum_in_a_currency_that_nobody_knows_is_an_amount_where_money_is_spoken_of(text, expected):
    assert holds(Asked.AMOUNT, text) is expected

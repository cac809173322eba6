import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.clauses import clauses, sentence_spans


def texts(text):
    return [text[clause.start : clause.end] for clause in clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another thing.", ["One thing.", "Another thing."]),
        ("Article 5. and no. 3 of 1.5 metres stay whole.", ["Article 5. and no. 3 of 1.5 metres stay whole."]),
        (
            "① 신고를 하여야 한다. 다만, 긴급한 경우에는 그러하지 아니하다.",
            ["① 신고를 하여야 한다.", "다만, 긴급한 경우에는 그러하지 아니하다."],
        ),
        ("消防署長は命ずる。ただし、この限りでない。", ["消防署長は命ずる。", "ただし、この限りでない。"]),
        ("", []),
        (" \n \n", []),
    ],
)
def test_sentences_end_where_the_law_ends_them(text, expected):
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "ko",
            "제1항에 따른 소화기는 1.5미터 이내에 둔다. 다만, 「건축법」 제5조의2의 경우는 제외한다.",
            ["제1항에 따른 소화기는 1.5미터 이내에 둔다.", "다만, 「건축법」 제5조의2의 경우는 제외한다."],
        ),
        (
            "ko",
            "① 다음 각 호와 같다.\n  1. 소화기\n  2. 경보기\n② 신고한다.",
            ["① 다음 각 호와 같다.", "1. 소화기", "2. 경보기", "② 신고한다."],
        ),
        (
            "fr",
            "En application de l'art. L. 121-2 et des art. 5 et 6, al. 3, l'exploitant informe M. Dupont. Il sort.",
            [
                "En application de l'art. L. 121-2 et des art. 5 et 6, al. 3, l'exploitant informe M. Dupont.",
                "Il sort.",
            ],
        ),
        (
            "fr",
            "Sont interdits :\n1° Les feux ;\n2° Les pétards. Toutefois, l'art. 3 s'applique.",
            ["Sont interdits :", "1° Les feux ;", "2° Les pétards.", "Toutefois, l'art. 3 s'applique."],
        ),
        (
            "ja",
            "第五条第二項の規定により、1.5メートル以内に置く。ただし、この限りでない。\n一　消火器\n二　非常ベル",
            [
                "第五条第二項の規定により、1.5メートル以内に置く。",
                "ただし、この限りでない。",
                "一　消火器",
                "二　非常ベル",
            ],
        ),
        (
            "vi",
            "1. Theo khoản 1 Điều 5, chủ nhà phải:\na) Trang bị bình;\nb) Báo TP. Hồ Chí Minh. Điểm này áp dụng.",
            [
                "1. Theo khoản 1 Điều 5, chủ nhà phải:",
                "a) Trang bị bình;",
                "b) Báo TP. Hồ Chí Minh.",
                "Điểm này áp dụng.",
            ],
        ),
        (
            "de",
            "Gemäß Art. 5 Abs. 2 Nr. 3, vgl. § 4 bzw. Anlage 2, i.S.d. § 1 ist die Tür 1.5 m breit. Sie öffnet sich.",
            [
                "Gemäß Art. 5 Abs. 2 Nr. 3, vgl. § 4 bzw. Anlage 2, i.S.d. § 1 ist die Tür 1.5 m breit.",
                "Sie öffnet sich.",
            ],
        ),
        (
            "de",
            "(1) Der Betreiber sorgt für:\n1. Löscher,\n2. Melder.\n(2) Näheres, z. B. Fristen, regelt Nr. A 3.",
            [
                "(1) Der Betreiber sorgt für:",
                "1. Löscher,",
                "2. Melder.",
                "(2) Näheres, z. B. Fristen, regelt Nr. A 3.",
            ],
        ),
        (
            "en",
            "Under s. 5(2) and Art. 5, para. 3, see e.g. Annex A, Sec. B and No. 7, exits are clear. Doors open.",
            ["Under s. 5(2) and Art. 5, para. 3, see e.g. Annex A, Sec. B and No. 7, exits are clear.", "Doors open."],
        ),
    ],
)
def test_labels_numbers_and_abbreviations_of_each_language_end_no_sentence(language, text, expected):
    assert texts(text) == expected, language


def test_an_item_has_the_sentence_that_it_continues_as_its_lead():
    text = "(1) The following are needed:\n  1. a ladder;\n    a. of wood;\n  2. a rope.\n(2) Other things."
    leads = {text[c.start : c.end]: text[c.lead_start : c.lead_end] for c in clauses(text)}
    assert leads == {
        "(1) The following are needed:": "",
        "1. a ladder;": "(1) The following are needed:",
        "a. of wood;": "  1. a ladder;".strip(),
        "2. a rope.": "(1) The following are needed:",
        "(2) Other things.": "",
    }


def test_an_item_is_cut_into_its_sentences_where_no_lead_is_wanted():
    text = "The following are needed:\n  1. a ladder. It is of wood;\n  2. a rope."
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "The following are needed:",
        "1. a ladder.",
        "It is of wood;",
        "2. a rope.",
    ]
    assert sentence_spans(" \n") == []


@given(st.text(alphabet="가다. \n1(2)a:;A①다만", max_size=80))
def test_clauses_lie_in_order_inside_the_text_and_leave_out_white_space_alone(text):
    found = clauses(text)
    covered = [False] * len(text)
    end = 0
    for clause in found:
        assert end <= clause.start < clause.end <= len(text)
        assert 0 <= clause.lead_start <= clause.lead_end <= clause.start or not clause.has_lead
        covered[clause.start : clause.end] = [True] * (clause.end - clause.start)
        end = clause.end
    assert all(done or text[place].isspace() for place, done in enumerate(covered))

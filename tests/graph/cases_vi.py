"""Vietnamese citations made by hand, before the grammar that reads them. Form: `language_cases.py`.

The smaller part stands first and belongs to the mention: "điểm a khoản 2 Điều 12". A law named after its article too.
"""

from __future__ import annotations

from tests.graph.language_cases import (
    DEFINES,
    DELEGATES,
    EXCEPTS,
    IMPLEMENTS,
    NO_TEXT,
    NOT_HERE,
    WHOLE_LAW,
    Expected,
    LanguageCase,
    lost,
    to,
    to_each,
)

__all__ = ["CASES", "CHAPTERS", "LAWS", "MORE_CHAPTERS", "REPEALED"]

ACT = "Luật Phòng cháy"
DECREE = "Nghị định số 15/2031/NĐ-CP"
CIRCULAR = "Thông tư số 8/2031/TT-BCA"
CIVIL = "Bộ luật Dân sự"

# law name: (collection name, level)
LAWS = {
    ACT: (ACT, "Luật"),
    DECREE: (ACT, "Nghị định"),
    CIRCULAR: (ACT, "Thông tư"),
    CIVIL: (CIVIL, "Bộ luật"),
}
CHAPTERS = (*(f"Điều {n}" for n in range(1, 121)), "Điều 12a", "Điều 12b", "Điều 13a")
REPEALED = "Điều 121"
MORE_CHAPTERS = {CIVIL: ("Điều 651", "Điều 652", "Điều 653", "Điều 1651")}

L = "luật-phòng-cháy"
N = "nghị-định-số-15/2031/nđ-cp"
T = "thông-tư-số-8/2031/tt-bca"
D = "bộ-luật-dân-sự"


def vi(
    why: str,
    law: str,
    text: str,
    *expected: Expected,
    article: str = "Điều 99",
    beside: dict[str, dict[str, str]] | None = None,
) -> LanguageCase:
    return LanguageCase(why, law, text, list(expected), article, "vi", beside or {})


CASES = [
    vi("an article of the same law", ACT, "giấy phép quy định tại Điều 5", to("Điều 5", f"{L}_5")),
    vi(
        "a capital at the head of a sentence, and none in it",
        ACT,
        "Điều 5 và điều 6 được áp dụng.",
        to("Điều 5", f"{L}_5"),
        to("điều 6", f"{L}_6"),
    ),
    vi(
        "clause and point stand before their article",
        ACT,
        "theo điểm a khoản 2 Điều 12",
        to("điểm a khoản 2 Điều 12", f"{L}_12", paragraph="2", item="a"),
    ),
    vi(
        "or behind, with commas",
        ACT,
        "theo Điều 12, khoản 2, điểm a",
        to("Điều 12, khoản 2, điểm a", f"{L}_12", paragraph="2", item="a"),
    ),
    vi(
        "a point with its own letter of the alphabet",
        ACT,
        "điểm đ khoản 1 Điều 8",
        to("điểm đ khoản 1 Điều 8", f"{L}_8", paragraph="1", item="đ"),
    ),
    vi(
        "an article of the civil code",
        ACT,
        "thừa kế theo Điều 651 Bộ luật Dân sự",
        to("Điều 651 Bộ luật Dân sự", f"{D}_651"),
    ),
    vi(
        "'of' between article and law",
        ACT,
        "khoản 2 Điều 652 của Bộ luật Dân sự",
        to("khoản 2 Điều 652 của Bộ luật Dân sự", f"{D}_652", paragraph="2"),
    ),
    vi(
        "the law's name in another case",
        ACT,
        "Điều 651 Bộ luật dân sự",
        to("Điều 651 Bộ luật dân sự", f"{D}_651"),
    ),
    vi(
        "the year of a law behind its name",
        ACT,
        "Điều 651 Bộ luật Dân sự năm 2015",
        to("Điều 651 Bộ luật Dân sự năm 2015", f"{D}_651"),
    ),
    vi(
        "accents composed of two characters are the same letters",
        ACT,
        "\u0110ie\u0302\u0300u 5",
        to("\u0110ie\u0302\u0300u 5", f"{L}_5"),
    ),
    vi(
        "one number is not the tail of another (oldp#194)",
        CIVIL,
        "Điều 1651 và Điều 51",
        to("Điều 1651", f"{D}_1651"),
        to("Điều 51", f"{D}_51"),
    ),
    vi("a branch letter", ACT, "theo Điều 12a", to("Điều 12a", f"{L}_12a")),
    vi(
        "a point after the article's stop is no branch letter (lagasafn-xml#60)",
        ACT,
        "Điều 6. a) Chủ nhà phải báo tin",
        to("Điều 6", f"{L}_6"),
    ),
    vi("this law", ACT, "theo Điều 5 của Luật này", to("Điều 5 của Luật này", f"{L}_5")),
    vi(
        "this law without 'of'",
        ACT,
        "tại khoản 1 Điều 5 Luật này",
        to("khoản 1 Điều 5 Luật này", f"{L}_5", paragraph="1"),
    ),
    vi("this law as a whole is no link", ACT, "Trong Luật này, theo quy định của Luật này và văn bản hướng dẫn,"),
    vi(
        "this decree",
        DECREE,
        "khoản 1 Điều 4 Nghị định này",
        to("khoản 1 Điều 4 Nghị định này", f"{N}_4", paragraph="1"),
    ),
    vi(
        "clauses and points of this article are no link",
        ACT,
        "trừ trường hợp quy định tại khoản 2 và điểm a khoản 3 Điều này",
    ),
    vi("the article itself is no link", ACT, "theo quy định tại Điều này"),
    vi("nor is it by its number", ACT, "quy định tại khoản 1 Điều 99 của Luật này"),
    vi(
        "a decree by its number, whose parts are no articles",
        ACT,
        "Điều 3 Nghị định số 15/2031/NĐ-CP",
        to("Điều 3 Nghị định số 15/2031/NĐ-CP", f"{N}_3"),
    ),
    vi(
        "without the word 'number', and with its date and issuer",
        ACT,
        "Điều 3 Nghị định 15/2031/NĐ-CP ngày 09 tháng 9 năm 2031 của Chính phủ",
        to("Điều 3 Nghị định 15/2031/NĐ-CP ngày 09 tháng 9 năm 2031 của Chính phủ", f"{N}_3"),
    ),
    vi(
        "a decree outside",
        ACT,
        "Nghị định số 136/2020/NĐ-CP",
        to("Nghị định số 136/2020/NĐ-CP", "nghị-định-số-136/2020/nđ-cp", WHOLE_LAW, NOT_HERE),
    ),
    vi(
        "a law outside by name and number",
        ACT,
        "Điều 7 Luật Đất đai số 45/2013/QH13",
        to("Điều 7 Luật Đất đai số 45/2013/QH13", "luật-đất-đai_7", reason=NOT_HERE),
    ),
    vi(
        "a name of many words ends where the clause does",
        ACT,
        "Điều 7 Luật Phòng, chống thiên tai quy định khác",
        to("Điều 7 Luật Phòng, chống thiên tai", "luật-phòng,-chống-thiên-tai_7", reason=NOT_HERE),
    ),
    vi(
        "a law cited whole",
        ACT,
        "theo quy định của Bộ luật Dân sự",
        to("Bộ luật Dân sự", D, WHOLE_LAW),
    ),
    vi(
        "an enumeration takes the law that stands behind it",
        ACT,
        "các Điều 651, 652 và 653 của Bộ luật Dân sự",
        to("Điều 651", f"{D}_651"),
        to("652", f"{D}_652"),
        to("653 của Bộ luật Dân sự", f"{D}_653"),
    ),
    vi(
        "an enumeration that repeats its noun",
        ACT,
        "Điều 651, Điều 652 và khoản 1 Điều 653 Bộ luật Dân sự",
        to("Điều 651", f"{D}_651"),
        to("Điều 652", f"{D}_652"),
        to("khoản 1 Điều 653 Bộ luật Dân sự", f"{D}_653", paragraph="1"),
    ),
    vi(
        "two clauses of one article",
        ACT,
        "các khoản 1, 2 và 4 Điều 8",
        to("khoản 1, 2 và 4 Điều 8", f"{L}_8", paragraph="1,2,4"),
    ),
    vi(
        "two points of one clause",
        ACT,
        "điểm b và điểm c khoản 1 Điều 8",
        to("điểm b và điểm c khoản 1 Điều 8", f"{L}_8", paragraph="1", item="b,c"),
    ),
    vi(
        "a range takes in the branches",
        ACT,
        "các điều từ Điều 12 đến Điều 14 của Luật này",
        *to_each("Điều 12 đến Điều 14 của Luật này", L, "12 12a 12b 13 13a 14"),
    ),
    vi(
        "a range with 'until the end of' and one noun",
        ACT,
        "từ Điều 3 đến hết Điều 5; các Điều 7 đến 9",
        *to_each("Điều 3 đến hết Điều 5", L, "3 4 5"),
        *to_each("Điều 7 đến 9", L, "7 8 9"),
    ),
    vi(
        "a range of clauses stays in its article",
        ACT,
        "từ khoản 1 đến khoản 3 Điều 8 và Điều 10",
        to("khoản 1 đến khoản 3 Điều 8", f"{L}_8", paragraph="1,2,3"),
        to("Điều 10", f"{L}_10"),
    ),
    vi("the article above", ACT, "quy định tại điều trên", to("điều trên", f"{L}_98")),
    vi(
        "which is a branch, if one stands between",
        ACT,
        "quy định tại điều liền trước",
        to("điều liền trước", f"{L}_12b"),
        article="Điều 13",
    ),
    vi(
        "the law said before",
        ACT,
        "Điều 651 Bộ luật Dân sự và Điều 652 của Bộ luật nói trên",
        to("Điều 651 Bộ luật Dân sự", f"{D}_651"),
        to("Điều 652 của Bộ luật nói trên", f"{D}_652"),
    ),
    vi("and none was", ACT, "Điều 7 của Luật đó", lost("Điều 7 của Luật đó", "no law is named before")),
    vi(
        "an alias",
        CIVIL,
        "Luật Phòng cháy (sau đây gọi tắt là Luật PC) và Điều 6 Luật PC",
        to("Luật Phòng cháy", L, WHOLE_LAW),
        to("Điều 6 Luật PC", f"{L}_6"),
    ),
    vi(
        "what the government regulates, and what a minister does",
        ACT,
        "1. Chính phủ quy định chi tiết Điều này.\n2. Bộ trưởng Bộ Công an quy định mẫu giấy phép.",
        to("Chính phủ quy định chi tiết", f"{N}_7", DELEGATES),
        lost("Bộ trưởng Bộ Công an quy định", f"no article of {CIRCULAR} implements it", DELEGATES),
        beside={DECREE: {"Điều 7": "Hướng dẫn khoản 1 Điều 99 của Luật về thời hạn là mười ngày."}},
    ),
    vi(
        "from below",
        DECREE,
        "Nghị định này quy định chi tiết khoản 2 Điều 12 Luật Phòng cháy về thời hạn.",
        to("khoản 2 Điều 12 Luật Phòng cháy", f"{L}_12", IMPLEMENTS, paragraph="2"),
    ),
    vi("the law, from its decree", DECREE, "vi phạm Điều 4 của Luật", to("Điều 4 của Luật", f"{L}_4")),
    vi(
        "except in the cases of",
        ACT,
        "trừ trường hợp quy định tại khoản 1 Điều 20 của Luật này",
        to("khoản 1 Điều 20 của Luật này", f"{L}_20", EXCEPTS, paragraph="1"),
    ),
    vi(
        "a definition",
        ACT,
        "Tài sản được hiểu theo quy định tại Điều 105 Bộ luật Dân sự.",
        to("Điều 105 Bộ luật Dân sự", f"{D}_105", DEFINES),
    ),
    vi(
        "annexes, in Roman numbers",
        DECREE,
        "quy định tại Phụ lục II ban hành kèm theo Nghị định này",
        to("Phụ lục II", f"{N}_phụ-lục-II", reason=NO_TEXT),
    ),
    vi("a form", CIRCULAR, "theo Mẫu số 03", to("Mẫu số 03", f"{T}_mẫu-số-3", reason=NO_TEXT)),
    vi(
        "a wording before its amendment",
        ACT,
        "Điều 5 trước khi được sửa đổi, bổ sung",
        lost("Điều 5 trước khi được sửa đổi", "earlier wording"),
    ),
    vi("a label that the law lacks", ACT, "theo Điều 999", lost("Điều 999", f"{ACT} has no Điều 999")),
    vi("a repealed article is found", ACT, "theo Điều 121", to("Điều 121", f"{L}_121")),
    vi(
        "words that begin like an article, a clause or a law",
        ACT,
        "Điều kiện 5 là bắt buộc; điều tra 3 vụ; khoản tiền 2 đồng; luật sư 4 năm; điều lệ 7",
    ),
]

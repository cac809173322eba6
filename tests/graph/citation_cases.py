"""Citations made by hand, with what each must resolve to: written before the grammar that reads them.

Every law has the articles 1 to 120 and some branches without text, and a repealed article 121. A case puts its own
text into one article (or several) of one law. An expectation is the words of the mention, the kind of edge, and its
target, or None and a part of the reason. The mentions of one text are listed in order; several edges of one mention (a
range) repeat its words.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from graph.records import EdgeKind

__all__ = ["CASES", "ENGLISH_LAWS", "KOREAN_LAWS", "Case", "Expected"]

CITES, DELEGATES, IMPLEMENTS = EdgeKind.CITES, EdgeKind.DELEGATES, EdgeKind.IMPLEMENTS
DEFINES, EXCEPTS, WHOLE_LAW = EdgeKind.DEFINES, EdgeKind.EXCEPTS, EdgeKind.WHOLE_LAW

# law name: (collection name, level)
KOREAN_LAWS = {
    "건축법": ("건축법", "법률"),
    "건축법 시행령": ("건축법", "대통령령"),
    "건축법 시행규칙": ("건축법", "국토교통부령"),
    "소방시설 설치 및 관리에 관한 법률": ("소방시설 설치 및 관리에 관한 법률", "법률"),
    "소방시설 설치 및 관리에 관한 법률 시행령": ("소방시설 설치 및 관리에 관한 법률", "대통령령"),
    "소방시설 설치 및 관리에 관한 법률 시행규칙": ("소방시설 설치 및 관리에 관한 법률", "행정안전부령"),
    "소방재정지원 및 시ㆍ도 소방특별회계 설치법": ("소방재정지원 및 시ㆍ도 소방특별회계 설치법", "법률"),
    "소방공무원법": ("소방공무원법", "법률"),
    "소방공무원 임용령": ("소방공무원 임용령", "대통령령"),
    "소방공무원 임용령 시행규칙": ("소방공무원 임용령", "행정안전부령"),
    "소방력 기준에 관한 규칙": ("소방력 기준에 관한 규칙", "행정안전부령"),
}
ENGLISH_LAWS = {
    "Fire Safety Act": ("Fire Safety", "Act"),
    "Fire Safety Decree": ("Fire Safety", "Decree"),
    "Fire Safety Rule": ("Fire Safety", "Rule"),
    "Fire Equipment Notice": ("Fire Safety", "Notice"),
    "Hazardous Goods Act": ("Hazardous Goods", "Act"),
}
KOREAN_BRANCHES = ("13조의2", "13조의3", "13조의6", "5조의2", "10조의2")
ENGLISH_BRANCHES = ("13-2", "13-3", "13-4")

Expected = tuple[str, EdgeKind, str | None, str]


@dataclass(frozen=True)
class Case:
    why: str
    law: str
    text: str
    expected: list[Expected]
    article: str = "제99조"
    beside: dict[str, dict[str, str]] = field(default_factory=dict)  # law: label: text
    language: str = "ko"


def to(words: str, target: str, kind: EdgeKind = CITES, reason: str = "") -> Expected:
    return words, kind, target, reason


def lost(words: str, reason: str, kind: EdgeKind = CITES) -> Expected:
    return words, kind, None, reason


ACT = "소방시설 설치 및 관리에 관한 법률"
DECREE = f"{ACT} 시행령"
RULE = f"{ACT} 시행규칙"
SLUG = "소방시설-설치-및-관리에-관한-법률"
OUTSIDE = "is not in the corpus"

KOREAN = [
    Case("an article of the same law", "건축법", "제5조에 따른 허가", [to("제5조", "건축법_5조")]),
    Case("a paragraph of the same article is no link", "건축법", "제1항에도 불구하고 제2항제3호에 따른다.", []),
    Case("a link to itself is dropped", "건축법", "제99조제2항에 따른 자", []),
    Case("a branch number", "건축법", "제13조의2에 따른 예치금", [to("제13조의2", "건축법_13조의2")]),
    Case("a branch number is not its stem", "건축법", "제13조의 규정", [to("제13조", "건축법_13조")]),
    Case(
        "a range",
        "건축법",
        "제11조부터 제13조까지의 규정",
        [to("제11조부터 제13조까지", f"건축법_{n}") for n in ("11조", "12조", "13조")],
    ),
    Case(
        "a range over branches takes in those between, and no stem",
        "건축법",
        "제13조의2부터 제13조의6까지에 따른",
        [to("제13조의2부터 제13조의6까지", f"건축법_13조의{n}") for n in (2, 3, 6)],
    ),
    Case(
        "a range from a stem to the next takes in the branches",
        "건축법",
        "제13조부터 제14조까지",
        [to("제13조부터 제14조까지", f"건축법_{n}") for n in ("13조", "13조의2", "13조의3", "13조의6", "14조")],
    ),
    Case(
        "old style of a range",
        "건축법",
        "제3조 내지 제4조의 규정",
        [to("제3조 내지 제4조", "건축법_3조"), to("제3조 내지 제4조", "건축법_4조")],
    ),
    Case(
        "a range that repeats the law",
        "건축법 시행령",
        "법 제42조부터 법 제43조까지의 규정",
        [to("법 제42조부터 법 제43조까지", "건축법_42조"), to("법 제42조부터 법 제43조까지", "건축법_43조")],
    ),
    Case(
        "a range of paragraphs stays in its article",
        "건축법",
        "제3조제2항부터 제4항까지 및 제5조",
        [to("제3조제2항부터 제4항까지", "건축법_3조"), to("제5조", "건축법_5조")],
    ),
    Case(
        "an enumeration inherits the law",
        "소방공무원법",
        "「건축법」 제49조, 제50조 및 제52조를 준용한다.",
        [to("「건축법」 제49조", "건축법_49조"), to("제50조", "건축법_50조"), to("제52조", "건축법_52조")],
    ),
    Case(
        "and stops at the next clause",
        "소방공무원법",
        "「건축법」 제49조에 따른 자 및 제50조에 따른 자",
        [to("「건축법」 제49조", "건축법_49조"), to("제50조", "소방공무원법_50조")],
    ),
    Case(
        "paragraphs between do not break an enumeration",
        "소방공무원법",
        "「건축법」 제49조제1항ㆍ제2항, 제50조제3항제2호 및 제52조",
        [
            to("「건축법」 제49조제1항ㆍ제2항", "건축법_49조"),
            to("제50조제3항제2호", "건축법_50조"),
            to("제52조", "건축법_52조"),
        ],
    ),
    Case(
        "middle dots of an enumeration",
        "건축법",
        "제11조ㆍ제14조·제16조‧제19조",
        [
            to("제11조", "건축법_11조"),
            to("제14조", "건축법_14조"),
            to("제16조", "건축법_16조"),
            to("제19조", "건축법_19조"),
        ],
    ),
    Case(
        "an enumeration with brackets between",
        "소방공무원법",
        "「건축법」 제76조(같은 조 제5항은 제외한다), 제77조에 따른",
        [to("「건축법」 제76조", "건축법_76조"), to("같은 조 제5항", "건축법_76조"), to("제77조", "건축법_77조")],
    ),
    Case(
        "inside such brackets the law is inherited",
        "소방공무원법",
        "「건축법」 제73조(제72조제1항의 죄는 제외한다) 및 제74조",
        [to("「건축법」 제73조", "건축법_73조"), to("제72조제1항", "건축법_72조"), to("제74조", "건축법_74조")],
    ),
    Case(
        "either of two",
        "건축법",
        "제11조나 제12조제1항을 위반하여",
        [to("제11조", "건축법_11조"), to("제12조제1항", "건축법_12조")],
    ),
    Case(
        "the act, from its decree",
        DECREE,
        "법 제12조제1항에 따른 소방시설",
        [to("법 제12조제1항", f"{SLUG}_12조", IMPLEMENTS)],
    ),
    Case(
        "the decree, from the rule",
        RULE,
        "영 제7조제2항에 따라",
        [to("영 제7조제2항", f"{SLUG}-시행령_7조", IMPLEMENTS)],
    ),
    Case("the rule, from the decree: cites", DECREE, "규칙 제7조에 따른", [to("규칙 제7조", f"{SLUG}-시행규칙_7조")]),
    Case(
        "an enumeration inherits the act",
        DECREE,
        "법 제12조, 제13조 및 이 영 제14조를",
        [to("법 제12조", f"{SLUG}_12조"), to("제13조", f"{SLUG}_13조"), to("이 영 제14조", f"{SLUG}-시행령_14조")],
    ),
    Case("this act", "건축법", "이 법 제5조에 따라", [to("이 법 제5조", "건축법_5조")]),
    Case("this decree", DECREE, "이 영 제5조", [to("이 영 제5조", f"{SLUG}-시행령_5조")]),
    Case("the subject particle is not 'this'", DECREE, "기준이 법 제13조에 맞는", [to("법 제13조", f"{SLUG}_13조")]),
    Case(
        "the word before is glued by a bracket",
        DECREE,
        "자체점검(법 제22조에 따른 점검을 말한다)",
        [to("법 제22조", f"{SLUG}_22조", DEFINES)],
    ),
    Case(
        "the law's name and the act of it are two things",
        DECREE,
        "「건축법」 제2조 및 법 제13조",
        [to("「건축법」 제2조", "건축법_2조"), to("법 제13조", f"{SLUG}_13조")],
    ),
    Case(
        "the same act",
        "소방공무원법",
        "「건축법」 제2조에 따른 건축물 및 같은 법 제3조에 따른",
        [to("「건축법」 제2조", "건축법_2조"), to("같은 법 제3조", "건축법_3조")],
    ),
    Case(
        "the decree of the same act (korean-law-mcp#70)",
        "소방공무원법",
        "「건축법」 제38조제1항 및 같은 법 시행규칙 제30조에 따라",
        [to("「건축법」 제38조제1항", "건축법_38조"), to("같은 법 시행규칙 제30조", "건축법-시행규칙_30조")],
    ),
    Case(
        "of a law outside the corpus too (korean-law-mcp#70)",
        "건축법",
        "「노인장기요양보험법」 제38조제1항 및 같은 법 시행규칙 제30조에 따라",
        [
            to("「노인장기요양보험법」 제38조제1항", "노인장기요양보험법_38조", reason=OUTSIDE),
            to("같은 법 시행규칙 제30조", "노인장기요양보험법-시행규칙_30조", reason=OUTSIDE),
        ],
    ),
    Case(
        "the same act, old style",
        "소방공무원법",
        "「건축법」 제2조 또는 동법 제3조, 동법 시행령 제4조",
        [
            to("「건축법」 제2조", "건축법_2조"),
            to("동법 제3조", "건축법_3조"),
            to("동법 시행령 제4조", "건축법-시행령_4조"),
        ],
    ),
    Case(
        "the same act after its decree was named",
        "소방공무원법",
        "「건축법 시행령」 제2조에 따른 자는 같은 법 제3조",
        [to("「건축법 시행령」 제2조", "건축법-시행령_2조"), to("같은 법 제3조", "건축법_3조")],
    ),
    Case(
        "the same decree",
        "소방공무원법",
        "「건축법」 제2조, 「건축법 시행령」 제3조 및 같은 영 제4조",
        [
            to("「건축법」 제2조", "건축법_2조"),
            to("「건축법 시행령」 제3조", "건축법-시행령_3조"),
            to("같은 영 제4조", "건축법-시행령_4조"),
        ],
    ),
    Case(
        "the same rule",
        "소방공무원법",
        "「소방력 기준에 관한 규칙」 제2조에 따른 인력과 같은 규칙 제3조",
        [
            to("「소방력 기준에 관한 규칙」 제2조", "소방력-기준에-관한-규칙_2조"),
            to("같은 규칙 제3조", "소방력-기준에-관한-규칙_3조"),
        ],
    ),
    Case(
        "the same act is the one that 'the act' meant",
        DECREE,
        "법 제2조제1항 또는 같은 법 제3조",
        [to("법 제2조제1항", f"{SLUG}_2조"), to("같은 법 제3조", f"{SLUG}_3조")],
    ),
    Case(
        "the same article",
        DECREE,
        "법 제12조제1항 및 같은 조 제3항에 따라",
        [to("법 제12조제1항", f"{SLUG}_12조", IMPLEMENTS), to("같은 조 제3항", f"{SLUG}_12조", IMPLEMENTS)],
    ),
    Case(
        "the same act with nothing before it",
        "건축법",
        "같은 법 제3조",
        [lost("같은 법 제3조", "no law is named before")],
    ),
    Case(
        "an alias defined in article 1 holds in article 99",
        "소방공무원 임용령",
        "법 제6조제1항에 따라",
        [to("법 제6조제1항", "소방공무원법_6조", IMPLEMENTS)],
        beside={
            "소방공무원 임용령": {
                "제1조": '이 영은 「소방공무원법」(이하 "법"이라 한다)의 시행에 필요한 사항을 규정한다.'
            }
        },
    ),
    Case(
        "an alias in a stand-alone decree is another law than the family's",
        "소방공무원 임용령 시행규칙",
        '「소방공무원법」(이하 "법"이라 한다) 제6조 및 「소방공무원 임용령」(이하 “영”이라 한다) 제7조에 따라'
        " 법 제8조와 영 제9조를",
        [
            to('「소방공무원법」(이하 "법"이라 한다) 제6조', "소방공무원법_6조", IMPLEMENTS),
            to("「소방공무원 임용령」(이하 “영”이라 한다) 제7조", "소방공무원-임용령_7조", IMPLEMENTS),
            to("법 제8조", "소방공무원법_8조"),
            to("영 제9조", "소방공무원-임용령_9조"),
        ],
    ),
    Case(
        "an alias that is a short name",
        "건축법",
        "소방시설법 제5조",
        [to("소방시설법 제5조", f"{SLUG}_5조")],
        beside={"건축법": {"제2조": f'「{ACT}」(이하 "소방시설법"이라 한다)에 따른 소방시설'}},
    ),
    Case(
        "an alias for one item only does not leave it",
        "건축법 시행규칙",
        '  1. 「소방공무원 임용령」(이하 이 호에서 "영"이라 한다) 제3조 또는 영 제4조\n  2. 영 제5조',
        [
            to('「소방공무원 임용령」(이하 이 호에서 "영"이라 한다) 제3조', "소방공무원-임용령_3조"),
            to("영 제4조", "소방공무원-임용령_4조"),
            to("영 제5조", "건축법-시행령_5조"),
        ],
    ),
    Case(
        "a stand-alone decree without an alias has no act",
        "소방공무원 임용령",
        "법 제6조",
        [lost("법 제6조", "has no law of the level")],
    ),
    Case(
        "another middle dot and other spaces (korean-law-mcp#69)",
        "건축법",
        "「소방재정지원 및 시·도 소방특별회계 설치법」 제3조",
        [to("「소방재정지원 및 시·도 소방특별회계 설치법」 제3조", "소방재정지원-및-시-도-소방특별회계-설치법_3조")],
    ),
    Case(
        "a name written without spaces",
        "건축법",
        "「소방시설설치및관리에관한법률」 제3조",
        [to("「소방시설설치및관리에관한법률」 제3조", f"{SLUG}_3조")],
    ),
    Case(
        "a closing bracket and an unknown law (korean-law-mcp#69)",
        "건축법",
        "「식품 등의 표시·광고에 관한 법률」 제8조제1항 제5호",
        [
            to(
                "「식품 등의 표시·광고에 관한 법률」 제8조제1항 제5호",
                "식품-등의-표시-광고에-관한-법률_8조",
                reason=OUTSIDE,
            )
        ],
    ),
    Case(
        "a modifier before a bare name (korean-law-mcp#55)",
        "건축법",
        "절도죄는 형법 제329조(절도)에 따라 처벌된다",
        [to("형법 제329조", "형법_329조", reason="law 「형법」 is not in the corpus")],
    ),
    Case(
        "a modifier before a bare name, with a branch (korean-law-mcp#55)",
        "소방공무원법",
        "이혼시 재산분할은 민법 제839조의2(재산분할청구권)에 근거한다",
        [to("민법 제839조의2", "민법_839조의2", reason=OUTSIDE)],
    ),
    Case(
        "a bare name of several words that the corpus knows",
        "건축법",
        f"위반한 자는 {DECREE} 제7조에 따른다",
        [to(f"{DECREE} 제7조", f"{SLUG}-시행령_7조")],
    ),
    Case(
        "a bare name that ends in 시행령 (the-book-of-moon#12)",
        "소방공무원법",
        "그 기준은 건축법 시행령 제34조에 따른다",
        [to("건축법 시행령 제34조", "건축법-시행령_34조")],
    ),
    Case(
        "the tail of a longer name is not a shorter law",
        "소방공무원법",
        "난민법 제3조",
        [to("난민법 제3조", "난민법_3조", reason=OUTSIDE)],
    ),
    Case(
        "paragraph, item and sub-item",
        DECREE,
        "법 제2조제1항제1호나목에 따른",
        [to("법 제2조제1항제1호나목", f"{SLUG}_2조", IMPLEMENTS)],
    ),
    Case(
        "parts of an article",
        "건축법",
        "제10조의2제3항 각 호 외의 부분 단서 및 제11조",
        [to("제10조의2제3항 각 호 외의 부분 단서", "건축법_10조의2"), to("제11조", "건축법_11조")],
    ),
    Case(
        "an annex that holds the detail",
        DECREE,
        "소방시설의 종류는 별표 4와 같다.",
        [to("별표 4", f"{SLUG}-시행령_별표4", DELEGATES, "text is not in the sources")],
    ),
    Case(
        "a branch of an annex",
        DECREE,
        "별표 4의2 제1호에 따른",
        [to("별표 4의2 제1호", f"{SLUG}-시행령_별표4의2", reason="text is not")],
    ),
    Case(
        "annexes in a row",
        DECREE,
        "별표 1부터 별표 3까지에 따른",
        [to("별표 1부터 별표 3까지", f"{SLUG}-시행령_별표{n}", reason="text is not") for n in (1, 2, 3)],
    ),
    Case(
        "an annex without a number",
        DECREE,
        "과태료의 부과기준은 별표와 같다.",
        [to("별표", f"{SLUG}-시행령_별표", DELEGATES, "text is not")],
    ),
    Case(
        "an annex of another law",
        "건축법",
        f"「{DECREE}」 별표 1 제2호에 따른",
        [to(f"「{DECREE}」 별표 1 제2호", f"{SLUG}-시행령_별표1", reason="text is not")],
    ),
    Case(
        "an annex of the decree keeps its decree (korean-law-mcp#133)",
        RULE,
        "영 별표 4 제1호에 따른",
        [to("영 별표 4 제1호", f"{SLUG}-시행령_별표4", IMPLEMENTS, "text is not")],
    ),
    Case(
        "an annex in an enumeration",
        "건축법",
        "「소방공무원 임용령」 제5조 및 별표 1",
        [
            to("「소방공무원 임용령」 제5조", "소방공무원-임용령_5조"),
            to("별표 1", "소방공무원-임용령_별표1", reason="text is not"),
        ],
    ),
    Case(
        "a form",
        RULE,
        "별지 제3호서식의 신청서 또는 별지 제1호의4서식",
        [
            to("별지 제3호서식", f"{SLUG}-시행규칙_별지3호서식", reason="text is not"),
            to("별지 제1호의4서식", f"{SLUG}-시행규칙_별지1호의4서식", reason="text is not"),
        ],
    ),
    Case(
        "a law cited whole is not its article 1",
        "소방공무원법",
        "「건축법」에 따른 건축물",
        [to("「건축법」", "건축법", WHOLE_LAW)],
    ),
    Case(
        "a law outside the corpus, whole",
        "건축법",
        "「산업안전보건법」에 따른",
        [to("「산업안전보건법」", "산업안전보건법", WHOLE_LAW, OUTSIDE)],
    ),
    Case(
        "a law outside the corpus, its article",
        "건축법",
        "「산업안전보건법」 제38조",
        [to("「산업안전보건법」 제38조", "산업안전보건법_38조", reason="law 「산업안전보건법」 is not in the corpus")],
    ),
    Case(
        "laws before the one with the article are cited whole",
        "건축법",
        "「소방공무원법」 및 「주택법」 제5조",
        [to("「소방공무원법」", "소방공무원법", WHOLE_LAW), to("「주택법」 제5조", "주택법_5조", reason=OUTSIDE)],
    ),
    Case(
        "the number of a law is no article",
        "건축법",
        "대통령령 제30423호 건축법 시행령 일부개정령의 시행일, 법률 제6655호로 개정된",
        [],
    ),
    Case(
        "the addenda are not the law's articles",
        "건축법",
        "법률 제6655호 건축법 부칙 제5조에 따라",
        [lost("부칙 제5조", "addenda")],
    ),
    Case("nor is an earlier wording", "건축법", "종전의 제5조에 따른 허가", [lost("종전의 제5조", "earlier wording")]),
    Case(
        "an earlier wording of a named law",
        "건축법",
        "종전의 「소방공무원법」 제5조 및 제6조",
        [lost("종전의 「소방공무원법」 제5조", "earlier wording"), lost("제6조", "earlier wording")],
    ),
    Case("a label that the law lacks", "건축법", "제999조에 따른", [lost("제999조", "건축법 has no 제999조")]),
    Case("a repealed article is found", "건축법", "제121조에 따른", [to("제121조", "건축법_121조")]),
    Case(
        "a delegation is what the decree implements",
        ACT,
        "① 소방시설은 대통령령으로 정하는 기준에 따른다.\n② 자격은 행정안전부령으로 정한다.",
        [
            to("대통령령으로 정하는", f"{SLUG}-시행령_7조", DELEGATES),
            lost("행정안전부령으로 정한다", f"no article of {RULE} implements it", DELEGATES),
        ],
        beside={
            DECREE: {
                "제7조": '법 제99조제1항에서 "대통령령으로 정하는 기준"이란 다음을 말한다.',
                "제8조": "법 제98조제1항에 따른 기준",
            }
        },
    ),
    Case(
        "a delegation in one paragraph is not implemented by a clause on another",
        ACT,
        "① 소방시설은 대통령령으로 정하는 기준에 따른다.\n② 자격은 대통령령으로 정한다.",
        [
            to("대통령령으로 정하는", f"{SLUG}-시행령_7조", DELEGATES),
            to("대통령령으로 정한다", f"{SLUG}-시행령_8조", DELEGATES),
        ],
        beside={DECREE: {"제7조": "법 제99조제1항에 따른 기준", "제8조": "법 제99조제2항에 따른 자격"}},
    ),
    Case(
        "what the decree quotes is no delegation of its own",
        DECREE,
        '법 제11조에서 "대통령령으로 정하는 기관"이란 다음 각 호를 말한다.',
        [to("법 제11조", f"{SLUG}_11조", IMPLEMENTS)],
    ),
    Case(
        "a notice",
        ACT,
        "소방청장이 정하여 고시하는 기준",
        [lost("정하여 고시하는", "has no law of the level", DELEGATES)],
    ),
    Case(
        "in spite of",
        "건축법",
        "제11조 및 제14조제1항에도 불구하고",
        [to("제11조", "건축법_11조", EXCEPTS), to("제14조제1항", "건축법_14조", EXCEPTS)],
    ),
    Case(
        "a definition",
        ACT,
        '"건축물"이란 「건축법」 제2조제1항제2호에 따른 건축물을 말한다.',
        [to("「건축법」 제2조제1항제2호", "건축법_2조", DEFINES)],
    ),
    Case(
        "the purpose clause of a stand-alone rule implements",
        "소방력 기준에 관한 규칙",
        "이 규칙은 「소방공무원법」 제8조에 따른 기준을 정함을 목적으로 한다.",
        [to("「소방공무원법」 제8조", "소방공무원법_8조", IMPLEMENTS)],
    ),
    Case(
        "a particle after a bracket is not 'this' either",
        DECREE,
        "소방서장(출장소장을 포함한다. 이하 같다)이 법 제8조에 따라",
        [to("법 제8조", f"{SLUG}_8조", IMPLEMENTS)],
    ),
    Case(
        "an amending law's own articles are not the amended law's",
        "건축법",
        "법률 제7696호 건축법 일부개정법률 제50조의 개정규정에 따라",
        [lost("일부개정법률 제50조", "earlier wording")],
    ),
    Case(
        "an earlier wording that a bracket tells",
        "건축법",
        "「소방공무원법」(법률 제6842호로 개정되기 전의 것을 말한다) 제13조에 따라",
        [lost("「소방공무원법」(법률 제6842호로 개정되기 전의 것을 말한다) 제13조", "earlier wording")],
    ),
    Case(
        "words to be replaced are the other law's",
        "건축법",
        '「소방공무원법」 제7조제2항 중 "제40조 및 제41조"는 "이 법 제14조"로 본다.',
        [
            to("「소방공무원법」 제7조제2항", "소방공무원법_7조"),
            to("제40조", "소방공무원법_40조"),
            to("제41조", "소방공무원법_41조"),
            to("이 법 제14조", "건축법_14조"),
        ],
    ),
    Case(
        "the same article in a new clause hands its law to no label after it",
        "소방공무원 임용령",
        "「소방공무원법」 제11조에 따른 기관 또는 같은 조 단서 및 제34조에 따라",
        [
            to("「소방공무원법」 제11조", "소방공무원법_11조"),
            to("같은 조 단서", "소방공무원법_11조"),
            to("제34조", "소방공무원-임용령_34조"),
        ],
    ),
    Case(
        "words to be replaced of a law that is applied with changes",
        "소방공무원 임용령",
        '법 제5조에 관하여는 「건축법」 제41조를 준용한다. 이 경우 "위원장"은 "법 제6조의 장"으로,'
        ' "제9조에 따른 위원회"는 "소위원회"로 본다.',
        [
            lost("법 제5조", "has no law of the level"),
            to("「건축법」 제41조", "건축법_41조"),
            lost("법 제6조", "has no law of the level"),
            to("제9조", "건축법_9조"),
        ],
    ),
    Case(
        "a bracket between the decree of the same act and its article",
        "소방공무원법",
        '「건축법」 제8조 및 같은 법 시행령(이하 "영"이라 한다) 제4조에 따른',
        [to("「건축법」 제8조", "건축법_8조"), to('같은 법 시행령(이하 "영"이라 한다) 제4조', "건축법-시행령_4조")],
    ),
    Case(
        "two spaces",
        "소방공무원법",
        "「건축법」 제8조를 적용하지 아니하며 같은 법  제23조",
        [to("「건축법」 제8조", "건축법_8조"), to("같은 법  제23조", "건축법_23조")],
    ),
    Case(
        "the same law as one of an earlier wording is not an older named one",
        "소방공무원법",
        "「건축법」 제8조 및 종전의 「주택법」 제5조에 따라 등록한 자로서 같은 법 제6조",
        [
            to("「건축법」 제8조", "건축법_8조"),
            lost("종전의 「주택법」 제5조", "earlier wording"),
            lost("같은 법 제6조", "earlier wording"),
        ],
    ),
    Case(
        "the decree of a law with a short name",
        "건축법",
        '「소방공무원법」(이하 "공무원법"이라 한다), 공무원법 시행령 제3조 및 공무원법시행령 제4조',
        [
            to("「소방공무원법」", "소방공무원법", WHOLE_LAW),
            to("공무원법 시행령 제3조", "소방공무원법-시행령_3조", reason=OUTSIDE),
            to("공무원법시행령 제4조", "소방공무원법-시행령_4조", reason=OUTSIDE),
        ],
    ),
    Case(
        "a law and the part of it that the articles are in",
        "건축법",
        "「소방공무원법」 제2편제3장 협박의 죄 중 제83조(협박)제1항ㆍ제2항, 제84조의5(미수범)(제85조만 해당한다)의 죄",
        [
            to("「소방공무원법」", "소방공무원법", WHOLE_LAW),
            to("제83조", "소방공무원법_83조"),
            lost("제84조의5", "소방공무원법 has no 제84조의5"),
            to("제85조", "소방공무원법_85조"),
        ],
    ),
    Case(
        "a law but for an article",
        "건축법",
        "「소방공무원법」(제93조는 제외한다)을 적용하지 아니한다.",
        [to("「소방공무원법」", "소방공무원법", WHOLE_LAW), to("제93조", "소방공무원법_93조")],
    ),
    Case(
        "an old range of paragraphs in an enumeration",
        "건축법",
        "「소방공무원법」 제5조제2항 내지 제5항, 제10조 및 제14조제2항의 규정",
        [
            to("「소방공무원법」 제5조제2항 내지 제5항", "소방공무원법_5조"),
            to("제10조", "소방공무원법_10조"),
            to("제14조제2항", "소방공무원법_14조"),
        ],
    ),
    Case(
        "the act, glued to the word before",
        DECREE,
        "외국인인 경우에는법 제7조제1항 각 호",
        [to("법 제7조제1항 각 호", f"{SLUG}_7조")],
    ),
    Case(
        "an item that speaks of what the act provides for fills nothing in, unless it quotes",
        DECREE,
        "다음 각 호의 사무를 수행한다.\n  1. 법 제9조에 따른 신고에 관한 사무\n  2. 법 제10조에 따라 등록한 자\n"
        '  3. 법 제11조에서 "대통령령으로 정하는 자"란 다음과 같다.',
        [
            to("법 제9조", f"{SLUG}_9조"),
            to("법 제10조", f"{SLUG}_10조"),
            to("법 제11조", f"{SLUG}_11조", IMPLEMENTS),
        ],
    ),
    Case(
        "what stands in the midst of a sentence fills nothing in, but what opens it does",
        DECREE,
        "① 법 제9조에 따른 허가서 및 법 제10조에 따른 신고서는 법 제11조에 따른 시장에게 법 제12조에 따라 낸다.",
        [
            to("법 제9조", f"{SLUG}_9조", IMPLEMENTS),
            to("법 제10조", f"{SLUG}_10조", IMPLEMENTS),
            to("법 제11조", f"{SLUG}_11조"),
            to("법 제12조", f"{SLUG}_12조", IMPLEMENTS),
        ],
    ),
    Case(
        "who is described in brackets fills nothing in",
        RULE,
        "① 시장(법 제15조 및 영 제90조에 따라 승인하는 자를 말한다)은 영 제7조에 따라 정한다.",
        [
            to("법 제15조", f"{SLUG}_15조"),
            to("영 제90조", f"{SLUG}-시행령_90조"),
            to("영 제7조", f"{SLUG}-시행령_7조", IMPLEMENTS),
        ],
    ),
    Case(
        "a delegation quoted after a genitive",
        DECREE,
        '법 제9조제3항의 "대통령령으로 정하는 기간"이란 2년을 말하고, 법 제10조의 "시장"은 "도지사"로 본다.',
        [to("법 제9조제3항", f"{SLUG}_9조", IMPLEMENTS), to("법 제10조", f"{SLUG}_10조")],
    ),
    Case(
        "who is meant in a case is no definition",
        "건축법",
        "장관(제40조에 따른 구역의 경우 도지사를 말한다)",
        [to("제40조", "건축법_40조")],
    ),
    Case(
        "an annex that holds the detail, in the midst of a sentence",
        DECREE,
        "점검의 기준은 별표 3과 같고, 배치의 기준은 별표 4와 같다.",
        [
            to("별표 3", f"{SLUG}-시행령_별표3", DELEGATES, "text is not"),
            to("별표 4", f"{SLUG}-시행령_별표4", DELEGATES, "text is not"),
        ],
    ),
    Case(
        "a notice named in words is an absent law, its article an absent provision",
        RULE,
        "「공동주택의 화재안전성능기준(NFPC 608)」 및 「소화기구의 화재안전기술기준(NFTC 101)」 제4조제1항에 따라",
        [
            to(
                "「공동주택의 화재안전성능기준(NFPC 608)」", "공동주택의-화재안전성능기준(NFPC-608)", WHOLE_LAW, OUTSIDE
            ),
            to(
                "「소화기구의 화재안전기술기준(NFTC 101)」 제4조제1항",
                "소화기구의-화재안전기술기준(NFTC-101)_4조",
                reason=OUTSIDE,
            ),
        ],
    ),
    Case(
        "a law that was repealed is one that is not here, and not taken for its successor (korean-law-mcp#67)",
        "건축법",
        "「소방시설 설치ㆍ유지 및 안전관리에 관한 법률」 제9조제1항에 따른",
        [
            to(
                "「소방시설 설치ㆍ유지 및 안전관리에 관한 법률」 제9조제1항",
                "소방시설-설치-유지-및-안전관리에-관한-법률_9조",
                reason=OUTSIDE,
            )
        ],
    ),
    Case(
        "an article's number takes no other mention away (korean-law-mcp#99)",
        "소방공무원법",
        "제999조 말고 건축법 시행령의 피난 규정과 「건축법」 제49조, 형법 제170조를 알려 주세요.",
        [
            lost("제999조", "소방공무원법 has no 제999조"),
            to("「건축법」 제49조", "건축법_49조"),
            to("형법 제170조", "형법_170조", reason=OUTSIDE),
        ],
    ),
    Case(
        "a middle dot in the name, other than the law's own (korean-law-mcp#69)",
        "건축법",
        "「소방재정지원 및 시‧도 소방특별회계 설치법」 제4조",
        [to("「소방재정지원 및 시‧도 소방특별회계 설치법」 제4조", "소방재정지원-및-시-도-소방특별회계-설치법_4조")],
    ),
    Case("words that begin like an article", "건축법", "제3조합과 제2조정위원회 및 안전조치", []),
    Case(
        "a suffix outside the brackets",
        "소방공무원법",
        "「건축법」 시행령 제3조",
        [to("「건축법」 시행령 제3조", "건축법-시행령_3조")],
    ),
]

EA = "Fire Safety Act"
ED = "Fire Safety Decree"
ER = "Fire Safety Rule"
EQ = "Fire Equipment Notice"


def en(why: str, law: str, text: str, *expected: Expected, **more: dict[str, dict[str, str]]) -> Case:
    return Case(why, law, text, list(expected), "Article 99", language="en", **more)


ENGLISH = [
    en("an article of the same law", EA, "under Article 12.", to("Article 12", "fire-safety-act_12")),
    en("a paragraph", EA, "under Article 12(3).", to("Article 12(3)", "fire-safety-act_12")),
    en(
        "a branch, paragraph and item",
        EA,
        "under Article 13-2(1)(b).",
        to("Article 13-2(1)(b)", "fire-safety-act_13-2"),
    ),
    en(
        "a range",
        EA,
        "Articles 12 to 14 apply.",
        *(to("Articles 12 to 14", f"fire-safety-act_{n}") for n in ("12", "13", "13-2", "13-3", "13-4", "14")),
    ),
    en(
        "a range over branches",
        EA,
        "Articles 13-2 to 13-4 apply.",
        *(to("Articles 13-2 to 13-4", f"fire-safety-act_13-{n}") for n in (2, 3, 4)),
    ),
    en(
        "an enumeration",
        EA,
        "Articles 7, 9 and 11(2) apply.",
        to("Articles 7", "fire-safety-act_7"),
        to("9", "fire-safety-act_9"),
        to("11(2)", "fire-safety-act_11"),
    ),
    en(
        "an enumeration of another law",
        ED,
        "Articles 7 and 9 of the Building Act",
        to("Articles 7", "building-act_7", reason=OUTSIDE),
        to("9 of the Building Act", "building-act_9", reason=OUTSIDE),
    ),
    en(
        "the family's act, implemented",
        ED,
        "Pursuant to Article 12(2) of the Act, the owner",
        to("Article 12(2) of the Act", "fire-safety-act_12", IMPLEMENTS),
    ),
    en(
        "the family's decree",
        EA,
        "as set out in Article 8 of the Decree",
        to("Article 8 of the Decree", "fire-safety-decree_8"),
    ),
    en("the family's rule", EA, "see Article 8 of the Rule", to("Article 8 of the Rule", "fire-safety-rule_8")),
    en(
        "the family's notice",
        EA,
        "see Article 8 of the Notice",
        to("Article 8 of the Notice", "fire-equipment-notice_8"),
    ),
    en(
        "a law of another family",
        EA,
        "Article 5 of the Hazardous Goods Act",
        to("Article 5 of the Hazardous Goods Act", "hazardous-goods-act_5"),
    ),
    en(
        "the same act",
        EA,
        "Article 5 of the Building Act and Article 8 of the same Act",
        to("Article 5 of the Building Act", "building-act_5", reason=OUTSIDE),
        to("Article 8 of the same Act", "building-act_8", reason=OUTSIDE),
    ),
    en(
        "that act, the said act",
        EA,
        "the Hazardous Goods Act; Article 8 of that Act or Article 9 of the said Act",
        to("the Hazardous Goods Act", "hazardous-goods-act", WHOLE_LAW),
        to("Article 8 of that Act", "hazardous-goods-act_8"),
        to("Article 9 of the said Act", "hazardous-goods-act_9"),
    ),
    en(
        "this act as a whole is no link",
        EA,
        "For the purposes of this Act and of Article 5 of this Act,",
        to("Article 5 of this Act", "fire-safety-act_5"),
    ),
    en(
        "paragraphs of the same article are no link",
        EA,
        "Notwithstanding paragraph (1), item (b) of paragraph (2) applies.",
    ),
    en(
        "a paragraph named first",
        EA,
        "paragraph (2) of Article 5",
        to("paragraph (2) of Article 5", "fire-safety-act_5"),
    ),
    en(
        "an annex",
        ED,
        "the distances in Annex 2",
        to("Annex 2", "fire-safety-decree_annex-2", reason="text is not in the sources"),
    ),
    en(
        "an annex of the decree",
        ER,
        "listed in Annex 2 to the Decree",
        to("Annex 2 to the Decree", "fire-safety-decree_annex-2", reason="text is not"),
    ),
    en("sections", EA, "under section 12(3)(a)", to("section 12(3)(a)", "fire-safety-act_12")),
    en("sections, abbreviated", EA, "ss. 4-6 apply", *(to("ss. 4-6", f"fire-safety-act_{n}") for n in (4, 5, 6))),
    en("one number is not the tail of another (oldp#194)", EA, "§ 23 applies", to("§ 23", "fire-safety-act_23")),
    en("notwithstanding", EA, "Notwithstanding Article 14, an owner", to("Article 14", "fire-safety-act_14", EXCEPTS)),
    en("except where", EA, "except where Article 20(2) applies", to("Article 20(2)", "fire-safety-act_20", EXCEPTS)),
    en(
        "a definition",
        EA,
        '"building" has the meaning given in Article 2 of the Building Act;',
        to("Article 2 of the Building Act", "building-act_2", DEFINES, OUTSIDE),
    ),
    en("defined in", ED, "a permit holder as defined in Article 2", to("Article 2", "fire-safety-decree_2", DEFINES)),
    en(
        "a delegation, and who implements it",
        EA,
        "(1) within the period prescribed by the Decree.\n"
        "(2) in the manner determined by Notice of the Fire Commissioner.",
        to("prescribed by the Decree", "fire-safety-decree_7", DELEGATES),
        lost("determined by Notice of the Fire Commissioner", f"no article of {EQ} implements it", DELEGATES),
        beside={ED: {"Article 7": '"The period prescribed by the Decree" in Article 99(1) of the Act means 30 days.'}},
    ),
    en(
        "from below",
        ED,
        '"The period prescribed by the Decree" in Article 12(2) of the Act means 30 days.',
        to("Article 12(2) of the Act", "fire-safety-act_12", IMPLEMENTS),
    ),
    en(
        "as prescribed by Decree",
        EA,
        "as prescribed by Decree",
        lost("as prescribed by Decree", f"no article of {ED} implements it", DELEGATES),
    ),
    en(
        "a law cited whole",
        EA,
        "without prejudice to the Building Act",
        to("the Building Act", "building-act", WHOLE_LAW, OUTSIDE),
    ),
    en(
        "a label that the law lacks", EA, "under Article 999", lost("Article 999", "Fire Safety Act has no Article 999")
    ),
    en("an earlier wording", EA, "under the former Article 5", lost("former Article 5", "earlier wording")),
    en(
        "an article that is no citation",
        EA,
        "An article of clothing; articles 3 kg in weight are not meant.",
    ),
    en(
        "a part of the same article or paragraph",
        ED,
        "Under Article 12(2) of the Act, under subparagraph 5 of the same paragraph or paragraph (3) of that Article,",
        to("Article 12(2) of the Act", "fire-safety-act_12", IMPLEMENTS),
        to("subparagraph 5 of the same paragraph", "fire-safety-act_12", IMPLEMENTS),
        to("paragraph (3) of that Article", "fire-safety-act_12"),
    ),
    en(
        "a range does not end where a number is counted",
        EA,
        "who breached Articles 13-2 to 13-4 twice, or Article 7, 10 days before",
        *(to("Articles 13-2 to 13-4", f"fire-safety-act_13-{n}") for n in (2, 3, 4)),
        to("Article 7", "fire-safety-act_7"),
    ),
    en(
        "what is joined does the same",
        ER,
        "Pursuant to Article 20(3) of the Act and Article 17(4) of the Decree,",
        to("Article 20(3) of the Act", "fire-safety-act_20", IMPLEMENTS),
        to("Article 17(4) of the Decree", "fire-safety-decree_17", IMPLEMENTS),
    ),
    en(
        "a name at the beginning of a sentence, and an alias for another family's act",
        ED,
        'Notwithstanding the Hazardous Goods Act (hereinafter "the Goods Act"), Article 3 of the Goods Act applies.',
        to("the Hazardous Goods Act", "hazardous-goods-act", WHOLE_LAW),
        to("Article 3 of the Goods Act", "hazardous-goods-act_3"),
    ),
    en("a repealed article is found", EA, "under Article 121", to("Article 121", "fire-safety-act_121")),
]

CASES = KOREAN + ENGLISH

"""Japanese citations made by hand, before the grammar that reads them. Form: `language_cases.py`."""

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

ACT = "火災予防法"
ORDER = "火災予防法施行令"
RULE = "火災予防法施行規則"
CIVIL = "民法"
EQUIPMENT = "消防設備及び避難施設に関する法律"

# law name: (collection name, level)
LAWS = {
    ACT: (ACT, "法律"),
    ORDER: (ACT, "政令"),
    RULE: (ACT, "総務省令"),
    CIVIL: (CIVIL, "法律"),
    EQUIPMENT: (EQUIPMENT, "法律"),
}


def kanji(n: int) -> str:
    """Write a number below 200 as an article's heading does."""
    hundreds, tens, ones = n // 100, n // 10 % 10, n % 10
    digits = " 一二三四五六七八九"
    head = "百" if hundreds else ""
    return head + (digits[tens].replace("一", "") + "十" if tens else "") + digits[ones].strip()


CHAPTERS = (
    *(f"第{kanji(n)}条" for n in range(1, 121)),
    "第五条の二",
    "第五条の三",
    "第十三条の二",
    "第十三条の二の二",
)
REPEALED = "第百二十一条"
MORE_CHAPTERS = {CIVIL: ("第七百九条", "第七百十条", "第七百十五条", "第千四十六条")}


def ja(
    why: str,
    law: str,
    text: str,
    *expected: Expected,
    article: str = "第九十九条",
    beside: dict[str, dict[str, str]] | None = None,
) -> LanguageCase:
    return LanguageCase(why, law, text, list(expected), article, "ja", beside or {})


CASES = [
    ja("an article of the same law", ACT, "第五条の許可を受けた者", to("第五条", "火災予防法_5条")),
    ja(
        "branch, paragraph and item",
        ACT,
        "第五条の二第一項第三号に掲げる設備",
        to("第五条の二第一項第三号", "火災予防法_5条の2", paragraph="1", item="3号"),
    ),
    ja(
        "an item's own items",
        ACT,
        "第五条第一項第三号イに掲げる設備",
        to("第五条第一項第三号イ", "火災予防法_5条", paragraph="1", item="3号イ"),
    ),
    ja("a branch of a branch", ACT, "第十三条の二の二の規定", to("第十三条の二の二", "火災予防法_13条の2の2")),
    ja("the genitive after an article is no branch", ACT, "第十三条の二人以上の者", to("第十三条", "火災予防法_13条")),
    ja(
        "ten, and the hundreds",
        ACT,
        "第十条及び第百二条",
        to("第十条", "火災予防法_10条"),
        to("第百二条", "火災予防法_102条"),
    ),
    ja("the thousands", CIVIL, "第千四十六条の請求", to("第千四十六条", "民法_1046条")),
    ja(
        "digits for kanji, narrow and wide",
        ACT,
        "第12条及び第１３条の２",
        to("第12条", "火災予防法_12条"),
        to("第１３条の２", "火災予防法_13条の2"),
    ),
    ja("digits by their places", ACT, "第二〇条第一項", to("第二〇条第一項", "火災予防法_20条", paragraph="1")),
    ja(
        "one number is not the tail of another (oldp#194)",
        CIVIL,
        "第七百九条は第九条と異なる。",
        to("第七百九条", "民法_709条"),
        to("第九条", "民法_9条"),
    ),
    ja("the article before", ACT, "前条第二項の規定による届出", to("前条第二項", "火災予防法_98条", paragraph="2")),
    ja(
        "which is a branch, if one stands between",
        ACT,
        "前条の設備",
        to("前条", "火災予防法_5条の3"),
        article="第六条",
    ),
    ja("and from a branch its stem", ACT, "前条の設備", to("前条", "火災予防法_5条"), article="第五条の二"),
    ja("there is none before the first", ACT, "前条の規定", lost("前条", "no article before"), article="第一条"),
    ja("the two articles before", ACT, "前二条の規定は、適用しない。", *to_each("前二条", "火災予防法", "97条 98条")),
    ja("the article that follows", ACT, "次条において同じ。", to("次条", "火災予防法_100条")),
    ja("the paragraph or item before is no other article", ACT, "前項の届出、前二項の規定及び前各号に掲げるもの"),
    ja("a paragraph of the same article is no link", ACT, "第一項第三号の規定にかかわらず、第二項による。"),
    ja(
        "the same article",
        ACT,
        "第七条第一項の届出をした者は、同条第三項の検査を受ける。",
        to("第七条第一項", "火災予防法_7条", paragraph="1"),
        to("同条第三項", "火災予防法_7条", paragraph="3"),
    ),
    ja(
        "the same paragraph, of an article elsewhere",
        ACT,
        "第七条第二項の届出は、同項第一号の書面でする。",
        to("第七条第二項", "火災予防法_7条", paragraph="2"),
        to("同項第一号", "火災予防法_7条", paragraph="2", item="1号"),
    ),
    ja(
        "a part of the text of an article",
        ACT,
        "第十条第一項ただし書及び同項後段",
        to("第十条第一項ただし書", "火災予防法_10条"),
        to("同項後段", "火災予防法_10条"),
    ),
    ja(
        "a range takes in the branches",
        ACT,
        "第三条から第七条までの規定",
        *to_each("第三条から第七条まで", "火災予防法", "3条 4条 5条 5条の2 5条の3 6条 7条"),
    ),
    ja(
        "a range of branches takes in no stem",
        ACT,
        "第五条の二から第六条まで",
        *to_each("第五条の二から第六条まで", "火災予防法", "5条の2 5条の3 6条"),
    ),
    ja(
        "a range that ends with the article before",
        ACT,
        "第九十六条から前条までの規定",
        *to_each("第九十六条から前条まで", "火災予防法", "96条 97条 98条"),
    ),
    ja(
        "a range of paragraphs stays in its article",
        ACT,
        "第八条第一項から第三項まで及び第十条",
        to("第八条第一項から第三項まで", "火災予防法_8条", paragraph="1,2,3"),
        to("第十条", "火災予防法_10条"),
    ),
    ja(
        "an enumeration inherits the law",
        ACT,
        "民法第七百九条、第七百十条及び第七百十五条第一項の規定",
        to("民法第七百九条", "民法_709条"),
        to("第七百十条", "民法_710条"),
        to("第七百十五条第一項", "民法_715条", paragraph="1"),
    ),
    ja(
        "and stops at the next clause",
        ACT,
        "民法第七百九条の規定による賠償及び第十条の規定による届出",
        to("民法第七百九条", "民法_709条"),
        to("第十条", "火災予防法_10条"),
    ),
    ja(
        "paragraphs joined stay in their article",
        ACT,
        "第七条第一項若しくは第三項又は第八条",
        to("第七条第一項若しくは第三項", "火災予防法_7条", paragraph="1,3"),
        to("第八条", "火災予防法_8条"),
    ),
    ja(
        "the same law",
        ACT,
        "民法第七百九条の責任及び同法第七百十条の責任",
        to("民法第七百九条", "民法_709条"),
        to("同法第七百十条", "民法_710条"),
    ),
    ja("the same law with none before", ACT, "同法第十条", lost("同法第十条", "no law is named before")),
    ja(
        "the cabinet order of the same law (korean-law-mcp#70)",
        CIVIL,
        "火災予防法第五条及び同法施行令第六条",
        to("火災予防法第五条", "火災予防法_5条"),
        to("同法施行令第六条", "火災予防法施行令_6条"),
    ),
    ja(
        "the year and number of a law stand between its name and the article, and are none themselves",
        ACT,
        "民法（明治二十九年法律第八十九号）第七百九条",
        to("民法（明治二十九年法律第八十九号）第七百九条", "民法_709条"),
    ),
    ja(
        "a law outside, from the midst of a sentence without a space",
        ACT,
        "市長は、建築基準法第二十条に適合する建物",
        to("建築基準法第二十条", "建築基準法_20条", reason=NOT_HERE),
    ),
    ja(
        "'and' joins two laws",
        EQUIPMENT,
        "火災予防法及び民法第七百九条の規定",
        to("火災予防法", "火災予防法", WHOLE_LAW),
        to("民法第七百九条", "民法_709条"),
    ),
    ja(
        "or stands in the name of one",
        ACT,
        "消防設備及び避難施設に関する法律第三条",
        to("消防設備及び避難施設に関する法律第三条", "消防設備及び避難施設に関する法律_3条"),
    ),
    ja(
        "a middle dot in a name",
        ACT,
        "防災・減災基本法第三条",
        to("防災・減災基本法第三条", "防災-減災基本法_3条", reason=NOT_HERE),
    ),
    ja(
        "an alias",
        ACT,
        "救急業務法（以下「業務法」という。）第五条の隊員は、業務法第六条による。",
        to("救急業務法（以下「業務法」という。）第五条", "救急業務法_5条", reason=NOT_HERE),
        to("業務法第六条", "救急業務法_6条", reason=NOT_HERE),
    ),
    ja(
        "what a cabinet order determines, and what a ministry's",
        ACT,
        "政令で定める規模の建物には、総務省令で定める設備を置く。",
        to("政令で定める", "火災予防法施行令_7条", DELEGATES),
        lost("総務省令で定める", f"no article of {RULE} implements it", DELEGATES),
        beside={ORDER: {"第七条": "法第九十九条の政令で定める規模は、百平方メートルとする。"}},
    ),
    ja(
        "what a notice determines",
        ACT,
        "消防庁長官が告示で定める。",
        lost("告示で定める", "has no law of the level", DELEGATES),
    ),
    ja(
        "from below; what is quoted is no delegation",
        ORDER,
        "法第五条の二第一項の政令で定める規模は、百平方メートルとする。",
        to("法第五条の二第一項", "火災予防法_5条の2", IMPLEMENTS, paragraph="1"),
    ),
    ja(
        "the order, from the rule",
        RULE,
        "令第七条第二項の総務省令で定める設備は、次のとおりとする。",
        to("令第七条第二項", "火災予防法施行令_7条", IMPLEMENTS, paragraph="2"),
    ),
    ja("this order", ORDER, "この政令第五条", to("この政令第五条", "火災予防法施行令_5条")),
    ja("this law as a whole is no link", ACT, "この法律の規定は、この法律の施行後三年を目途として検討する。"),
    ja("in spite of", ACT, "第十二条第一項の規定にかかわらず、", to("第十二条第一項", "火災予防法_12条", EXCEPTS)),
    ja(
        "a definition",
        ACT,
        "「物」とは、民法第八十五条に規定する物をいう。",
        to("民法第八十五条", "民法_85条", DEFINES),
    ),
    ja(
        "words to be replaced are the other law's",
        ACT,
        "民法第七百十五条の規定は、前項の場合に準用する。この場合において、同条中「第七百九条」とあるのは、"
        "「火災予防法第五条」と読み替える。",
        to("民法第七百十五条", "民法_715条"),
        to("同条", "民法_715条"),
        to("第七百九条", "民法_709条"),
        to("火災予防法第五条", "火災予防法_5条"),
    ),
    ja("the addenda are not the law's articles", ACT, "附則第三条の規定", lost("附則第三条", "addenda")),
    ja(
        "nor their range",
        ACT,
        "附則第二条から第四条までの規定",
        lost("附則第二条から第四条まで", "addenda"),
    ),
    ja("an earlier wording", ACT, "改正前の第五条の許可", lost("改正前の第五条", "earlier wording")),
    ja("the old law", ACT, "旧法第五条の許可", lost("旧法第五条", "earlier wording")),
    ja("a table at the end", ORDER, "別表第一に掲げる用途", to("別表第一", "火災予防法施行令_別表1", reason=NO_TEXT)),
    ja(
        "a form",
        RULE,
        "別記様式第二号による届出書",
        to("別記様式第二号", "火災予防法施行規則_別記様式2号", reason=NO_TEXT),
    ),
    ja("a label that the law lacks", ACT, "第九百九十九条の規定", lost("第九百九十九条", "has no 第九百九十九条")),
    ja("a repealed article is found", ACT, "第百二十一条の規定", to("第百二十一条", "火災予防法_121条")),
    ja(
        "words that begin like an article, chapters and streets",
        ACT,
        "第二条件及び第三条約、第三者、第二章の規定並びに三条通り",
    ),
]

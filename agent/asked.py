"""What kind of thing a question asks for, and whether a clause holds one: an amount, a time, a number."""

from __future__ import annotations

import re
from enum import StrEnum

__all__ = ["Asked", "asked_for", "asked_unit", "holds"]


class Asked(StrEnum):
    """The kinds that can be told from words alone; a question may ask for none of them."""

    AMOUNT = "amount"  # of money
    TIME = "time"  # a period, a date, an interval
    NUMBER = "number"  # any other quantity


# One line a language: English, Korean, French, German, Japanese, Vietnamese. The kinds are tried in this order: "how
# much does it cost" asks for an amount, "how much room" for a number.
_QUESTIONS = {
    Asked.AMOUNT: (
        r"(?:what|how much)\b[^.?!]*\b(?:pay|costs?|fees?|price|fined?|amount|penalty|charged?)\b",
        r"(?:금액|과태료|벌금|수수료|비용|요금|과징금)[^.?!]*(?:얼마|몇)|얼마(?:를|의|의 돈)?\s*(?:내|부과|물)",
        r"combien[^.?!]*(?:payer|coûte|amende|montant|frais)|quel(?:le)? (?:montant|amende|somme)",
        r"(?:wie viel|wie hoch)[^.?!]*(?:kost|zahl|buße|gebühr|strafe)",
        r"いくら|(?:金額|手数料|罰金|過料)[^。？]*(?:何|いくら)",
        r"bao nhiêu tiền|mức phạt",
    ),
    Asked.TIME: (
        r"how (?:often|long|soon|early|late|old)\b|how many (?:minutes|hours|days|weeks|months|years|times)\b",
        r"\b(?:by|until|since) when\b|\bwhen (?:do|does|must|is|are|will|should)\b",
        r"며칠|몇\s*(?:일|개월|달|년|시간|분|주|회|번)|언제까지|얼마나 자주|얼마 동안|기간은|주기",
        r"à quelle fréquence|combien de (?:jours|mois|temps|fois|ans|semaines)|dans quel délai|\bquand\b",
        r"wie (?:oft|lange|viele (?:tage|monate|jahre|stunden|wochen))\b|bis wann\b",
        r"何(?:日|年|か月|ヶ月|時間|回)|いつまで",
        r"bao lâu|bao nhiêu (?:ngày|tháng|năm|lần)|khi nào",
    ),
    Asked.NUMBER: (
        r"how (?:many|much|far|high|wide|big|large|deep|close|near|thick|heavy)\b",
        r"(?:up to|from|above|below) (?:what|which) ",
        r"몇|얼마",
        r"combien",
        r"wie (?:viele?|hoch|weit|breit|groß)\b",
        r"何(?:人|個|メートル|平方)",
        r"bao nhiêu",
    ),
}
_ASKS = {kind: re.compile("|".join(patterns), re.IGNORECASE) for kind, patterns in _QUESTIONS.items()}

_TIME_UNITS = r"minutes|hours|days|weeks|months|years|times|jours|mois|temps|fois|ans|semaines"
_UNIT = re.compile(
    rf"how many (?!(?:{_TIME_UNITS})\b)(\w+)|몇\s*(리터|미터|제곱미터|킬로그램|명|층|대|개소)"
    rf"|combien (?:de |d['’])(?!(?:{_TIME_UNITS})\b)(\w+)",
    re.IGNORECASE,
)

_NUMBER = (
    r"(?:\d[\d.,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|once|twice|a)\b"
    r"|[一二三四五六七八九十百千万]+|[일이삼사오육칠팔구십백천만]+(?=\s*(?:원|일|개월|년|회)))"
)
_CURRENCIES = r"crowns?|won|euros?|dollars?|pounds?|yen|원|만\s*원|억|円|€|\$|đồng"
_TIMES = (
    r"seconds?|minutes?|hours?|(?:working )?days?|weeks?|months?|years?|times?|초|분|시간|일|주|개월|월|년|회",
    r"jours?|mois|ans?|semaines?|heures?|tage?n?|monate?n?|jahre?n?|wochen?|stunden?",
    r"秒|時間|日|週間|か月|箇月|年|回|ngày|tháng|năm|giờ|lần",
)
_ADVERBS_OF_TIME = (
    r"\b(?:once|twice|annual(?:ly)?|yearly|monthly|daily|weekly|without delay|immediately|at once)\b",
    r"지체\s*없이|즉시|매년|매월|매일|수시|sans délai|unverzüglich|遅滞なく",
)
_PATTERNS = {
    Asked.AMOUNT: rf"{_NUMBER}\s*(?:{_CURRENCIES})|[€$£¥₩]\s*\d|\d+\s*(?:per cent|퍼센트|%)",
    Asked.TIME: rf"{_NUMBER}\s*(?:{'|'.join(_TIMES)})|{'|'.join(_ADVERBS_OF_TIME)}",
    Asked.NUMBER: _NUMBER,
}
_HOLDS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _PATTERNS.items()}

_LABELS = re.compile(
    r"(?:articles?|sections?|paragraphs?|annex(?:es)?|chapter|form|subparagraphs?|items?|class)\s+\d[\d\-]*(?:\(\w+\))*"
    r"(?:(?:,| and| or| to)\s+\d[\d\-]*(?:\(\w+\))*)*|^\s*\(?\d+[.)]|[①-⑳]"
    r"|제\s*\d+\s*(?:조|항|호|장|절)(?:의\s*\d+)?|별표\s*\d+",
    re.IGNORECASE | re.MULTILINE,
)


def asked_for(question: str) -> Asked | None:
    """Return the kind of thing that a question asks for, or None if its words do not tell."""
    return next((kind for kind, pattern in _ASKS.items() if pattern.search(question)), None)


def asked_unit(question: str) -> str:
    """Return the unit that a question names ("how many litres": litres), or "" if it names none."""
    found = _UNIT.search(question)
    return next(filter(None, found.groups()), "") if found else ""


def holds(kind: Asked | None, text: str) -> bool:
    """Return whether a text holds such a thing, its labels and citations apart; anything will do for None."""
    return kind is None or _HOLDS[kind].search(_LABELS.sub(" ", text)) is not None

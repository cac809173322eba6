"""Where a law stands: act, decree, rule or notice, told from the word for its level or from its name."""

from __future__ import annotations

import re
from itertools import chain

__all__ = ["ACT", "DECREE", "NOTICE", "RULE", "family_stem", "rank_of_law", "rank_of_level", "rank_of_name"]

ACT, DECREE, RULE, NOTICE = range(4)  # a lower law has the higher rank
_YEAR = re.compile(r" \d{4}$")  # the River Tolls Act 2029

_LEVELS = {
    "법": ACT,
    "법률": ACT,
    "영": DECREE,
    "령": DECREE,
    "시행령": DECREE,
    "대통령령": DECREE,
    "규칙": RULE,
    "시행규칙": RULE,
    "총리령": RULE,
    "부령": RULE,
    "고시": NOTICE,
    "훈령": NOTICE,
    "예규": NOTICE,
    "act": ACT,
    "decree": DECREE,
    "rule": RULE,
    "rules": RULE,
    "notice": NOTICE,
    "regulation": ACT,  # of the Union; British ones come in the plural
    "directive": ACT,
    "regulations": DECREE,
    "order": DECREE,
    "gesetz": ACT,
    "gesetzbuch": ACT,
    "richtlinie": ACT,
    "verordnung": DECREE,
    "rechtsverordnung": DECREE,
    "satzung": RULE,
    "verwaltungsvorschrift": NOTICE,
    "hiến pháp": ACT,
    "luật": ACT,
    "bộ luật": ACT,
    "pháp lệnh": ACT,
    "nghị định": DECREE,
    "thông tư": RULE,
    "quyết định": NOTICE,
    "loi": ACT,
    "code": ACT,
    "constitution": ACT,
    "ordonnance": ACT,
    "décret": DECREE,
    "arrêté royal": DECREE,
    "arrêté du gouvernement": DECREE,
    "arrêté ministériel": RULE,
    "arrêté": RULE,
    "法": ACT,
    "法律": ACT,
    "令": DECREE,
    "政令": DECREE,
    "施行令": DECREE,
    "勅令": DECREE,
    "規則": RULE,
    "施行規則": RULE,
    "告示": NOTICE,
}
# The longest endings first. 규정 and 직제 are decrees unless the corpus says otherwise.
_ENDINGS = (
    ("시행규칙", RULE),
    ("시행령", DECREE),
    ("규칙", RULE),
    ("규정", DECREE),
    ("직제", DECREE),
    ("령", DECREE),
    ("법률", ACT),
    ("법", ACT),
    ("고시", NOTICE),
    ("act", ACT),
    ("decree", DECREE),
    ("rule", RULE),
    ("rules", RULE),
    ("notice", NOTICE),
    ("省令", RULE),
    ("府令", RULE),
    ("規則", RULE),
    ("令", DECREE),
    ("法律", ACT),
    ("法", ACT),
    ("告示", NOTICE),
    ("regulations", DECREE),
    ("order", DECREE),
    ("code", ACT),
    ("gesetz", ACT),
    ("gesetzbuch", ACT),
    ("verordnung", DECREE),
    ("satzung", RULE),
    ("verwaltungsvorschrift", NOTICE),
    ("ordnung", ACT),
)
# French and Vietnamese put the word first. A décret counts below a loi, as in France; a Belgian one of its rank says so
# by its level.
_BEGINNINGS = (
    ("arrêté royal", DECREE),
    ("arrêté du gouvernement", DECREE),
    ("arrêté", RULE),
    ("décret", DECREE),
    ("loi", ACT),
    ("code", ACT),
    ("constitution", ACT),
    ("ordonnance", ACT),
    ("hiến pháp", ACT),
    ("luật", ACT),
    ("bộ luật", ACT),
    ("pháp lệnh", ACT),
    ("nghị định", DECREE),
    ("thông tư", RULE),
    ("quyết định", NOTICE),
)


def rank_of_level(level: str) -> int | None:
    """Return the rank of a level as a law or a mention words it (법률, 행정안전부령, Act); None if unknown."""
    word = level.strip().lower().removeprefix("the ")
    return RULE if word.endswith(("부령", "省令", "府令")) else _LEVELS.get(word)


def rank_of_name(law_name: str) -> int | None:
    """Return the rank that a law's name tells by its ending or its first words; None if it tells none."""
    name = _YEAR.sub("", law_name.strip().lower())
    by_ending = (rank for ending, rank in _ENDINGS if name.endswith(ending))
    by_beginning = (rank for beginning, rank in _BEGINNINGS if name.startswith(beginning))
    return next(chain(by_ending, by_beginning), None)


def rank_of_law(law_name: str, level: str) -> int | None:
    """Return the rank of a law by its level, or, where that tells none, by its name."""
    rank = rank_of_level(level)
    return rank_of_name(law_name) if rank is None else rank


def family_stem(law_name: str) -> str:
    """Return the name of the act that a decree or rule is named after: 건축법 시행령 → 건축법, 民法施行令 → 民法."""
    name = law_name.strip()
    for suffix in ("시행규칙", "시행령", "施行規則", "施行令"):
        if name.endswith(suffix) and name != suffix:
            return name.removesuffix(suffix).rstrip()
    return name

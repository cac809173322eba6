"""Which law the Korean words right before a label name: 법, 이 영, 같은 법 시행령, 부칙, or a law's bare name."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from graph.mentions.law_names import name_key
from graph.records import LawRef, LawRefKind

__all__ = ["TailLaw", "law_before"]


@dataclass(frozen=True, slots=True)
class TailLaw:
    """The law that the end of a stretch of text names."""

    start: int  # where its words begin
    law: LawRef
    is_parent: bool = False  # a word such as 법 or 영, which a law uses for the one that it implements


# A word for a law stands free: "기준이 법" and "시장(…)이 법" hold a subject and "법", not "이 법", and 방법 is no law.
_REFERENCE = re.compile(
    r"(?:(?<![가-힣])|(?<=에는)|(?<=에서)|(?<=따라)|(?<=또는))(?:"
    r"(?<![)\]」])(?P<this>이)\s(?:법|영|령|규칙|규정)(?:\s?(?P<this_suffix>시행령|시행규칙))?"
    r"|(?P<same>같은\s|동\s?)(?P<same_level>법률|법|영|령|규칙|규정|시행령|시행규칙)"
    r"(?:\s?(?P<same_suffix>시행령|시행규칙))?"
    r"|(?P<family>법|영|령|규칙|시행령|시행규칙)(?:\s(?P<family_suffix>시행령|시행규칙))?"
    r"|(?:(?:이 법|법|이 영|영|이 규칙|규칙)\s)?(?P<outside>부칙|종전의|종전|개정되기 전의|개정 전의)"
    r"(?:\s(?:법|영|규칙))?"
    r")\s?$"
)
_AMENDING = re.compile(r"(?:일부|전부)?개정(?:법률|령|규칙)\s?$")
_GLOSS = re.compile(r"\(이하[^()\n]{1,80}\) ?$")
_LAST_CHARACTERS = frozenset("법률영령칙정제례의종전")
_NO_NAME_CHARACTER = re.compile(r"[^가-힣ㆍ·‧・0-9A-Za-z ]")
_LAW_WORD = re.compile(r"[가-힣ㆍ·‧・]{1,30}(?:법|법률|시행령|시행규칙|령|규칙|규정|조례)$")
_NO_LAWS = re.compile(
    r"(?:방법|불법|위법|적법|입법|공법|용법|기법|수법|사법|편법|문법|해법|명령|법령|연령|발령|수령|자치법규|.*부령|대통령령|총리령)$"
)
_GENERAL = frozenset(
    {"법률", "시행령", "시행규칙", "규칙", "규정", "특별법", "특례법", "기본법", "특별조치법", "령", "조례"}
)
_ENDS_A_PHRASE = re.compile(r".*[은는이가을를]$|.*(?:에서|으로|따라|따른|및|또는|경우|각)$")
_MAX_WORDS = 16


def law_before(text: str, floor: int, end: int, known_laws: Set[str]) -> TailLaw | None:
    """Return the law that the words of `text[floor:end]` right before its end name, if they name one.

    known_laws: `name_key`s of laws known by name; the longest one that fits is meant. An unknown name counts if it is
    one word with a law's ending, or ends in a general word (법률, 시행령) that the words before it complete.
    """
    window = text[floor:end]
    if window.endswith(")") or window.endswith(") "):  # 같은 법 시행령(이하 "영"이라 한다) 제4조
        window = _GLOSS.sub("", window)
    stripped = window.rstrip(" ")
    if not stripped or stripped[-1] not in _LAST_CHARACTERS or len(window) - len(stripped) > 3:
        return None
    window = f"{stripped} "
    if amending := _AMENDING.search(window):
        return TailLaw(floor + amending.start(), LawRef(LawRefKind.OUTSIDE, suffix="개정"))
    reference = _REFERENCE.search(window, max(0, len(window) - 24))
    if reference and (reference["family"] in ("법", "영") or reference["this"] or reference["same"]):
        return _reference(reference, floor)
    if known_laws and (found := _known_name(stripped, known_laws)):
        return TailLaw(floor + found[0], LawRef(LawRefKind.NAMED, found[1]))
    found = _unknown_name(stripped) if not reference or reference["family"] in ("시행령", "시행규칙") else None
    if reference and found is None:
        return _reference(reference, floor)
    return TailLaw(floor + found[0], LawRef(LawRefKind.NAMED, found[1])) if found else None


def _reference(match: re.Match[str], floor: int) -> TailLaw:
    start = floor + match.start()
    if match["this"]:
        return TailLaw(start, LawRef(LawRefKind.THIS, suffix=match["this_suffix"] or ""))
    if match["same"]:
        return TailLaw(start, LawRef(LawRefKind.SAME, match["same_level"], match["same_suffix"] or ""))
    if match["outside"]:
        return TailLaw(start, LawRef(LawRefKind.OUTSIDE, suffix="부칙" if match["outside"] == "부칙" else "종전"))
    return TailLaw(start, LawRef(LawRefKind.FAMILY, match["family"], match["family_suffix"] or ""), is_parent=True)


def _known_name(window: str, known_laws: Set[str]) -> tuple[int, str] | None:
    """Return where the longest known name at the end of the window begins, and the name."""
    phrase_start = _phrase_start(window)
    starts = [phrase_start + word.start() for word in re.finditer(r"\S+", window[phrase_start:])][-_MAX_WORDS:]
    for start in starts:
        if name_key(window[start:]) in known_laws:
            return start, window[start:]
    return None


def _unknown_name(window: str) -> tuple[int, str] | None:
    """Return where a name that no list holds begins, and the name."""
    offset = _phrase_start(window)
    words = list(re.finditer(r"\S+", window[offset:]))
    if len(words) > 1 and words[-1][0] in ("시행령", "시행규칙") and words[-2][0].endswith(("법", "법률")):
        words.pop()  # the act tells where the name begins
    if not words or not _LAW_WORD.match(words[-1][0]) or _NO_LAWS.match(words[-1][0]):
        return None
    first = len(words) - 1
    if words[first][0] in _GENERAL:
        while 0 < first > len(words) - _MAX_WORDS and not _ends_a_phrase(words[first - 1][0], words[first][0]):
            first -= 1
        if first == len(words) - 1:
            return None
    start = offset + words[first].start()
    return start, window[start:]


def _ends_a_phrase(word: str, following: str) -> bool:
    """Tell whether a name cannot reach back over this word: a particle ends it, unless 에 관한 or 및 goes on."""
    goes_on = word in ("및", "등의", "위한", "관한") or following in ("관한", "위한", "대한")
    return not goes_on and bool(_ENDS_A_PHRASE.match(word))


def _phrase_start(window: str) -> int:
    """Return where the last stretch of letters, digits, dots and spaces begins."""
    return max((match.end() for match in _NO_NAME_CHARACTER.finditer(window)), default=0)

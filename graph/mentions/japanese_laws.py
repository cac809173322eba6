"""Which law the Japanese words right before a label name: 法, この政令, 同法施行令, 附則, or a law's name."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from graph.mentions.law_names import lengths_of_names
from graph.records import LawRef, LawRefKind

__all__ = ["LONGEST_NAME", "TailLaw", "known_name", "law_before", "unknown_name"]

LONGEST_NAME = 80  # characters
_LONGEST_GLOSS = 120  # characters of （昭和二十三年法律第二十五号。以下「法」という。）
_HAN = r"[一-鿿々〆ヶ]"


@dataclass(frozen=True, slots=True)
class TailLaw:
    """The law that the end of a stretch of text names."""

    start: int  # where its words begin
    law: LawRef
    is_parent: bool = False  # a word such as 法 or 令, which a law uses for the one that it implements


_GLOSS = re.compile(rf"（[^（）\n]{{1,{_LONGEST_GLOSS}}}）$")
_IS_GLOSS = re.compile(r"第.{1,9}号|以下")
_REFERENCE = re.compile(
    r"(?:(?P<this>この(?:法律|政令|省令|府令|規則|条例|命令|告示|附則)|(?<![一-鿿])本法|(?<![一-鿿])新[法令])"
    r"|(?P<outside>附則|改正前の|従前の|(?<![一-鿿])旧(?:法|令|規則)?)"
    r"|(?<![一-鿿])(?P<same>同)(?P<same_level>法律|法|政令|省令|府令|令|規則|条例)(?P<same_suffix>施行令|施行規則)?"
    r"|(?<![一-鿿々〆ヶァ-ヴー・])(?P<family>法|令|規則|政令|府令|省令|施行令|施行規則)(?P<family_suffix>施行令|施行規則)?"
    r")$"
)
_LAST = frozenset("法律令則例程準")
_LAST_SIGNS = _LAST | frozenset("）の旧")
# 子ども・子育て支援法: what stands between Han in a word, but not what ends one (関し, 除き)
_RUN = re.compile(
    r"(?:[一-鿿々〆ヶァ-ヴー・A-Za-zＡ-Ｚａ-ｚ]|[0-9０-９](?!条)|(?<=[一-鿿])[ていえれ](?=[一-鿿])|(?<=子)ども)+$"
)
_LAW_WORD = re.compile(r".*(?:法律|.法|.令|規則|条例|規程)$")
_GENERAL = re.compile(r"(?:法律|政令|.{0,6}[省府庁]令|命令|規則|条例|規程|.{0,4}(?:措置|特例)法|施行令|施行規則)$")
_NO_LAW = re.compile(
    r".*(?:方法|手法|工法|用法|療法|製法|違法|適法|不法|立法|司法|指令|命令|法令|政令|号令|辞令|原則|細則)$"
)
# What a name goes back over before 法律, 内閣府令 or another word that names no law alone.
_PHRASE = re.compile(
    rf"(?:{_HAN}|[ァ-ヴー・A-Za-z]|(?<=[一-鿿])[けりきいしれえみげめせちび](?=[一-鿿のに等])|及び|又は|並びに|若しくは|"
    r"その他の?|に関する|に対する|に係る|における|に伴う|による|のための|の|等)+$"
)
_ENDS_ANOTHER = re.compile(
    r"^.*?(?:[法令則条項号年]|その他)(?:及び|又は|並びに|若しくは|、)|^[、のび等]+|^.*?、(?=.{0,3}$)"
)
_LEADING = re.compile(r"^(?:当該|及び|又は|旧|各|他|の)+")
_IN_WORD = re.compile(r"[一-鿿々〆ヶァ-ヴー](?<![該旧新及又各年])")
_OLD = re.compile(r"(?:改正前の|(?<![一-鿿])旧)$")


def law_before(text: str, floor: int, end: int, known_laws: Set[str]) -> TailLaw | None:
    """Return the law that the words of `text[floor:end]` right before its end name, if they name one.

    known_laws: `name_key`s of laws known by name; the longest one that fits is meant. Of an unknown name what counts is
    the run of Han and Katakana that ends it, with the phrase before it where that run is a general word (法律, 府令).
    """
    if end <= floor or text[end - 1] not in _LAST_SIGNS:
        return None
    floor = max(floor, end - LONGEST_NAME - _LONGEST_GLOSS)
    if text[end - 1 : end] == "）" and (gloss := _GLOSS.search(text, floor, end)) and _IS_GLOSS.search(gloss[0]):
        end = gloss.start()
    floor = max(floor, end - LONGEST_NAME)
    reference = _REFERENCE.search(text, max(floor, end - 12), end)
    if reference and not reference["family"]:
        return _reference(reference)
    if text[end - 1 : end] not in _LAST:
        return None
    # 金融商品取引法第二条に規定する定義に関する内閣府令: what is known may hold what else would be a citation
    found = known_name(text, max(0, end - LONGEST_NAME), end, known_laws)
    if reference and (found is None or len(found[1]) <= len(reference[0])):
        return _reference(reference)
    found = found or unknown_name(text, floor, end)
    if found is None:
        return None
    start, name = found
    if old := _OLD.search(text, max(floor, start - 4), start):
        return TailLaw(old.start(), LawRef(LawRefKind.OUTSIDE, name, "改正前"))
    return TailLaw(start, LawRef(LawRefKind.NAMED, name))


def _reference(match: re.Match[str]) -> TailLaw:
    if match["this"]:
        return TailLaw(match.start(), LawRef(LawRefKind.THIS))
    if match["outside"]:
        return TailLaw(match.start(), LawRef(LawRefKind.OUTSIDE, suffix="附則" if "附" in match[0] else "改正前"))
    if match["same"]:
        return TailLaw(match.start(), LawRef(LawRefKind.SAME, match["same_level"], match["same_suffix"] or ""))
    law = LawRef(LawRefKind.FAMILY, match["family"], match["family_suffix"] or "")
    return TailLaw(match.start(), law, is_parent=True)


def known_name(text: str, floor: int, end: int, known_laws: Set[str]) -> tuple[int, str] | None:
    """Return where the longest known name that ends at a position begins, and the name.

    A name does not begin inside a word: in 救急業務法, 業務法 is none.
    """
    lengths = lengths_of_names(known_laws, -2).get(text[max(floor, end - 2) : end].lower())
    if not lengths:
        return None
    places = [place for place in range(max(floor, end - LONGEST_NAME), end) if text[place] not in " \t　·・ㆍ,"]
    key = "".join(text[place].lower()[:1] for place in places)
    for length in lengths:
        if length <= len(key) and key[-length:] in known_laws:
            place = places[-length]
            is_inside_word = place > floor and _IN_WORD.match(text, place - 1) is not None
            return None if is_inside_word else (place, text[place:end])
    return None


def unknown_name(text: str, floor: int, end: int) -> tuple[int, str] | None:
    """Return where a name that no list holds begins, and the name."""
    floor = max(floor, end - LONGEST_NAME)
    run = _RUN.search(text, floor, end)
    if run is None or not _LAW_WORD.match(run[0]):
        return None
    start = run.start() + _cut(_LEADING, run[0])
    if not _GENERAL.fullmatch(text, start, end):
        return None if _NO_LAW.match(text, start, end) else (start, text[start:end])
    phrase = _PHRASE.search(text, floor, start)
    if phrase is None:
        return None
    start = phrase.start()
    while cut := _cut(_ENDS_ANOTHER, text[start : phrase.end()]) or _cut(_LEADING, text[start : phrase.end()]):
        start += cut
    return (start, text[start:end]) if phrase.end() - start > 2 else None


def _cut(pattern: re.Pattern[str], words: str) -> int:
    found = pattern.match(words)
    return found.end() if found else 0

"""The parts of a German provision that a citation names: Abs. 1 Satz 2 Nr. 3 Buchst. a, Absatz 2 bis 4, I 1."""

from __future__ import annotations

import re

from graph.numerals import roman

__all__ = ["COUNTED", "NUMBER", "PARTS", "PART_WORD", "SPACE", "TOGETHER", "parts_of"]

SPACE = "[ \u00a0\u202f]"
NUMBER = rf"\d{{1,4}}(?:[a-z](?![A-Za-zäöüß])|{SPACE}[a-z](?![\w.äöüß]))?(?!\d)"
"""Of a section: 823, 12a, 12 a; but "12 a. F." is 12 in an earlier wording."""

PART_WORD = (
    r"(?:Abs\.|Absatz(?:es)?|Absätzen?|S\.|Satz(?:es)?|Sätzen?|Halbs\.|Hs\.|Halbsatz(?:es)?|Nrn?\.|Nummern?|Ziff\.|"
    r"Ziffern?|Buchst\.|Buchstaben?|lit\.|Alt\.|Alternativen?|UAbs\.|Unterabs\.|Unterabsatz(?:es)?)"
)
_UNITS = (
    r"(?:Tagen?|Wochen?|Monaten?|Jahren?|Stunden?|Minuten?|Sekunden?|Mal|Metern?|Kilometern?|Quadratmetern?|"
    r"Kubikmetern?|Kilogramm|Gramm|Litern?|Grad|Personen|Prozent|Euro|Talern?|Cent|Uhr|Stufen?|Teilen?|Stück|"
    r"vom Hundert|v\. ?H\.|km|cm|mm|kg|m[²³]?|%|°)"
)
COUNTED = rf"(?!{SPACE}?{_UNITS}(?![\wäöüß]))"  # "§§ 3 und 5 sowie 10 Tage vor Beginn"
_JOINT = rf"(?:,{SPACE}?|{SPACE}(?:und|oder|sowie|bis){SPACE}|{SPACE}?[–-]{SPACE}?|/)"
_VALUE = r"(?:\d{1,3}[a-z]?|[a-z]{1,2})(?![\wäöüß]|\.\d)"
_LISTED = (
    rf"(?:{_JOINT}(?:\d{{1,2}}[a-z]?|[a-z])"
    rf"(?![\wäöüß]|\.[\dA-Za-zÄÖÜäöü]|\.{SPACE}?{PART_WORD}|{SPACE}?{PART_WORD}){COUNTED})"
)
_LATIN = rf"{SPACE}[IVX]{{1,4}}(?:{SPACE}\d{{1,2}}(?!\w))?(?![\wäöüß.])"
_ONE_PART = rf"{PART_WORD}{SPACE}?{_VALUE}{_LISTED}{{0,9}}"
_ORDINAL = rf"(?:,?{SPACE}\d\.{SPACE}?(?:Halbsatz|Halbs\.|Hs\.|Alternative|Alt\.))?"
TOGETHER = rf"(?:jeweils{SPACE})?(?:i\.{SPACE}?V\.{SPACE}?m\.|iVm|in{SPACE}Verbindung{SPACE}mit)"
PARTS = (
    rf"(?:{_LATIN})?(?:,?{SPACE}?{_ONE_PART}{_ORDINAL}"
    rf"(?:(?:,?{SPACE}?|,?{SPACE}(?:und|oder|sowie|{TOGETHER}){SPACE}){_ONE_PART}{_ORDINAL}){{0,7}})?"
)
"""Right behind a number; may be empty."""

_ONE_LATIN = re.compile(rf"{SPACE}([IVX]{{1,4}})(?:{SPACE}(\d{{1,2}}))?(?![\wäöüß.])")
_ONE = re.compile(
    rf"(?P<word>{PART_WORD}){SPACE}?(?P<values>{_VALUE}(?:{_JOINT}(?:\d{{1,2}}[a-z]?|[a-z])(?![\wäöüß])"
    rf"(?!\.?{SPACE}?{PART_WORD})){{0,9}})"
)
_WORDS = {"A": "Abs.", "S": "Satz", "H": "Hs.", "N": "Nr.", "Z": "Nr.", "B": "Buchst.", "l": "Buchst.", "U": "UAbs."}
_RANGE = re.compile(rf"(\d{{1,2}}|[a-z])(?:{SPACE}bis{SPACE}|{SPACE}?[–-]{SPACE}?)(\d{{1,2}}|[a-z])(?!\w)")


def parts_of(words: str) -> tuple[str, str]:
    """Read the words of parts as the paragraphs and the items of a Target: "1,3" and "Satz 2 Nr. 3 Buchst. a"."""
    if not words:
        return "", ""
    paragraphs: list[str] = []
    items = ""
    if latin := _ONE_LATIN.match(words):
        paragraphs.append(str(roman(latin[1]) or latin[1]))
        items = f"Satz {latin[2]}" if latin[2] else ""
    for part in _ONE.finditer(words):
        word = "Alt." if part["word"].startswith("Alt") else _WORDS[part["word"][0]]
        values = _values(part["values"])
        if word == "Abs.":
            paragraphs += values
        else:
            items += (" " if items else "") + ",".join(f"{word} {value}" for value in values)
    return ",".join(paragraphs), items


def _values(words: str) -> list[str]:
    """Read "2 bis 4" as 2, 3 and 4, "a bis c" as a, b and c, and "1 und 3" as they are."""
    return re.findall(r"\d{1,3}[a-z]?|(?<![\wäöü])[a-z]{1,2}(?![\wäöü])", _RANGE.sub(_written_out, words))


def _written_out(ends: re.Match[str]) -> str:
    first, last = ends.groups()
    if first.isdigit() and last.isdigit():
        return ",".join(str(n) for n in range(int(first), int(last) + 1)) or ends[0]
    if first.isdigit() or last.isdigit():
        return ends[0]
    return ",".join(chr(n) for n in range(ord(first), ord(last) + 1)) or ends[0]

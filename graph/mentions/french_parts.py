"""The numbers and parts of a French article: L. 211-1, 13 bis, § 2, alinéa 1er, 3°, and where in a text one stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace

from graph.numerals import LATIN_BRANCHES
from graph.records import Target

__all__ = ["LETTERED", "NUMBER", "SPACE", "TAIL", "UNIT", "Places", "parts_of", "with_parts"]

SPACE = "[ \u00a0\u202f\n]"
_BRANCH = "(?:" + "|".join(sorted(LATIN_BRANCHES, key=len, reverse=True)) + ")"
LETTERED = rf"(?:L\.?{SPACE}?O|[LRDA]){SPACE}?\.?{SPACE}?\*?{SPACE}?\d{{1,4}}(?:[-.]\d{{1,4}}){{0,6}}"
NUMBER = (
    rf"(?:premi(?:er|ère)|{LETTERED}|[DR]\.[IVX]{{1,5}}\.\d{{1,3}}(?:[-/]\d{{1,3}}){{0,3}}"
    r"|\d{1,5}(?:er|re|ère)?(?:[-./]\d{1,4}){0,6})"
    rf"(?:{SPACE}?{_BRANCH}(?!\w)(?:[-/]\d{{1,3}})?)?(?:{SPACE}?[A-HJ-UW-Z](?![\w'’.]))?(?![\w°])"
)
"""What follows "article". A capital I, V or X behind it is a paragraph, and a letter with a point begins a sentence."""

_ORDINALS = {
    word: str(number)
    for number, words in enumerate(
        (
            ("premier", "première", "1er", "1re", "1ère"),
            ("deuxième", "second", "seconde", "2e", "2ème", "2d"),
            ("troisième", "3e", "3ème"),
            ("quatrième", "4e", "4ème"),
            ("cinquième", "5e", "5ème"),
            ("sixième", "6e", "6ème"),
            ("septième", "7e", "7ème"),
            ("huitième", "8e", "8ème"),
            ("neuvième", "9e", "9ème"),
            ("dixième", "10e", "10ème"),
        ),
        start=1,
    )
    for word in words
} | {"dernier": "dernier", "dernière": "dernier"}
_ORDINAL = "(?:" + "|".join(sorted(_ORDINALS, key=len, reverse=True)) + ")"
_COUNT = rf"\d{{1,3}}(?:er)?(?:{SPACE}?{_BRANCH}(?!\w))?(?:/\d{{1,2}})?(?![\w°])"
# In "§§ 1er et 3, et 5" the comma before "et" ends the list.
_AND = rf"(?:,{SPACE}(?!et|ou)|{SPACE}(?:et|ou|à){SPACE})"
_LIST = rf"{_COUNT}(?:{_AND}{_COUNT}){{0,8}}"
_DEGREES = rf"\d{{1,3}}°(?:{SPACE}?{_BRANCH}(?!\w))?"
UNIT = (
    rf"(?:§§{SPACE}?{_LIST}|§{SPACE}?{_COUNT}|(?:alinéas|paragraphes|tirets|points){SPACE}{_LIST}"
    rf"|(?:alinéa|paragraphe|tiret|phrase){SPACE}(?:{_COUNT}|premier)|point{SPACE}(?:{_COUNT}|[a-z](?!\w))\)?|al\.{SPACE}?{_COUNT}"
    rf"|{_ORDINAL}(?:{SPACE}(?:et|ou){SPACE}{_ORDINAL})?{SPACE}(?:alinéas?|paragraphes?|tirets?|phrases?)"
    rf"|{_DEGREES}(?:{_AND}{_DEGREES}){{0,8}}|(?:littera{SPACE})?[a-z]\)|littera{SPACE}[a-z](?!\w)"
    rf"|[IVX]{{1,5}}(?:{SPACE}{_BRANCH})?(?![\w'’./-])|in{SPACE}fine)"
)
TAIL = rf"(?:,?{SPACE}(?:(?:et|ou|à){SPACE})?{UNIT}){{0,8}}"
"""What may follow the number: ", § 2, alinéa 1er, 3°"."""

_READ = re.compile(
    rf"(?P<degrees>\d{{1,3}}°(?:{SPACE}?{_BRANCH}(?!\w))?)|(?P<letter>[a-z])\)|littera{SPACE}(?P<littera>[a-z])"
    rf"|(?P<ordinal>{_ORDINAL})(?={SPACE}(?:(?:et|ou){SPACE}{_ORDINAL}{SPACE})?(?:alinéa|paragraphe|tiret|phrase))"
    rf"|(?P<noun>§§?|alinéas?|al\.|paragraphes?|tirets?|points?|phrases?)|(?P<through>à)(?={SPACE})"
    rf"|(?P<number>\d{{1,3}}(?:er)?(?:{SPACE}?{_BRANCH}(?!\w))?(?:/\d{{1,2}})?|premier)(?![\w°])"
    rf"|(?P<roman>[IVX]{{1,5}}(?:{SPACE}{_BRANCH})?)(?![\w'’.])"
)
_MOST = 99  # members of a range of paragraphs
_SHORT = {"§": "§", "p": "§", "a": "al.", "t": "tiret", "f": "phrase"}


def parts_of(words: str, *, from_below: bool = False) -> tuple[str, str]:
    """Read "§ 2, alinéa 1er, 3°" as the paragraph and the item of a Target: 2, and "al. 1 3°".

    Where no § or I stands over it, an alinéa is the paragraph. from_below: the smallest part is named first, as in
    "b) du 3°".
    """
    levels: dict[str, list[str]] = {}  # by kind, in the order of the words
    kind, through = "", False
    ordinals: list[str] = []
    for part in _READ.finditer(words):
        if part["through"]:
            through = True
            continue
        if part["ordinal"]:
            ordinals.append(_ORDINALS[part["ordinal"]])
            continue
        if part["noun"]:
            kind = "point" if part["noun"].startswith("po") else "phrase" if part["noun"][:2] == "ph" else ""
            kind = kind or _SHORT[part["noun"][0]]
            levels.setdefault(kind, []).extend(ordinals)
            ordinals = []
            continue
        if part["number"] and kind:
            number = "1" if part["number"] == "premier" else _glued(part["number"].replace("er", ""))
            _add(levels.setdefault(kind, []), number, through=through)
        elif part["degrees"]:
            _add(levels.setdefault("°", []), _glued(part["degrees"]), through=through)
        elif part["roman"]:
            levels.setdefault("I" if levels.get("§") else "§", []).append(_glued(part["roman"]))
        elif part["letter"] or part["littera"]:
            levels.setdefault("a)", []).append(f"{part['letter'] or part['littera']})")
        through = False
    top = "§" if levels.get("§") else "al."
    paragraph = ",".join(levels.pop(top, []))
    named = [_named(kind, numbers) for kind, numbers in levels.items() if numbers]
    return paragraph, " ".join(reversed(named) if from_below else named)


def with_parts(target: Target, before: str, after: str) -> Target:
    """Return a target with the parts that the words before its number ("le 3° de") and those after it name."""
    if not before and not after:
        return target
    paragraph, item = parts_of(after)
    over, under = parts_of(before, from_below=True) if before else ("", "")
    return replace(target, paragraph=paragraph or over, item=" ".join(filter(None, (item, under))))


def _named(kind: str, numbers: list[str]) -> str:
    numbers_words = ",".join(numbers)
    return numbers_words if kind in ("°", "a)", "I") else f"{kind} {numbers_words}"


def _glued(words: str) -> str:
    return re.sub(r"\s", "", words)


def _add(numbers: list[str], number: str, *, through: bool) -> None:
    """Add a number, or all up to it: 2 à 4."""
    sign = "°" if number.endswith("°") else ""
    if through and numbers and numbers[-1].removesuffix("°").isdigit() and number.removesuffix("°").isdigit():
        first, last = int(numbers[-1].removesuffix("°")), int(number.removesuffix("°"))
        numbers.extend(f"{n}{sign}" for n in range(first + 1, min(last, first + _MOST)))
    numbers.append(number)


# Texts come with a line for each alinéa, or, as Belgian ones often do, all in one line.
_LINE = re.compile(
    rf"^[ \t]*(?:§{SPACE}?(?P<paragraph>\d{{1,3}}(?:/\d{{1,2}})?)(?:er)?|(?P<roman>[IVX]{{1,5}})\.?{SPACE}?[-–—.]"
    r"|(?P<degrees>\d{1,3}°)|(?P<letter>[a-z]\))|(?=[^\s]))"
    rf"|(?<=[.;:]{SPACE})(?:§{SPACE}?(?P<paragraph_inside>\d{{1,3}}(?:/\d{{1,2}})?)(?:er)?\.(?={SPACE})"
    rf"|(?P<degrees_inside>\d{{1,3}}°)(?={SPACE}))",
    re.MULTILINE,
)


class Places:
    """The paragraphs and items of an article: §, alinéa and number at a place of its text."""

    def __init__(self, text: str) -> None:
        self._places: list[tuple[int, str, str]] = []
        paragraph = degrees = letter = ""
        n_alinea = 0
        for line in _LINE.finditer(text):
            if over := line["paragraph"] or line["roman"] or line["paragraph_inside"]:
                paragraph, n_alinea, degrees, letter = over, 1, "", ""
            elif under := line["degrees"] or line["degrees_inside"]:
                degrees, letter = under, ""
            elif line["letter"]:
                letter = line["letter"]
            else:
                n_alinea, degrees, letter = n_alinea + 1, "", ""
            alinea = f"al. {max(n_alinea, 1)}" if paragraph else ""
            item = " ".join(filter(None, (alinea, degrees, letter)))
            self._places.append((line.start(), paragraph or str(max(n_alinea, 1)), item))

    def at(self, position: int) -> tuple[str, str]:
        """Return the paragraph and the item that a position lies in, as `parts_of` writes them."""
        index = bisect_right(self._places, position, key=lambda place: place[0]) - 1
        return self._places[index][1:] if index >= 0 else ("1", "")

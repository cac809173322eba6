"""I/O: Akoma Ntoso (OASIS LegalDocML), any version of it: acts and regulations as XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from graph.errors import CorpusError
from graph.readers.dialects import DIALECTS, Dialect, language_of_code
from graph.readers.source import UNNUMBERED, Part, Sourced
from graph.readers.table_text import table_lines
from graph.readers.xml_files import (
    Element,
    NoText,
    children,
    inline_text,
    local_name,
    looks_like_xml,
    place_of,
    xml_parts,
)
from graph.records import Provision, Status
from graph.semantic_id import semantic_id

__all__ = ["akoma_ntoso_parts", "looks_like_akoma_ntoso"]

_ROOTS = ("akomaNtoso",)
_UNITS = ("article", "section", "rule", "regulation")  # the first that a law has is what it is made of
_UNIT_WORDS = {"article": "Article", "section": "Section", "rule": "Rule", "regulation": "Regulation"}
_ANNEXES = ("attachment", "component", "annex", "schedule", "appendix")
_LINES = ("p", "block", "heading", "subheading", "listIntroduction", "listWrapUp", "th", "td", "docTitle", "longTitle")
_NO_TEXT = NoText(
    skipped=("authorialNote", "note", "noteRef", "del", "remark", "meta", "num", "toc"),
    shown={"br": " ", "eol": " ", "img": "[image]"},
)
_TITLE = re.compile("short|title", re.IGNORECASE)
_NUM_EDGES = " .:–—-\u00a0"


def looks_like_akoma_ntoso(path: Path) -> bool:
    """Tell whether a file, or one below a folder, has Akoma Ntoso's root element."""
    return looks_like_xml(path, _ROOTS)


def akoma_ntoso_parts(path: Path) -> Iterator[Part]:
    """Yield the law of a file, or of every file below a folder.

    What a law is made of are its articles; in one that has none, its sections, rules or regulations. Annexes are
    provisions whole. Notes, deleted words and the table of contents are left out. Its date is the expression's.
    Raises CorpusError naming file, line and element.
    """
    return xml_parts(path, _read, looks_like_akoma_ntoso)


class _Law:
    """What all provisions of a document share."""

    def __init__(self, path: Path, root: Element) -> None:
        self.path = path
        self.document = next(iter(children(root)), root)
        place = place_of(path, self.document)
        tag = self._value("FRBRExpression", "FRBRlanguage", "language")
        if not tag:
            raise CorpusError(f"{place}: has no meta//FRBRExpression/FRBRlanguage, which tells the language")
        dialect = DIALECTS.get(language_of_code(tag))
        if dialect is None:
            raise CorpusError(f"{place}: FRBRlanguage {tag!r} is none of {', '.join(DIALECTS)}")
        self.dialect: Dialect = dialect
        self.name = self._title()
        if not self.name:
            raise CorpusError(f"{place}: has no name: no FRBRalias, shortTitle, docTitle or FRBRname")
        self.level = self._value("FRBRWork", "FRBRsubtype", "value") or self.document.get("name") or ""
        self.in_force = self._date(place)

    def _title(self) -> str:
        aliases = (one for one in self._all("FRBRalias") if _TITLE.search(one.get("name") or ""))  # others are numbers
        titles = (inline_text(next(self._all(name), None), _NO_TEXT) for name in ("shortTitle", "docTitle"))
        named = (*(one.get("value") or "" for one in aliases), *titles, self._value("FRBRWork", "FRBRname", "value"))
        return next((words.strip() for words in named if words.strip()), "")

    def _date(self, place: str) -> str:
        words = self._value("FRBRExpression", "FRBRdate", "date") or self._value("FRBRWork", "FRBRdate", "date")
        try:
            return date.fromisoformat(words[:10]).isoformat() if words else ""
        except ValueError:
            raise CorpusError(f"{place}: FRBRdate {words!r} is no ISO date") from None

    def _all(self, name: str) -> Iterator[Element]:
        return iter(self.document.iter(f"{{*}}{name}"))

    def _value(self, level: str, name: str, attribute: str) -> str:
        """Return an attribute of the document's own identification, not of what it has attached."""
        for identification in self._all("identification"):
            for element in identification.iter(f"{{*}}{name}"):
                if local_name(element.getparent()) == level and element.get(attribute):
                    return str(element.get(attribute))
            break
        return ""


def _read(path: Path, root: Element) -> Iterator[Sourced]:
    law = _Law(path, root)
    units = list(_units(law))
    if not units:
        raise CorpusError(f"{place_of(path, law.document)}: the body holds no {', '.join(_UNITS)}")
    for unit in units:
        yield _sourced(law, unit, *_heading_of_unit(law, unit))
    for annex in law.document.iter("{*}attachment", "{*}component", "{*}hcontainer"):
        if _kind(annex) in _ANNEXES and not any(_kind(above) in _ANNEXES for above in annex.iterancestors()):
            yield _sourced(law, annex, *_heading_of_annex(law, annex))


def _kind(element: Element) -> str:
    """Return what an element is; a generic container is what its name says."""
    name = local_name(element)
    return str(element.get("name") or name) if name == "hcontainer" else name


def _units(law: _Law) -> Iterator[Element]:
    outside = (*_ANNEXES, "quotedStructure", "embeddedStructure")
    found: dict[str, list[Element]] = {kind: [] for kind in _UNITS}
    for element in law.document.iter():
        kind = _kind(element)
        if kind in found and not any(_kind(above) in (*outside, kind) for above in element.iterancestors()):
            found[kind].append(element)
    return iter(next((elements for elements in found.values() if elements), []))


def _num_and_heading(element: Element) -> tuple[str, str]:
    num, heading = (next(iter(children(element, name)), None) for name in ("num", "heading"))
    return inline_text(num, _NO_TEXT), inline_text(heading, _NO_TEXT)


def _heading_of_unit(law: _Law, unit: Element) -> tuple[str, str]:
    num, heading = _num_and_heading(unit)
    label = num.strip(_NUM_EDGES)
    if not label:
        raise CorpusError(f"{place_of(law.path, unit)}: {unit.getroottree().getpath(unit)} has no num")
    if law.dialect.language == "en" and re.fullmatch(r"\d+\w*", label):  # British acts print the bare number
        label = f"{_UNIT_WORDS[_kind(unit)]} {label}"
    return label, heading.strip("()（） ")


def _heading_of_annex(law: _Law, annex: Element) -> tuple[str, str]:
    num, heading = _num_and_heading(annex)
    words = heading or next((inline_text(one, _NO_TEXT) for one in annex.iter("{*}docTitle", "{*}heading")), "")
    if num.strip(_NUM_EDGES):
        return num.strip(_NUM_EDGES), words
    if not words:
        raise CorpusError(
            f"{place_of(law.path, annex)}: {annex.getroottree().getpath(annex)} has no num and no heading"
        )
    return law.dialect.labelled(words, law.dialect.annex) or (words, "")  # some are known by their heading alone


def _sourced(law: _Law, element: Element, label: str, heading: str) -> Sourced:
    place = place_of(law.path, element)
    text = "\n".join(line for line in _lines(element, is_top=True) if line)
    above = (" ".join(filter(None, _num_and_heading(one))) for one in reversed(list(element.iterancestors())))
    try:
        repealed_since = law.dialect.repealed_since(text)
        name = semantic_id(law.name, label, language=law.dialect.language)
    except ValueError as error:
        raise CorpusError(f"{place}: {error}") from error
    provision = Provision(
        semantic_id=name,
        doc_id=UNNUMBERED,
        law_name=law.name,
        collection_name=law.dialect.lower_law.sub("", law.name),
        law_level=law.level,
        chapter=label,
        chapter_description=heading,
        heading_path=" > ".join(filter(None, above)),
        text=text if repealed_since is None else "",
        effective_date=law.in_force if repealed_since is None else repealed_since,
        language=law.dialect.language,
        status=Status.PRESENT if repealed_since is None else Status.REPEALED,
    )
    return Sourced(provision, place)


def _lines(element: Element, *, is_top: bool = False) -> Iterator[str]:
    """Yield the text of an element line by line; a number stands before the first line of what it numbers."""
    name = local_name(element)
    if name in _NO_TEXT.skipped or (is_top and name == "heading"):
        return
    if name == "table":
        rows = ([inline_text(cell, _NO_TEXT) for cell in children(row, "th", "td")] for row in element.iter("{*}tr"))
        yield from table_lines(rows)
        return
    if name in _LINES or not len(element):
        yield inline_text(element, _NO_TEXT)
        return
    number = "" if is_top else _num_and_heading(element)[0]
    for child in element:
        if local_name(child) == "num" or (is_top and local_name(child) == "heading"):
            continue
        for line in _lines(child):
            yield f"{number} {line}".strip() if line else line
            number = "" if line else number
    if number:
        yield number

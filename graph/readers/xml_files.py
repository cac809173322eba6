"""I/O: XML that may come from anywhere: parsed without entities, without a network, within limits; and its text.

An XML file can name other files, or itself many times over. So a file that declares entities is refused, nothing that
it names is fetched, and its size and depth have an end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from lxml import etree

from graph.errors import CorpusError
from graph.readers.source import Part, Sourced, file_hash, first_bytes, whole_content

__all__ = [
    "Element",
    "NoText",
    "children",
    "inline_text",
    "local_name",
    "looks_like_xml",
    "place_of",
    "xml_parts",
    "xml_root",
]

Element: TypeAlias = Any  # lxml is written in C and has no types
Reader: TypeAlias = Callable[[Path, Element], Iterator[Sourced]]

_LARGEST = 256 * 2**20  # bytes; the longest code there is takes a tenth of this
_DEEPEST = 200  # elements within elements
_SNIFFED = 64 * 2**10
# Possessive throughout, as a hostile file must not make it try every way to divide itself.
_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*+(?:\[[^\]]*+\]\s*+)?>)*+"
    rb"<(?:[\w.-]+:)?(?P<root>[\w.-]+)",
    re.DOTALL,
)
_ENTITY = re.compile(rb"<!ENTITY")
_SPACE = re.compile(r"[ \t\r\n]+")


class NoText(NamedTuple):
    """What of an element's content is no text of the law, and what stands for it."""

    skipped: Collection[str]  # local names, left out with all that is in them
    shown: dict[str, str]  # local names, and the words in their place


def looks_like_xml(path: Path, roots: Collection[str], *, holds: bytes = b"") -> bool:
    """Tell whether an XML file has one of these elements as its root, or a folder such a file at any depth.

    holds: bytes that must also be among the first 64 KiB.
    """
    if path.is_dir():
        return any(file.is_file() and looks_like_xml(file, roots, holds=holds) for file in path.rglob("*.xml"))
    if ".xml" not in path.suffixes[-2:]:
        return False
    begin = first_bytes(path, _SNIFFED)
    found = _PROLOG.match(begin)
    return found is not None and found["root"].decode(errors="replace") in roots and holds in begin


def xml_parts(path: Path, read: Reader, is_law: Callable[[Path], bool]) -> Iterator[Part]:
    """Yield one file, or every file below a folder that is a law, in the order of their names.

    Raises CorpusError naming file and line.
    """
    if not path.is_dir():
        yield Part("", file_hash(path), partial(_read, path, read))
        return
    for file in sorted(path.rglob("*.xml")):
        if file.is_file() and is_law(file):
            yield Part(file.relative_to(path).as_posix(), file_hash(file), partial(_read, file, read))


def _read(path: Path, read: Reader) -> Iterator[Sourced]:
    return read(path, xml_root(path))


def xml_root(path: Path) -> Element:
    """Parse a file. Raises CorpusError naming file and line if it is not XML, or not XML that is safe to read."""
    content = whole_content(path, _LARGEST)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        if _ENTITY.search(content):
            line_no = content.count(b"\n", 0, content.index(b"<!ENTITY")) + 1
            raise CorpusError(f"{path}:{line_no}: declares entities, which are not read; put their text in their place")
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise CorpusError(f"{path}:{error.lineno or 1}: not well-formed XML: {error.msg}") from error
    if next(root.iter(etree.Entity), None) is not None:
        raise CorpusError(f"{path}: uses entities, which are not read; put their text in their place")
    depth = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > _DEEPEST:
            raise CorpusError(f"{place_of(path, element)}: more than {_DEEPEST} elements within each other")
    return root


def place_of(path: Path, element: Element) -> str:
    """Return what errors call an element: file and line."""
    return f"{path}:{element.sourceline}"


def local_name(element: Element) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def children(element: Element, *names: str) -> list[Element]:
    """Return the children of these local names; with none, all."""
    return [child for child in element if not names or local_name(child) in names]


def inline_text(element: Element | None, no_text: NoText) -> str:
    """Return the words of an element in one line; "" if there is no element."""
    return "" if element is None else _SPACE.sub(" ", "".join(_words(element, no_text))).strip(" ")


def _words(element: Element, no_text: NoText) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = local_name(child)
        if name in no_text.shown:
            yield no_text.shown[name]
        elif name not in no_text.skipped:
            yield from _words(child, no_text)
        yield child.tail or ""

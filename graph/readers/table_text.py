"""Tables as text: a line a row, cells parted by bars; so they are searched, read and quoted like the words around."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from lxml import etree, html

__all__ = ["table_lines", "without_html_tables"]

_TABLE_TAG = re.compile(r"<(/?)table\b[^<>]*>", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def table_lines(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a line for each row that says anything: cell | cell | cell."""
    lines = (" | ".join(_SPACE.sub(" ", cell).strip() for cell in row) for row in rows)
    return [line for line in lines if line.strip(" |")]


def without_html_tables(text: str) -> str:
    """Return a text with each HTML table in it as lines of text; other angle brackets, as in <L 2008-05-14>, stay."""
    if "<table" not in text.lower():
        return text
    parts: list[str] = []
    end = 0
    for start, stop in _table_spans(text):
        parts += [text[end:start].rstrip(), *_html_table(text[start:stop])]
        end = stop
    parts.append(text[end:].lstrip())
    return "\n".join(part for part in parts if part)


def _table_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the outermost tables stand; one that is not closed is none."""
    depth = start = 0
    for tag in _TABLE_TAG.finditer(text):
        if not tag[1]:
            start = start if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield start, tag.end()


def _html_table(words: str) -> list[str]:
    parser = html.HTMLParser(no_network=True, huge_tree=False)
    try:
        root = html.fragment_fromstring(words, create_parent="div", parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):  # so broken that not even a browser would mend it
        return [_SPACE.sub(" ", re.sub(r"<[^<>]*>", " ", words)).strip()]
    captions = [caption.text_content().strip() for caption in root.iter("caption")]
    rows = ([cell.text_content() for cell in row.iter("td", "th")] for row in root.iter("tr"))
    return [*captions, *table_lines(rows)]

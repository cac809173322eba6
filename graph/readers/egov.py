"""I/O: Japanese statutes as e-Gov gives them: the law's standard XML, alone or in a reply of the API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from graph.errors import CorpusError
from graph.readers.dialects import DIALECTS
from graph.readers.front_matter import LawFields
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

__all__ = ["egov_parts", "looks_like_egov"]

_ROOTS = ("Law", "DataRoot", "law_data_response")
_JAPANESE = DIALECTS["ja"]
_LEVELS = {"Constitution": "憲法", "Act": "法律", "CabinetOrder": "政令", "ImperialOrder": "勅令",
           "MinisterialOrdinance": "省令", "Rule": "規則", "Misc": ""}  # fmt: skip
_DIVISIONS = ("Part", "Chapter", "Section", "Subsection", "Division")
_APPENDICES = {"AppdxTable": "別表", "AppdxNote": "別記", "AppdxStyle": "別記様式", "AppdxFormat": "別記書式",
               "Appdx": "付録", "AppdxFig": "別図"}  # fmt: skip
"""And what one is called that has no title."""

_NO_TEXT = NoText(skipped=("Rt", "Fig"), shown={})  # the reading of a character; a picture
_SENTENCES = ("Sentence", "Column", "ParagraphSentence", "ItemSentence")
_NO_LINES = ("ArticleCaption", "ArticleTitle", "RelatedArticleNum", *(f"{one}Title" for one in _APPENDICES))
_SUBITEM, _SUBITEM_TITLE, _SUBITEM_SENTENCE = (re.compile(rf"Subitem\d+{part}") for part in ("", "Title", "Sentence"))
_DATE_IN_NAME = re.compile(r"_(\d{4})(\d{2})(\d{2})(?:_|\.|$)")
_WHOLE = "本則"  # the label of a law of paragraphs alone


def looks_like_egov(path: Path) -> bool:
    """Tell whether a file, or one below a folder, is a law in e-Gov's XML."""
    return looks_like_xml(path, _ROOTS, holds=b"<LawBody")


def egov_parts(path: Path) -> Iterator[Part]:
    """Yield the law of a file, or of every file below a folder.

    Articles as they stand, deleted ones as repealed; a law of paragraphs alone is one article, 本則. Appended tables
    and forms are provisions; supplementary provisions (附則), the table of contents and the reading of characters are
    left out. The date is the one in the API's reply, else the one in the file's name, as e-Gov names its files.
    Raises CorpusError naming file, line and element.
    """
    return xml_parts(path, _read, looks_like_egov)


def _read(path: Path, root: Element) -> Iterator[Sourced]:
    law = next(root.iter("Law"), None)
    body = next(law.iter("LawBody"), None) if law is not None else None
    if law is None or body is None:
        raise CorpusError(f"{place_of(path, root)}: holds no Law with a LawBody")
    name = inline_text(next(iter(children(body, "LawTitle")), None), _NO_TEXT)
    if not name:
        raise CorpusError(f"{place_of(path, body)}: LawBody has no LawTitle")
    kind = law.get("LawType") or ""
    if kind not in _LEVELS:
        raise CorpusError(f"{place_of(path, law)}: LawType {kind!r} is none of {', '.join(_LEVELS)}")
    fields = LawFields(
        law_name=name,
        collection_name=_JAPANESE.lower_law.sub("", name),
        law_level=_LEVELS[kind],
        effective_date=_in_force(path, root),
    )
    main = next(iter(children(body, "MainProvision")), None)
    if main is None:
        raise CorpusError(f"{place_of(path, body)}: LawBody has no MainProvision")
    articles = list(main.iter("Article"))
    for element in articles:
        for label, repealed in _labels(path, element):
            yield _sourced(path, element, label, _caption(element), fields, repealed=repealed)
    if not articles:
        yield _sourced(path, main, _WHOLE, "", fields)
    for element in children(body, *_APPENDICES):
        title = inline_text(next((one for one in element if local_name(one).endswith("Title")), None), _NO_TEXT)
        related = inline_text(next(iter(children(element, "RelatedArticleNum")), None), _NO_TEXT)
        found = _JAPANESE.labelled(title, _JAPANESE.annex)
        label, words = found or (title or _APPENDICES[local_name(element)], "")
        yield _sourced(path, element, label, words or related.strip("（）()"), fields)


def _in_force(path: Path, root: Element) -> str:
    told = next((one.text for one in root.iter("amendment_enforcement_date") if one.text), None)
    if told:
        try:
            return date.fromisoformat(told.strip()).isoformat()
        except ValueError:
            raise CorpusError(f"{path}: amendment_enforcement_date {told!r} is no ISO date") from None
    named = _DATE_IN_NAME.search(path.name)
    try:
        return date(*(int(part) for part in named.groups())).isoformat() if named else ""
    except ValueError:
        raise CorpusError(f"{path}: the name holds {named and named[0]!r}, which is no date") from None


def _caption(article: Element) -> str:
    return inline_text(next(iter(children(article, "ArticleCaption")), None), _NO_TEXT).strip("（）() ")


def _labels(path: Path, article: Element) -> Iterator[tuple[str, bool]]:
    """Yield the label of an article, and whether it is deleted; of deleted ones that stand together, each label."""
    title = inline_text(next(iter(children(article, "ArticleTitle")), None), _NO_TEXT)
    is_deleted = _JAPANESE.repealed_since("".join(_lines(article))) is not None
    first, _, last = (article.get("Num") or "").partition(":")
    if last:
        numbers = _range(first, last)
        if not is_deleted or not numbers:
            raise CorpusError(
                f"{place_of(path, article)}: Article Num {article.get('Num')!r} is no range of deleted ones"
            )
        yield from ((f"第{number}条{branch}", True) for number, branch in numbers)
    elif _JAPANESE.labelled(title, _JAPANESE.article) is None:
        raise CorpusError(f"{place_of(path, article)}: ArticleTitle {title!r} is no label of an article")
    else:
        yield title, is_deleted


def _range(first: str, last: str) -> list[tuple[int, str]]:
    """Return the articles from one Num to another: 10:12, or 38_2:38_5, which differ in the last number alone."""
    ends = [one.split("_") for one in (first, last)]
    if any(not part.isascii() or not part.isdigit() for end in ends for part in end):
        return []
    low, high = ([int(part) for part in end] for end in ends)
    if len(low) != len(high) or low[:-1] != high[:-1] or not 0 < high[-1] - low[-1] < 1000:
        return []
    numbers = [[*low[:-1], n] for n in range(low[-1], high[-1] + 1)]
    return [(number[0], "".join(f"の{part}" for part in number[1:])) for number in numbers]


def _sourced(
    path: Path,
    element: Element,
    label: str,
    heading: str,
    fields: LawFields,
    *,
    repealed: bool = False,
) -> Sourced:
    place = place_of(path, element)
    divisions = (one for one in reversed(list(element.iterancestors())) if local_name(one) in _DIVISIONS)
    path_words = (
        inline_text(next(iter(children(one, f"{local_name(one)}Title")), None), _NO_TEXT) for one in divisions
    )
    try:
        name = semantic_id(fields["law_name"], label, language="ja")
    except ValueError as error:
        raise CorpusError(f"{place}: {error}") from error
    if repealed:
        fields = LawFields(**fields | {"effective_date": ""})  # the text does not say since when
    provision = Provision(
        semantic_id=name,
        doc_id=UNNUMBERED,
        chapter=label,
        chapter_description=heading,
        heading_path=" > ".join(filter(None, path_words)),
        text="" if repealed else "\n".join(_lines(element)),
        language="ja",
        status=Status.REPEALED if repealed else Status.PRESENT,
        **fields,
    )
    return Sourced(provision, place)


def _lines(element: Element) -> list[str]:
    """Return a line for each paragraph, item and row of a table, with its number before it."""
    return [line for child in element for line in _lines_of(child)]


def _lines_of(element: Element) -> list[str]:
    name = local_name(element)
    if name in _NO_LINES:
        return []
    if name in ("Paragraph", "Item") or _SUBITEM.fullmatch(name):
        return _numbered(element)
    if name == "Table":
        rows = ([inline_text(cell, _NO_TEXT) for cell in row] for row in element.iter("TableRow", "TableHeaderRow"))
        return table_lines(rows)
    if len(element) and name not in _SENTENCES:
        return _lines(element)
    words = _sentence(element)
    return [words] if words else []


def _numbered(element: Element) -> list[str]:
    """Return the lines of a paragraph or an item."""
    number, words, below = "", "", list[str]()
    for child in element:
        name = local_name(child)
        if name in ("ParagraphNum", "ItemTitle") or _SUBITEM_TITLE.fullmatch(name):
            number = inline_text(child, _NO_TEXT)
        elif name in ("ParagraphSentence", "ItemSentence") or _SUBITEM_SENTENCE.fullmatch(name):
            words += _sentence(child)
        else:
            below += _lines_of(child)
    first = "　".join(filter(None, (number, words)))
    return [first, *below] if first else below


def _sentence(element: Element) -> str:
    """Return the sentences of an element; columns are parted by a space, as they are printed."""
    columns = list(element.iter("Column"))
    if columns:
        return "　".join(map(_sentences, columns))
    return _sentences(element)


def _sentences(element: Element) -> str:
    sentences = list(element.iter("Sentence")) or [element]
    return "".join(inline_text(one, _NO_TEXT) for one in sentences)

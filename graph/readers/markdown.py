"""I/O: law-as-git Markdown: front matter, `##### <article> (<heading>)`, paragraphs; addenda are left out.

One file a law, mostly one folder a family of laws. Articles and annexes stand at `#####` under the words of the law's
language; in a file that has none so deep, at whatever depth it has them. What stands below an annex is its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from graph.errors import CorpusError
from graph.readers.dialects import Dialect
from graph.readers.front_matter import Front, front_matter, law_front, present_field, short_repr
from graph.readers.source import UNNUMBERED, Part, Sourced, file_hash, numbered_lines
from graph.readers.table_text import without_html_tables
from graph.records import Provision, Status
from graph.semantic_id import semantic_id

__all__ = ["article_labels", "looks_like_markdown", "markdown_parts", "read_law"]

_DEPTH = 5  # of an article's heading in the form of law-as-git
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)$")
_IMAGE = re.compile(r"<img[^>]*>(?:</img>)?")  # a formula or table that the mirror has as a picture only
_LINK = re.compile(r"\[([^\[\]]*)\]\(https?://[^()\s]*\)")
_ESCAPE = re.compile(r"\\([^\w\s])")
_BOLD_PARAGRAPH = re.compile(r"^\*\*(.{1,4}?)\*\*")


@dataclass
class _Article:
    """An article while its lines are being read."""

    label: str
    heading: str
    heading_path: str
    line_no: int
    lines: list[str] = field(default_factory=list)


def looks_like_markdown(path: Path) -> bool:
    """Tell whether a file opens with front matter, or a folder holds such a Markdown file at any depth."""
    if path.is_dir():
        return any(file.is_file() and looks_like_markdown(file) for file in path.rglob("*.md"))
    return path.suffix == ".md" and next((line == "---" for _, line in numbered_lines(path)), False)


def markdown_parts(path: Path) -> Iterator[Part]:
    """Yield one law, or every law below a folder, in the order of the file names.

    README files and other Markdown without front matter are passed over inside a folder.
    Raises CorpusError naming file, line and field.
    """
    if not path.is_dir():
        yield Part("", file_hash(path), partial(_read_file, path))
        return
    for file in sorted(path.rglob("*.md")):
        if file.is_file() and looks_like_markdown(file):
            yield Part(file.relative_to(path).as_posix(), file_hash(file), partial(_read_file, file))


def _read_file(path: Path) -> Iterator[Sourced]:
    return read_law(str(path), list(numbered_lines(path)))


def read_law(place: str, lines: Sequence[tuple[int, str]]) -> Iterator[Sourced]:
    """Yield the provisions of one law: articles in their order, repealed ones among them, then the listed annexes.

    place: what errors call the file. Raises CorpusError naming file, line and field.
    """
    front = front_matter(place, lines)
    for article in _articles(place, front.body, front.dialect):
        article_place = f"{place}:{article.line_no}"
        try:
            yield Sourced(_provision(article, front), article_place)
        except ValueError as error:
            raise CorpusError(f"{article_place}: {error}") from error
    for annex in _annexes(place, front):
        yield Sourced(annex, f"{place}:1")


def article_labels(place: str, lines: Iterator[tuple[int, str]]) -> set[str]:
    """Return the labels of a law's articles, repealed ones among them; headings that are none are passed over.

    Raises CorpusError if the front matter cannot be read.
    """
    front = law_front(place, lines)
    headings = list(_headings(lines))
    depths = _depths(headings, front.dialect)
    labels: set[str] = set()
    for heading in headings:
        if front.dialect.addenda.match(heading.words):
            break
        if heading.depth in depths and (found := front.dialect.labelled(heading.words, front.dialect.article)):
            labels.add(found[0])
    return labels


class _Heading(NamedTuple):
    line_no: int
    depth: int
    words: str


def _heading(line_no: int, line: str) -> _Heading | None:
    found = _HEADING.match(line.rstrip()) if line.startswith("#") else None
    return _Heading(line_no, len(found[1]), found[2]) if found else None


def _headings(body: Iterable[tuple[int, str]]) -> Iterator[_Heading]:
    return (heading for line_no, line in body if (heading := _heading(line_no, line)))


def _depths(headings: Iterable[_Heading], dialect: Dialect) -> range:
    """Return the depths at which articles stand: 5 and 6, or where none does, from 2 on."""
    is_deep = any(one.depth >= _DEPTH and dialect.article.match(one.words) for one in headings)
    return range(_DEPTH if is_deep else 2, 7)


def _articles(place: str, body: Sequence[tuple[int, str]], dialect: Dialect) -> Iterator[_Article]:
    """Yield articles and annexes as they stand."""
    depths = _depths(_headings(body), dialect)
    headings: dict[int, str] = {}
    article: _Article | None = None
    annex_depth = 0  # of the annex being read; 0 outside of one
    for line_no, line in body:
        heading = _heading(line_no, line)
        if heading is None or (annex_depth and heading.depth > annex_depth):
            if article is not None:
                article.lines.append(heading.words if heading else line)
            continue
        if dialect.addenda.match(heading.words):
            break
        if article is not None:
            yield article
        article, annex_depth = None, 0
        path = " > ".join(headings[depth] for depth in sorted(headings) if depth < heading.depth)
        if found := dialect.labelled(heading.words, dialect.annex) if heading.depth > 1 else None:
            article, annex_depth = _Article(*found, path, line_no), heading.depth
        elif found := dialect.labelled(heading.words, dialect.article) if heading.depth in depths else None:
            article = _Article(*found, path, line_no)
        elif heading.depth < _DEPTH or dialect.structure.match(heading.words):
            headings = {depth: words for depth, words in headings.items() if depth < heading.depth}
            if heading.depth > 1:
                headings[heading.depth] = dialect.marks.sub("", heading.words)
        else:
            raise CorpusError(f"{place}:{line_no}: {heading.words!r} is no article heading")
    if article is not None:
        yield article


def _provision(article: _Article, front: Front) -> Provision:
    dialect, fields = front.dialect, front.law.copy()
    published = "\n".join(line for line in map(_plain, article.lines) if line.strip())
    published = without_html_tables(published)
    repealed_since = dialect.repealed_since(published)
    if repealed_since is not None:
        fields["effective_date"] = repealed_since
    elif own_date := dialect.own_date(published):
        fields["effective_date"] = own_date
    return Provision(
        semantic_id=semantic_id(front.law["law_name"], article.label, language=dialect.language),
        doc_id=UNNUMBERED,
        chapter=article.label,
        chapter_description=article.heading,
        heading_path=article.heading_path,
        text=dialect.without_marks(published) if repealed_since is None else "",
        language=dialect.language,
        status=Status.PRESENT if repealed_since is None else Status.REPEALED,
        **fields,
    )


def _plain(line: str) -> str:
    line = _LINK.sub(r"\1", _IMAGE.sub("[image]", line))
    return _BOLD_PARAGRAPH.sub(r"\1", _ESCAPE.sub(r"\1", line.rstrip()))


def _annexes(place: str, front: Front) -> Iterator[Provision]:
    """Yield the annexes that the front matter lists, also one whose text stands in the file: the corpus keeps that."""
    language = front.dialect.language
    field_name = present_field(front.fields, front.dialect.annexes)
    rows = front.fields.get(field_name) or []
    if not isinstance(rows, list):
        raise CorpusError(f"{place}:1: front-matter field {field_name!r} must be a list")
    for row in rows:
        try:
            label, heading = _korean_annex(row) if language == "ko" else _annex(row)
            name = semantic_id(front.law["law_name"], label, language=language)
        except (KeyError, TypeError, ValueError) as error:
            where = f"{place}:1: front-matter field {field_name!r}"
            raise CorpusError(f"{where}: {short_repr(row)}: {error!r}") from error
        yield Provision(
            semantic_id=name,
            doc_id=UNNUMBERED,
            chapter=label,
            chapter_description=heading,
            language=language,
            status=Status.ABSENT,
            **front.law,
        )


def _korean_annex(row: Mapping[str, Any]) -> tuple[str, str]:
    number, branch = int(row["별표번호"]), int(row.get("별표가지번호") or 0)
    branch_words = f"의{branch}" if branch else ""
    kind = _cell(row, "별표구분")
    label = f"별지 제{number}호{branch_words}서식" if kind == "서식" else f"{kind} {number}{branch_words}"
    return label, _cell(row, "제목")


def _annex(row: Mapping[str, Any]) -> tuple[str, str]:
    return _cell(row, "label"), _cell(row, "title")


def _cell(row: Mapping[str, Any], name: str) -> str:
    if not isinstance(row[name], str):
        raise TypeError(f"{name} must be text")
    return str(row[name])

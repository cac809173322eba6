"""I/O: law-as-git Markdown: front matter, `##### <article> (<heading>)`, paragraphs; addenda are left out.

A folder holds one family of laws, one file a law; the built-in law is written in the same form, in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from reprlib import Repr
from typing import Any, NamedTuple, TypedDict

import yaml

from graph.errors import CorpusError
from graph.readers.source import UNNUMBERED, Part, Sourced, file_hash, numbered_lines
from graph.records import Provision, Status
from graph.semantic_id import semantic_id

__all__ = ["LawFront", "article_labels", "law_front", "looks_like_markdown", "markdown_parts", "read_law"]


@dataclass(frozen=True)
class _Dialect:
    """How one country's mirror writes what we read."""

    language: str
    title: str  # front-matter keys
    level: str
    effective: str
    collection: str
    annexes: str
    article: re.Pattern[str]  # groups: label, heading
    addenda: re.Pattern[str]
    repealed: re.Pattern[str]  # whole text of a repealed article; group: date
    in_force: re.Pattern[str]  # an article's own in-force date; group: date
    marks: re.Pattern[str]  # editorial marks that are no part of the law's text
    lower_law: re.Pattern[str]  # what a decree's or rule's name adds to its act's


_DATE = r"(\d{4})\s*[.-]\s*(\d{1,2})\s*[.-]\s*(\d{1,2})\.?"

_DIALECTS = (
    _Dialect(
        language="ko",
        title="제목",
        level="법령구분",
        effective="시행일자",
        collection="",
        annexes="첨부파일",
        article=re.compile(r"(제\d+조(?:의\d+)*)(?:\s*\((.*)\))?$"),
        addenda=re.compile(r"부\s*칙"),
        repealed=re.compile(rf"삭제\s*(?:<[^\d<>]*{_DATE}[^<>]*>\s*)?(?:\[[^\]]*\].*)?$", re.DOTALL),
        in_force=re.compile(rf"\[시행일\s*:\s*{_DATE}[^\]]*\]"),
        marks=re.compile(
            r"(?<!\s)\s*<(?:개정|신설|단서|전문|본조|제목|종전|삭제(?= \d))[^<>]*>"
            r"|(?<!\s)\s*\[(?:전문개정|본조신설|제목개정|본조제목개정|종전|제\d+조(?:의\d+)*(?:에서|은|는)|시행일\s*:)[^\[\]]*\]"
        ),
        lower_law=re.compile(r"\s+(?:시행령|시행규칙)$"),
    ),
    _Dialect(
        language="en",
        title="title",
        level="level",
        effective="effective",
        collection="collection",
        annexes="annexes",
        article=re.compile(r"(Article \d+(?:-\d+)*)(?:\s*\((.*)\))?$"),
        addenda=re.compile(r"Supplementary Provisions", re.IGNORECASE),
        repealed=re.compile(rf"(?:Deleted|Repealed)\s*(?:<{_DATE}>\s*)?\.?$"),
        in_force=re.compile(rf"\[In force from {_DATE}\]"),
        marks=re.compile(r"(?<!\s)\s*(?:<(?:Amended|Inserted)[^<>]*>|\[In force from[^\[\]]*\])"),
        lower_law=re.compile(r"\s+(?:Decree|Rule)$"),
    ),
)


class _Law(TypedDict):
    """The fields that all provisions of one law share."""

    law_name: str
    collection_name: str
    law_level: str
    effective_date: str


_KEY_OF_LAW = re.compile(
    rf"['\"]?(?:{'|'.join(key for one in _DIALECTS for key in (one.title, one.level, one.effective))})['\"]?\s*:"
)
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)$")
_SHORT = Repr()
_SHORT.maxlevel = 1  # YAML can name a list within itself many times over, and written out it has no end
_IMAGE = re.compile(r"<img[^>]*>(?:</img>)?")  # a formula or table that the mirror has as a picture only
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
    """Tell whether a file opens with front matter, or a folder holds a Markdown file at any depth."""
    if path.is_dir():
        return next(path.rglob("*.md"), None) is not None
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
    front, body = _front_matter(place, lines)
    dialect = next((dialect for dialect in _DIALECTS if dialect.title in front), None)
    if dialect is None:
        raise CorpusError(f"{place}:1: front matter has no title: expected one of {[d.title for d in _DIALECTS]}")
    law = _law(place, front, dialect)
    for article in _articles(place, body, dialect):
        yield Sourced(_provision(place, article, law, dialect), f"{place}:{article.line_no}")
    for annex in _annexes(place, front.get(dialect.annexes) or [], law, dialect):
        yield Sourced(annex, f"{place}:1")


class LawFront(NamedTuple):
    """What tells one version of a law from another."""

    law_name: str
    in_force: str  # ISO date


def law_front(place: str, lines: Iterable[tuple[int, str]]) -> LawFront:
    """Return a law's name and in-force date alone; YAML takes its time over the lists of annexes, which are left out.

    Raises CorpusError as `read_law` does.
    """
    kept: list[tuple[int, str]] = []
    wanted = False
    for line_no, line in lines:
        wanted = _KEY_OF_LAW.match(line) is not None or (wanted and line[:1] in (" ", "\t"))
        kept.append((line_no, line if wanted or line == "---" else ""))  # blank, so that errors count the lines right
        if line == "---" and line_no > 1:
            break
    front, _ = _front_matter(place, kept)
    dialect = next((dialect for dialect in _DIALECTS if dialect.title in front), None)
    if dialect is None:
        raise CorpusError(f"{place}:1: front matter has no title: expected one of {[d.title for d in _DIALECTS]}")
    law = _law(place, front, dialect)
    return LawFront(law["law_name"], law["effective_date"])


def article_labels(lines: Iterable[tuple[int, str]]) -> set[str]:
    """Return the labels of a law's articles, repealed ones among them; headings that are none are passed over."""
    labels: set[str] = set()
    for _, line in lines:
        if line.startswith("#") and (heading := _HEADING.match(line.rstrip())):
            if any(dialect.addenda.match(heading[2]) for dialect in _DIALECTS):
                break
            if len(heading[1]) >= 5:
                labels |= {found[1] for one in _DIALECTS if (found := one.article.match(heading[2]))}
    return labels


def _front_matter(place: str, lines: Sequence[tuple[int, str]]) -> tuple[dict[str, Any], Sequence[tuple[int, str]]]:
    end = next((n for n, line in lines[1:] if line == "---"), 0)
    if not lines or lines[0][1] != "---" or not end:
        raise CorpusError(f"{place}:1: no front matter: a law opens with '---', its fields, and '---'")
    try:
        # BaseLoader leaves every value text, as it stands: 2024-02-30 is ours to refuse, with the name of its field.
        front = yaml.load("\n".join(line for _, line in lines[1 : end - 1]), Loader=yaml.BaseLoader)
    except RecursionError as error:
        raise CorpusError(f"{place}:1: front matter is nested too deeply") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "unreadable"
        raise CorpusError(f"{place}:{mark.line + 2 if mark else 1}: front matter is not YAML: {problem}") from error
    if not isinstance(front, dict):
        raise CorpusError(f"{place}:1: front matter must be fields with values")
    return front, lines[end:]


def _law(place: str, front: Mapping[str, Any], dialect: _Dialect) -> _Law:
    title, level, effective = (_words(place, front, name) for name in (dialect.title, dialect.level, dialect.effective))
    try:
        in_force_since = date.fromisoformat(effective).isoformat()
    except ValueError:
        raise CorpusError(
            f"{place}:1: front-matter field {dialect.effective!r}: {effective!r} is no ISO date"
        ) from None
    family = _words(place, front, dialect.collection) if front.get(dialect.collection) else ""
    return _Law(
        law_name=title,
        collection_name=family or dialect.lower_law.sub("", title),
        law_level=level,
        effective_date=in_force_since,
    )


def _words(place: str, front: Mapping[str, Any], name: str) -> str:
    value = front.get(name) or ""
    if not isinstance(value, str):
        raise CorpusError(f"{place}:1: front-matter field {name!r} must be text, found {_SHORT.repr(value)}")
    if not value.strip():
        raise CorpusError(f"{place}:1: front-matter field {name!r} is missing or empty")
    return value.strip()


def _articles(place: str, body: Sequence[tuple[int, str]], dialect: _Dialect) -> Iterator[_Article]:
    headings: dict[int, str] = {}
    article: _Article | None = None
    for line_no, line in body:
        found = _HEADING.match(line.rstrip())
        if not found:
            if article is not None:
                article.lines.append(line)
            continue
        depth, words = len(found[1]), found[2]
        if dialect.addenda.match(words):
            break
        if article is not None:
            yield article
            article = None
        if depth < 5:
            headings = {d: h for d, h in headings.items() if d < depth}
            if depth > 1:
                headings[depth] = dialect.marks.sub("", words)
            continue
        label = dialect.article.match(words)
        if label is None:
            raise CorpusError(f"{place}:{line_no}: {words!r} is no article heading")
        path_words = " > ".join(headings[d] for d in sorted(headings))
        article = _Article(label[1], label[2] or "", path_words, line_no)
    if article is not None:
        yield article


def _provision(place: str, article: _Article, law: _Law, dialect: _Dialect) -> Provision:
    published = "\n".join(line for line in map(_plain, article.lines) if line.strip())
    fields = law.copy()
    if repealed := dialect.repealed.match(published):
        fields["effective_date"] = _iso(repealed, f"{place}:{article.line_no}") if repealed[1] else ""
    elif own_date := dialect.in_force.search(published):
        fields["effective_date"] = _iso(own_date, f"{place}:{article.line_no}")
    text = "\n".join(line for line in dialect.marks.sub("", published).split("\n") if line.strip())
    return Provision(
        semantic_id=semantic_id(law["law_name"], article.label, language=dialect.language),
        doc_id=UNNUMBERED,
        chapter=article.label,
        chapter_description=article.heading,
        heading_path=article.heading_path,
        text="" if repealed else text,
        language=dialect.language,
        status=Status.REPEALED if repealed else Status.PRESENT,
        **fields,
    )


def _plain(line: str) -> str:
    line = _IMAGE.sub("[image]", line)
    return _BOLD_PARAGRAPH.sub(r"\1", _ESCAPE.sub(r"\1", line.rstrip()))


def _iso(found: re.Match[str], place: str) -> str:
    try:
        return date(int(found[1]), int(found[2]), int(found[3])).isoformat()
    except ValueError as error:
        raise CorpusError(f"{place}: {found[0]!r} holds no date: {error}") from error


def _annexes(place: str, rows: object, law: _Law, dialect: _Dialect) -> Iterator[Provision]:
    if not isinstance(rows, list):
        raise CorpusError(f"{place}:1: front-matter field {dialect.annexes!r} must be a list")
    for row in rows:
        try:
            label, heading = _korean_annex(row) if dialect.language == "ko" else _english_annex(row)
            name = semantic_id(law["law_name"], label, language=dialect.language)
        except (KeyError, TypeError, ValueError) as error:
            where = f"{place}:1: front-matter field {dialect.annexes!r}"
            raise CorpusError(f"{where}: {_SHORT.repr(row)}: {error!r}") from error
        yield Provision(
            semantic_id=name,
            doc_id=UNNUMBERED,
            chapter=label,
            chapter_description=heading,
            language=dialect.language,
            status=Status.ABSENT,
            **law,
        )


def _korean_annex(row: Mapping[str, Any]) -> tuple[str, str]:
    number, branch = int(row["별표번호"]), int(row.get("별표가지번호") or 0)
    branch_words = f"의{branch}" if branch else ""
    kind = _cell(row, "별표구분")
    label = f"별지 제{number}호{branch_words}서식" if kind == "서식" else f"{kind} {number}{branch_words}"
    return label, _cell(row, "제목")


def _english_annex(row: Mapping[str, Any]) -> tuple[str, str]:
    return _cell(row, "label"), _cell(row, "title")


def _cell(row: Mapping[str, Any], name: str) -> str:
    if not isinstance(row[name], str):
        raise TypeError(f"{name} must be text")
    return str(row[name])

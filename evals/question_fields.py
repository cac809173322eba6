"""I/O: what question files have in common: lines of JSON, ids, texts, and the names of provisions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graph.citation_graph import CitationGraph
from graph.errors import QuestionsError

__all__ = ["ProvisionNames", "identifier", "json_lines", "references", "text"]


class ProvisionNames:
    """Which provision of a graph a file means by an id or a number."""

    def __init__(self, graph: CitationGraph) -> None:
        self.provisions = graph.provisions
        self.articles = frozenset(graph.articles)
        self._by_number = {provision.doc_id: name for name, provision in graph.provisions.items()}
        self._by_label: dict[str, list[str]] = {}
        for name in graph.articles:
            self._by_label.setdefault(graph.provisions[name].chapter, []).append(name)

    def resolve(self, reference: str | int, place: str) -> str:
        """Return the semantic id: a string is looked up as one first, then as a label, then as a number.

        A label counts if one article alone has it: a document of a BEIR folder is labelled by its id.
        Raises QuestionsError naming the place if the graph has no such provision.
        """
        if isinstance(reference, str):
            if reference in self.provisions:
                return reference
            if len(labelled := self._by_label.get(reference, [])) == 1:
                return labelled[0]
            if not reference.isascii() or not reference.isdigit():
                raise QuestionsError(f"{place}: the index has no provision {reference!r}")
        name = self._by_number.get(int(reference))
        if name is None:
            raise QuestionsError(f"{place}: the index has no provision of number {reference}")
        return name


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object of a file of one JSON object a line, with its place: file and line number.

    Raises QuestionsError naming the line.
    """
    with path.open(encoding="utf-8-sig") as lines:
        for line_no, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            place = f"{path}:{line_no}"
            try:
                record = json.loads(line)
            except ValueError as error:
                raise QuestionsError(f"{place}: not JSON: {error}") from error
            if not isinstance(record, dict):
                raise QuestionsError(f"{place}: expected a JSON object, found {line.strip()[:40]!r}")
            yield place, record


def identifier(record: dict[str, Any], field: str, place: str) -> str:
    """Return the id in a field, a number or a word. Raises QuestionsError naming place and field."""
    value = record.get(field)
    if isinstance(value, bool) or not isinstance(value, (str, int)) or not str(value) or len(str(value).split()) != 1:
        raise QuestionsError(f"{place}: {field}: expected an id without white space, found {value!r}")
    return str(value)


def text(record: dict[str, Any], field: str, place: str) -> str:
    """Return the words in a field, stripped. Raises QuestionsError naming place and field if there are none."""
    value = record.get(field)
    if not isinstance(value, str) or not value.strip():
        raise QuestionsError(f"{place}: {field}: expected a text, found {value!r}")
    return value.strip()


def references(record: dict[str, Any], field: str, place: str, *, optional: bool = False) -> list[str | int]:
    """Return the ids or numbers in a field. Raises QuestionsError naming place and field."""
    value = record.get(field, [] if optional else None)
    if not isinstance(value, list) or not all(type(one) in (str, int) for one in value):
        raise QuestionsError(f"{place}: {field}: expected a list of ids, found {value!r}")
    return value

"""I/O: choice questions, in the forms that data sets come in, told by the file: SearchFireSafety's, lawqa-jp's.

| form                    | told by            | conditions                                        |
| ----------------------- | ------------------ | ------------------------------------------------- |
| SearchFireSafety .jsonl | one object a line  | all; its articles are found in the index          |
| lawqa_jp .json          | one object, samples | full and none; the file brings the articles' text |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evals.mcq.records import ChoiceQuestion
from evals.question_fields import ProvisionNames, identifier, json_lines, references, text
from graph.citation_graph import CitationGraph
from graph.errors import QuestionsError
from graph.records import Provision
from graph.semantic_id import semantic_id

__all__ = ["brings_its_articles", "read_choice_questions"]

_OPTION = re.compile(r"option_(\d+)")
_LETTERED = re.compile(r"^([a-zａ-ｚ])[\s.．、]\s*", re.MULTILINE)
_HEADING = re.compile(r"^(##|###)(?!#)\s*(.+)$", re.MULTILINE)


def brings_its_articles(path: Path) -> bool:
    """Whether a file of choice questions needs no index."""
    return path.suffix == ".json"


def read_choice_questions(path: Path, graph: CitationGraph | None) -> list[ChoiceQuestion]:
    """Read choice questions, in the file's order.

    graph: where the source articles are found; None is enough for a file that brings their text.
    Raises QuestionsError naming file, line and field if something cannot be read, an id comes twice, or the index has
    no text of a source article.
    """
    try:
        found = list(_lawqa(path) if brings_its_articles(path) else _searchfiresafety(path, graph))
    except OSError as error:
        raise QuestionsError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise QuestionsError(f"{path}: not UTF-8: {error}") from error
    places: dict[str, str] = {}
    for place, question in found:
        if question.question_id in places:
            first = places[question.question_id]
            raise QuestionsError(f"{place}: id {question.question_id} appears twice, first at {first}")
        places[question.question_id] = place
    if not found:
        raise QuestionsError(f"{path}: holds no question")
    return [question for _, question in found]


def _searchfiresafety(path: Path, graph: CitationGraph | None) -> Iterator[tuple[str, ChoiceQuestion]]:
    if graph is None:
        raise QuestionsError(f"{path}: these questions name articles of an index; name it with --index")
    names = ProvisionNames(graph)
    for place, record in json_lines(path):
        numbers = sorted(int(found[1]) for field in record if (found := _OPTION.fullmatch(field)))
        if len(numbers) < 2 or numbers != list(range(1, len(numbers) + 1)):
            raise QuestionsError(f"{place}: expected option_1, option_2, … without a gap, found {numbers}")
        gold_field = "related_semantic_ids" if "related_semantic_ids" in record else "related_doc_ids"
        articles = [names.resolve(one, f"{place}: {gold_field}") for one in references(record, gold_field, place)]
        if not articles:
            raise QuestionsError(f"{place}: {gold_field}: names no article")
        for article in articles:
            if article not in names.articles:
                raise QuestionsError(f"{place}: {gold_field}: the index has no text of {article!r}")
        question_id = identifier(record, "question_id", place)
        abstain = _number(record, "answer_partial", len(numbers), place) if "answer_partial" in record else None
        yield (
            place,
            ChoiceQuestion(
                question_id=question_id,
                text=text(record, "question", place),
                options=tuple(text(record, f"option_{number}", place) for number in numbers),
                gold_full=_number(record, "answer_full", len(numbers), place),
                abstain=abstain,  # with one article alone the answer is always that there is none
                articles=tuple(dict.fromkeys(articles)),
                cluster=question_id,
            ),
        )


def _number(record: dict[str, Any], field: str, n_options: int, place: str) -> int:
    value = record.get(field)
    if type(value) is not int or not 1 <= value <= n_options:
        raise QuestionsError(f"{place}: {field}: expected the number of an option, 1 to {n_options}, found {value!r}")
    return value


def _lawqa(path: Path) -> Iterator[tuple[str, ChoiceQuestion]]:
    try:
        samples = json.loads(path.read_text(encoding="utf-8-sig"))["samples"]
        samples = [dict(sample) for sample in samples]
    except (ValueError, KeyError, TypeError) as error:
        raise QuestionsError(f"{path}: expected lawqa_jp's form, an object with a list 'samples'") from error
    for n, sample in enumerate(samples, start=1):
        place = f"{path}: sample {n}"
        name = re.sub(r"\s+", "_", text(sample, "ファイル名", place))
        order = sample.get("回答オーダーマップ番号")  # the file of four orders numbers them
        options, letters = _lettered(text(sample, "選択肢", place), place)
        gold = text(sample, "output", place)
        if gold not in letters:
            raise QuestionsError(f"{place}: output: expected one of {', '.join(letters)}, found {gold!r}")
        given = tuple(_sections(text(sample, "コンテキスト", place), place))
        yield (
            place,
            ChoiceQuestion(
                question_id=name if order is None else f"{name}#{order}",
                text=text(sample, "問題文", place),
                options=tuple(options),
                gold_full=letters.index(gold) + 1,
                articles=tuple(article.semantic_id for article in given),
                given=given,
                cluster=name,
            ),
        )


def _lettered(words: str, place: str) -> tuple[list[str], list[str]]:
    """Return the options of a text such as `a …\\nb …`, and their letters."""
    starts = list(_LETTERED.finditer(words))
    ends = [found.start() for found in starts[1:]] + [len(words)]
    options = [words[found.end() : end].strip() for found, end in zip(starts, ends, strict=True)]
    letters = [chr(ord("a") + (ord(found[1]) - ord("ａ" if found[1] >= "ａ" else "a"))) for found in starts]
    if len(options) < 2 or letters != [chr(ord("a") + n) for n in range(len(letters))] or not all(options):
        raise QuestionsError(f"{place}: 選択肢: expected lines that begin with a, b, c, …, found {words[:60]!r}")
    return options, letters


def _sections(words: str, place: str) -> Iterator[Provision]:
    """Cut a context into the provisions that its headings name: `## law`, `### label`; those named twice become one."""
    named: dict[str, tuple[str, str]] = {}
    texts: dict[str, list[str]] = {}
    law, label, start = "", "", 0
    for found in [*_HEADING.finditer(words), None]:
        between = words[start : found.start() if found else len(words)].strip()
        if between:
            try:
                name = semantic_id(law, label.replace("_", "-"), language="ja")
            except ValueError as error:
                raise QuestionsError(f"{place}: コンテキスト: {error}") from error
            named.setdefault(name, (law, label))
            texts.setdefault(name, []).append(between)
        if found:
            law, label = (found[2].strip(), "") if found[1] == "##" else (law, found[2].strip())
            start = found.end()
    for number, (name, (law, label)) in enumerate(named.items()):
        yield Provision(
            semantic_id=name,
            doc_id=number,
            law_name=law,
            collection_name=law,
            law_level="",
            chapter=label,
            text="\n".join(texts[name]),
            language="ja",
        )

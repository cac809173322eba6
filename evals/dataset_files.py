"""I/O: questions with their gold articles, in the forms that data sets come in: SearchFireSafety, BSARD, BEIR.

The form is told by the file: `.jsonl` is SearchFireSafety's, `.csv` BSARD's, and a folder with `queries.jsonl`, or one
of the files `qrels/*.tsv` in it, is BEIR's. `hf:OWNER/NAME/FILE` is a file of a data set on the Hugging Face Hub.
Where a data set is named whole, a split says which of its questions are meant: training must not take the test's.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from evals.question_fields import ProvisionNames, identifier, json_lines, references, text
from graph.citation_graph import CitationGraph
from graph.errors import QuestionsError
from graph.readers.hub import local_copy
from graph.records import Question

__all__ = ["Split", "question_files", "read_questions"]

Split: TypeAlias = Literal["train", "dev", "test"]


def read_questions(path: Path, graph: CitationGraph, *, split: Split = "test") -> list[Question]:
    """Read questions, in the file's order, their gold as semantic ids of the graph's articles.

    Gold may be given as semantic ids or as the source's numbers (doc_ids). A gold provision that the graph knows but
    has no text of goes to `missing`, as nothing can retrieve it; so does what the file itself calls missing.
    split: of a data set that is named without its file: `questions_train.csv` of BSARD, `qrels/train.tsv` of BEIR.
    Raises QuestionsError naming file, line and field if something cannot be read, an id comes twice, or the index has
    no such provision.
    """
    names = ProvisionNames(graph)
    questions: dict[str, Question] = {}
    first_place: dict[str, str] = {}
    for row in _rows(path, split):
        gold = [names.resolve(reference, f"{row.place}: {row.gold_field}") for reference in row.gold]
        present = tuple(dict.fromkeys(name for name in gold if name in names.articles))
        absent = (name for name in gold if name not in names.articles)
        if row.question_id in questions:
            raise QuestionsError(
                f"{row.place}: id {row.question_id} appears twice, first at {first_place[row.question_id]}"
            )
        first_place[row.question_id] = row.place
        questions[row.question_id] = Question(
            question_id=row.question_id,
            text=row.text,
            gold=present,
            missing=tuple(dict.fromkeys((*row.missing, *absent))),
            answer=row.answer,
            abstention=row.abstention,
            topic=row.topic,
        )
    if not questions:
        raise QuestionsError(f"{path}: holds no question")
    return list(questions.values())


def question_files(path: Path, *, split: Split = "test") -> list[Path]:
    """Return the files that `read_questions` reads for this path and split, those of a data set fetched.

    Raises QuestionsError if there are none, CorpusError if they cannot be fetched.
    """
    path = local_copy(path, default_file=f"questions_{split}.csv")
    if (path / "queries.jsonl").is_file():
        return [path / "queries.jsonl", _qrels_file(path, split)]
    if path.suffix == ".tsv" and (path.parent.parent / "queries.jsonl").is_file():
        return [path.parent.parent / "queries.jsonl", path]
    if path.suffix in (".jsonl", ".csv") and not path.is_dir():
        return [path]
    raise QuestionsError(
        f"{path}: no questions; expected a .jsonl file (SearchFireSafety), a .csv file (BSARD), or a folder with "
        "queries.jsonl and qrels/*.tsv (BEIR)"
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A question as its file has it."""

    place: str
    question_id: str
    text: str
    gold: Sequence[str | int]  # semantic ids or doc_ids
    gold_field: str
    missing: Sequence[str] = ()
    answer: str = ""
    abstention: str = ""
    topic: str = ""


def _rows(path: Path, split: Split) -> Iterator[_Row]:
    files = question_files(path, split=split)
    try:
        if len(files) == 2:
            yield from _beir(*files)
        elif files[0].suffix == ".csv":
            yield from _bsard(files[0])
        else:
            yield from _searchfiresafety(files[0])
    except OSError as error:
        raise QuestionsError(f"{error.filename}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise QuestionsError(f"{path}: not UTF-8: {error}") from error
    except csv.Error as error:
        raise QuestionsError(f"{path}: not CSV: {error}") from error


def _searchfiresafety(path: Path) -> Iterator[_Row]:
    for place, record in json_lines(path):
        gold_field = "semantic_ids" if "semantic_ids" in record else "related_doc_ids"
        yield _Row(
            place=place,
            question_id=identifier(record, "question_id", place),
            text=text(record, "question", place),
            gold=references(record, gold_field, place),
            gold_field=gold_field,
            missing=[str(name) for name in references(record, "missing_semantic_ids", place, optional=True)],
            answer=str(record.get("answer") or ""),
            abstention=str(record.get("abstention") or ""),
            topic=str(record.get("topic") or ""),
        )


def _bsard(path: Path) -> Iterator[_Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        for field in ("id", "question", "article_ids"):
            if field not in (reader.fieldnames or ()):
                raise QuestionsError(f"{path}:1: field {field!r} is missing; expected BSARD's questions_*.csv")
        for record in reader:
            place = f"{path}:{reader.line_num}"
            question, extra = text(record, "question", place), (record.get("extra_description") or "").strip()
            yield _Row(
                place=place,
                question_id=identifier(record, "id", place),
                text=f"{extra} {question}" if extra else question,  # in this order: Louis and Spanakis 2022
                gold=[one.strip() for one in (record["article_ids"] or "").split(",") if one.strip()],
                gold_field="article_ids",
                topic=record.get("category") or "",
            )


def _beir(queries: Path, qrels: Path) -> Iterator[_Row]:
    gold: dict[str, list[str]] = defaultdict(list)
    place_of: dict[str, str] = {}
    with qrels.open(encoding="utf-8-sig") as lines:
        for line_no, line in enumerate(lines, start=1):
            parts = line.rstrip("\r\n").split("\t")
            place = f"{qrels}:{line_no}"
            if line_no == 1 and parts[0] == "query-id":
                continue
            if len(parts) != 3:
                raise QuestionsError(f"{place}: expected query-id, corpus-id and score, separated by tabs")
            try:
                grade = int(parts[2])
            except ValueError:
                raise QuestionsError(f"{place}: score: {parts[2]!r} is no whole number") from None
            place_of.setdefault(parts[0], place)
            if grade > 0:
                gold[parts[0]].append(parts[1])
    for place, record in json_lines(queries):
        question_id = identifier(record, "_id", place)
        if question_id in place_of:  # the others belong to another split
            yield _Row(
                place=place_of.pop(question_id),
                question_id=question_id,
                text=text(record, "text", place),
                gold=gold[question_id],
                gold_field="corpus-id",
            )
    for question_id, place in place_of.items():
        raise QuestionsError(f"{place}: query-id: {queries} has no question {question_id!r}")


def _qrels_file(folder: Path, split: Split) -> Path:
    files = sorted((folder / "qrels").glob("*.tsv"))
    is_single = len(files) == 1 and (split == "test" or files[0].stem not in get_args(Split))
    chosen = [file for file in files if is_single or file.stem == split]
    if not chosen:
        found = ", ".join(file.name for file in files) or "none"
        raise QuestionsError(
            f"{folder / 'qrels'}: expected {split}.tsv or a single *.tsv, found {found}; name the one meant"
        )
    return chosen[0]

"""I/O: an index and its questions as a BEIR folder: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`.

`graph.readers.beir` reads the corpus back, and `evals.dataset_files` the questions.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from graph.errors import QuestionsError
from graph.readers.beir import beir_document
from graph.records import Provision, Question

__all__ = ["write_beir"]


def write_beir(folder: Path, articles: Sequence[Provision], questions: Sequence[Question] = ()) -> None:
    """Write a folder that does not exist yet, aside first; the qrels grade every gold article 1.

    questions: those without a gold article are left out, as BEIR's tools count every question.
    Raises QuestionsError if the folder exists.
    """
    if folder.exists():
        raise QuestionsError(f"{folder}: is there already; name another folder, or remove it")
    aside = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(aside, ignore_errors=True)  # what a killed export left
    (aside / "qrels").mkdir(parents=True)
    _write_lines(aside / "corpus.jsonl", map(beir_document, articles))
    judged = [question for question in questions if question.gold]
    if judged:
        _write_lines(aside / "queries.jsonl", ({"_id": one.question_id, "text": one.text} for one in judged))
        grades = "".join(f"{one.question_id}\t{name}\t1\n" for one in judged for name in one.gold)
        header = "query-id\tcorpus-id\tscore\n"
        (aside / "qrels" / "test.tsv").write_text(header + grades, encoding="utf-8", newline="\n")
    aside.rename(folder)


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)

"""I/O: TREC's files: a run, question -> ranking, and qrels, question -> grades.

Tools break ties differently, so a run's scores fall strictly: they count down from the length of the ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from agent.aside import write_aside
from graph.errors import QuestionsError

__all__ = ["Qrels", "Run", "read_qrels", "read_run", "run_scores", "write_qrels", "write_run"]

Run: TypeAlias = Mapping[str, Sequence[str]]
"""Question id -> semantic ids, best first."""

Qrels: TypeAlias = Mapping[str, Mapping[str, int]]
"""Question id -> semantic id -> grade; what is not there is unjudged."""


def run_scores(ranking: Sequence[str]) -> dict[str, float]:
    """Return scores that fall strictly from the first article to the last: n, n - 1, …, 1.

    Raises ValueError if an article comes twice.
    """
    scores = {name: float(len(ranking) - place) for place, name in enumerate(ranking)}
    if len(scores) != len(ranking):
        raise ValueError("a ranking names an article twice")
    return scores


def write_run(path: Path, run: Run, *, tag: str) -> None:
    """Write `question Q0 article rank score tag` lines, aside first. Raises ValueError on an id with white space."""
    lines = []
    for question_id, ranking in run.items():
        for rank, (name, score) in enumerate(run_scores(ranking).items(), start=1):
            lines.append(f"{_word(question_id)} Q0 {_word(name)} {rank} {score:.0f} {_word(tag)}\n")
    write_aside(path, "".join(lines))


def read_run(path: Path) -> dict[str, list[str]]:
    """Read a run by its scores, ties by descending id, as trec_eval does. Raises QuestionsError naming the line."""
    scored: dict[str, list[tuple[float, str]]] = {}
    for place, (question_id, _, name, _, score, _) in _lines(path, 6):
        try:
            scored.setdefault(question_id, []).append((float(score), name))
        except ValueError:
            raise QuestionsError(f"{place}: score: {score!r} is no number") from None
    return {one: [name for _, name in sorted(pairs, reverse=True)] for one, pairs in scored.items()}


def write_qrels(path: Path, qrels: Qrels) -> None:
    """Write `question 0 article grade` lines, aside first. Raises ValueError on an id with white space."""
    lines = [
        f"{_word(question_id)} 0 {_word(name)} {grade}\n"
        for question_id, grades in qrels.items()
        for name, grade in grades.items()
    ]
    write_aside(path, "".join(lines))


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read qrels. Raises QuestionsError naming the line."""
    qrels: dict[str, dict[str, int]] = {}
    for place, (question_id, _, name, grade) in _lines(path, 4):
        try:
            qrels.setdefault(question_id, {})[name] = int(grade)
        except ValueError:
            raise QuestionsError(f"{place}: grade: {grade!r} is no whole number") from None
    return qrels


def _lines(path: Path, n_fields: int) -> list[tuple[str, list[str]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"{path}: cannot be read: {error}") from error
    found = []
    for line_no, line in enumerate(lines, start=1):
        fields = line.split()
        if len(fields) != n_fields:
            raise QuestionsError(f"{path}:{line_no}: expected {n_fields} fields, found {len(fields)}")
        found.append((f"{path}:{line_no}", fields))
    return found


def _word(name: str) -> str:
    if len(name.split()) != 1 or name != name.strip():
        raise ValueError(f"id {name!r} is empty or holds white space, which TREC's files cannot keep")
    return name

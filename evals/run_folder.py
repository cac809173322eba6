"""I/O: a run: a folder with what was asked of what, and what came back, question by question.

config.json           versions, hashes, settings, methods
questions/METHOD.jsonl one question a line, written as it is answered: its ranking (doc_ids), its gold's ranks, values
METHOD.run, qrels     TREC's files
metrics.json          method -> measure -> mean, in [0, 1]
topics.json           topic -> method -> measure -> mean, where the questions have topics
latency.jsonl         milliseconds a question; the one file that differs from run to run
report.md, *.png      the same to be read
lock                  held by the process that writes the run
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from agent.aside import write_aside
from graph.errors import QuestionsError

__all__ = ["QuestionResult", "RunFolder", "file_name", "sha256_of"]


_LOCK = "lock"
_BEGUN = {"questions", "config.json.new", _LOCK}


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question by one method."""

    question_id: str
    ranks: Mapping[str, int | None]  # gold semantic id -> its rank, from 1; None: not among those returned
    values: Mapping[str, float]  # measure -> value
    doc_ids: Sequence[int]  # what was returned, best first


class RunFolder:
    """A run being written, or one to be read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    @contextmanager
    def writing(cls, path: Path, config: Mapping[str, Any]) -> Iterator[RunFolder]:
        """Start the run as `start` does, and keep other processes from writing it until the block ends.

        The operating system lets go of the lock when the process dies, however it does. Raises QuestionsError as
        `start` does, or if another process is writing the run.
        """
        _check_ours(path)
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / _LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise QuestionsError(
                f"{path}: another process is writing this run; wait for it to end, or name another folder"
            ) from None
        try:
            yield cls.start(path, config)
        finally:
            lock.release()

    @classmethod
    def start(cls, path: Path, config: Mapping[str, Any]) -> RunFolder:
        """Make the folder, or go on with one of the same configuration.

        Raises QuestionsError if it holds a run of another, naming what differs, or something else.
        """
        run = cls(path)
        if (path / "config.json").exists():
            different = sorted(key for key in {*config, *run.config} if _plain(config.get(key)) != run.config.get(key))
            if different:
                raise QuestionsError(f"{path}: holds a run with other {', '.join(different)}; name another folder")
            return run
        _check_ours(path)
        (path / "questions").mkdir(parents=True, exist_ok=True)
        run.write_json("config.json", config)
        return run

    @property
    def config(self) -> dict[str, Any]:
        """What was run. Raises QuestionsError if this is no run."""
        try:
            config: dict[str, Any] = json.loads((self.path / "config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise QuestionsError(f"{self.path}: is no run: config.json: {error}") from error
        return config

    @property
    def methods(self) -> list[str]:
        """The methods, in the order asked for."""
        return list(self.config["methods"])

    def results(self, method: str) -> list[QuestionResult]:
        """Return what there is of a method. Raises QuestionsError naming a line that cannot be read."""
        name = self._questions_file(method)
        found = []
        for line_no, record in enumerate(self.records(name), start=1):
            try:
                found.append(QuestionResult(**record))
            except TypeError as error:
                raise QuestionsError(f"{self.path / name}:{line_no}: no result of a question: {error}") from error
        return found

    def resume(self, method: str) -> list[QuestionResult]:
        """Return what is done, after dropping a line that a kill left unfinished."""
        self.drop_unfinished_line(self._questions_file(method))
        return self.results(method)

    def append(self, method: str, result: QuestionResult) -> None:
        """Add one question's result."""
        self.append_record(self._questions_file(method), asdict(result))

    def records(self, name: str) -> list[dict[str, Any]]:
        """Return the objects of a file, one a line; none if it is not there.

        Raises QuestionsError naming a line that cannot be read.
        """
        path = self.path / name
        found = []
        for line_no, line in enumerate(path.read_bytes().split(b"\n")[:-1] if path.exists() else (), start=1):
            try:
                found.append(dict(json.loads(line)))
            except (ValueError, TypeError) as error:
                raise QuestionsError(f"{path}:{line_no}: not a JSON object: {error}") from error
        return found

    def append_record(self, name: str, record: Mapping[str, Any]) -> None:
        """Add a line to a file."""
        with (self.path / name).open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def drop_unfinished_line(self, name: str) -> None:
        """Cut a file back to its last whole line."""
        path = self.path / name
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            path.write_bytes(whole)

    def add_latency(self, method: str, question_id: str, latency_ms: float) -> None:
        """Note how long a question took."""
        self.append_record("latency.jsonl", {"method": method, "question_id": question_id, "ms": round(latency_ms, 3)})

    def latencies(self) -> dict[str, list[float]]:
        """Return method -> milliseconds a question, of the questions that were answered whole."""
        found: dict[str, dict[str, float]] = {}
        for record in self.records("latency.jsonl"):
            found.setdefault(record["method"], {})[record["question_id"]] = record["ms"]
        return {method: list(of_question.values()) for method, of_question in found.items()}

    def metrics(self) -> dict[str, dict[str, float]]:
        """Return method -> measure -> mean. Raises QuestionsError if the run is not finished."""
        return self._read_json("metrics.json")

    def topics(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return topic -> method -> measure -> mean; empty if the questions have no topics."""
        return self._read_json("topics.json") if (self.path / "topics.json").exists() else {}

    def write_json(self, name: str, values: Mapping[str, Any]) -> None:
        """Write a file of the run."""
        write_aside(self.path / name, json.dumps(_plain(values), ensure_ascii=False, indent=1) + "\n")

    def _read_json(self, name: str) -> dict[str, Any]:
        try:
            values: dict[str, Any] = json.loads((self.path / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise QuestionsError(f"{self.path}: has no {name} to read; finish the run with the same command") from error
        return values

    @staticmethod
    def _questions_file(method: str) -> str:
        return f"questions/{file_name(method)}.jsonl"


def _check_ours(path: Path) -> None:
    """Raise QuestionsError if a folder is there and holds neither a run nor what a kill leaves of one just begun."""
    if not path.exists() or (path / "config.json").exists():
        return
    if not path.is_dir() or any(one.name not in _BEGUN for one in path.iterdir()):
        raise QuestionsError(f"{path}: is there and holds no run; name another folder")


def file_name(method: str) -> str:
    """Return a method's name as a part of file names: sar:bm25 becomes sar_bm25."""
    return re.sub(r"[^\w.-]", "_", method)


def sha256_of(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _plain(value: Any) -> Any:
    """Return a value as JSON gives it back, tuples as lists."""
    return json.loads(json.dumps(value))

"""I/O: a training run on disk, in the folder `training` of the model that it makes.

config.json     what is trained on what, and how: a run goes on only with the same
log.jsonl       loss and learning rate of each step, the dev metric of each epoch
checkpoint.pt   weights, optimizer, random state and step: what a killed run goes on from; gone when it is done
best.pt         the weights that were best by the dev metric so far; gone when it is done
done            there once the model is
lock            held by the process that trains
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from filelock import FileLock, Timeout

from graph.errors import TrainingError

__all__ = ["Checkpoint", "TrainingRun"]


@dataclass(slots=True)
class Checkpoint:
    """How far a run is."""

    step: int = 0  # steps taken
    best: float | None = None  # the best dev metric so far; None: there is none to measure
    n_worse: int = 0  # epochs since then


class TrainingRun:
    """A run that is being written."""

    def __init__(self, path: Path) -> None:
        """Not for callers: use `open`."""
        self.path = path

    @classmethod
    @contextmanager
    def open(cls, model: Path, config: Mapping[str, Any]) -> Iterator[TrainingRun]:
        """Begin the run that makes `model`, or go on with one of the same configuration; nobody else may write it.

        Raises TrainingError if the folder holds something else, a run of another configuration, naming what differs,
        or one that is done or is being written.
        """
        path = model / "training"
        if model.exists() and not (path / "config.json").exists() and any(model.iterdir()):
            raise TrainingError(f"{model}: is there and holds no training run; name another folder")
        path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path / "lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise TrainingError(f"{model}: another process is training this model; name another folder") from None
        try:
            run = cls(path)
            run._check(json.loads(json.dumps(config)))
            yield run
        finally:
            lock.release()

    def _check(self, config: dict[str, Any]) -> None:
        file = self.path / "config.json"
        if not file.exists():
            _write_aside(file, (json.dumps(config, ensure_ascii=False, indent=1) + "\n").encode())
            return
        try:
            earlier: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise TrainingError(f"{file}: not JSON: {error}; name another folder") from error
        different = sorted(key for key in {*config, *earlier} if config.get(key) != earlier.get(key))
        if different:
            raise TrainingError(
                f"{self.path.parent}: holds a run with other {', '.join(different)}; name another folder"
            )
        if (self.path / "done").exists():
            raise TrainingError(f"{self.path.parent}: is trained already; name another folder")

    def log_step(self, step: int, loss: float, learning_rate: float) -> None:
        """Note a step, counted from 1."""
        self._log({"step": step, "loss": loss, "learning_rate": learning_rate})

    def log_dev(self, step: int, value: float) -> None:
        """Note the dev metric after so many steps."""
        self._log({"step": step, "dev": value})

    def log(self) -> list[dict[str, float]]:
        """Return what was noted, in order of the steps."""
        file = self.path / "log.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def _log(self, record: Mapping[str, float]) -> None:
        with (self.path / "log.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def save_checkpoint(self, state: Checkpoint, weights: Mapping[str, Any], optimizer: Mapping[str, Any]) -> None:
        """Replace the checkpoint."""
        random = [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else ())]
        held = {"state": asdict(state), "weights": dict(weights), "optimizer": dict(optimizer), "random": random}
        self._save("checkpoint.pt", held)

    def checkpoint(self) -> tuple[Checkpoint, Mapping[str, Any], Mapping[str, Any]] | None:
        """Return how far the run is, the weights and the optimizer's state, and set the random state; None: not begun.

        What was logged after the checkpoint is dropped. Raises TrainingError if the file cannot be read.
        """
        file = self.path / "checkpoint.pt"
        if not file.exists():
            (self.path / "log.jsonl").unlink(missing_ok=True)
            return None
        held = self._load(file)
        cpu, *gpus = held["random"]
        torch.set_rng_state(cpu)
        if gpus:
            torch.cuda.set_rng_state_all(gpus)
        state = Checkpoint(**held["state"])
        kept = [json.dumps(record) for record in self._whole_records() if record["step"] <= state.step]
        _write_aside(self.path / "log.jsonl", "".join(line + "\n" for line in kept).encode())
        return state, held["weights"], held["optimizer"]

    def _whole_records(self) -> Iterator[dict[str, float]]:
        """Yield the records but for one that a kill left unfinished."""
        for line in (self.path / "log.jsonl").read_text().split("\n")[:-1]:
            yield json.loads(line)

    def kept(self) -> str:
        """Return, in words, what a run that ends now leaves."""
        file = self.path / "checkpoint.pt"
        return (
            f"the checkpoint of step {self._load(file)['state']['step']} is kept" if file.exists() else "none is saved"
        )

    def save_best(self, weights: Mapping[str, Any]) -> None:
        """Replace the best weights."""
        self._save("best.pt", dict(weights))

    def best(self) -> Mapping[str, Any]:
        """Return the best weights."""
        found: Mapping[str, Any] = self._load(self.path / "best.pt")
        return found

    def finish(self) -> None:
        """Note that the model is there whole, and drop what only a run that goes on needs."""
        (self.path / "done").touch()
        for name in ("checkpoint.pt", "best.pt"):
            (self.path / name).unlink(missing_ok=True)

    def _save(self, name: str, held: Mapping[str, Any]) -> None:
        aside = self.path / f"{name}.new"
        torch.save(held, aside)
        aside.replace(self.path / name)

    def _load(self, file: Path) -> Any:
        try:
            return torch.load(file, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, ValueError, EOFError, UnpicklingError) as error:
            raise TrainingError(
                f"{file}: cannot be read: {str(error).splitlines()[0]}; train in another folder"
            ) from error


def _write_aside(file: Path, content: bytes) -> None:
    aside = file.with_name(f"{file.name}.new")
    aside.write_bytes(content)
    aside.replace(file)

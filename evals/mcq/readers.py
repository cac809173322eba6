"""What chooses: the systems of a run besides the controls, asked trial by trial."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from evals.mcq.asking import Asking
from evals.mcq.choice_client import Reply, Request
from evals.mcq.controls import Chooser
from evals.mcq.model_choice import Way, read_choice
from evals.mcq.trials import Choice, Trial

__all__ = ["Done", "ModelReader", "PlainReader", "Reader"]

Done: TypeAlias = Callable[[str, Trial, Choice, float | None], None]
"""Called with a system, a trial, its choice, and the milliseconds that it took; None if that says nothing."""


class Reader(Protocol):
    """One or more systems that are asked together."""

    @property
    def systems(self) -> Sequence[str]:
        """Their names."""
        ...

    def choose(self, trials: Sequence[Trial], made: Mapping[str, Collection[str]], done: Done) -> None:
        """Ask every trial whose key is not among the ones that a system has made already, in any order."""
        ...


@dataclass(frozen=True, slots=True)
class PlainReader:
    """A reader that computes its choice here."""

    name: str
    chooser: Chooser

    @property
    def systems(self) -> Sequence[str]:
        """Itself alone."""
        return (self.name,)

    def choose(self, trials: Sequence[Trial], made: Mapping[str, Collection[str]], done: Done) -> None:
        """Ask the trials in their order."""
        for trial in trials:
            if trial.key not in made[self.name]:
                done(self.name, trial, self.chooser(trial), None)


@dataclass(frozen=True, slots=True)
class ModelReader:
    """A language model on a server, in one or both ways to choose; a trial's two requests share their prompt."""

    asking: Asking
    ways: Sequence[Way] = tuple(Way)

    @property
    def systems(self) -> Sequence[str]:
        """One a way: model:constrained, model:logprob."""
        return tuple(_system(way) for way in self.ways)

    def choose(self, trials: Sequence[Trial], made: Mapping[str, Collection[str]], done: Done) -> None:
        """Ask the trials in their order, several at once.

        Raises ServiceUnavailable or ModelError if the server does not answer; what is done stays done.
        """

        def requests() -> Iterator[tuple[tuple[Trial, Way], Request]]:
            for trial in trials:
                for way in self.ways:
                    if trial.key not in made[_system(way)]:
                        yield (trial, way), self.asking.prompts.request(trial, way)

        def read(asked: tuple[Trial, Way], reply: Reply) -> None:
            trial, way = asked
            done(_system(way), trial, read_choice(trial, way, reply), reply.ms)

        self.asking.ask(requests(), read)


def _system(way: Way) -> str:
    return f"model:{way}"

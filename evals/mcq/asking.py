"""A model server that is asked: what it serves, how it is spoken to, and the requests that are made for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from evals.mcq.choice_client import ClientSettings, Reply, Request, ask_all
from evals.mcq.model_choice import ChoicePrompts
from evals.mcq.request_cache import RequestCache
from evals.mcq.served_model import ServedModel
from evals.mcq.trials import Trial

__all__ = ["Asking"]

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Asking:
    """Everything that asking one model takes."""

    served: ServedModel
    prompts: ChoicePrompts
    client: ClientSettings
    api_key: str | None = None
    cache: RequestCache | None = None

    def ask(self, requests: Iterable[tuple[Key, Request]], done: Callable[[Key, Reply], None]) -> None:
        """Send requests and pass their replies on: see `ask_all`."""
        ask_all(self.served, requests, done, settings=self.client, api_key=self.api_key, cache=self.cache)

    def config(self, trials: Sequence[Trial]) -> dict[str, Any]:
        """Return what a run's config says of the model and how it was asked."""
        served = asdict(self.served)
        del served["url"]  # the same model on another port is the same run
        questions = {trial.question.question_id: trial.question for trial in trials}.values()
        return {
            "model": served,
            "client": {**asdict(self.client), "cache": self.cache is not None},
            "sampling": self.prompts.sampling,
            "prompts": sorted({self.prompts.prompt(question).identity for question in questions}),
            "contexts_cut": self.prompts.n_cut(trials),
        }

"""The tokens of a reply, as the model's server counted them in every request that it took."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, NamedTuple

from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.outputs import LLMResult
from langchain_core.tracers.context import register_configure_hook

__all__ = ["TokenCount", "Tokens"]


class Tokens(NamedTuple):
    """How many tokens the model was asked, and how many it wrote."""

    asked: int
    written: int


class TokenCount(UsageMetadataCallbackHandler):
    """Counts what models are asked and write, from `begin` on, in the task that it is called in."""

    def __init__(self) -> None:
        super().__init__()
        self._n_replies = self._n_counted = 0

    def begin(self) -> None:
        """Count from now on, in this task and in the tasks and threads that it starts."""
        _COUNTING.set(self)

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """Take the count of one reply, if it has one."""
        before = self.usage_metadata.copy()
        super().on_llm_end(response, **kwargs)
        self._n_replies += 1
        self._n_counted += self.usage_metadata != before

    @property
    def tokens(self) -> Tokens | None:
        """The tokens so far; None if no model was asked, or one of its replies came without a count."""
        if not self._n_replies or self._n_counted < self._n_replies:
            return None
        of_models = self.usage_metadata.values()
        return Tokens(sum(one["input_tokens"] for one in of_models), sum(one["output_tokens"] for one in of_models))


_COUNTING: ContextVar[TokenCount | None] = ContextVar("counting", default=None)
register_configure_hook(_COUNTING, inheritable=True)

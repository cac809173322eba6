"""The agents over the law of other dates that one agent makes of itself: each made when first asked for, and kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from agent.editions import edition_index, edition_is_there, is_history
from graph.edition import iso_date
from retrieval.retriever import Retriever

if TYPE_CHECKING:
    from agent.legal_agent import LegalAgent

__all__ = ["EditionAgents"]

_MOST_DATED = 32  # agents over one wording, each for another date


class EditionAgents:
    """Gives the agent over the law as of a date.

    Of an index made from histories each date has an index of its own, which stays open. Of any other there is one
    wording, read by its articles' own dates: the agents asked for last are kept, as clients may name any date.
    """

    def __init__(self, retriever: Retriever, make: Callable[[Retriever, str], LegalAgent]) -> None:
        """make: makes an agent over an index, as of a date."""
        self._retriever = retriever
        self._make = make
        self._is_history = is_history(retriever.index.manifest)
        self._agents: OrderedDict[str, LegalAgent] = OrderedDict()  # by date, the one asked for last at the end
        self._making = Lock()

    def as_of(self, day: str) -> LegalAgent:
        """Return the agent of a date (ISO); the index of an edition is built if it is not there.

        Raises IndexFolderError if it cannot be built, ValueError if the date is none.
        """
        day = iso_date(day)
        with self._making:  # of threads that ask for the same one, the first makes it
            if day not in self._agents:
                self._agents[day] = self._make(self._edition(day) if self._is_history else self._retriever, day)
            self._agents.move_to_end(day)
            if not self._is_history and len(self._agents) > _MOST_DATED:
                self._agents.popitem(last=False)
            return self._agents[day]

    def is_there(self, day: str) -> bool:
        """Return whether `as_of` gives an agent of a date (ISO) without building an index.

        Raises ValueError if the date is none.
        """
        day = iso_date(day)
        return not self._is_history or day in self._agents or edition_is_there(self._retriever.index.folder, day)

    def close(self) -> None:
        """Let go of the files of editions; those of the index that they are editions of stay the caller's."""
        if self._is_history:
            for agent in self._agents.values():
                agent.close()

    def _edition(self, day: str) -> Retriever:
        retriever, index = self._retriever, self._retriever.index
        folder = edition_index(index.folder, day, encoder=lambda: retriever.encoder)
        encoder = retriever.encoder if index.has_vectors else None
        return Retriever.open(folder, settings=retriever.settings, encoder=encoder)

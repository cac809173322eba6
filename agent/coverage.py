"""How much of what a question says does a text say? Words count by how rare they are in the corpus."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from retrieval.lexical import LexicalIndex

__all__ = ["Coverage"]

_CONTEXT = 0.5  # weight of a word that only the context says, against 1


class Coverage:
    """The words of one question, weighted by their idf; a word that no article has weighs most.

    context: what the question cannot be read without; a word that stands only there weighs half.
    """

    def __init__(self, question: str, lexical: LexicalIndex, *, context: str = "") -> None:
        self._lexical = lexical
        self.weights = {term: _CONTEXT * lexical.idf(term) for term in lexical.analyze(context)}
        self.weights |= {term: lexical.idf(term) for term in lexical.analyze(question)}
        self._total = math.fsum(self.weights.values())
        self._held: dict[str, frozenset[str]] = {}  # each hop asks for the same clauses again

    def terms(self, text: str) -> frozenset[str]:
        """Return the words of the question that a text holds."""
        if text not in self._held:
            self._held[text] = frozenset(self.weights.keys() & frozenset(self._lexical.analyze(text)))
        return self._held[text]

    def share(self, terms: Collection[str]) -> float:
        """Return the weight of some of the question's words as a share of all, in [0, 1]; 0 for an empty question."""
        # Exactly summed, for the order of a set is another in every process.
        return math.fsum(self.weights[term] for term in terms) / self._total if self._total else 0.0

    def joint_share(self, sets_of_terms: Iterable[Collection[str]]) -> float:
        """Return the share that several texts cover together."""
        return self.share(frozenset().union(*sets_of_terms))

"""The small corpora of `tests/corpus_languages`, with the citations that their articles hold."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from graph.corpus import read_corpus
from graph.records import Provision
from graph.resolution import Resolver

__all__ = ["absent_in", "citations_in"]

_FOLDER = Path(__file__).parents[1] / "corpus_languages"


@cache
def _resolver(language: str) -> tuple[tuple[Provision, ...], Resolver]:
    provisions = read_corpus([_FOLDER / language]).provisions
    return provisions, Resolver(provisions)


def citations_in(language: str) -> list[tuple[str, str, str, str | None]]:
    """Return source, words, kind and target of every citation, in the corpus's order."""
    provisions, resolver = _resolver(language)
    return [
        (edge.source, edge.text, edge.kind.value, edge.target)
        for article in provisions
        for edge in resolver.edges(article)
    ]


def absent_in(language: str) -> list[tuple[str, str]]:
    """Return id and label of what is cited and not in the corpus."""
    return [(one.semantic_id, one.chapter) for one in _resolver(language)[1].absent_provisions()]

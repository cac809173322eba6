"""What the learned ranker knows of an index before it sees a question: its fields, clauses, laws and citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from graph.citation_graph import CitationGraph
from graph.mentions.ranks import ACT, DECREE, RULE, rank_of_law
from graph.records import EdgeKind, Provision
from graph.semantic_id import law_slug
from retrieval.lexical import FieldWeights, LexicalIndex

__all__ = ["FIELDS", "LEVELS", "RELATIONS", "ArticleTables", "Relation", "pieces"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIELDS: Mapping[str, FieldWeights] = {
    "law and heading": FieldWeights(law_name=1, label=0, heading=1, text=0),
    "heading": FieldWeights(law_name=0, label=0, heading=1, text=0),
    "text": FieldWeights(law_name=0, label=0, heading=0, text=1),
    "law": FieldWeights(law_name=1, label=0, heading=0, text=0),
}
"""Parts of an article that are searched by themselves."""

LEVELS = {"act": ACT, "decree": DECREE, "rule": RULE}
_OTHER_LEVEL = max(LEVELS.values()) + 1

RELATIONS: Mapping[str, frozenset[EdgeKind]] = {
    "cites": frozenset({EdgeKind.CITES, EdgeKind.DEFINES, EdgeKind.EXCEPTS}),
    "delegates": frozenset({EdgeKind.DELEGATES}),
    "implements": frozenset({EdgeKind.IMPLEMENTS, EdgeKind.IMPLIED}),
    "any": frozenset(EdgeKind) - {EdgeKind.WHOLE_LAW},
}
"""Ways in which an article can be joined with another; a graph of the source's links alone has only "cites"."""

_GENERAL = frozenset({"목적", "정의", "Purpose", "Definitions"})  # headings of articles that touch on everything


@dataclass(frozen=True)
class Relation:
    """The articles joined in one way: `out` has citing rows and cited columns, `into` is its transpose."""

    out: csr_array[np.float64]
    into: csr_array[np.float64]

    @property
    def n_out(self) -> Ints:
        """How many articles each cites."""
        return np.diff(self.out.indptr).astype(np.int64)

    @property
    def n_in(self) -> Ints:
        """How many articles cite each."""
        return np.diff(self.into.indptr).astype(np.int64)


class ArticleTables:
    """Arrays over the articles of one index, in index order."""

    def __init__(self, articles: Sequence[Provision], graph: CitationGraph, lexical: LexicalIndex) -> None:
        """lexical: of the whole articles; fields and clauses are counted with its parameters."""
        self.n_articles = len(articles)
        self.fields = {name: self._lexical(articles, lexical, weights) for name, weights in FIELDS.items()}
        chapters = [replace(article, chapter_description=article.heading_path) for article in articles]
        if any(article.heading_path for article in articles):
            self.fields["chapter"] = self._lexical(chapters, lexical, FIELDS["heading"])
        parts = [[replace(article, text=piece) for piece in pieces(article.text)] for article in articles]
        with_heading = FieldWeights(law_name=0, label=0, heading=1, text=1)
        self.clauses = self._lexical([piece for of_one in parts for piece in of_one], lexical, with_heading)
        self.clause_starts = np.cumsum([0, *(len(of_one) for of_one in parts)])[:-1].astype(np.int64)
        self.law_names, self.laws = _numbered([article.law_name for article in articles])
        self.family_names, self.families = _numbered([article.collection_name for article in articles])
        self.law_slugs = [law_slug(name).replace("-", "") for name in self.law_names]
        ranks = [rank_of_law(article.law_name, article.law_level) for article in articles]
        known = [rank if rank in LEVELS.values() else _OTHER_LEVEL for rank in ranks]
        self.levels = np.array(known, dtype=np.int64)
        self.log_length = np.log1p([len(article.text) for article in articles])
        self.is_general = np.array([article.chapter_description in _GENERAL for article in articles], dtype=np.float64)
        self.relations = {name: self._relation(graph, kinds) for name, kinds in RELATIONS.items()}

    @staticmethod
    def _lexical(articles: Sequence[Provision], like: LexicalIndex, fields: FieldWeights) -> LexicalIndex | None:
        settings = replace(like.settings, fields=fields)
        has_terms = any(fields.terms(article, like.analyze) for article in articles)
        return LexicalIndex.build(articles, settings, language=like.language) if has_terms else None

    @staticmethod
    def _relation(graph: CitationGraph, kinds: frozenset[EdgeKind]) -> Relation:
        out = graph.adjacency(kinds=kinds)
        return Relation(out, csr_array(out.T.tocsr()))


def pieces(text: str) -> list[str]:
    """Cut an article at its lines, each after the lines that it is indented under; at least one piece, if empty.

    "다음 각 호의 경우\\n  1. 공연장" gives "다음 각 호의 경우" and "다음 각 호의 경우 1. 공연장".
    """
    found: list[str] = []
    leads: list[tuple[int, str]] = []
    for line in text.split("\n"):
        if words := line.strip():
            indentation = len(line) - len(line.lstrip())
            leads = [lead for lead in leads if lead[0] < indentation]
            found.append(" ".join([*(lead for _, lead in leads), words]))
            leads.append((indentation, words))
    return found or [""]


def _numbered(names: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the distinct names, sorted, and the number of each given one."""
    distinct = sorted(set(names))
    number = {name: place for place, name in enumerate(distinct)}
    return distinct, np.array([number[name] for name in names], dtype=np.int64)

"""The names of retrieval methods: METHOD[:BASE], as commands take them and reports print them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BASES", "RERANKERS", "Method", "parse_method"]

BASES = {
    "tfidf": "tf · ln(N/df)",
    "bm25": "BM25 by bm25s",
    "bm25-rank": "BM25 by rank-bm25",
    "dense": "inner product of the encoder's vectors",
    "sparse": "inner product of the encoder's learned sparse vectors",
    "hybrid": "convex combination of dense and BM25 scores",
    "hybrid-rrf": "reciprocal rank fusion of dense and BM25 rankings",
    "fused": "weighted sum of dense, sparse and BM25 scores",
}
"""Methods that score articles by themselves."""

RERANKERS = {
    "sar": "structure-aware reranking along citations",
    "sar-undirected": "the same, citations read both ways",
    "sar-free": "the same both ways, without anchors and with twice the weight",
    "sar-expand": "the same as sar, cited articles outside the candidates admitted",
    "links": "each hit followed by the articles it cites",
    "rocchio": "the candidates again, by a query moved towards the best of them",
    "rocchio-full": "all articles again, by that query",
    "ppr": "personalised PageRank along the citations, from the best of them",
    "cross:MODEL": "the best 50 by a cross-encoder, which reads question and article together",
    "trained:MODEL": "the best 10 by a model of `nonliquet train`, its scores fused with the base's by α",
}
"""Methods that work on the ranking of a base."""

_DEFAULT_BASE = {"rocchio": "dense", "rocchio-full": "dense"}
_WITH_MODEL = frozenset({"cross", "trained"})
_DENSE_BASES = frozenset({"dense", "sparse", "hybrid", "hybrid-rrf", "fused"})


@dataclass(frozen=True, slots=True)
class Method:
    """A base, and perhaps a reranker over it."""

    base: str
    reranker: str | None = None
    model: str | None = None  # of cross and trained, an id or a folder

    def __str__(self) -> str:
        return ":".join(part for part in (self.reranker, self.model, self.base) if part)

    @property
    def needs_vectors(self) -> bool:
        """Whether the method reads dense vectors."""
        return self.base in _DENSE_BASES


def parse_method(name: str) -> Method:
    """Read METHOD[:BASE]; the base defaults to bm25, that of Rocchio to dense.

    cross and trained name a model: cross:MODEL:BASE.
    Raises ValueError on an unknown name, a base with a base, Rocchio over a base without vectors, or no model.

    >>> parse_method("sar")
    Method(base='bm25', reranker='sar', model=None)
    """
    head, colon, base = name.partition(":")
    if head in _WITH_MODEL:
        model, _, last = base.rpartition(":")
        model, base = (model, last) if last in BASES else (base, "bm25")
        if not model:
            raise ValueError(f"method {name!r}: expected {head}:MODEL or {head}:MODEL:BASE, MODEL an id or a folder")
        return Method(base, head, model)
    if head in BASES:
        if colon:
            raise ValueError(f"method {name!r}: {head} scores by itself and takes no base")
        return Method(head)
    if head not in RERANKERS:
        raise ValueError(f"method {name!r} is none of {', '.join(BASES)}, or {', '.join(RERANKERS)} with :BASE")
    base = base or _DEFAULT_BASE.get(head, "bm25")
    if base not in BASES:
        raise ValueError(f"method {name!r}: base {base!r} is none of {', '.join(BASES)}")
    if head.startswith("rocchio") and base != "dense":
        raise ValueError(f"method {name!r}: Rocchio moves a dense query, so its base is dense")
    return Method(base, head)

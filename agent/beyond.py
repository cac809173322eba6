"""Where the articles of a question send to that is not at hand: named beside an answer, the likeliest to matter first.

An answer from the articles at hand may hold and still not be all: the number that the reader needs may stand in an
annex that they leave it to. Retrieval cannot return what has no text, so the citations are followed to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from agent.clause_ranking import ScoredClause
from agent.coverage import Coverage
from agent.evidence import EvidenceArticle
from agent.gaps import missing_provision
from agent.reply import Citation, MissingProvision
from graph.citation_graph import CitationGraph
from graph.clauses import Clause, clauses
from graph.records import Edge, EdgeKind, Provision, Status
from graph.semantic_id import is_annex, is_form

__all__ = ["beyond"]

_PASSED_OVER = frozenset({EdgeKind.EXCEPTS, EdgeKind.WHOLE_LAW, EdgeKind.IMPLIED})  # they take no detail from there
_PLACE_WEIGHT = 0.5  # of the first article's place, against all words of the question at 1; as `rank_clauses` has it
_LEAST = 0.4  # of what the fullest clause says of the question; set on the petition questions of docs/decisions.md
_DELEGATED, _CITED = 1, 2  # places that a step costs along a delegation, and along any other citation


def beyond(
    coverage: Coverage,
    evidence: Sequence[EvidenceArticle],
    quoted: Sequence[Citation],
    graph: CitationGraph,
    *,
    max_hops: int,
    most: int,
    but: Sequence[MissingProvision] = (),
) -> tuple[MissingProvision, ...]:
    """Return the absent provisions that matter most to a question, at most `most`; each with who sends there.

    Looked at are the annexes that the articles of the evidence send to, and the articles within `max_hops` citations of
    them; a form only if a quoted clause sends there, and so for an article of a law that is not at hand.
    Ranked by the share of the question's weight that the sending clause says, with its lead-in and heading, plus
    0.5 / (1 + place): of the article in the evidence, from 0, and one more for a delegation followed, two for another
    citation. Ties by semantic_id. Left out is what a clause sends to that is not quoted and says less than 0.4 of what
    the fullest clause of the evidence says. but: what is named already.
    """
    texts = (_words(one.article, clause) for one in evidence for clause in one.clauses)
    least = _LEAST * max((coverage.share(coverage.terms(text)) for text in texts), default=0.0)
    known = {one.semantic_id for one in but}
    best: dict[str, tuple[float, Edge]] = {}
    for name, place in _places([one.article.semantic_id for one in evidence], graph, max_hops).items():
        article = graph.provisions[name]
        for edge in _followed(graph, name):
            target = graph.provisions[edge.target or ""]
            is_quoted = _is_quoted(edge, quoted)
            if target.status is not Status.ABSENT or not (_is_annex(target) or is_quoted):
                continue
            said = coverage.share(coverage.terms(_sending(article, edge)))
            score = said + _PLACE_WEIGHT / (1 + place)
            if said < least and not is_quoted:
                continue
            if target.semantic_id not in best or score > best[target.semantic_id][0]:
                best[target.semantic_id] = score, edge
    ranked = sorted(best.keys() - known, key=lambda name: (-best[name][0], name))[:most]
    return tuple(missing_provision(graph.provisions[name], best[name][1], graph) for name in ranked)


def _places(names: Sequence[str], graph: CitationGraph, max_hops: int) -> dict[str, int]:
    """Return the articles within reach of some, each with its place; the shortest way to it counts."""
    places = {name: place for place, name in enumerate(names)}
    reached = list(names)
    for _ in range(max_hops):
        nearer: dict[str, None] = {}
        for name in reached:
            for edge in _followed(graph, name):
                target = edge.target or ""
                place = places[name] + (_DELEGATED if edge.kind is EdgeKind.DELEGATES else _CITED)
                is_here = graph.provisions[target].status is Status.PRESENT
                if is_here and place < places.get(target, place + 1):
                    places[target] = place
                    nearer[target] = None
        reached = list(nearer)
    return places


def _followed(graph: CitationGraph, name: str) -> Iterator[Edge]:
    return (edge for edge in graph.cites(name) if edge.target and edge.kind not in _PASSED_OVER)


def _is_annex(provision: Provision) -> bool:
    return is_annex(provision.semantic_id) and not is_form(provision.semantic_id)


def _is_quoted(edge: Edge, quoted: Sequence[Citation]) -> bool:
    return any(one.semantic_id == edge.source and one.start <= edge.start < one.end for one in quoted)


def _sending(article: Provision, edge: Edge) -> str:
    """Return what the clause that sends somewhere says; of an edge that stands in none, its own words."""
    clause = next((one for one in _clauses(article.text) if one.start <= edge.start < one.end), None)
    return _words(article, clause) if clause else f"{article.chapter_description}\n{edge.text}"


def _words(article: Provision, clause: Clause) -> str:
    """Return a clause with its lead-in and its article's heading, as `rank_clauses` reads it."""
    return f"{article.chapter_description}\n{ScoredClause.of(article, clause).text_with_lead}"


@lru_cache(maxsize=4096)
def _clauses(text: str) -> tuple[Clause, ...]:
    return tuple(clauses(text))

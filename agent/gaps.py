"""The provisions that the evidence sends to and that are not at hand, each with how well it fits the question.

An absent provision has no text, but the law says what stands in it: its heading, the sentences that send there, and
the one by which a higher law leaves the matter to the sending article. Read together they are compared with the
question like a clause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from agent.reply import MissingProvision
from graph.citation_graph import CitationGraph
from graph.clauses import clauses
from graph.records import Edge, EdgeKind, Provision, Status
from graph.semantic_id import is_form

__all__ = ["PASSED_OVER", "Gap", "absent_of_family", "absent_within_reach", "gaps", "missing_provision", "sentence_at"]

PASSED_OVER = frozenset({EdgeKind.EXCEPTS, EdgeKind.WHOLE_LAW, EdgeKind.IMPLIED})
"""The kinds of citation that take no detail from where they lead."""

_MOST = 24  # absent provisions compared with one question
_MOST_SENTENCES = 4  # that send to one of them, and as many that leave the matter to those
_N_LEADING = 3  # articles of the evidence whose every citation is followed; of the others, only what they delegate


@dataclass(frozen=True, slots=True)
class Gap:
    """An absent provision within reach of the evidence."""

    missing: MissingProvision
    fit: float  # by how much it fits the question better than the best clause, in cosines or in shares of its weight


def absent_within_reach(
    articles: Sequence[Provision], graph: CitationGraph, *, max_hops: int
) -> list[tuple[MissingProvision, Provision]]:
    """Return the absent provisions that articles lead to, nearest first, each with what the law says of it.

    articles: the evidence, best first. max_hops: how many citations are followed before the one that leads nowhere.
    What the law says is an article in the place of the sending one, so that it is encoded as that is.
    """
    reached: dict[str, Edge] = {}
    seen = {article.semantic_id for article in articles}
    frontier = [article.semantic_id for article in articles]
    leading = set(frontier[:_N_LEADING])
    for _ in range(max_hops + 1):
        following: dict[str, None] = {}
        for name in frontier:
            for edge in graph.cites(name):
                if edge.target is None or edge.kind in PASSED_OVER:
                    continue
                target = graph.provisions[edge.target]
                if target.status is Status.ABSENT:
                    reached.setdefault(edge.target, edge)
                elif edge.target not in seen and (edge.kind is EdgeKind.DELEGATES or name in leading):
                    following[edge.target] = None
        seen |= following.keys()
        frontier = list(following)
    found = list(reached.items())[:_MOST]
    return [(missing_provision(graph.provisions[name], edge, graph), _card(name, edge, graph)) for name, edge in found]


def absent_of_family(
    article: Provision, graph: CitationGraph, worth: Callable[[Provision], float]
) -> list[tuple[MissingProvision, Provision]]:
    """Return the absent provisions, forms apart, that the laws of an article's family send to; else as above.

    worth: of what the law says of one, how much; of very many the most worth are kept, ties by semantic_id.
    """
    found: list[tuple[MissingProvision, Provision]] = []
    for name, provision in graph.provisions.items():
        if provision.status is not Status.ABSENT or is_form(name):
            continue
        sending = (edge for edge in graph.cited_by(name) if edge.kind not in PASSED_OVER)
        family = article.collection_name
        edge = next((one for one in sending if graph.provisions[one.source].collection_name == family), None)
        if edge is not None:
            found.append((missing_provision(provision, edge, graph), _card(name, edge, graph)))
    return sorted(found, key=lambda one: (-worth(one[1]), one[0].semantic_id))[:_MOST]


def gaps(
    reach: Sequence[tuple[MissingProvision, Provision]], fits: Callable[[Sequence[Provision]], Iterable[float]]
) -> list[Gap]:
    """Return the gaps, those that fit best first; ties in the order of the reach. fits: of each card, how well."""
    cards = [card for _, card in reach]
    found = [Gap(missing, fit) for (missing, _), fit in zip(reach, fits(cards), strict=True)] if reach else []
    return sorted(found, key=lambda gap: -gap.fit)


def missing_provision(target: Provision, edge: Edge, graph: CitationGraph) -> MissingProvision:
    """Return a provision that an edge leads to, with the article and the sentence that send there."""
    return MissingProvision(
        semantic_id=target.semantic_id,
        law_name=target.law_name,
        label=target.chapter,
        heading=target.chapter_description,
        sent_from=edge.source,
        sentence=sentence_at(graph.provisions[edge.source], edge),
    )


def sentence_at(article: Provision, edge: Edge) -> str:
    """Return the clause of an article that an edge's words stand in; the words themselves if there is none."""
    clause = next((one for one in clauses(article.text) if one.start <= edge.start < one.end), None)
    return article.text[clause.start : clause.end] if clause else edge.text


def _card(name: str, edge: Edge, graph: CitationGraph) -> Provision:
    """Return what the law says of an absent provision, in the place of the article that sends there."""
    sending = [one for one in graph.cited_by(name) if one.kind not in PASSED_OVER][:_MOST_SENTENCES]
    above = [one for each in sending for one in graph.cited_by(each.source, kinds=(EdgeKind.DELEGATES,))]
    above = above[:_MOST_SENTENCES]
    sentences = dict.fromkeys(sentence_at(graph.provisions[one.source], one) for one in (*sending, *above))
    heading = graph.provisions[name].chapter_description
    return replace(graph.provisions[edge.source], text="\n".join(filter(None, (heading, *sentences))))

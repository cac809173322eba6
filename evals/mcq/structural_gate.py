"""The agent's structural test of the evidence as a gate on choice questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.clause_ranking import rank_clauses
from agent.coverage import Coverage
from agent.reply import AbstentionKind
from agent.settings import AgentSettings
from agent.sufficiency import Features, Verdict, judge
from evals.mcq.contexts import linked_articles
from evals.mcq.gates import GateCase, Knowledge
from evals.mcq.sources import Sources
from graph.citation_graph import CitationGraph
from graph.records import Status

__all__ = ["StructuralGate"]


class StructuralGate:
    """Judges as the agent does when what the context lacks is not indexed.

    The sufficiency of a context that the agent would answer from is (1 + relevance) / 2; of one that leaves what is
    asked elsewhere, (1 - share of the question that this clause says) / 2; of one that does not fit, relevance / 2.
    With the corpus known, it is multiplied by 1 - gain: how much of the question and its options, by weight of their
    words, the best linked article outside the context would add.
    """

    name = "structural"

    def __init__(self, sources: Sources, knowledge: Knowledge, settings: AgentSettings | None = None) -> None:
        self._sources = sources
        self._knowledge = knowledge
        self._settings = settings or AgentSettings()

    def sufficiencies(self, cases: Sequence[GateCase]) -> list[float]:
        """Return, a case, how sufficient its context is, in [0, 1]."""
        return [self._sufficiency(case) for case in cases]

    def _sufficiency(self, case: GateCase) -> float:
        question = case.question
        evidence = self._sources.evidence(question, case.context)
        coverage = Coverage(question.text, self._sources.lexical)
        ranked = rank_clauses(question.text, evidence, coverage, None)
        features = Features(
            clause_coverage=max((one.coverage for one in ranked), default=0.0),
            evidence_coverage=coverage.joint_share(one.terms for one in ranked),
        )
        graph = _as_indexed_alone(self._sources.graph, case.context)
        sufficiency = _graded(judge(question.text, ranked, features, graph, self._settings))
        if self._knowledge is Knowledge.CORPUS:
            sufficiency *= 1 - self._gain(case)
        return sufficiency

    def _gain(self, case: GateCase) -> float:
        graph, question = self._sources.graph, case.question
        if graph is None:
            return 0.0
        options = [one for number, one in enumerate(question.options, start=1) if number != question.abstain]
        coverage = Coverage("\n".join((question.text, *options)), self._sources.lexical)

        def terms(name: str) -> frozenset[str]:
            article = self._sources.article(question, name)
            return coverage.terms(f"{article.chapter_description}\n{article.text}")

        known = frozenset().union(*(terms(name) for name in case.context))
        outside = {other for name in case.context for other in linked_articles(graph, name)} - set(case.context)
        return max((coverage.share(terms(other) - known) for other in outside), default=0.0)


def _graded(verdict: Verdict) -> float:
    if verdict.kind is None:
        return (1 + verdict.relevance) / 2
    if verdict.kind is AbstentionKind.MISSING_PROVISION:
        return (1 - verdict.clauses[0].coverage) / 2
    return verdict.relevance / 2


def _as_indexed_alone(graph: CitationGraph | None, context: Sequence[str]) -> CitationGraph:
    """Return the graph of an index that holds these articles and no other: what they cite is absent."""
    if graph is None:
        return CitationGraph([], [])
    edges = [edge for name in context for edge in graph.cites(name)]
    names = dict.fromkeys((*context, *(edge.target for edge in edges if edge.target)))
    provisions = [graph.provisions[name] for name in names]
    return CitationGraph(
        [one if one.semantic_id in context else replace(one, status=Status.ABSENT, text="") for one in provisions],
        edges,
    )

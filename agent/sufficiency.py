"""Is the evidence enough to answer, and if not, why? Decided from structure, before any text is written.

Three tests, in this order:

1. Relevance: does the evidence fit the question at all? A logistic function of a few features of both.
2. A gap: does the clause that says most of the question leave what is asked to a provision that is not at hand,
   straight or through the article that fills in for it?
3. What is asked for: an amount, a time or a number is asked, and no clause that fits holds one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agent.asked import Asked, asked_for, asked_unit, asks_for_detail, holds, speaks_of_money
from agent.clause_ranking import ScoredClause
from agent.conflicts import Statement
from agent.followup import leans
from agent.gaps import PASSED_OVER, Gap, missing_provision
from agent.reply import AbstentionKind, MissingProvision, Note, NotInForce
from agent.settings import AgentSettings, RelevanceWeights
from graph.citation_graph import CitationGraph
from graph.clauses import Clause, clauses
from graph.records import Edge, EdgeKind, Provision, Status
from graph.semantic_id import is_annex, is_form

__all__ = ["Features", "Verdict", "first_named", "judge", "relevance"]

_CLEARLY = 0.1  # of the question's weight
_SOMETHING = 0.01  # of it: a word that nearly every article has is less
_PAYMENTS = (Asked.AMOUNT, Asked.PAYER)
_PARAGRAPH = re.compile(r"\((\d+)\)")  # the number that a paragraph begins with


@dataclass(frozen=True, slots=True)
class Features:
    """Of a question with its evidence; each needs the question, none tells the condition alone."""

    clause_coverage: float  # the best clause's share of the question's weight, in [0, 1]
    evidence_coverage: float  # the share of all the evidence together, in [0, 1]
    clause_similarity: float | None = None  # cosine of the best clause; None without an encoder
    similarity_above_chance: float | None = None  # see agent.chance; None: what the encoder's cosines mean is not known
    sparse_over_chance: float | None = None  # the best article's cosine by learned sparse vectors, in units of chance
    words_beyond_chance: float | None = None  # rare words that the best article shares with what is asked: agent.chance


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to answer, from which clauses, and why not."""

    kind: AbstentionKind | None  # None: the evidence is enough
    clauses: tuple[ScoredClause, ...] = ()  # the ones to answer from, or the nearest there is
    missing: tuple[MissingProvision, ...] = ()
    relevance: float = 0.0  # in [0, 1]
    reasons: Mapping[str, Any] = field(default_factory=dict)  # plain values, for the trace
    not_in_force: tuple[NotInForce, ...] = ()
    against: tuple[Statement, ...] = ()  # what says otherwise than the first clause
    notes: tuple[Note, ...] = ()


def relevance(features: Features, weights: RelevanceWeights) -> float:
    """Return the logistic function of the weighted features, in [0, 1]; a missing feature counts 0."""
    values = asdict(features)
    weighed = (name for name in weights.__slots__ if name != "bias")
    total = weights.bias + sum(getattr(weights, name) * (values[name] or 0.0) for name in weighed)
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, total))))


def _weights(features: Features, settings: AgentSettings) -> tuple[str, RelevanceWeights]:
    """Return what relevance goes by, in words, and its weights."""
    if features.sparse_over_chance is not None:
        return "embedded encoder", settings.embedded_relevance
    if features.similarity_above_chance is not None:
        return "embedded encoder, dense vectors alone", settings.dense_relevance
    return "words alone", settings.lexical_relevance


def judge(
    question: str,
    ranked: Sequence[ScoredClause],
    features: Features,
    graph: CitationGraph,
    settings: AgentSettings,
    *,
    context: str = "",
    named: Collection[str] = (),
    gaps: Sequence[Gap] = (),
    of_family: Callable[[], Sequence[Gap]] = tuple,
) -> Verdict:
    """Decide whether the evidence is enough.

    ranked: the clauses of the evidence, best first, those of fetched articles among them. context: what was said before
    the question. named: semantic ids of articles that it names; where there are some, the evidence fits. gaps: the
    absent provisions within reach of the evidence, those that fit the question best first. of_family: the same of the
    whole family of the law; asked only where a provision is missing, for what else it may be.
    """
    by, weights = _weights(features, settings)
    fits = relevance(features, weights)
    asked, unit = asked_for(question), asked_unit(question)
    if asked is None and leans(question):
        asked, unit = asked_for(context), asked_unit(context)
    reasons: dict[str, Any] = {
        "relevance": round(fits, 4),
        "relevance_by": by,
        "features": {name: value if value is None else round(value, 4) for name, value in asdict(features).items()},
        "asked_for": f"{asked} {unit}".strip() if asked else None,
    }
    if not ranked or (fits < settings.min_relevance and not named):
        reasons["because"] = "the evidence does not fit the question"
        subject = _on_subject(features, settings)
        kind = AbstentionKind.INSUFFICIENT_EVIDENCE if subject else AbstentionKind.NO_RELEVANT_ARTICLE
        return Verdict(kind, tuple(ranked[: settings.n_quotes]), (), fits, reasons)
    near = [one for one in ranked if one.score >= settings.near_best * ranked[0].score]
    holding = [one for one in near if _supplies(one, asked, unit) and _is_on_the_matter(one, asked, ranked)]
    supplying = [one for one in holding if one.score >= settings.as_near * ranked[0].score] or holding
    says_what = bool(named) and asked is None  # "What does Article 10 say?": all of it is an answer
    gaps = [gap for gap in gaps if asked is None or not is_form(gap.missing.semantic_id)]  # a form holds no quantity
    gap = None if says_what else _widest_gap(near, ranked, graph, asked, unit, gaps)
    if gap is not None and (asked is None or not any(_rivals(one, gap.clause) for one in supplying)):
        reasons["because"] = "the clause that says most of the question leaves what is asked to a provision not at hand"
        missing = gap.missing
        if asked is Asked.AMOUNT and not any(_of_money(one) for one in missing):
            missing += tuple(one.missing for one in of_family() if _of_money(one.missing))
        missing = first_named(missing, settings.n_missing)
        return Verdict(AbstentionKind.MISSING_PROVISION, (gap.clause,), missing, fits, reasons)
    if gaps and not named and _is_asked_of(gaps[0], question, asked, supplying, features, settings):
        reasons["because"] = "what is asked is what a provision holds that is cited and not at hand"
        reasons["gap"] = {"provision": gaps[0].missing.semantic_id, "fit": round(gaps[0].fit, 4)}
        alike = tuple(gap.missing for gap in gaps[:2] if gap.fit >= gaps[0].fit - settings.gap_tie)
        beside = tuple(gap.missing for gap in of_family() if gap.fit >= gaps[0].fit - settings.gap_beside)
        missing = first_named((*alike, *beside), settings.n_missing)
        return Verdict(AbstentionKind.MISSING_PROVISION, tuple(near[:1]), missing, fits, reasons)
    if not supplying:
        reasons["because"] = f"no clause that fits holds what is asked for: {asked} {unit}".rstrip()
        return Verdict(AbstentionKind.INSUFFICIENT_EVIDENCE, tuple(near[: settings.n_quotes]), (), fits, reasons)
    reasons["because"] = "a clause that fits holds what is asked for" if asked else "clauses fit the question"
    return Verdict(None, _to_quote(supplying, settings.n_quotes), (), fits, reasons)


def _to_quote(supplying: Sequence[ScoredClause], n_quotes: int) -> tuple[ScoredClause, ...]:
    """Return the clauses to answer from: the best, then the best of each other article, then what is left."""
    first = {one.article.semantic_id: one for one in reversed(supplying)}
    ordered = dict.fromkeys((*(one for one in supplying if first[one.article.semantic_id] is one), *supplying))
    return tuple(ordered)[:n_quotes]


def _on_subject(features: Features, settings: AgentSettings) -> bool:
    """Return whether the statutes speak at least of the question's subject."""
    if features.similarity_above_chance is not None:
        return features.similarity_above_chance >= settings.on_subject_above_chance
    return features.clause_coverage >= settings.on_subject_coverage


def _supplies(one: ScoredClause, asked: Asked | None, unit: str) -> bool:
    text = one.text_with_lead
    return holds(asked, text) and (not unit or unit.lower()[:-1] in text.lower())


def _is_on_the_matter(one: ScoredClause, asked: Asked | None, ranked: Sequence[ScoredClause]) -> bool:
    """Return whether a clause with what is asked for has it for what the question is about.

    Sums and who bears them stand in every law, for many things: where the clauses that fit better hold none, one that
    does must say at least a word of the question. Not asked of other kinds, as periods are often laid down for what a
    clause before has named ("this takes 14 days"), nor where no clause shares a word, as in another language.
    """
    if asked not in _PAYMENTS or one is ranked[0] or one.coverage >= _SOMETHING:
        return True
    return all(other.coverage < _SOMETHING for other in ranked)


def _rivals(supplying: ScoredClause, gap: ScoredClause) -> bool:
    """Return whether a clause that holds what is asked says more of the question than one that leaves it elsewhere.

    Against a clause of the best article, one of another article must say clearly more.
    """
    margin = _CLEARLY if gap.place == 0 < supplying.place else 0.0
    return supplying.coverage > gap.coverage + margin


@dataclass(frozen=True, slots=True)
class _Leaving:
    clause: ScoredClause
    missing: tuple[MissingProvision, ...]


def _widest_gap(
    near: Sequence[ScoredClause],
    ranked: Sequence[ScoredClause],
    graph: CitationGraph,
    asked: Asked | None,
    unit: str,
    gaps: Sequence[Gap],
) -> _Leaving | None:
    """Return, of the clauses that leave what is asked to an absent provision, the one that says most of the question.

    Looked at are the clauses that fit best and those of the best article. Where the question's words do not tell what
    it asks for, only the very best clause counts, and only if it sends to an annex or to what fits best of all gaps.
    """
    if asked is None:
        best = {gap.missing.semantic_id for gap in gaps[:1] if gap.fit >= 0}
        sent = _missing(near[0], ranked, graph)
        leaving = [
            _Leaving(near[0], tuple(one for one in sent if _holds_rules(one.semantic_id) or one.semantic_id in best))
        ]
    else:
        candidates = dict.fromkeys((*near, *(one for one in ranked if one.place == 0)))
        leaving = [
            _Leaving(one, tuple(sent for sent in _missing(one, ranked, graph) if not is_form(sent.semantic_id)))
            for one in candidates
            if not _supplies(one, asked, unit)
        ]
    return max((one for one in leaving if one.missing), key=lambda one: one.clause.coverage, default=None)


def _is_asked_of(
    gap: Gap,
    question: str,
    asked: Asked | None,
    supplying: Sequence[ScoredClause],
    features: Features,
    settings: AgentSettings,
) -> bool:
    """Return whether a question is one for what an absent provision holds, rather than for a clause at hand.

    It is if the provision fits nearly as well as the best clause, and no clause holds what is asked, or a detail is
    asked for; if it fits better than every clause that holds the quantity asked for; and, where the words do not tell
    what is asked for, if it fits as well as the best clause.
    """
    best = features.clause_similarity
    # How much less may count as well was seen on an English index; in Korean, cosines lie too close together for it.
    margin, tie = (0.0, 0.0) if features.sparse_over_chance is None else (settings.gap_margin, settings.gap_tie / 2)
    if gap.fit < -margin:
        return False
    if not supplying or asks_for_detail(question):
        return True
    if asked is None or best is None:
        return best is not None and gap.fit >= -tie
    return gap.fit > max((one.similarity or 0.0) for one in supplying) - best


def _of_money(one: MissingProvision) -> bool:
    return speaks_of_money(f"{one.heading}\n{one.sentence}")


def first_named(missing: Sequence[MissingProvision], most: int) -> tuple[MissingProvision, ...]:
    """Return the first of some provisions, each once, whoever sends there."""
    found: dict[str, MissingProvision] = {}
    for one in missing:
        found.setdefault(one.semantic_id, one)
    return tuple(found.values())[:most]


def _holds_rules(name: str) -> bool:
    """Return whether an annex by that name may say what is asked: a form only asks."""
    return is_annex(name) and not is_form(name)


def _missing(one: ScoredClause, ranked: Sequence[ScoredClause], graph: CitationGraph) -> tuple[MissingProvision, ...]:
    """Return the absent provisions that a clause sends to, straight or through an article that fills in for it.

    Of an article whose clauses say which one they fill in for, only those that name the article of this one count, and
    the same paragraph where they name one.
    """
    found: dict[str, MissingProvision] = {}
    read = {other.article.semantic_id for other in ranked}
    for edge in _edges(graph.cites(one.article.semantic_id), one.clause):
        target = graph.provisions[edge.target or ""]
        if target.status is Status.ABSENT:
            found.setdefault(target.semantic_id, missing_provision(target, edge, graph))
        elif edge.kind is EdgeKind.DELEGATES and target.semantic_id in read:
            for further in _filling_in(target, one, graph):
                last = graph.provisions[further.target or further.source]
                if last.status is Status.ABSENT and further.kind not in PASSED_OVER:
                    found.setdefault(last.semantic_id, missing_provision(last, further, graph))
    return tuple(found.values())


def _filling_in(target: Provision, one: ScoredClause, graph: CitationGraph) -> Sequence[Edge]:
    """Return the edges of the clauses of an article that fill in for a clause; all, if none says which it fills in for.

    A clause of the target says so by citing the clause's article back, with its paragraph if it has one.
    """
    edges = graph.cites(target.semantic_id)
    back = [edge for edge in edges if edge.target == one.article.semantic_id]
    paragraph = _PARAGRAPH.match(one.text)
    cut = clauses(target.text)
    same = [edge for edge in back if paragraph is None or f"({paragraph[1]})" in edge.text]
    inside = [clause for clause in cut if any(clause.start <= edge.start < clause.end for edge in same)]
    if not inside:
        return edges
    return [edge for edge in edges if any(clause.start <= edge.start < clause.end for clause in inside)]


def _edges(edges: Sequence[Edge], clause: Clause) -> list[Edge]:
    """Return the resolved edges whose words stand in the clause, but those that take no detail from there."""
    inside = (edge for edge in edges if clause.start <= edge.start < clause.end)
    return [edge for edge in inside if edge.target and edge.kind not in PASSED_OVER]

"""What a verdict on the evidence does not see: what a question names, what is in force on a date, what goes before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.clause_ranking import ScoredClause
from agent.conflicts import Governs, goes_before, governing
from agent.gaps import missing_provision
from agent.named_article import ArticleNames, Named
from agent.notes import governs_note, out_of_force_words
from agent.reply import AbstentionKind, MissingProvision, Note, NoteKind
from agent.sufficiency import Verdict
from agent.validity import not_in_force, not_yet
from graph.citation_graph import CitationGraph
from graph.mentions.ranks import rank_of_law
from graph.records import Provision
from prompts.sentences import note_sentence

__all__ = ["overruled"]


def overruled(
    verdict: Verdict,
    named: Named,
    aside: Named,
    ranked: Sequence[ScoredClause],
    graph: CitationGraph,
    language: str,
    *,
    as_of: str | None,
    names: ArticleNames,
    question: str,
    name_terms: frozenset[str] = frozenset(),
) -> Verdict:
    """Return the verdict, or another where the law's own structure decides; its notes say what the reader must know.

    named, aside: what the question asks for by name, and what it only mentions. ranked: all clauses of the evidence.
    name_terms: the question's words that are only the names of what it asks for.
    """
    verdict = replace(verdict, notes=(*verdict.notes, *_notes_on(named, aside, language)))
    if not named.present:
        verdict = _by_name(verdict, named, ranked, graph, name_terms)
    if as_of is not None:
        verdict = _by_date(verdict, ranked, as_of)
    if verdict.kind is None:
        verdict = _by_rank(verdict, graph, language, names.levels_named(question))
    return verdict


def _notes_on(named: Named, aside: Named, language: str) -> list[Note]:
    """Return notes on provisions that a question names and that are out of force or not there at all."""
    notes: list[Note] = []
    if unknown := dict.fromkeys((*named.unknown, *aside.unknown)):
        text = note_sentence("no_such_article", language, one="; ".join(unknown))
        notes.append(Note(NoteKind.NO_SUCH_ARTICLE, text))
    for provision in dict.fromkeys((*named.repealed, *aside.repealed)):
        words = out_of_force_words(not_in_force(provision), language)
        notes.append(Note(NoteKind.NOT_IN_FORCE, words, (provision.semantic_id,)))
    return notes


def _by_name(
    verdict: Verdict, named: Named, ranked: Sequence[ScoredClause], graph: CitationGraph, name_terms: frozenset[str]
) -> Verdict:
    """Decide on a question that asks for a provision by its name, where that has no text."""
    reasons = dict(verdict.reasons)
    if named.repealed:
        gone = {provision.semantic_id for provision in named.repealed}
        speaking = tuple(one for one in ranked if one.terms - name_terms and _cites(one, gone, graph))
        if speaking:
            reasons["because"] = "the article named is repealed, and this clause says what became of it"
            return replace(verdict, kind=None, clauses=speaking[:1], missing=(), reasons=reasons)
        reasons["because"] = "the article named is repealed"
        out = tuple(not_in_force(provision) for provision in named.repealed)
        kind = AbstentionKind.REPEALED_OR_NOT_IN_FORCE
        return replace(verdict, kind=kind, missing=(), not_in_force=out, reasons=reasons)
    if named.absent:
        reasons["because"] = "the provision named is cited, but its text is not at hand"
        missing = tuple(_named_missing(provision, graph) for provision in named.absent)
        return replace(verdict, kind=AbstentionKind.MISSING_PROVISION, missing=missing, reasons=reasons)
    if named.unknown:
        reasons["because"] = "the law has no such article"
        return replace(verdict, kind=AbstentionKind.NO_RELEVANT_ARTICLE, missing=(), clauses=(), reasons=reasons)
    return verdict


def _cites(one: ScoredClause, targets: set[str], graph: CitationGraph) -> bool:
    edges = graph.cites(one.article.semantic_id)
    return any(edge.target in targets and one.clause.start <= edge.start < one.clause.end for edge in edges)


def _named_missing(provision: Provision, graph: CitationGraph) -> MissingProvision:
    sending = graph.cited_by(provision.semantic_id)
    if sending:
        return missing_provision(provision, sending[0], graph)
    return MissingProvision(
        provision.semantic_id, provision.law_name, provision.chapter, provision.chapter_description, "", ""
    )


def _by_date(verdict: Verdict, ranked: Sequence[ScoredClause], as_of: str) -> Verdict:
    """Leave out what is in force only after the date; if that is what fits best, say so."""
    if verdict.kind not in (None, AbstentionKind.MISSING_PROVISION, AbstentionKind.CONFLICTING_PROVISIONS):
        return verdict
    best = (verdict.clauses or ranked)[0].article if verdict.clauses or ranked else None
    if best is None:
        return verdict
    if not_yet(best, as_of):
        later = dict.fromkeys(one.article for one in verdict.clauses if not_yet(one.article, as_of))
        reasons = {**verdict.reasons, "because": f"what fits best is in force only after {as_of}"}
        out = tuple(not_in_force(article) for article in later)
        kind = AbstentionKind.REPEALED_OR_NOT_IN_FORCE
        return replace(verdict, kind=kind, missing=(), not_in_force=out, reasons=reasons)
    standing = tuple(one for one in verdict.clauses if not not_yet(one.article, as_of))
    return replace(verdict, clauses=standing)


def _by_rank(verdict: Verdict, graph: CitationGraph, language: str, levels: frozenset[int]) -> Verdict:
    """Say which provision governs where two differ; if neither does, there is no answer."""
    best = verdict.clauses[0]
    notes = list(verdict.notes)
    for other in verdict.against:
        found = governing(best.article, other.article)
        if found is None:
            pair = (best, ScoredClause.of(other.article, other.clause))
            reasons = {**verdict.reasons, "because": "two provisions of the same rank and date say different things"}
            return replace(verdict, kind=AbstentionKind.CONFLICTING_PROVISIONS, clauses=pair, reasons=reasons)
        higher, why = found
        lower = other.article if higher is best.article else best.article
        notes.append(governs_note(why, higher, [lower], language))
        cited = {one.article.semantic_id for one in verdict.clauses}
        if other.article.semantic_id not in cited:
            more = ScoredClause.of(other.article, other.clause)
            verdict = replace(verdict, clauses=(best, more, *verdict.clauses[1:]))
    for one in verdict.clauses:
        if over := goes_before(one.article, one.clause, graph):
            notes.append(governs_note(Governs.SPECIAL, one.article, over, language))
    notes += _over_named_levels(verdict, language, levels)
    return replace(verdict, notes=tuple(dict.fromkeys(notes)))


def _over_named_levels(verdict: Verdict, language: str, levels: frozenset[int]) -> list[Note]:
    """Return that a higher law governs, where a question relies on a lower one by its name and the answer on both."""
    articles = list(dict.fromkeys(one.article for one in verdict.clauses))
    ranks = {article: rank_of_law(article.law_name, article.law_level) for article in articles}
    lower = [article for article in articles if ranks[article] in levels]
    notes: list[Note] = []
    for article in articles:
        rank = ranks[article]
        under = [one for one in lower if rank is not None and (ranks[one] or 0) > rank]
        under = [one for one in under if one.collection_name == article.collection_name]
        if under:
            notes.append(governs_note("governs_if_higher", article, under, language))
    return notes

"""Two provisions that say different things of the same matter, and which of them governs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from agent.asked import Asked, held, labels_in, without_labels
from agent.wording import pattern
from graph.citation_graph import CitationGraph
from graph.clauses import Clause, clauses
from graph.mentions.ranks import rank_of_law
from graph.records import Provision
from retrieval.lexical import LexicalIndex

__all__ = ["Governs", "Statement", "differing", "goes_before", "governing", "statements"]

_SAME_MATTER = 0.75  # share of the shorter statement's words, weighted by idf, that the other says too
_SAME_MATTER_LINKED = 0.3  # the same where one of the two cites the other's article
_FEWEST_TERMS = 7  # below it, a statement with a pronoun does not say its matter itself
_OPENING = 12  # characters: a pronoun in them refers to the sentence before
_WORD = re.compile(r"\w+")
_UNIT = re.compile(r"[\d\s]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_AFTER = re.compile(r"\s*[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{1,2}")
_BEFORE = re.compile(r"[^\W\d]+\s*$")


class Governs(StrEnum):
    """Why one provision goes before another; the names are those of `prompts/notes.toml`."""

    HIGHER = "governs_higher"
    SPECIAL = "governs_special"
    LATER = "governs_later"


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause of an article."""

    article: Provision
    clause: Clause

    @property
    def text(self) -> str:
        """Its words, without those it continues."""
        return self.article.text[self.clause.start : self.clause.end]


def statements(article: Provision) -> list[Statement]:
    """Return the clauses of an article that say something by themselves: those that no list continues."""
    found = clauses(article.text)
    leads = {one.lead_end for one in found if one.has_lead}
    return [Statement(article, one) for one in found if one.end not in leads]


def differing(
    one: Statement, others: Iterable[Statement], lexical: LexicalIndex, graph: CitationGraph
) -> list[Statement]:
    """Return the statements of other articles that speak of the same matter and hold another value, in their order.

    The same matter: nearly all words of the shorter, its numbers and labels apart, stand in the other; a good part of
    them does where one statement cites the other's article. Statements that take their matter from different
    provisions ("the period prescribed in Article 6 …") speak of different ones. Another value: in both, a period or an
    interval comes in one unit with one relation ("within … days", "년간"), and none of the values is the same.
    Statements of different rank are compared only if one cites the other's article: what a lower law says is not
    measured by every act above it.
    """
    own, terms = _values(one.text), _terms(one, lexical)
    if not own or _says_too_little(one, terms):
        return []
    found: list[Statement] = []
    for other in others:
        if other.article.semantic_id == one.article.semantic_id:
            continue
        theirs = _values(other.text)
        if not any(own[relation].isdisjoint(theirs[relation]) for relation in own.keys() & theirs.keys()):
            continue
        linked = one.article.semantic_id in _cited(other, graph) or other.article.semantic_id in _cited(one, graph)
        if not linked and not (_same_rank(one, other) and _may_share_matter(one, other)):
            continue
        their_terms = _terms(other, lexical)
        bar, fewest = (_SAME_MATTER_LINKED, 2) if linked else (_SAME_MATTER, 3)
        if _says_too_little(other, their_terms) or len(terms & their_terms) < fewest:
            continue
        if _same_matter(terms, their_terms, lexical) >= bar:
            found.append(other)
    return found


def governing(one: Provision, other: Provision) -> tuple[Provision, Governs] | None:
    """Return which of two provisions that differ goes before, and why: the higher, else the later; None if neither."""
    ranks = [rank_of_law(each.law_name, each.law_level) for each in (one, other)]
    if ranks[0] is not None and ranks[1] is not None and ranks[0] != ranks[1]:
        return (one if ranks[0] < ranks[1] else other), Governs.HIGHER
    if one.effective_date and other.effective_date and one.effective_date != other.effective_date:
        return (one if one.effective_date > other.effective_date else other), Governs.LATER
    return None


def goes_before(article: Provision, clause: Clause, graph: CitationGraph) -> list[Provision]:
    """Return the provisions in spite of which a clause applies, by its own words: notwithstanding Article 14."""
    text = article.text
    over: dict[str, Provision] = {}
    for edge in graph.cites(article.semantic_id):
        if not (edge.target and clause.start <= edge.start < clause.end):
            continue
        around = text[max(clause.start, edge.start - 60) : min(clause.end, edge.end + 20)]
        if pattern("conflicts", "in_spite_of").search(around):
            over[edge.target] = graph.provisions[edge.target]
    return list(over.values())


def _values(text: str) -> dict[str, frozenset[str]]:
    """Return the periods and intervals of a text by their relation: {"within day": {"30 days"}}, {"일 이내": {"15일"}}.

    Amounts are left out: in statutes they are mostly thresholds, and two thresholds are no contradiction.
    """
    text = without_labels(text)
    values: dict[str, set[str]] = {}
    for found in held(Asked.TIME).finditer(text):
        value = " ".join(_WORD.findall(found[0].lower()))
        values.setdefault(_relation(text, found, value), set()).add(value)
    return {relation: frozenset(found) for relation, found in values.items()}


def _relation(text: str, found: re.Match[str], value: str) -> str:
    """Return what a value limits and its unit: "within days", "일 이내"; "each" for once, yearly, 매년."""
    if not any(character.isdigit() for character in value):
        return "each"
    unit = _UNIT.sub("", value).strip()
    if _CJK.search(value):
        after = _AFTER.match(text, found.end())
        return f"{unit} {after[0].strip() if after else ''}"
    before = _BEFORE.search(text, max(0, found.start() - 30), found.start())
    return f"{before[0].strip().lower() if before else ''} {unit.removesuffix('s')}"


def _terms(one: Statement, lexical: LexicalIndex) -> frozenset[str]:
    """Return a statement's words but for its labels and values; an item's lead-in is none of them."""
    return frozenset(lexical.analyze(held(Asked.TIME).sub(" ", without_labels(one.text))))


def _says_too_little(one: Statement, terms: frozenset[str]) -> bool:
    """Return whether the matter lies outside of a statement.

    "The fire chief shall decide on it within 7 days.", "In this case …", "… under paragraph (1)", "the following: …".
    """
    pointer = pattern("follow_up", "pointers").search(one.text)
    if pointer and (len(terms) < _FEWEST_TERMS or pointer.start() < _OPENING):
        return True
    labels = labels_in(one.text)
    names_own_parts = bool(labels) and not _provisions(labels)
    return names_own_parts or bool(pattern("holds", "list_ahead").search(one.text))


def _same_matter(one: frozenset[str], other: frozenset[str], lexical: LexicalIndex) -> float:
    weights = {term: lexical.idf(term) for term in one | other}
    shorter = min(sum(weights[term] for term in one), sum(weights[term] for term in other))
    return sum(weights[term] for term in one & other) / shorter if shorter else 0.0


def _same_rank(one: Statement, other: Statement) -> bool:
    first, second = one.article, other.article
    return rank_of_law(first.law_name, first.law_level) == rank_of_law(second.law_name, second.law_level)


def _may_share_matter(one: Statement, other: Statement) -> bool:
    """Return whether the statements name a provision in common, or one of them names none."""
    named, their_named = _provisions(labels_in(one.text)), _provisions(labels_in(other.text))
    return not named or not their_named or not named.isdisjoint(their_named)


def _provisions(labels: Iterable[str]) -> frozenset[str]:
    """Return those labels that are of provisions, not of their parts."""
    return frozenset(label for label in labels if not pattern("holds", "part_labels").match(label))


def _cited(one: Statement, graph: CitationGraph) -> frozenset[str]:
    """Return the provisions that a statement's own words cite."""
    edges = graph.cites(one.article.semantic_id)
    return frozenset(edge.target for edge in edges if edge.target and one.clause.start <= edge.start < one.clause.end)

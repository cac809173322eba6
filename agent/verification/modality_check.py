"""Does a sentence oblige, permit, forbid and deny what its passages do? Compared with the part that says the same."""

from __future__ import annotations

from collections.abc import Sequence

from agent.claims.comparison import moved_numbers, uncarried_forces
from agent.support import in_order, shared
from agent.verification.passage import Part, Passage
from agent.verification.polarity_check import denied_otherwise
from agent.verification.record import Finding
from agent.verification.runs import nearest_run

__all__ = ["said_otherwise"]

_FEWEST_SHARED = 2  # terms: one may be in common by chance
_NEAR_BEST = 0.75  # share of the best clause's terms in common from which on another is what the sentence is about
_OWN_SHARE = 0.12  # share of a sentence's terms that another clause has to add for the sentence to be about it, too
_SAME_WORDS = 0.8  # share of both, sentence's and clause's terms, from which on one restates the other
_SAME_ORDER = 0.8  # share of the clause's words that stand in the sentence in their order, from which on it is verbatim


def said_otherwise(said: Part, cited: Sequence[Passage]) -> list[Finding]:
    """Compare with the clauses that have most words in common with the sentence; in another language, with all.

    A sentence in the words of one clause, or of a run within one, has to agree with that negation by negation, and with
    a clause number by number.
    """
    language = said.claims.language
    parts = [part for passage in cited for part in passage.parts if part.claims.language == language]
    if not parts:
        every = [part.claims for passage in cited for part in passage.parts]
        return [Finding("modality", one) for one in uncarried_forces(said.claims, every)]
    bare = [part for passage in cited for part in passage.bare_parts if part.claims.language == language]
    terms = said.terms - frozenset[str]().union(*(passage.frame for passage in cited))

    def likeness(part: Part) -> float:
        return min(shared(terms, part.terms), shared(part.terms, said.terms))

    turned = denied_otherwise(said, terms, parts)
    alike = max((*parts, *bare), key=likeness)
    if likeness(alike) >= _SAME_WORDS:
        names = frozenset[str]().union(*(passage.names for passage in cited))
        moved = moved_numbers(said.claims, alike.claims, known=names)
        return [*(Finding("number", one) for one in moved), *_said_with_other_force(said, alike), *turned]
    near = nearest_run(terms, parts)
    if near and likeness(near.part) >= _SAME_WORDS and (otherwise := _said_with_other_force(said, near.part)):
        return [*otherwise, *turned]
    n_common = [len(terms & part.terms) for part in parts]
    best = frozenset[str]().union(
        *(part.terms for n, part in zip(n_common, parts, strict=True) if n >= _NEAR_BEST * max(n_common))
    )
    fewest = max(_FEWEST_SHARED, _OWN_SHARE * len(terms))
    about = [part for part in parts if part.terms <= best or len((terms & part.terms) - best) >= fewest]
    uncarried = uncarried_forces(said.claims, [part.claims for part in about])
    return [*(Finding("modality", one) for one in uncarried), *turned]


def _said_with_other_force(said: Part, alike: Part) -> list[Finding]:
    """Compare with words that are nearly the sentence's own."""
    verbatim = in_order(alike.claims.folded, said.claims.folded) >= _SAME_ORDER
    found = uncarried_forces(said.claims, [alike.claims], same_words=True, verbatim=verbatim)
    return [Finding("modality", one) for one in found]

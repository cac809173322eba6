"""What a sentence is held against: a quote with the clauses that it is taken from, and what they claim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from agent.claims import Claims, claims_of
from agent.claims.dates import Date
from agent.claims.folding import fold
from agent.claims.labels import markers
from agent.support import content_terms
from graph.clauses import clauses
from graph.records import Provision

__all__ = ["Part", "Passage", "squeezed"]


@dataclass(frozen=True, slots=True)
class Part:
    """Words of a sentence or of a passage: what they claim, and the terms of their content."""

    claims: Claims
    terms: frozenset[str]

    @classmethod
    def read(cls, words: str, language: str) -> Part:
        """Read words in a language (ISO 639-1), unless their script says otherwise."""
        claims = claims_of(words, language)
        return cls(claims, content_terms(claims.words, claims.language))


class Passage:
    """A quote with the clauses that it is taken from."""

    def __init__(self, article: Provision, start: int, end: int) -> None:
        self.article = article
        self.quote = article.text[start:end]
        self._clauses = [one for one in clauses(article.text) if one.start < end and start < one.end]

    @cached_property
    def whole_clauses(self) -> list[str]:
        """The words of the clauses, each after its lead-in."""
        text = self.article.text
        leads = (text[one.lead_start : one.lead_end] for one in self._clauses)
        words = (text[one.start : one.end] for one in self._clauses)
        return [f"{lead}\n{one}".strip() for lead, one in zip(leads, words, strict=True)] or [self.quote]

    @cached_property
    def parts(self) -> list[Part]:
        """The clauses, each after its lead-in."""
        return [Part.read(words, self.article.language) for words in self.whole_clauses]

    @cached_property
    def bare_parts(self) -> list[Part]:
        """The items of lists, without their lead-ins."""
        text, language = self.article.text, self.article.language
        return [Part.read(text[one.start : one.end], language) for one in self._clauses if one.has_lead]

    @cached_property
    def terms(self) -> frozenset[str]:
        """What the clauses speak of, the article's name and heading included."""
        heading = f"{self.article.chapter_description} {self.article.law_name}"
        return self.frame.union(content_terms(heading, self.article.language), *(part.terms for part in self.parts))

    @cached_property
    def frame(self) -> frozenset[str]:
        """The terms of the article's name, which an answer may begin a sentence with."""
        return content_terms(f"{self.article.law_name} {self.article.chapter}", self.article.language)

    @cached_property
    def squeezed(self) -> str:
        """All that may be quoted: the article with its names, as `squeezed`."""
        article = self.article
        return squeezed(f"{article.law_name} {article.chapter} {article.chapter_description} {article.text}")

    @cached_property
    def names(self) -> frozenset[str]:
        """The numbers by which the article itself is called, and its paragraphs as its own."""
        article = self.article
        own = {*claims_of(f"{article.chapter} {article.chapter_description}", article.language).labels}
        own.add(article.semantic_id.rpartition("_")[2])
        return frozenset({*own, *(f"{name}({marker})" for name in own for marker in self.markers)})

    @cached_property
    def markers(self) -> frozenset[str]:
        """The numbers of the article's paragraphs and items."""
        return markers(self.article.text)

    @cached_property
    def known_dates(self) -> list[Date]:
        """When the article entered into force."""
        read = claims_of(self.article.effective_date, "en")
        return [date for readings in read.dates for date in readings]


def squeezed(text: str) -> str:
    """Return a text without what may differ between a quote and its article: white space, middle dots, case."""
    return re.sub(r"[\s·ㆍ‧・•∙.,]", "", fold(text)).casefold()

"""Does every sentence of an answer say what its quotes say? Checked word by word, without a model of language.

| rule        | what it finds in a sentence                                                                  |
| ----------- | -------------------------------------------------------------------------------------------- |
| citation    | it names a quote that does not stand in its article, or none                                 |
| number      | a quantity that no quoted clause has: compared by value and unit, whatever the language      |
| date        | a date that no quoted clause has, and that is not the entry into force                       |
| reference   | an article or annex that neither is cited nor named in a quoted clause; an id that is none   |
| modality    | it obliges, permits, forbids, exempts, excepts or denies, and the quoted clause does not, or |
|             | the clause denies what it says                                                               |
| quotation   | words in quotation marks that do not stand in the article                                    |
| markup      | a link, an image or markup that no statute writes                                            |
| prompt      | words of the instructions                                                                    |
| support     | its words are not those of the articles that it cites, nor are its numbers, duties and bans  |
| entailment  | a model says that the quoted clauses do not entail it, where one is set                      |
| length      | it lies beyond the sentences that are checked                                                |

A quote counts with the whole clause that it is taken from, with the lead-in of a list, so that no "not" is cut away.
Numbers and dates are compared as values, modal words by class, so that an answer in one language can be held against a
statute in another. A sentence with a finding is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from agent.claims import Claims, claims_of
from agent.claims.comparison import (
    moved_numbers,
    shares_a_claim,
    uncarried_dates,
    uncarried_forces,
    uncarried_labels,
    uncarried_numbers,
)
from agent.claims.dates import Date
from agent.claims.folding import fold
from agent.claims.labels import markers
from agent.clauses import clauses
from agent.extractive import Draft
from agent.grounding import cite, find_quote
from agent.reply import Citation
from agent.sentences import Sentence, sentences
from agent.support import content_terms, in_order, shared
from graph.records import Provision
from prompts.leaks import says_a_prompt

__all__ = ["CheckedSentence", "Entails", "Finding", "Verification", "verify"]

Entails = Callable[[str, str], bool]
"""From a passage and a sentence to whether the one entails the other."""

_MOST_SENTENCES = 100  # of an answer, and
_MOST_QUOTES = 40  # that are checked; a model's schema admits far fewer
_LONGEST_SENTENCE = 2000  # characters
_SUPPORTED = 0.34  # share of a sentence's terms that its articles hold, from which on it speaks of them
_FEWEST_SHARED = 2  # terms: one may be in common by chance
_NEAR_BEST = 0.75  # share of the best clause's terms in common from which on another is what the sentence is about
_ANOTHERS = 0.6  # share of a sentence's terms in a quote that it does not name, from which on they are that quote's
_FAR_LESS = 0.6  # times that share: the most that the quotes it does name may hold
_OWN_SHARE = 0.12  # share of a sentence's terms that another clause has to add for the sentence to be about it, too
_SAME_WORDS = 0.8  # share of both, sentence's and clause's terms, from which on one restates the other
_SAME_ORDER = 0.8  # share of the clause's words that stand in the sentence in their order, from which on it is verbatim
_QUOTED = re.compile(r"“([^”]{4,})”|「([^」]{2,})」|«([^»]{4,})»|\"([^\"]{4,})\"|『([^』]{2,})』|„([^“”]{4,})[“”]")
_MARKUP = re.compile(r"[a-z]+://|!\[|\]\(|\bwww\.|\b[\w-]+\.[a-z]{2,}/|</?[a-z!]", re.IGNORECASE)
_ASIDE = re.compile(r"[,;:–—]+(?=\s|$)|\s[-–—]\s|[、。]")
_LETTER = re.compile(r"[^\W_]")
_ID = re.compile(r"\w[\w‐-]*_\d[\w‐-]*")


class Finding(NamedTuple):
    """What is wrong with a sentence."""

    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of an answer, and what is wrong with it."""

    sentence: Sentence
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """An answer checked: its quotes where they stand, its sentences with what is wrong."""

    text: str
    citations: tuple[Citation | None, ...]  # of the draft's quotes, in their order; None: dropped
    sentences: tuple[CheckedSentence, ...]

    @property
    def kept(self) -> tuple[Citation, ...]:
        """The citations that hold, each once."""
        return tuple(dict.fromkeys(citation for citation in self.citations if citation))

    @property
    def stands(self) -> bool:
        """Whether there is anything to answer with."""
        return bool(self.kept) and any(not one.findings for one in self.sentences)

    @property
    def share_kept(self) -> float:
        """The share of quotes and sentences that hold, in [0, 1]; 0 if there are none."""
        n_held = sum(one is not None for one in self.citations) + sum(not one.findings for one in self.sentences)
        n_all = len(self.citations) + len(self.sentences)
        return n_held / n_all if n_all else 0.0

    @property
    def findings(self) -> list[Finding]:
        """All findings, in the order of the sentences."""
        return [finding for one in self.sentences for finding in one.findings]

    def answer(self) -> str:
        """Return the sentences that stand, [1] being the first of `kept`; all numbers follow if none names one."""
        if any(one.sentence.marks for one in self.sentences if not one.findings):
            return self.standing()
        return " ".join([self.standing(), "".join(f"[{number}]" for number in range(1, len(self.kept) + 1))])

    def standing(self) -> str:
        """Return the sentences that stand, with the numbers that they name."""
        numbers = {citation: number for number, citation in enumerate(self.kept, start=1)}
        parts: list[str] = []
        last = 0
        for one in self.sentences:
            if not one.findings:
                gap = self.text[last : one.sentence.start]
                parts.append(("\n" if "\n" in gap else " ") if parts else "")
                parts.append(self._renumbered(self.text[one.sentence.start : one.sentence.end].strip(), numbers))
            last = one.sentence.end
        return "".join(parts)

    def to_json(self) -> dict[str, object]:
        """Return plain values, for a trace."""
        return {
            "quotes": [citation.check if citation else "dropped" for citation in self.citations],
            "sentences": [
                {
                    "sentence": one.sentence.words,
                    "findings": [f"{found.rule}: {found.detail}" for found in one.findings],
                }
                for one in self.sentences
            ],
        }

    def _renumbered(self, words: str, numbers: Mapping[Citation, int]) -> str:
        def mark(found: re.Match[str]) -> str:
            place = int(found[1]) - 1
            citation = self.citations[place] if 0 <= place < len(self.citations) else None
            return f"[{numbers[citation]}]" if citation else ""

        return re.sub(r"\[(\d{1,3})\]", mark, words)


def verify(
    draft: Draft, articles: Mapping[str, Provision], *, language: str, entails: Entails | None = None
) -> Verification:
    """Check an answer against the articles in the context. Never raises; in time linear in the answer's length.

    articles: by semantic id. language: of the answer (ISO 639-1). entails: None leaves that rule out.
    """
    citations: list[Citation | None] = []
    passages: list[_Passage | None] = []
    for quote in draft.quotes[:_MOST_QUOTES]:
        article = articles.get(quote.semantic_id)
        span = find_quote(quote.words, article.text, language=article.language) if article else None
        citations.append(cite(article, span) if article and span else None)
        passages.append(_Passage(article, span.start, span.end) if article and span else None)
    citations += [None] * (len(draft.quotes) - len(citations))
    found = sentences(draft.text)
    checked = [CheckedSentence(one, _check(one, passages, language, entails)) for one in found[:_MOST_SENTENCES]]
    beyond = (Finding("length", f"only the first {_MOST_SENTENCES} sentences are checked"),)
    checked += [CheckedSentence(one, beyond) for one in found[_MOST_SENTENCES:]]
    return Verification(draft.text, tuple(citations), tuple(checked))


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause, or a clause after the lead-in of its list, with what it claims."""

    claims: Claims
    terms: frozenset[str]


class _Passage:
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
    def parts(self) -> list[_Part]:
        """The clauses, each after its lead-in."""
        return [self._part(words) for words in self.whole_clauses]

    @cached_property
    def bare_parts(self) -> list[_Part]:
        """The items of lists, without their lead-ins."""
        return [self._part(self.article.text[one.start : one.end]) for one in self._clauses if one.has_lead]

    def _part(self, words: str) -> _Part:
        claims = claims_of(words, self.article.language)
        return _Part(claims, content_terms(claims.words, claims.language))

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
        article = self.article
        return _squeezed(f"{article.law_name} {article.chapter} {article.chapter_description} {article.text}")

    @cached_property
    def names(self) -> frozenset[str]:
        """The numbers by which the article itself is called, and its paragraphs as its own."""
        article = self.article
        own = {*claims_of(f"{article.chapter} {article.chapter_description}", article.language).labels}
        own.add(article.semantic_id.rpartition("_")[2])
        return frozenset({*own, *(f"{name}({marker})" for name in own for marker in self.markers)})

    @cached_property
    def markers(self) -> frozenset[str]:
        return markers(self.article.text)

    @cached_property
    def known_dates(self) -> list[Date]:
        read = claims_of(self.article.effective_date, "en")
        return [date for readings in read.dates for date in readings]


def _check(
    sentence: Sentence, passages: Sequence[_Passage | None], language: str, entails: Entails | None
) -> tuple[Finding, ...]:
    named = [passages[mark - 1] for mark in sentence.marks if 0 < mark <= len(passages)]
    cited = [one for one in (named if sentence.marks else passages) if one]
    if not cited:
        return (Finding("citation", "no quote that it names stands in its article"),)
    if len(sentence.words) > _LONGEST_SENTENCE:
        return (Finding("length", f"longer than {_LONGEST_SENTENCE} characters"),)
    words = _beyond_quotations(sentence.words, cited)
    if not words:
        return ()
    if not _LETTER.search(words):
        return (Finding("support", "there is no word in it"),)
    said = _Said.read(words, language)
    whole = said if words == sentence.words else _Said.read(sentence.words, language)
    claims = [part.claims for passage in cited for part in passage.parts]
    names = frozenset[str]().union(*(passage.names | passage.markers for passage in cited))
    dates = [date for passage in cited for date in passage.known_dates]
    findings = [
        *(Finding("number", one) for one in uncarried_numbers(said.claims, claims)),
        *(Finding("date", one) for one in uncarried_dates(said.claims, claims, known=dates)),
        *(Finding("reference", one) for one in uncarried_labels(said.claims, claims, known=names)),
        *(Finding("reference", one) for one in _ID.findall(words) if one not in {p.article.semantic_id for p in cited}),
        *_said_otherwise(whole, cited),
        *(Finding("quotation", one) for one in _misquoted(words, cited)),
    ]
    if (markup := _MARKUP.search(words)) and not any(words[markup.start() :] in one.quote for one in cited):
        findings.append(Finding("markup", markup[0]))
    if says_a_prompt(words):
        findings.append(Finding("prompt", "words of the instructions"))
    if not findings and not _supported(said, cited, claims):
        findings.append(Finding("support", "not in the words of the articles that it cites"))
    if not findings and (aside := _said_aside(words, language, cited, claims)):
        findings.append(Finding("support", f"no word of it is the articles': {aside}"))
    if not findings and (better := _said_by_another(said, cited, passages)):
        findings.append(Finding("citation", f"its words are those of [{better}]"))
    if not findings and entails and not entails("\n".join(c for p in cited for c in p.whole_clauses), sentence.words):
        findings.append(Finding("entailment", "the passages do not entail it"))
    return tuple(dict.fromkeys(findings))


@dataclass(frozen=True, slots=True)
class _Said:
    """What a sentence claims, and what it speaks of."""

    claims: Claims
    terms: frozenset[str]

    @classmethod
    def read(cls, words: str, language: str) -> _Said:
        claims = claims_of(words, language)
        return cls(claims, content_terms(claims.words, claims.language))


def _beyond_quotations(words: str, cited: Sequence[_Passage]) -> str:
    """Return a sentence without what it quotes of its passages letter for letter.

    Empty if it quotes, and nothing is left but the articles' names and headings.
    """
    whole = words
    for passage in cited:
        words = words.replace(f"“{passage.quote.strip()}”", " ")
    frame = words
    for article in (passage.article for passage in cited):
        frame = frame.replace(f"({article.chapter_description})", " ").replace(
            f"{article.law_name}, {article.chapter}", " "
        )
    return words if words == whole or _LETTER.search(frame) else ""


def _said_otherwise(said: _Said, cited: Sequence[_Passage]) -> list[Finding]:
    """Compare with the clauses that have most words in common with the sentence; in another language, with all.

    A sentence in the words of one clause has to agree with that one, number by number and negation by negation.
    """
    language = said.claims.language
    parts = [part for passage in cited for part in passage.parts if part.claims.language == language]
    if not parts:
        every = [part.claims for passage in cited for part in passage.parts]
        return [Finding("modality", one) for one in uncarried_forces(said.claims, every)]
    bare = [part for passage in cited for part in passage.bare_parts if part.claims.language == language]
    terms = said.terms - frozenset[str]().union(*(passage.frame for passage in cited))

    def likeness(part: _Part) -> float:
        return min(shared(terms, part.terms), shared(part.terms, said.terms))

    alike = max((*parts, *bare), key=likeness)
    if likeness(alike) >= _SAME_WORDS:
        names = frozenset[str]().union(*(passage.names for passage in cited))
        moved = moved_numbers(said.claims, alike.claims, known=names)
        verbatim = in_order(alike.claims.folded, said.claims.folded) >= _SAME_ORDER
        otherwise = uncarried_forces(said.claims, [alike.claims], same_words=True, verbatim=verbatim)
        return [*(Finding("number", one) for one in moved), *(Finding("modality", one) for one in otherwise)]
    n_common = [len(terms & part.terms) for part in parts]
    best = frozenset[str]().union(
        *(part.terms for n, part in zip(n_common, parts, strict=True) if n >= _NEAR_BEST * max(n_common))
    )
    fewest = max(_FEWEST_SHARED, _OWN_SHARE * len(terms))
    about = [part for part in parts if part.terms <= best or len((terms & part.terms) - best) >= fewest]
    return [Finding("modality", one) for one in uncarried_forces(said.claims, [part.claims for part in about])]


def _misquoted(words: str, cited: Sequence[_Passage]) -> list[str]:
    quoted = [next(filter(None, one)) for one in _QUOTED.findall(words)]
    return [one for one in quoted if not any(_squeezed(one) in passage.squeezed for passage in cited)]


def _supported(said: _Said, cited: Sequence[_Passage], claims: Sequence[Claims]) -> bool:
    """Return whether the words are the clauses', or a number, a date or a duty that they carry stands for them."""
    known = [passage.terms for passage in cited if passage.parts[0].claims.language == said.claims.language]
    if known and said.terms:
        n_known = len(said.terms & frozenset[str]().union(*known))
        if n_known >= max(_FEWEST_SHARED, _SUPPORTED * len(said.terms)):
            return True
        return n_known > 0 and shares_a_claim(said.claims, claims)
    return shares_a_claim(said.claims, claims)


def _said_aside(words: str, language: str, cited: Sequence[_Passage], claims: Sequence[Claims]) -> str:
    """Return what a sentence says between commas or the like that has nothing of its passages; "" if nothing is so."""
    known = frozenset[str]().union(*(passage.terms for passage in cited))
    aside = _ASIDE.split(words)
    for part in aside if len(aside) > 1 else ():
        said = _Said.read(part, language)
        foreign = all(passage.parts[0].claims.language != said.claims.language for passage in cited)
        if said.terms and not said.terms & known and not foreign and not shares_a_claim(said.claims, claims):
            return part.strip()
    return ""


def _said_by_another(said: _Said, cited: Sequence[_Passage], passages: Sequence[_Passage | None]) -> int:
    """Return the number, from 1, of a quote whose words the sentence has rather than those that it names; else 0."""
    terms = said.terms - frozenset[str]().union(*(passage.frame for passage in cited))
    own = max((shared(terms, part.terms) for passage in cited for part in passage.parts), default=0.0)
    for number, other in enumerate(passages, start=1):
        if other is None or other in cited:
            continue
        best = max(shared(terms, part.terms) for part in other.parts)
        if best >= _ANOTHERS and own < best * _FAR_LESS:
            return number
    return 0


def _squeezed(text: str) -> str:
    """Return a text without what may differ between a quote and its article: white space, middle dots, case."""
    return re.sub(r"[\s·ㆍ‧・•∙.,]", "", fold(text)).casefold()

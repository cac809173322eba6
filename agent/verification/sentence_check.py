"""One sentence of an answer held against the quotes that it names, rule by rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.claims import Claims
from agent.claims.comparison import shares_a_claim, uncarried_dates, uncarried_labels, uncarried_numbers
from agent.sentences import Sentence
from agent.support import shared
from agent.verification.modality_check import said_otherwise
from agent.verification.passage import Part, Passage, squeezed
from agent.verification.record import Entails, Finding
from prompts.leaks import says_a_prompt

__all__ = ["check_sentence"]

_LONGEST_SENTENCE = 2000  # characters
_SUPPORTED = 0.34  # share of a sentence's terms that its articles hold, from which on it speaks of them
_FEWEST_SHARED = 2  # terms: one may be in common by chance
_ANOTHERS = 0.6  # share of a sentence's terms in a quote that it does not name, from which on they are that quote's
_FAR_LESS = 0.6  # times that share: the most that the quotes it does name may hold
_QUOTED = re.compile(r"“([^”]{4,})”|「([^」]{2,})」|«([^»]{4,})»|\"([^\"]{4,})\"|『([^』]{2,})』|„([^“”]{4,})[“”]")
_MARKUP = re.compile(
    r"[a-z]+://|!\[|\]\(|\bwww\.|\b[\w-]+\.[a-z]{2,}/|</?[a-z!]|[{}]"
    # characters that steer a screen or the direction of writing, and halves of characters
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"[,;:–—]+(?=\s|$)|\s[-–—]\s|[、。]")
_LETTER = re.compile(r"[^\W_]")
_SYLLABLES = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_ID = re.compile(r"\w[\w‐-]*_\d[\w‐-]*")


def check_sentence(
    sentence: Sentence, passages: Sequence[Passage | None], language: str, entails: Entails | None
) -> tuple[Finding, ...]:
    """Return what is wrong with a sentence. passages: of the answer's quotes, in their order; None: dropped."""
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
    said = Part.read(words, language)
    whole = said if words == sentence.words else Part.read(sentence.words, language)
    claims = [part.claims for passage in cited for part in passage.parts]
    names = frozenset[str]().union(*(passage.names | passage.markers for passage in cited))
    dates = [date for passage in cited for date in passage.known_dates]
    findings = [
        *(Finding("number", one) for one in uncarried_numbers(said.claims, claims)),
        *(Finding("date", one) for one in uncarried_dates(said.claims, claims, known=dates)),
        *(Finding("reference", one) for one in uncarried_labels(said.claims, claims, known=names)),
        *(Finding("reference", one) for one in _ID.findall(words) if one not in {p.article.semantic_id for p in cited}),
        *said_otherwise(whole, cited),
        *(Finding("quotation", one) for one in _misquoted(words, cited)),
    ]
    if (markup := _MARKUP.search(words)) and not any(words[markup.start() :] in one.quote for one in cited):
        findings.append(Finding("markup", markup[0]))
    if foreign := _in_another_script(words, cited):
        findings.append(Finding("support", f"another script than its own, and not the articles': {foreign}"))
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


def _beyond_quotations(words: str, cited: Sequence[Passage]) -> str:
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


def _misquoted(words: str, cited: Sequence[Passage]) -> list[str]:
    quoted = [next(filter(None, one)) for one in _QUOTED.findall(words)]
    return [one for one in quoted if not any(squeezed(one) in passage.squeezed for passage in cited)]


def _supported(said: Part, cited: Sequence[Passage], claims: Sequence[Claims]) -> bool:
    """Return whether the words are the clauses', or a number, a date or a duty that they carry stands for them."""
    known = [passage.terms for passage in cited if passage.parts[0].claims.language == said.claims.language]
    if known and said.terms:
        n_known = len(said.terms & frozenset[str]().union(*known))
        if n_known >= max(_FEWEST_SHARED, _SUPPORTED * len(said.terms)):
            return True
        return n_known > 0 and shares_a_claim(said.claims, claims)
    return shares_a_claim(said.claims, claims)


def _said_aside(words: str, language: str, cited: Sequence[Passage], claims: Sequence[Claims]) -> str:
    """Return what a sentence says between commas or the like that has nothing of its passages; "" if nothing is so."""
    known = frozenset[str]().union(*(passage.terms for passage in cited))
    aside = _ASIDE.split(words)
    for part in aside if len(aside) > 1 else ():
        said = Part.read(part, language)
        foreign = all(passage.parts[0].claims.language != said.claims.language for passage in cited)
        if said.terms and not said.terms & known and not foreign and not shares_a_claim(said.claims, claims):
            return part.strip()
    return ""


def _in_another_script(words: str, cited: Sequence[Passage]) -> str:
    """Return the first run of Hangul, Kana or Han in a Latin sentence that stands in no article; "" if none does."""
    runs = _SYLLABLES.findall(words)
    if len(_LATIN.findall(words)) <= sum(map(len, runs)):
        return ""
    return next((one for one in runs if not any(squeezed(one) in passage.squeezed for passage in cited)), "")


def _said_by_another(said: Part, cited: Sequence[Passage], passages: Sequence[Passage | None]) -> int:
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

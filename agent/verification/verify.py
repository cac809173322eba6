"""An answer checked: where its quotes stand, and every sentence held against them."""

from __future__ import annotations

from collections.abc import Mapping

from agent.extractive import Draft
from agent.grounding import cite, find_quote
from agent.reply import Citation
from agent.sentences import sentences
from agent.verification.passage import Passage
from agent.verification.record import CheckedSentence, Entails, Finding, Verification
from agent.verification.sentence_check import check_sentence
from graph.records import Provision

__all__ = ["verify"]

_MOST_SENTENCES = 100  # of an answer, and
_MOST_QUOTES = 40  # that are checked; a model's schema admits far fewer


def verify(
    draft: Draft, articles: Mapping[str, Provision], *, language: str, entails: Entails | None = None
) -> Verification:
    """Check an answer against the articles in the context. Never raises; in time linear in the answer's length.

    articles: by semantic id. language: of the answer (ISO 639-1). entails: None leaves that rule out.
    """
    citations: list[Citation | None] = []
    passages: list[Passage | None] = []
    for quote in draft.quotes[:_MOST_QUOTES]:
        article = articles.get(quote.semantic_id)
        span = find_quote(quote.words, article.text, language=article.language) if article else None
        citations.append(cite(article, span) if article and span else None)
        passages.append(Passage(article, span.start, span.end) if article and span else None)
    citations += [None] * (len(draft.quotes) - len(citations))
    found = sentences(draft.text)
    checked = [
        CheckedSentence(one, check_sentence(one, passages, language, entails)) for one in found[:_MOST_SENTENCES]
    ]
    beyond = (Finding("length", f"only the first {_MOST_SENTENCES} sentences are checked"),)
    checked += [CheckedSentence(one, beyond) for one in found[_MOST_SENTENCES:]]
    return Verification(draft.text, tuple(citations), tuple(checked))

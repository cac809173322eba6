"""An article as the sentences that an attention over sentences reads."""

from __future__ import annotations

from graph.clauses import clauses
from graph.records import Provision
from retrieval.encoder import clean_text

__all__ = ["MOST_SENTENCES", "article_sentences"]

MOST_SENTENCES = 100
"""How many sentences of an article are read."""


def article_sentences(article: Provision) -> list[str]:
    """Return the article's law, label and heading as its first sentence, then those of its text, list items included.

    White space within a sentence is one space. Of an article of more than 100 sentences, the first 100 are read.
    """
    text = clean_text(article.text)
    title = clean_text(f"{article.law_name} {article.chapter} {article.chapter_description}")
    found = [title, *(text[one.start : one.end] for one in clauses(text))]
    return [" ".join(sentence.split()) for sentence in found if sentence.strip()][:MOST_SENTENCES]

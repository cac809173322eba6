"""Answers that are right: as the extractive reader gave them, restated as sentences by rule, and restated by hand.

What verification is measured on: it has to let them through, and to stop them once they are broken (`mutations.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.extractive import Draft, Quote
from agent.reply import Answer, Reply
from graph.errors import QuestionsError
from graph.records import Provision

__all__ = ["Sound", "paraphrases", "restatements"]


@dataclass(frozen=True, slots=True)
class Sound:
    """An answer that is right."""

    source: str  # extractive, restated, by hand
    language: str  # of the answer
    draft: Draft
    articles: Mapping[str, Provision]  # the context


def restatements(replies: Sequence[tuple[Reply, Mapping[str, Provision]]]) -> list[Sound]:
    """Return the answers among replies as they are, and their clauses restated one by one.

    replies: each with the articles that it cites, by semantic id.
    """
    found = []
    for reply, articles in replies:
        if not isinstance(reply, Answer):
            continue
        quotes = tuple(Quote(one.semantic_id, one.quote) for one in reply.citations)
        found.append(Sound("extractive", reply.language, Draft(reply.text, quotes), articles))
        for quote in quotes:
            article = articles[quote.semantic_id]
            for words in _restated(quote.words, article):
                found.append(Sound("restated", article.language, Draft(f"{words} [1]", (quote,)), articles))
    return list({(one.source, one.draft): one for one in found}.values())


_MARKER = re.compile(r"^\s*(?:\(\w{1,3}\)|\d+(?:의\d+)?\.|[①-⑳]|[가-하a-z]\.)\s*")
_SPOKEN = {
    "하여야 한다": "해야 합니다",
    "할 수 있다": "할 수 있습니다",
    "아니 된다": "안 됩니다",
    "아니한다": "않습니다",
    "한다": "합니다",
    "된다": "됩니다",
    "없다": "없습니다",
}
_IN_WORDS = {"2": "two", "3": "three", "5": "five", "7": "seven", "10": "ten", "14": "fourteen", "30": "thirty"}


def _restated(words: str, article: Provision) -> Iterator[str]:
    """Yield a clause as a sentence: without its marker, after its article's name, in the style of an answer."""
    words = " ".join(_MARKER.sub("", words).split())
    if not words or words[-1] not in ".":
        return  # a lead-in or an item of a list is no sentence
    yield words
    if article.language == "ko":
        yield f"「{article.law_name}」 {article.chapter}에 따르면 {words}"
        for written, spoken in _SPOKEN.items():
            if words.endswith(f"{written}."):
                yield words.removesuffix(f"{written}.") + f"{spoken}."
                break
    else:
        yield f"Under {article.chapter} of the {article.law_name}, {words[0].lower()}{words[1:]}"
        spelled = re.sub(
            r"(?<![\d.,(-])\b(\d+)(?= (?:days|months|years|hours|metres|litres)\b)",
            lambda found: _IN_WORDS.get(found[1], found[1]),
            words,
        )
        if spelled != words:
            yield spelled


def paraphrases(path: Path, law: Mapping[str, Provision]) -> list[Sound]:
    """Read restatements written by hand. law: the built-in law, by semantic id.

    Raises QuestionsError naming file and line.
    """
    found = []
    for line_no, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            name, quote, answer = row["semantic_id"], row["quote"], row["answer"]
            article = _invented(name, row["law"]) if row["law"] else law[name]
        except (ValueError, KeyError, TypeError) as error:
            raise QuestionsError(f"{path}:{line_no}: no restatement: {error}") from error
        draft = Draft(f"{answer} [1]", (Quote(name, quote),))
        found.append(Sound("by hand", row["language"], draft, {name: article}))
    return found


def _invented(name: str, text: str) -> Provision:
    law_name, _, label = name.partition("_")
    return Provision(
        semantic_id=name,
        doc_id=0,
        law_name=law_name.replace("-", " "),
        collection_name=law_name,
        law_level="법률",
        chapter=f"제{label}",
        text=text,
    )

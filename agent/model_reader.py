"""The language-model reader: evidence and question in, a draft with quotes out; its schema admits no other ids."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from agent.chat_model import ModelReply, ModelRequest
from agent.evidence import EvidenceArticle
from agent.extractive import Draft, Quote
from agent.verification import Verification
from prompts.template import Prompt, load_prompt

__all__ = [
    "Judgement",
    "TextSoFar",
    "answer_request",
    "fenced",
    "fenced_article",
    "read_answer",
    "read_judgement",
    "read_quotes",
    "read_text",
    "rewrite_request",
    "sufficiency_request",
]

_N_CITATIONS = 4
_ANSWER_SHARE = 0.4  # of the characters that a reply has room for; the quotes share the rest
_CHARS_PER_TOKEN = 3.0
_CJK_CHARS_PER_TOKEN = 1.0
_CJK = frozenset({"ko", "ja"})
_TAG = re.compile(r"<(\s*/?\s*(?:article|question|option|draft|findings))", re.IGNORECASE)
_MOST_FINDINGS = 12  # that a rewrite is shown
# What steers a terminal, turns the order of reading, cannot be seen or has no UTF-8: no part of an answer.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def answer_request(
    question: str, evidence: Sequence[EvidenceArticle], language: str, *, max_reply_tokens: int
) -> tuple[ModelRequest, Prompt]:
    """Return the request for an answer, and the prompt it is made from.

    The statutes come before the question, so that questions on the same evidence share a prefix; the same arguments
    give the same bytes. The ids that may be cited are an enum of those in the evidence, and a reply that fits the
    schema fits into max_reply_tokens, so that a model that finds no end is still cut into a whole reply.
    """
    schema = _answer_schema(evidence, language, max_reply_tokens)
    return _request("answer", evidence, language, schema, question=question)


def rewrite_request(
    question: str,
    evidence: Sequence[EvidenceArticle],
    language: str,
    *,
    max_reply_tokens: int,
    draft: Draft,
    checked: Verification,
) -> tuple[ModelRequest, Prompt]:
    """Return the request to write an answer anew, with what verification found as data, and its prompt."""
    schema = _answer_schema(evidence, language, max_reply_tokens)
    found = [
        {"sentence": one.sentence.words, "finding": f"{finding.rule}: {finding.detail}"}
        for one in checked.sentences
        for finding in one.findings
    ]
    found += [
        {"quote": quote.words, "finding": f"does not stand in {quote.semantic_id}"}
        for quote, citation in zip(draft.quotes, checked.citations, strict=True)
        if citation is None
    ]
    findings = "\n".join(json.dumps(one, ensure_ascii=False) for one in found[:_MOST_FINDINGS])
    return _request("rewrite", evidence, language, schema, question=question, draft=draft.text, findings=findings)


def _answer_schema(evidence: Sequence[EvidenceArticle], language: str, max_reply_tokens: int) -> dict[str, Any]:
    n_chars = _n_chars(language, max_reply_tokens)
    longest_answer = max(40, int(n_chars * _ANSWER_SHARE))
    longest_quote = max(20, int(n_chars * (1 - _ANSWER_SHARE) / _N_CITATIONS))
    ids = [one.article.semantic_id for one in evidence]
    citation = {
        "type": "object",
        "properties": {"id": {"enum": ids}, "quote": {"type": "string", "minLength": 4, "maxLength": longest_quote}},
        "required": ["id", "quote"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "citations": {"type": "array", "items": citation, "minItems": 1, "maxItems": _N_CITATIONS},
            "answer": {"type": "string", "minLength": 1, "maxLength": longest_answer},
        },
        "required": ["citations", "answer"],
        "additionalProperties": False,
    }


def sufficiency_request(
    question: str, evidence: Sequence[EvidenceArticle], language: str, *, max_reply_tokens: int
) -> tuple[ModelRequest, Prompt]:
    """Return the request for the model's own judgement of the evidence, and the prompt it is made from."""
    longest = max(20, int(_n_chars(language, max_reply_tokens) * _ANSWER_SHARE))
    schema = {
        "type": "object",
        "properties": {
            "sufficient": {"type": "boolean"},
            "missing": {"type": "string", "maxLength": min(200, longest)},
        },
        "required": ["sufficient", "missing"],
        "additionalProperties": False,
    }
    return _request("sufficiency", evidence, language, schema, question=question)


def _n_chars(language: str, n_tokens: int) -> float:
    """Estimate the characters that a reply of so many tokens has room for, rather too few than too many."""
    return n_tokens * (_CJK_CHARS_PER_TOKEN if language in _CJK else _CHARS_PER_TOKEN)


def _request(
    task: str, evidence: Sequence[EvidenceArticle], language: str, schema: dict[str, Any], **slots: str
) -> tuple[ModelRequest, Prompt]:
    prompt = load_prompt(task, language)
    articles = "\n\n".join(map(fenced_article, evidence))
    user = prompt.fill(evidence=articles, **{name: fenced(text) for name, text in slots.items()})
    return ModelRequest(prompt.system, user, task, schema), prompt


def fenced_article(one: EvidenceArticle) -> str:
    """Return an article as prompts show it: between tags with its id, its name before its words."""
    article = one.article
    words = f"{article.law_name} {article.chapter} {article.chapter_description}\n{one.text}"
    return f'<article id="{escape(article.semantic_id, quote=True)}">\n{fenced(words)}\n</article>'


def fenced(text: str) -> str:
    """Return a text that cannot close its fence or open another: the tags of the fence lose their bracket."""
    return _TAG.sub(r"‹\1", text)


def read_answer(reply: ModelReply, evidence: Sequence[EvidenceArticle]) -> Draft | str:
    """Return the draft in a model's reply, or why it cannot be read.

    What the schema promises is checked again, as not every server keeps it.
    """
    record = _record(reply)
    if isinstance(record, str):
        return record
    answer, quotes = read_text(record), read_quotes(record, evidence)
    if not answer:
        return "no answer in the reply"
    return quotes if isinstance(quotes, str) else Draft(answer, quotes)


def read_text(record: Mapping[str, Any]) -> str:
    """Return the answer in a reply, without characters that cannot be seen; empty if there is none."""
    answer = record.get("answer")
    return _UNSEEN.sub("", answer).strip() if isinstance(answer, str) else ""


def read_quotes(record: Mapping[str, Any], evidence: Sequence[EvidenceArticle]) -> tuple[Quote, ...] | str:
    """Return the citations in a reply, in their order, as [2] in the answer is the second; or why there are none."""
    known = {one.article.semantic_id for one in evidence}
    citations = record.get("citations")
    if not isinstance(citations, list) or not citations:
        return "no citations in the reply"
    quotes = []
    for citation in citations:
        name, words = (citation.get("id"), citation.get("quote")) if isinstance(citation, dict) else (None, None)
        if name not in known or not isinstance(words, str):
            return f"a citation of {name!r}, which is not in the context"
        quotes.append(Quote(name, words))
    return tuple(quotes)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the model itself thinks of the evidence."""

    sufficient: bool
    missing: str  # in its words; "" if nothing
    probability: float | None  # of `sufficient` being true, in [0, 1]; None without log-probabilities


def read_judgement(reply: ModelReply) -> Judgement | str:
    """Return the model's judgement, or why its reply cannot be read."""
    record = _record(reply)
    if isinstance(record, str):
        return record
    sufficient, missing = record.get("sufficient"), record.get("missing")
    if not isinstance(sufficient, bool) or not isinstance(missing, str):
        return "no judgement in the reply"
    said = "true" if sufficient else "false"
    token = next(
        (one for one in reply.tokens if said.startswith(one.token.strip().lower()) and one.token.strip()), None
    )
    probability = None if token is None else token.probability if sufficient else 1 - token.probability
    return Judgement(sufficient, missing.strip(), probability)


def _record(reply: ModelReply) -> dict[str, Any] | str:
    if not reply.complete:
        return "the reply was cut off at its longest"
    try:
        record = json.loads(reply.text)
    except ValueError:
        return "the reply is not JSON"
    return record if isinstance(record, dict) else "the reply is no JSON object"


class TextSoFar:
    """Follows a streamed reply."""

    def __init__(self) -> None:
        self.reply = ""
        self.record: dict[str, Any] = {}  # what can be read of it

    @property
    def answer(self) -> str:
        """The answer as far as it has come."""
        return read_text(self.record)

    def add(self, chunk: str) -> None:
        """Take the next part of the reply."""
        from langchain_core.utils.json import parse_partial_json  # a third of a second

        self.reply += chunk
        try:
            record = parse_partial_json(self.reply)
        except ValueError:
            return
        self.record = record if isinstance(record, dict) else {}

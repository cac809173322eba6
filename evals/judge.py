"""What a judge model is asked about replies, and how what it says is read. Nothing here talks to a model.

The judge sees the question, its gold articles, the reference answer where there is one, and the reply; never which
system wrote it. It says why in a sentence and then rules, under a JSON schema. Its prompts are English whatever the
language of the question, so that one yardstick measures all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import Any

from agent.chat_model import ModelReply, ModelRequest
from agent.evidence import EvidenceArticle
from graph.records import Question
from prompts.template import Prompt, load_prompt

__all__ = [
    "Grade",
    "Preference",
    "Ruling",
    "Unruled",
    "grade_prompt",
    "grade_request",
    "preference_prompt",
    "preference_request",
    "read_ruling",
    "shown",
]

_LANGUAGE = "en"
_LONGEST_REASON = 300  # characters
_NO_REFERENCE = "(none is known)"
_TAG = re.compile(r"<(/?)\s*(article|question|answer|known_answer|first_reply|second_reply)\b", re.IGNORECASE)


class Grade(StrEnum):
    """How good an answer is."""

    CORRECT = "correct"
    PARTLY = "partly"
    WRONG = "wrong"
    CANNOT_TELL = "cannot_tell"  # neither reference nor articles decide it


class Preference(StrEnum):
    """Which of two replies is better."""

    FIRST = "first"
    SECOND = "second"
    SAME = "same"


class Unruled(StrEnum):
    """Why there is no ruling."""

    UNREADABLE = "unreadable"  # the judge replied, but not under the schema
    FAILED = "failed"  # it did not reply


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a judge said of one reply, or one pair; without a value it is missing, which speaks for nobody."""

    value: str | None  # a Grade or a Preference
    words: str  # why, or what went wrong
    missing: Unruled | None = None


def grade_prompt() -> Prompt:
    """Return the prompt by which replies are graded."""
    return load_prompt("grade", _LANGUAGE)


def preference_prompt() -> Prompt:
    """Return the prompt by which two replies are compared."""
    return load_prompt("prefer", _LANGUAGE)


def grade_request(question: Question, articles: Sequence[EvidenceArticle], reply: str) -> ModelRequest:
    """Return the request for the grade of a reply, as `shown` gives it. articles: the gold ones."""
    prompt = grade_prompt()
    user = prompt.fill(**_case(question, articles), answer=_fenced(reply))
    return ModelRequest(prompt.system, user, "grade", _schema(Grade))


def preference_request(
    question: Question, articles: Sequence[EvidenceArticle], first: str, second: str
) -> ModelRequest:
    """Return the request for the better of two replies, as `shown` gives them. articles: the gold ones."""
    prompt = preference_prompt()
    user = prompt.fill(**_case(question, articles), first=_fenced(first), second=_fenced(second))
    return ModelRequest(prompt.system, user, "prefer", _schema(Preference))


def shown(reply: Mapping[str, Any]) -> str:
    """Return a reply as the judge sees it: its text, then the articles that it cites by number.

    reply: as `Reply.to_json` has it.
    """
    cited = [
        f"[{number}] {one['law_name']} {one['label']}" for number, one in enumerate(reply.get("citations", ()), start=1)
    ]
    return "\n".join([reply["text"], *cited])


def read_ruling(reply: ModelReply, values: type[Grade] | type[Preference]) -> Ruling:
    """Read what the judge said; whatever is none of the values is no ruling."""
    if not reply.complete:
        return Ruling(None, "the reply was cut off at its longest", Unruled.UNREADABLE)
    try:
        record = json.loads(reply.text)
    except ValueError:
        return Ruling(None, "the reply is not JSON", Unruled.UNREADABLE)
    if not isinstance(record, dict) or record.get("ruling") not in list(values):
        return Ruling(None, f"the reply holds none of {', '.join(values)}", Unruled.UNREADABLE)
    return Ruling(str(record["ruling"]), str(record.get("reason", "")))


def _case(question: Question, articles: Sequence[EvidenceArticle]) -> dict[str, str]:
    return {
        "articles": "\n\n".join(map(_article, articles)),
        "reference": _fenced(question.answer) or _NO_REFERENCE,
        "question": _fenced(question.text),
    }


def _article(one: EvidenceArticle) -> str:
    article = one.article
    words = f"{article.law_name} {article.chapter} {article.chapter_description}\n{one.text}"
    return f'<article id="{escape(article.semantic_id, quote=True)}">\n{_fenced(words)}\n</article>'


def _fenced(text: str) -> str:
    """Keep a text from closing its fence or opening another."""
    return _TAG.sub(r"‹\1\2", text)


def _schema(values: type[StrEnum]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": _LONGEST_REASON},
            "ruling": {"enum": list(values)},
        },
        "required": ["reason", "ruling"],
        "additionalProperties": False,
    }

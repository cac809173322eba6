"""A reply as Markdown: text, notes, citations with their quotes, what is not at hand; for clients and exports."""

from __future__ import annotations

from collections.abc import Sequence

from agent.reply import Abstention, Answer, Citation, MissingProvision, Reply
from prompts.sentences import caption

__all__ = ["conversation_markdown", "reply_markdown"]


def reply_markdown(reply: Reply) -> str:
    """Return a reply as Markdown without a heading, in the reply's language, ended by a line break.

    Citations are numbered as in the text. A quote that the text holds already is not said again.
    """
    parts = [reply.text, *(note.text for note in reply.notes)]
    match reply:
        case Answer():
            parts += _citations(reply.citations, said=reply.text)
        case Abstention():
            parts += [_missing(one, reply.language) for one in reply.missing]
            if reply.found:
                parts += [caption("nearest", reply.language), *_citations(reply.found, said=reply.text)]
    parts += [_missing(one, reply.language) for one in reply.beyond]
    return "\n\n".join(parts) + "\n"


def conversation_markdown(replies: Sequence[Reply]) -> str:
    """Return a conversation as Markdown: each question as a heading, and its reply."""
    return "\n".join(f"## {' '.join(reply.question.split())}\n\n{reply_markdown(reply)}" for reply in replies)


def _citations(citations: Sequence[Citation], *, said: str) -> list[str]:
    return [
        f"[{number}] **{one.law_name}, {one.label}** (`{one.semantic_id}`)"
        + ("" if one.quote in said else f"\n{_quoted(one.quote)}")
        for number, one in enumerate(citations, start=1)
    ]


def _missing(one: MissingProvision, language: str) -> str:
    heading = f" ({one.heading})" if one.heading else ""
    sender = caption("sends_there", language, source=f"`{one.sent_from}`")
    return (
        f"{caption('missing', language)} **{one.law_name}, {one.label}**{heading} (`{one.semantic_id}`)\n"
        f"{sender}\n{_quoted(one.sentence)}"
    )


def _quoted(words: str) -> str:
    return "\n".join(f"> {line}" for line in words.splitlines())

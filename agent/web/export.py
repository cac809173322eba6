"""A conversation as one Markdown document, from replies as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from agent.reply import Abstention, Answer, Reply
from agent.reply_markdown import reply_markdown
from agent.server.bodies import ReplyBody
from agent.server.errors import RefusedError

__all__ = ["conversation_markdown"]


def conversation_markdown(replies: Sequence[ReplyBody]) -> str:
    """Return each question as a heading with its reply below, oldest first; "" of no replies.

    Raises RefusedError (400) of an abstention without a kind.
    """
    return "\n".join(f"## {' '.join(one.question.split())}\n\n{reply_markdown(_record(one))}" for one in replies)


def _record(body: ReplyBody) -> Reply:
    """Return the reply that a body describes, without its trace."""
    if not body.abstained:
        return Answer(
            question=body.question,
            text=body.text,
            citations=tuple(body.citations),
            language=body.language,
            confidence=body.confidence,
            calibration=body.calibration,
            edition=body.edition,
            notes=tuple(body.notes),
            beyond=tuple(body.beyond),
        )
    if body.kind is None:
        raise RefusedError(400, f"the abstention on {body.question!r} has no kind", param="kind")
    return Abstention(
        question=body.question,
        kind=body.kind,
        text=body.text,
        language=body.language,
        missing=tuple(body.missing),
        not_in_force=tuple(body.not_in_force),
        found=tuple(body.found),
        confidence=body.confidence,
        calibration=body.calibration,
        edition=body.edition,
        notes=tuple(body.notes),
        beyond=tuple(body.beyond),
    )

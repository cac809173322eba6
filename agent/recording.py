"""What a trace holds so that a reply can be replayed: what was asked of what, and what the model said, as it came."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from agent.chat_model import ChatModel, ModelReply, TokenProbability
from agent.reply import Step
from agent.settings import AgentSettings
from retrieval.retriever import Retriever

__all__ = ["ASKED", "FOR_REPLAY", "MODEL", "asked_step", "model_step", "reply_of"]

ASKED = "asked"
MODEL = "model"

FOR_REPLAY = frozenset({ASKED, MODEL})
"""Steps that a program reads, and nobody has to."""


def asked_step(
    history: Sequence[str],
    *,
    as_of: str | None,
    retriever: Retriever,
    model: ChatModel | None,
    settings: AgentSettings,
) -> Step:
    """Return what a reply depends on besides its question: history, date, index, model, settings."""
    plain = json.loads(json.dumps({**asdict(settings), "retrieval": retriever.settings.to_json()}))
    detail = {
        "version": version("nonliquet"),
        "history": list(history),
        "as of": as_of,
        "index": retriever.index.manifest.content_hash,
        "model": model.name if model else None,
        "context tokens": model.context_tokens if model else None,
        "settings": plain,
    }
    return Step(ASKED, detail)


def model_step(reply: ModelReply, *, prompt: str, counted: Sequence[int | None]) -> Step:
    """Return the step of one reply of a model. counted: tokens of each request that was tried, as the server has it."""
    tokens = [[one.token, one.probability] for one in reply.tokens]
    recorded = {"text": reply.text, "complete": reply.complete, "tokens": tokens}
    return Step(MODEL, {"prompt": prompt, "counted": list(counted), "reply": recorded})


def reply_of(recorded: Mapping[str, Any]) -> ModelReply:
    """Return the reply that was recorded. Raises KeyError, TypeError or ValueError if it is none."""
    tokens = tuple(TokenProbability(str(token), float(probability)) for token, probability in recorded["tokens"])
    return ModelReply(str(recorded["text"]), bool(recorded["complete"]), tokens)

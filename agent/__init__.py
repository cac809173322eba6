"""Hits in, Answer or Abstention out."""

from agent.legal_agent import LegalAgent
from agent.reply import Abstention, AbstentionKind, Answer, Citation, MissingProvision, Reply
from agent.settings import AgentSettings

__all__ = [
    "Abstention",
    "AbstentionKind",
    "AgentSettings",
    "Answer",
    "Citation",
    "LegalAgent",
    "MissingProvision",
    "Reply",
]

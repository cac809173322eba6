"""Hits in, Answer or Abstention out.

>>> from agent import LegalAgent
>>> with LegalAgent.open() as agent:
...     reply = agent.ask("May fireworks be sold to a person of 15?")
>>> reply.abstained
False
>>> reply.citations[0].semantic_id
'fire-safety-act_13-2'
"""

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

"""What a sentence claims that can be compared: numbers with units, dates, the parts of the law it names, modality."""

from agent.claims.claims import Claims, claims_of
from agent.claims.folding import text_language
from agent.claims.modality import Force

__all__ = ["Claims", "Force", "claims_of", "text_language"]

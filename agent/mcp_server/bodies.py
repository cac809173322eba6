"""What the tools return beside their words: the bodies of the HTTP face, with what a model needs to go on."""

from __future__ import annotations

from pydantic import BaseModel, Field

from agent.server.bodies import CitationEdge, HitBody, ProvisionBody

__all__ = ["CitationsBody", "FoundBody", "HitsBody", "OpenedBody"]


class FoundBody(HitBody):
    """An article that a search found."""

    beginning: str = Field(description="How its text begins.")


class HitsBody(BaseModel):
    """What a search found, best first."""

    hits: list[FoundBody]


class OpenedBody(ProvisionBody):
    """A provision; a long text in parts."""

    start: int = Field(description="Where in the whole text `text` begins, in characters.")
    n_characters: int = Field(description="Of the whole text.")


class CitationsBody(BaseModel):
    """What a provision cites and what cites it."""

    semantic_id: str
    cites: list[CitationEdge] = Field(description="In the order of its text.")
    cited_by: list[CitationEdge] = Field(description="In the order of the sources.")
    n_cites: int = Field(description="How many there are, `limit` or not.")
    n_cited_by: int
    unresolved: list[str] = Field(description="Words of it that cite something which none of the sources is.")

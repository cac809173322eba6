"""What the tools return beside their words: the bodies of the HTTP face, with what a model needs to go on."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, Field

from agent.server.bodies import CitationEdge, HitBody, ProvisionBody
from graph.citation_graph import CitationGraph
from graph.records import Edge, Status

__all__ = ["CitationsBody", "FoundBody", "HitsBody", "NeighbourBody", "OpenedBody"]


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


class NeighbourBody(CitationEdge):
    """A citation, with the name of the provision at its other end."""

    law_name: str
    chapter: str
    chapter_description: str
    status: Status

    @classmethod
    def of(cls, graph: CitationGraph, edge: Edge, other: str) -> Self:
        """Return the body of an edge as seen from the end that is not `other`."""
        named = graph.provisions[other]
        return cls(
            semantic_id=other,
            kind=edge.kind,
            start=edge.start,
            end=edge.end,
            text=edge.text,
            law_name=named.law_name,
            chapter=named.chapter,
            chapter_description=named.chapter_description,
            status=named.status,
        )


class CitationsBody(BaseModel):
    """What a provision cites and what cites it."""

    semantic_id: str
    cites: list[NeighbourBody] = Field(description="In the order of its text.")
    cited_by: list[NeighbourBody] = Field(description="In the order of the sources.")
    n_cites: int = Field(description="How many there are, `limit` or not.")
    n_cited_by: int
    unresolved: list[str] = Field(description="Words of it that cite something which none of the sources is.")

"""The bodies of the server's own routes, for its OpenAPI description and for reading requests; replies are records."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from agent.reply import AbstentionKind, Citation, MissingProvision, Note, NotInForce
from graph.citation_graph import CitationGraph
from graph.edition import iso_date
from graph.records import Edge, EdgeKind, Hit, Provision, Status

__all__ = [
    "ArticleBody",
    "AskBody",
    "CitationEdge",
    "HealthBody",
    "HitBody",
    "IsoDate",
    "Language",
    "ProvisionBody",
    "ReplyBody",
    "SearchBody",
]

IsoDate = Annotated[
    str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$", json_schema_extra={"format": "date"}), AfterValidator(iso_date)
]
Language: TypeAlias = Literal["de", "en", "fr", "ja", "ko", "vi"]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class AskBody(BaseModel):
    """A question."""

    model_config = ConfigDict(extra="forbid")

    question: Words = Field(examples=["How often must a fire extinguisher be checked?"])
    history: list[str] = Field(default=[], description="Earlier questions of the conversation, oldest first.")
    as_of: IsoDate | None = Field(default=None, description="Answer by the law of this date.")
    stream: bool = Field(default=False, description="Send server-sent events instead of one body.")


class ReplyBody(BaseModel):
    """An answer, or an abstention with its reason."""

    model_config = ConfigDict(extra="forbid")

    question: str
    abstained: bool
    text: str
    language: Language
    confidence: float = Field(ge=0, le=1)
    calibration: str = Field(description="Which bound, level and data the confidence was calibrated with.")
    edition: str | None = Field(description="The date as of which the law was read; null: as the sources stand.")
    citations: list[Citation] = Field(default=[], description="Of an answer: at least one.")
    kind: AbstentionKind | None = Field(default=None, description="Of an abstention: why there is no answer.")
    missing: list[MissingProvision] = []
    not_in_force: list[NotInForce] = []
    found: list[Citation] = Field(default=[], description="Of an abstention: the nearest that the statutes say.")
    notes: list[Note] = []
    beyond: list[MissingProvision] = Field(default=[], description="Where its articles send to that is not at hand.")
    trace: list[dict[str, Any]]


class HitBody(BaseModel):
    """An article that retrieval returned."""

    rank: int
    semantic_id: str
    doc_id: int
    score: float
    law_name: str
    chapter: str
    chapter_description: str
    origin: str = Field(description="How the hit came about.")

    @classmethod
    def of(cls, rank: int, hit: Hit, article: Provision, **more: Any) -> Self:
        """Return the body of a hit, with the fields that a subclass adds."""
        return cls(
            rank=rank,
            semantic_id=hit.semantic_id,
            doc_id=article.doc_id,
            score=hit.score,
            law_name=article.law_name,
            chapter=article.chapter,
            chapter_description=article.chapter_description,
            origin=hit.origin,
            **more,
        )


class SearchBody(BaseModel):
    """What retrieval returned, best first."""

    question: str
    method: str
    hits: list[HitBody]


class CitationEdge(BaseModel):
    """A citation between two provisions, and the words that make it."""

    semantic_id: str = Field(description="The provision at the other end.")
    law_name: str = Field(description="Of that provision, as the next three.")
    chapter: str
    chapter_description: str
    status: Status
    kind: EdgeKind
    start: int = Field(description="Place of the words in the citing text, in characters; -1: not from words.")
    end: int
    text: str

    @classmethod
    def of(cls, edge: Edge, other: Provision) -> Self:
        """Return the body of an edge as seen from the end that is not `other`."""
        return cls(
            semantic_id=other.semantic_id,
            law_name=other.law_name,
            chapter=other.chapter,
            chapter_description=other.chapter_description,
            status=other.status,
            kind=edge.kind,
            start=edge.start,
            end=edge.end,
            text=edge.text,
        )

    @classmethod
    def out_of(cls, semantic_id: str, graph: CitationGraph) -> list[Self]:
        """Return the citations that a provision makes of provisions known, in the order of its text."""
        edges = graph.cites(semantic_id)
        return [cls.of(edge, graph.provisions[edge.target]) for edge in edges if edge.target is not None]

    @classmethod
    def into(cls, semantic_id: str, graph: CitationGraph) -> list[Self]:
        """Return the citations that others make of a provision, in the order of the sources."""
        return [cls.of(edge, graph.provisions[edge.source]) for edge in graph.cited_by(semantic_id)]


class ProvisionBody(BaseModel):
    """A provision."""

    semantic_id: str
    doc_id: int
    law_name: str
    collection_name: str
    law_level: str
    chapter: str
    chapter_description: str
    heading_path: str
    text: str = Field(description="Empty unless the status is present.")
    effective_date: str = Field(description="ISO date since when it is in force, or not if repealed; empty: unknown.")
    language: str
    status: Status

    @classmethod
    def of(cls, provision: Provision, **more: Any) -> Self:
        """Return the body of a provision, with the fields that a subclass adds."""
        return cls(**{name: getattr(provision, name) for name in ProvisionBody.model_fields}, **more)


class ArticleBody(ProvisionBody):
    """A provision with its citations."""

    cites: list[CitationEdge]
    cited_by: list[CitationEdge]


class HealthBody(BaseModel):
    """What this server answers from."""

    status: Literal["ok"]
    version: str
    articles: int
    edition: str | None
    encoder: str | None
    model: str | None = Field(description="The language model that writes; null: the statutes are quoted.")

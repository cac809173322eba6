"""I/O: what `nonliquet train graph-aware` made: another encoder, and gains by which an index smooths its vectors."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graph.errors import EncoderError
from graph.links import GraphSource
from retrieval.encoder import Encoder, EncoderIdentity, open_encoder, unit_rows
from retrieval.graph_vectors import RELATIONS, Neighbourhoods, smoothed
from retrieval.training.model_files import hub_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graph.records import Provision

__all__ = ["GRAPH_MODEL", "GraphAwareEncoder", "save_graph_model"]

GRAPH_MODEL = "graph_encoder.json"
_FIELDS = {"base", "graph", "gains"}


class GraphAwareEncoder:
    """Encodes texts as its base does; `smooth` makes of an index's articles' vectors those that are stored.

    An article that is encoded by itself, a clause of one for instance, has no neighbours and gets the base's vector.
    """

    def __init__(self, model: str) -> None:
        """model: the folder that training made, or its id on the Hugging Face Hub.

        Raises EncoderError if there is no such model, or its base is not what it was trained over.
        """
        path = _file_of(model)
        trained_over, source, self.gains = _read(path)
        base = open_encoder(trained_over.name)
        if base is None or base.identity != trained_over:
            opened = "none" if base is None else base.identity
            raise EncoderError(
                f"{path}: was trained over vectors of {trained_over}, but {trained_over.name} now opens {opened}; "
                "train it anew with: nonliquet train graph-aware"
            )
        self.base: Encoder = base
        self.source = source
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.identity = replace(
            trained_over,
            name=f"graph:{model}",
            revision=f"sha256 {digest[:16]} over {trained_over.name}",
            pooling=f"{trained_over.pooling}; smoothed over the index's graph",
        )

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the questions' vectors, the base's, shape (n, dimension)."""
        return self.base.encode_queries(texts)

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        """Return the base's vectors of articles by themselves, shape (n, dimension)."""
        return self.base.encode_articles(articles)

    def smooth(
        self, vectors: NDArray[np.float32], neighbourhoods: Neighbourhoods, articles: Sequence[Provision]
    ) -> NDArray[np.float32]:
        """Return the vectors to store of all articles of an index, unit rows. vectors: the base's, in their order."""
        found = smoothed(vectors, neighbourhoods, self.gains)
        return unit_rows(found, [article.semantic_id for article in articles])

    def check_source(self, source: GraphSource) -> None:
        """Raise EncoderError, naming both, unless an index has its edges from where those learned on came from."""
        if source is not self.source:
            raise EncoderError(
                f"{self.identity.name}: was trained on a graph of source {self.source.value!r}, but the index's is of "
                f"{source.value!r}; index with --graph {self.source.value}, or train on an index like this one"
            )


def save_graph_model(folder: Path, base: EncoderIdentity, source: GraphSource, gains: Mapping[str, float]) -> None:
    """Write what `GraphAwareEncoder` opens. base: who made the vectors. source: of the edges. gains: by relation."""
    folder.mkdir(parents=True, exist_ok=True)
    values = {"base": base.to_json(), "graph": source.value, "gains": dict(gains)}
    aside = folder / f"{GRAPH_MODEL}.new"
    aside.write_text(json.dumps(values, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    aside.replace(folder / GRAPH_MODEL)


def _file_of(model: str) -> Path:
    file = Path(model) / GRAPH_MODEL
    try:
        return file if file.is_file() else hub_file(model, GRAPH_MODEL) or file  # reading it says that it is not there
    except (ImportError, OSError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise EncoderError(f"graph:{model}: cannot be fetched: {reason}") from error


def _read(path: Path) -> tuple[EncoderIdentity, GraphSource, dict[str, float]]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EncoderError(
            f"{path}: cannot be read: {error}; make it with: nonliquet train graph-aware --out {path.parent}"
        ) from error
    if not isinstance(values, dict) or set(values) != _FIELDS:
        raise EncoderError(f"{path}: must have the fields {', '.join(sorted(_FIELDS))}, and no others")
    gains = values["gains"]
    if not isinstance(gains, dict) or set(gains) != set(RELATIONS):
        raise EncoderError(f"{path}: gains must name the relations {', '.join(RELATIONS)}, and no others")
    for name, gain in gains.items():
        if type(gain) not in (int, float) or not math.isfinite(gain):
            raise EncoderError(f"{path}: the gain of {name} is {gain!r}, which is no number")
    try:
        source = GraphSource(values["graph"])
    except ValueError as error:
        raise EncoderError(f"{path}: graph: {error}") from error
    return EncoderIdentity.from_json(values["base"]), source, gains

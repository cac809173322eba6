"""Settings chosen on questions: coordinate descent over small grids, and cross-validation of what that is worth.

Three stages, each by the method that its settings decide: BM25's k1, b and field weights by `bm25`; the fusion's alpha
by `hybrid`; SAR's K, M, F and beta by `sar` over the better base. In a stage each setting in turn takes the value of
its grid with the highest mean, ties to the value it has, until a pass changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.field_counts import FieldCounts
from evals.ranking import measure
from graph.records import Question
from retrieval.fusion import convex
from retrieval.lexical import LexicalSettings
from retrieval.methods import Method
from retrieval.ranking import Scores, top
from retrieval.retriever import Retriever
from retrieval.settings import RetrievalSettings

__all__ = ["GRIDS", "Tuned", "Tuner", "setting", "tune", "with_setting"]

GRIDS: Mapping[str, tuple[float, ...]] = {
    "lexical.k1": (0.4, 0.7, 1.0, 1.5, 2.0),
    "lexical.b": (0.3, 0.45, 0.6, 0.75, 0.9),
    "lexical.fields.law_name": (0, 1, 2, 3),
    "lexical.fields.label": (0, 1, 2),
    "lexical.fields.heading": (1, 2, 3, 5),
    "fusion.alpha": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
    "sar.n_candidates": (50, 100, 150),
    "sar.n_seeds": (5, 10, 15, 25),
    "sar.n_anchors": (0, 1, 3, 5),
    "sar.beta": (0.1, 0.3, 0.5, 0.75, 1.0),
}
"""What is tuned, in this order, and the values tried besides the one it has."""

_DEPTH = 100
_MAX_PASSES = 3

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Tuned:
    """What tuning found."""

    settings: RetrievalSettings  # chosen on all questions
    method: Method  # the one that they serve best
    changed: dict[str, tuple[float, float]]  # setting -> its value before and after
    before: float  # the mean of the measure with the settings given
    fitted: float  # with the chosen ones on the same questions, so too high
    held_out: float  # with each fold's questions answered by the settings chosen without them
    measure: str
    n_tried: int


class Tuner:
    """The questions' values by any settings, each computed once."""

    def __init__(self, retriever: Retriever, questions: Sequence[Question], measure_name: str) -> None:
        self._retriever = retriever
        self._questions = list(questions)
        self._measure = measure_name
        self._values: dict[tuple[str, RetrievalSettings], NDArray[np.float64]] = {}
        self._lexical: dict[LexicalSettings, list[Scores]] = {}
        self.on_new: Callable[[], None] = lambda: None  # called before values are computed

    @property
    def n_tried(self) -> int:
        """How many settings were tried."""
        return len(self._values)

    @cached_property
    def has_vectors(self) -> bool:
        """Whether the index has vectors."""
        return self._retriever.index.has_vectors

    def values(self, method: Method, settings: RetrievalSettings) -> NDArray[np.float64]:
        """Return the measure's value of each question by a method of bm25, hybrid and sar over these."""
        key = (str(method), _relevant(method, settings))
        if key not in self._values:
            self.on_new()
            self._values[key] = self._computed(method, settings)
        return self._values[key]

    def _computed(self, method: Method, settings: RetrievalSettings) -> NDArray[np.float64]:
        index = self._retriever.index
        scores = self._bm25(settings)
        if method.base == "hybrid":
            alpha = settings.fusion.alpha
            scores = [convex(deep, words, alpha=alpha) for deep, words in zip(self._dense, scores, strict=True)]
        searching = Retriever(index, settings=settings)
        rankings = (
            searching.reranked(scores, method, depth=_DEPTH)
            if method.reranker
            else [top(one, _DEPTH, index.ties, positive=method.base == "bm25") for one in scores]
        )
        names = index.graph.articles
        run = {q.question_id: [names[row] for row in r.rows] for q, r in zip(self._questions, rankings, strict=True)}
        found = measure({q.question_id: dict.fromkeys(q.gold, 1) for q in self._questions}, run)
        return np.array([found[q.question_id][self._measure] for q in self._questions])

    def _bm25(self, settings: RetrievalSettings) -> list[Scores]:
        if settings.lexical not in self._lexical:
            texts = [question.text for question in self._questions]
            self._lexical[settings.lexical] = self._counts.bm25(texts, settings.lexical)
        return self._lexical[settings.lexical]

    @cached_property
    def _counts(self) -> FieldCounts:
        index = self._retriever.index
        return FieldCounts(index.articles, index.lexical)

    @cached_property
    def _dense(self) -> list[Scores]:
        return [self._retriever.scores([question.text], "dense")[0] for question in self._questions]


def tune(
    tuner: Tuner,
    n_questions: int,
    start: RetrievalSettings,
    rng: np.random.Generator,
    *,
    measure_name: str,
    n_folds: int = 5,
    progress: Progress = lambda step, done, total: None,
) -> Tuned:
    """Choose settings on all questions, and say by cross-validation what choosing so is worth.

    rng: deals the questions into folds. Raises ValueError if there are fewer questions than folds, or one fold.
    """
    if not 2 <= n_folds <= n_questions:
        raise ValueError(f"cross-validation needs 2 folds or more and a question for each, not {n_folds}")
    fold_of = rng.permutation(n_questions) % n_folds
    held_out = np.zeros(n_questions)
    for fold in range(n_folds):
        tuner.on_new = _counting(progress, tuner, f"fold {fold + 1} of {n_folds}")
        settings, method = _descend(tuner, start, fold_of != fold)
        held_out[fold_of == fold] = tuner.values(method, settings)[fold_of == fold]
    tuner.on_new = _counting(progress, tuner, "all questions")
    everything = np.ones(n_questions, dtype=bool)
    settings, method = _descend(tuner, start, everything)
    return Tuned(
        settings=settings,
        method=method,
        changed={
            name: (setting(start, name), setting(settings, name))
            for name in GRIDS
            if setting(start, name) != setting(settings, name)
        },
        before=float(tuner.values(method, start).mean()),
        fitted=float(tuner.values(method, settings).mean()),
        held_out=float(held_out.mean()),
        measure=measure_name,
        n_tried=tuner.n_tried,
    )


def setting(settings: RetrievalSettings, name: str) -> float:
    """Return the setting of a dotted name."""
    value: object = settings
    for part in name.split("."):
        value = getattr(value, part)
    assert isinstance(value, (int, float))
    return value


def with_setting(settings: RetrievalSettings, name: str, value: float) -> RetrievalSettings:
    """Return settings in which the one of a dotted name has this value. Raises ValueError if it may not."""
    changed = _replaced(settings, name.split("."), value)
    assert isinstance(changed, RetrievalSettings)
    return changed


def _replaced(settings: Any, parts: Sequence[str], value: float) -> Any:
    head, *rest = parts
    return replace(settings, **{head: _replaced(getattr(settings, head), rest, value) if rest else value})


def _descend(tuner: Tuner, start: RetrievalSettings, chosen: NDArray[np.bool_]) -> tuple[RetrievalSettings, Method]:
    """Return the settings and the method that are best on the questions chosen."""
    settings = _stage(tuner, start, Method("bm25"), "lexical.", chosen)
    base = "bm25"
    if tuner.has_vectors:
        settings = _stage(tuner, settings, Method("hybrid"), "fusion.", chosen)
        if _mean(tuner, Method("hybrid"), settings, chosen) > _mean(tuner, Method("bm25"), settings, chosen):
            base = "hybrid"
    settings = _stage(tuner, settings, Method(base, "sar"), "sar.", chosen)
    alone, reranked = Method(base), Method(base, "sar")
    is_better = _mean(tuner, reranked, settings, chosen) > _mean(tuner, alone, settings, chosen)
    return settings, reranked if is_better else alone


def _stage(
    tuner: Tuner, settings: RetrievalSettings, method: Method, prefix: str, chosen: NDArray[np.bool_]
) -> RetrievalSettings:
    for _ in range(_MAX_PASSES):
        before = settings
        for name in (name for name in GRIDS if name.startswith(prefix)):
            settings = max(
                (settings, *_alternatives(settings, name)),
                key=lambda candidate: _mean(tuner, method, candidate, chosen),  # of equals the first, what it is now
            )
        if settings == before:
            break
    return settings


def _alternatives(settings: RetrievalSettings, name: str) -> list[RetrievalSettings]:
    current = setting(settings, name)
    found = []
    for value in GRIDS[name]:
        if value == current:
            continue
        try:
            found.append(with_setting(settings, name, value))
        except ValueError:  # not together with the others as they are: fewer in the pool than candidates
            continue
    return found


def _mean(tuner: Tuner, method: Method, settings: RetrievalSettings, chosen: NDArray[np.bool_]) -> float:
    return float(tuner.values(method, settings)[chosen].mean())


def _relevant(method: Method, settings: RetrievalSettings) -> RetrievalSettings:
    """Return settings with what is nothing to the method as it is by default, so that equals are known as such."""
    default = RetrievalSettings()
    return replace(
        default,
        lexical=settings.lexical,
        fusion=settings.fusion if method.base == "hybrid" else default.fusion,
        sar=settings.sar if method.reranker else default.sar,
    )


def _counting(progress: Progress, tuner: Tuner, step: str) -> Callable[[], None]:
    first = tuner.n_tried
    progress(step, 0, 1)

    def tried() -> None:
        n_tried = tuner.n_tried - first + 1
        progress(step, n_tried, max(n_tried, 1))

    return tried

"""I/O: what a retriever is trained on and measured by while it is, from question files or the law's own citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from evals.dataset_files import question_files, read_questions
from evals.realworld import judged
from evals.run_folder import sha256_of
from graph.errors import TrainingError
from graph.records import Question
from retrieval.index import Index
from retrieval.ranking import top
from retrieval.training.citations import citation_pairs, held_out_clauses
from retrieval.training.pairs import HardNegatives, TrainingPair, held_out, pairs_of_questions

__all__ = ["TrainingData", "data_of_citations", "data_of_questions", "lexical_negatives"]

_DEV_SHARE = 0.1
_N_DEV_CLAUSES = 500
_N_LEXICAL = 50  # articles that BM25 puts first, from which hard negatives are drawn


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Pairs, the questions of the dev metric, and what both were made of."""

    pairs: Sequence[TrainingPair]
    dev: Sequence[Question]
    sources: dict[str, Any]  # for the model card, and to tell whether a run goes on with the same
    clauses: Mapping[str, frozenset[int]] = field(default_factory=dict)  # dev question's words -> rows they stand in


def data_of_questions(index: Index, questions: Path, dev: Path | None, *, seed: int) -> TrainingData:
    """Return what question files give; without a dev file, a tenth of the questions is held out for it.

    Raises QuestionsError naming file, line and field, or TrainingError.
    """
    training = judged(read_questions(questions, index.graph, split="train"), skip_unjudged=True)
    if dev is None:
        training, measured = held_out(training, _DEV_SHARE, seed=seed)
    else:
        measured = judged(read_questions(dev, index.graph, split="dev"), skip_unjudged=True)
    pairs = pairs_of_questions(training, index.row_of)
    return TrainingData(pairs, measured, _sources(index, "questions", questions, dev, pairs))


def data_of_citations(
    index: Index, dev: Path | None, *, seed: int, between_articles: bool = False, most_pairs: int | None = None
) -> TrainingData:
    """Return the pairs that the index's articles make; without a dev file, 500 clauses are held out for it.

    between_articles: leave out the pairs of an article and its own words. most_pairs: of more, some drawn by the seed.
    Raises TrainingError if no pair is left.
    """
    pairs = citation_pairs(index.articles)
    if between_articles:
        pairs = [pair for pair in pairs if pair.article not in pair.sources]
        if not pairs:
            raise TrainingError(f"{index.folder}: no article cites another, so no edge can be learned from")
    clauses = {pair.question: pair.sources for pair in pairs}
    if dev is None:
        pairs, measured = held_out_clauses(pairs, index.articles, _N_DEV_CLAUSES, seed=seed)
    else:
        measured = judged(read_questions(dev, index.graph, split="dev"), skip_unjudged=True)
    if most_pairs is not None and len(pairs) > most_pairs:
        drawn = np.random.default_rng(seed).permutation(len(pairs))[:most_pairs]
        pairs = [pairs[place] for place in sorted(drawn.tolist())]
    asked = {question.text: clauses[question.text] for question in measured if question.text in clauses}
    return TrainingData(pairs, measured, _sources(index, "citations", None, dev, pairs), asked)


def lexical_negatives(index: Index, n_lexical: int = _N_LEXICAL) -> HardNegatives:
    """Return what gives a pair the rows that BM25 ranks first for its question, those that answer it left out."""

    @cache
    def ranked(question: str) -> tuple[int, ...]:
        return tuple(top(index.lexical.bm25(question), n_lexical, index.ties, positive=True).rows.tolist())

    return lambda pair: [row for row in ranked(pair.question) if row not in pair.right]


def _sources(
    index: Index, supervision: str, questions: Path | None, dev: Path | None, pairs: Sequence[TrainingPair]
) -> dict[str, Any]:
    files = question_files(questions, split="train") if questions else []
    files += question_files(dev, split="dev") if dev else []
    return {
        "supervision": supervision,
        "index": index.manifest.content_hash,
        "language": index.manifest.language,
        "pairs": len(pairs),
        "files": {path.name: sha256_of(path) for path in files},
    }

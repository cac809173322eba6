"""A text's vector as the mean of its terms' vectors: no download, thousands of articles a second on one core.

The terms are those of lexical search (`retrieval/tokens.py`) and, besides, the character n-grams of its words, each
counted once a text; a term's row in the table is its hash. An article's heading, the words above its first line break,
counts besides as a field of its own, whose terms have rows of their own: what they weigh there is learned apart.
Before training a row is random, with a length that grows with the term's idf: the vectors are a random projection of
TF-IDF, and training starts from a lexical ranking. A term that no article has begins at 0, and so adds no noise.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
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
_REMEMBERED = 1 << 16  # texts, and words
_CJK_LANGUAGES = frozenset({"ko", "ja", "zh"})
_HEADING = "^"  # before a term of the heading
_TERMS_HOLD_SPACES = frozenset({"vi"})


class AnalysisEmbedding(StaticEmbedding):  # type: ignore[misc]  # untyped package
    """A StaticEmbedding whose tokens are hashed terms of the project's analysis."""

    config_keys: ClassVar[list[str]] = ["language", "n_rows", "dimension", "analysis", "headings"]

    def __init__(
        self,
        language: str,
        *,
        n_rows: int = 1 << 17,
        dimension: int = 256,
        analysis: str = "",
        headings: bool = False,
    ) -> None:
        """language: of the texts. n_rows: of the table. analysis: the identity it was trained with, if it was.

        headings: whether an article's heading is a field of its own.

        Raises EncoderError if this version analyses texts otherwise than the one the weights were trained with.
        """
        InputModule.__init__(self)  # not StaticEmbedding's, which wants a tokenizer of Rust
        now = analysis_identity("default", language=language)
        if analysis not in ("", now):
            raise EncoderError(
                f"the model's terms were made by the analysis {analysis!r}, this version's is {now!r}; train it anew"
            )
        self.language, self.n_rows, self.dimension, self.analysis = language, n_rows, dimension, now
        self.headings = headings
        self.embedding = torch.nn.EmbeddingBag(n_rows, dimension, mode="mean")
        self.num_embeddings, self.embedding_dim = n_rows, dimension
        self.base_model = None
        self._terms = TermRows(language, n_rows)

    def start_from(self, texts: Iterable[str], *, seed: int) -> None:
        """Make the table a random projection of TF-IDF: rows of length idf(term), ln(1 + (N - df + 0.5) / (df + 0.5)).

        texts: articles, whose document frequencies are counted. Rows of terms that none of them has are 0.
        """
        df = np.zeros(self.n_rows, dtype=np.int64)
        n_texts = 0
        for text in texts:
            df[self._rows(text, is_article=True)] += 1
            n_texts += 1
        idf = np.where(df > 0, np.log(1 + (n_texts - df + 0.5) / (df + 0.5)), 0.0)
        rows = np.random.default_rng(seed).standard_normal((self.n_rows, self.dimension), dtype=np.float32)
        rows *= (idf / (idf.max() or 1.0) / self.dimension**0.5).astype(np.float32)[:, None]
        with torch.no_grad():
            self.embedding.weight.copy_(torch.from_numpy(rows))

    def preprocess(
        self, inputs: Sequence[str], prompt: str | None = None, task: str | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Return the rows of all texts one after the other, and where each text begins.

        task: "document" if they are articles, which have headings.
        """
        rows = [self._rows((prompt or "") + text, is_article=task == "document") for text in inputs]
        offsets = np.cumsum([0, *(len(of_one) for of_one in rows[:-1])])
        return {
            "input_ids": torch.from_numpy(np.concatenate(rows)),
            "offsets": torch.from_numpy(offsets.astype(np.int32)),
        }

    def _rows(self, text: str, *, is_article: bool) -> NDArray[np.int32]:
        """Return the distinct rows of a text."""
        return self._terms.rows(text, with_heading=is_article and self.headings)

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
        self._parts: Callable[[str], list[str]] = _whole if language in _TERMS_HOLD_SPACES else str.split
        self._rows_of_part = lru_cache(maxsize=_REMEMBERED)(self._rows_of_part_anew)  # a law repeats its words
        self.rows = lru_cache(maxsize=_REMEMBERED)(self._rows)  # training reads an article several times

    def in_order(self, text: str) -> NDArray[np.int32]:
        """Return the rows of the terms of lexical search, in their order and with repetitions."""
        return np.array([self._row_of[term] for term in self._analyze(text)], dtype=np.int32)

    def _rows(self, text: str, *, with_heading: bool = False) -> NDArray[np.int32]:
        """Return the distinct rows of a text's terms and n-grams, in the order of their first occurrence.

        with_heading: those that its terms above the first line break have as a heading's come first.
        """
        heading, line_break, _ = text.partition("\n")
        of_heading = self._parts(heading) if with_heading and line_break else []
        rows = chain(
            (self._rows_of_part(part, _HEADING) for part in of_heading), map(self._rows_of_part, self._parts(text))
        )
        found = dict.fromkeys(chain.from_iterable(rows))
        return np.fromiter(found, dtype=np.int32, count=len(found))

    def _rows_of_part_anew(self, part: str, field: str = "") -> tuple[int, ...]:
        terms = self._analyze(part)
        size = self._size
        for found in self._word.finditer(unicodedata.normalize("NFC", part).lower()):
            word = found[0]
            terms += ["~" + word[i : i + size] for i in range(len(word) - size + 1)]
        return tuple(dict.fromkeys(self._row_of[field + term] for term in terms))


def _whole(text: str) -> list[str]:
    return [text]

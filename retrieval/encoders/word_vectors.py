"""I/O: word vectors in the text format of word2vec and fastText; a text is the mean of its words."""

from __future__ import annotations

import gzip
import hashlib
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graph.errors import EncoderError
from retrieval.encoder import ARTICLE_TEMPLATE, EncoderIdentity, article_text, clean_text, unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graph.records import Provision

__all__ = ["WordVectorEncoder"]


class WordVectorEncoder:
    """The mean of the vectors of a text's words, repeated words counted each time, unknown ones left out.

    A word is a run of letters and digits, looked up as written and else in lower case.
    """

    def __init__(self, rows: Mapping[str, int], vectors: NDArray[np.float32], *, name: str, revision: str) -> None:
        """rows: of each word in `vectors`, shape (n_words, dimension)."""
        self._rows = rows
        self._vectors = vectors
        self.identity = EncoderIdentity(
            name=name,
            revision=revision,
            dimension=vectors.shape[1],
            query_template="{question}",
            article_template=ARTICLE_TEMPLATE,
            pooling="mean of words",
            window="whole texts",
        )

    @classmethod
    def load(cls, file: str) -> WordVectorEncoder:
        """Read a `.vec` file, or a gzipped one, with or without word2vec's first line "n_words dimension".

        Of a word that occurs twice the first vector counts, as in gensim.
        Raises EncoderError naming file and line if a line has another number of values than the first, or a value that
        is no finite number; or if the file holds fewer or more lines than its first line says.
        """
        path = Path(file)
        rows: dict[str, int] = {}
        values = array("f")
        dimension = n_promised = 0
        n_lines = 0
        try:
            for line_no, line in _lines(path):
                fields = line.rstrip().split(" ")
                if line_no == 1 and len(fields) == 2 and fields[0].isdecimal() and fields[1].isdecimal():
                    n_promised, dimension = int(fields[0]), int(fields[1])
                    continue
                dimension = dimension or len(fields) - 1
                n_lines += 1
                # From the right: in some files a word holds spaces.
                word, numbers = " ".join(fields[:-dimension]), fields[-dimension:]
                if len(fields) <= dimension or dimension < 1:
                    raise EncoderError(f"{path}:{line_no}: {len(fields) - 1} values, where {dimension} are due")
                try:
                    vector = array("f", map(float, numbers))
                except (ValueError, OverflowError) as error:
                    raise EncoderError(f"{path}:{line_no}: the vector of {word!r} is not of numbers: {error}") from None
                if not np.isfinite(vector).all():
                    raise EncoderError(f"{path}:{line_no}: the vector of {word!r} has values that are not finite")
                if word not in rows:
                    rows[word] = len(rows)
                    values.extend(vector)
        except (OSError, EOFError, UnicodeDecodeError) as error:
            raise EncoderError(f"{path}: cannot be read as word vectors: {error}") from error
        if not rows:
            raise EncoderError(f"{path}: holds no word vectors")
        if n_promised and n_lines != n_promised:
            raise EncoderError(f"{path}: holds {n_lines} vectors, but its first line says {n_promised}")
        with path.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        vectors = np.frombuffer(values, dtype=np.float32).reshape(len(rows), dimension)
        return cls(rows, vectors, name=f"words:{file}", revision=f"sha256 {digest[:16]}")

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the questions' vectors, shape (n, dimension); zeros for one without a known word."""
        return unit_rows(self._means([clean_text(text) for text in texts]))

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        """Return the articles' vectors, shape (n, dimension). Raises EncoderError naming one without a known word."""
        names = [article.semantic_id for article in articles]
        return unit_rows(self._means([article_text(article) for article in articles]), names)

    def _means(self, texts: Sequence[str]) -> NDArray[np.float64]:
        means = np.zeros((len(texts), self.identity.dimension))
        for row, text in enumerate(texts):
            found = [self._rows.get(word, self._rows.get(word.lower(), -1)) for word in re.findall(r"\w+", text)]
            known = [index for index in found if index >= 0]
            if known:
                means[row] = self._vectors[known].mean(axis=0, dtype=np.float64)
        return means


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, from 1. Only a line feed ends a line: words may hold U+0085 or U+2028."""
    with path.open("rb") as raw, gzip.open(raw) if path.suffix == ".gz" else raw as file:
        for line_no, line in enumerate(file, start=1):
            yield line_no, line.decode("utf-8")

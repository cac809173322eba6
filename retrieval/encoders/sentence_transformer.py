"""I/O: sentence-transformers models, by id or folder; the extra `dense` installs the library."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graph.errors import EncoderError
from retrieval.encoder import (
    ARTICLE_TEMPLATE,
    EncoderIdentity,
    article_text,
    clean_text,
    family_prefixes,
    mean_of_chunks,
    unit_rows,
)
from retrieval.training.model_files import open_sentence_transformer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graph.records import Provision

__all__ = ["SentenceTransformerEncoder", "chunk_spans"]

CHUNK_TOKENS = 200  # BSARD (Louis and Spanakis 2022, section 4.2)
OVERLAP_TOKENS = 20


class SentenceTransformerEncoder:
    """A sentence-transformers model with its own prompts, one that `nonliquet train` made as well.

    A text that, with its prompt, is longer than the model's window is cut into chunks of 200 tokens which overlap by
    20; its vector is the mean of theirs.
    """

    def __init__(self, model: str) -> None:
        self._model: Any = open_sentence_transformer(model)
        query_prefix, article_prefix = family_prefixes(model)
        self._query_prompt = _prompt(self._model.prompts, ("query",), query_prefix)
        # encode_document looks for these names too, but an empty "document", which every model has, hides the others.
        self._article_prompt = _prompt(self._model.prompts, ("document", "passage", "corpus"), article_prefix)
        self._window: int | None = self._model.max_seq_length
        # Asked of a vector, as not every model states it.
        dimension = self._model.encode_query(["probe"], show_progress_bar=False).shape[1]
        self.identity = EncoderIdentity(
            name=f"st:{model}",
            revision=f"{_revision(model)}, sentence-transformers {version('sentence-transformers')}",
            dimension=dimension,
            query_template=self._query_prompt + "{question}",
            article_template=self._article_prompt + ARTICLE_TEMPLATE,
            pooling="the model's; mean of chunks",
            window=(
                f"{self._window} tokens; longer texts in chunks of {CHUNK_TOKENS} with {OVERLAP_TOKENS} overlap"
                if self._window
                else "whole texts"
            ),
        )

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the questions' vectors, shape (n, dimension)."""
        chunks, n_chunks = self._chunks([clean_text(text) for text in texts], self._query_prompt)
        if not chunks:
            return np.zeros((0, self.identity.dimension), dtype=np.float32)
        vectors = self._model.encode_query(chunks, prompt=self._query_prompt, show_progress_bar=False)
        return unit_rows(mean_of_chunks(np.asarray(vectors, dtype=np.float32), n_chunks))

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        """Return the articles' vectors, shape (n, dimension)."""
        chunks, n_chunks = self._chunks([article_text(article) for article in articles], self._article_prompt)
        if not chunks:
            return np.zeros((0, self.identity.dimension), dtype=np.float32)
        vectors = self._model.encode_document(chunks, prompt=self._article_prompt, show_progress_bar=False)
        names = [article.semantic_id for article in articles]
        return unit_rows(mean_of_chunks(np.asarray(vectors, dtype=np.float32), n_chunks), names)

    def _chunks(self, texts: list[str], prompt: str) -> tuple[list[str], list[int]]:
        """Return the chunks of all texts in order, and how many each text has."""
        chunks: list[str] = []
        n_chunks: list[int] = []
        for text in texts:
            cut = self._cut(text, prompt)
            chunks.extend(cut)
            n_chunks.append(len(cut))
        return chunks, n_chunks

    def _cut(self, text: str, prompt: str) -> list[str]:
        tokenizer = self._model.tokenizer
        if self._window is None:
            return [text]
        # verbose=False: the tokenizer would warn that the text is too long, which is what we are finding out.
        encoded = tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)
        n_around = len(tokenizer(prompt, truncation=False, verbose=False)["input_ids"])  # prompt and special tokens
        n_tokens = len(encoded["input_ids"])
        if n_tokens + n_around <= self._window:
            return [text]
        if not tokenizer.is_fast:
            raise EncoderError(
                f"encoder {self.identity.name} cannot cut texts longer than its window of {self._window} tokens: "
                "its tokenizer does not say where tokens begin"
            )
        size = min(CHUNK_TOKENS, self._window - n_around)
        if size <= OVERLAP_TOKENS:
            raise EncoderError(f"encoder {self.identity.name}: a window of {self._window} tokens is too short")
        offsets = tokenizer(
            text, add_special_tokens=False, truncation=False, return_offsets_mapping=True, verbose=False
        )["offset_mapping"]
        return [
            text[offsets[first][0] : offsets[last - 1][1]]
            for first, last in chunk_spans(n_tokens, size, OVERLAP_TOKENS)
        ]


def chunk_spans(n_tokens: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Return the spans [first, last) of `size` tokens, each starting `overlap` before the last one's end.

    The spans cover all tokens, and none lies within another; n_tokens > 0, 0 <= overlap < size.
    """
    starts = range(0, max(n_tokens - overlap, 1), size - overlap)
    return [(start, min(start + size, n_tokens)) for start in starts]


def _prompt(prompts: dict[str, str], names: Sequence[str], fallback: str) -> str:
    """Return the model's own prompt of the first of `names` that it has, else the one its family is known for."""
    return next((prompts[name] for name in names if prompts.get(name)), fallback)


def _revision(name: str) -> str:
    """Return the commit of a downloaded model, or a digest of the files of one in a folder."""
    folder = Path(name)
    if not folder.is_dir():
        from huggingface_hub import try_to_load_from_cache

        # A bare name is short for one of sentence-transformers' own. The cache holds a commit's files in its folder.
        repository = name if "/" in name else f"sentence-transformers/{name}"
        cached = (try_to_load_from_cache(repository, file) for file in ("modules.json", "config.json"))
        return next((f"commit {Path(one).parent.name}" for one in cached if isinstance(one, str)), "of unknown commit")
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in {".json", ".safetensors", ".bin", ".model", ".txt"}:
            digest.update(str(path.relative_to(folder)).encode())
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"sha256 {digest.hexdigest()[:16]}"

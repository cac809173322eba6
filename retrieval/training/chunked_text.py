"""Long texts for any base: a text is cut into chunks of tokens, and its vector is the mean of theirs (BSARD)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import InputModule

from retrieval.encoders.sentence_transformer import CHUNK_TOKENS, OVERLAP_TOKENS, chunk_spans

__all__ = ["ChunkedText"]

_INNER = "inner"


class ChunkedText(InputModule):  # type: ignore[misc]  # untyped package
    """A model within a module: `inner` reads chunks of at most `n_tokens` tokens which overlap by `n_overlap`.

    n_words: how much of a text is read, the first 1,000 words for BSARD. Texts, and their gradients, are means over
    all their chunks; a text of one chunk is read as `inner` alone would.
    """

    config_keys: ClassVar[list[str]] = ["n_tokens", "n_overlap", "n_words"]
    config_file_name = "chunked_text.json"
    forward_kwargs: ClassVar[set[str]] = {"task"}
    save_in_root = False

    def __init__(
        self,
        inner: SentenceTransformer,
        *,
        n_tokens: int = CHUNK_TOKENS,
        n_overlap: int = OVERLAP_TOKENS,
        n_words: int = 1000,
    ) -> None:
        """Raises ValueError unless 0 <= n_overlap < n_tokens and n_words >= 1."""
        super().__init__()
        if not 0 <= n_overlap < n_tokens or n_words < 1:
            raise ValueError(f"chunks need 0 <= overlap < tokens and words >= 1: {n_tokens}, {n_overlap}, {n_words}")
        self.inner = inner
        self.n_tokens, self.n_overlap, self.n_words = n_tokens, n_overlap, n_words

    def preprocess(
        self, inputs: Sequence[str], prompt: str | None = None, task: str | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Return what `inner` makes of all chunks, and how many chunks each text has."""
        chunks = [self.chunks(text, prompt or "") for text in inputs]
        features: dict[str, Any] = self.inner.preprocess(
            [chunk for of_one in chunks for chunk in of_one], prompt=prompt, task=task
        )
        features["n_chunks"] = torch.tensor([len(of_one) for of_one in chunks])
        return features

    def chunks(self, text: str, prompt: str = "") -> list[str]:
        """Cut a text; one that fits into a chunk is left as it is."""
        tokenizer = self.inner.tokenizer
        text = _first_words(text, self.n_words)
        around = len(tokenizer(prompt, truncation=False, verbose=False)["input_ids"])  # prompt and special tokens
        window = self.inner.max_seq_length
        size = self.n_tokens if window is None else min(self.n_tokens, window - around)
        if size <= self.n_overlap:
            raise ValueError(f"a window of {window} tokens is too short for chunks that overlap by {self.n_overlap}")
        found = tokenizer(text, add_special_tokens=False, truncation=False, return_offsets_mapping=True, verbose=False)
        offsets = found["offset_mapping"]
        if len(offsets) <= size:
            return [text]
        spans = chunk_spans(len(offsets), size, self.n_overlap)
        return [text[offsets[first][0] : offsets[last - 1][1]] for first, last in spans]

    def forward(self, features: dict[str, Any], task: str | None = None, **kwargs: Any) -> dict[str, Any]:
        """Add `sentence_embedding`, the mean of the chunks' vectors, shape (n_texts, dimension)."""
        n_chunks = features.pop("n_chunks").to(self.inner.device)
        vectors = self.inner(features, **({"task": task} if task else {}))["sentence_embedding"]
        text_of_chunk = torch.repeat_interleave(torch.arange(len(n_chunks), device=vectors.device), n_chunks)
        sums = torch.zeros(len(n_chunks), vectors.shape[1], dtype=vectors.dtype, device=vectors.device)
        sums = sums.index_add(0, text_of_chunk, vectors)
        return {"sentence_embedding": sums / n_chunks[:, None].to(vectors.dtype)}

    @property
    def tokenizer(self) -> Any:
        """The inner model's."""
        return self.inner.tokenizer

    @property
    def max_seq_length(self) -> None:
        """Texts are cut here, and need not be cut before."""
        return

    def get_embedding_dimension(self) -> int:
        """Return the inner model's dimension."""
        return int(self.inner.get_embedding_dimension())

    def save(self, output_path: str, *args: Any, **kwargs: Any) -> None:
        """Write the inner model, which any sentence-transformers opens by itself, and this configuration."""
        self.inner.save(str(Path(output_path) / _INNER), create_model_card=False)
        self.save_config(output_path)

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", **kwargs: Any) -> ChunkedText:
        """Open a saved one from a folder."""
        config = cls.load_config(model_name_or_path, subfolder=subfolder)
        return cls(SentenceTransformer(str(Path(model_name_or_path, subfolder, _INNER))), **config)


def _first_words(text: str, n_words: int) -> str:
    """Return a text up to the end of its n-th word, as words are parted by white space."""
    words = text.split(maxsplit=n_words)
    return text if len(words) <= n_words else text[: len(text) - len(words[-1])].rstrip()

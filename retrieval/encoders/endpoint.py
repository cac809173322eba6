"""I/O: an OpenAI-style embeddings endpoint, such as a vLLM server started for pooling."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from graph.errors import EncoderError, ServiceUnavailable
from retrieval.encoder import (
    ARTICLE_TEMPLATE,
    EncoderIdentity,
    article_text,
    clean_text,
    family_prefixes,
    mean_of_chunks,
    unit_rows,
)

if TYPE_CHECKING:
    import httpx
    from numpy.typing import NDArray

    from graph.records import Provision

__all__ = ["EndpointEncoder"]

N_ATTEMPTS = 5
FIRST_PAUSE_S = 0.5  # doubled from attempt to attempt
LONGEST_PAUSE_S = 30.0  # of what a server may ask for by Retry-After
TIMEOUT_S = 60.0
BATCH_SIZE = 32
DEFAULT_WINDOW = 8000  # characters; OpenAI's models read 8,191 tokens
RESERVED = 16  # tokens kept for what a server adds to a text


class EndpointEncoder:
    """A model behind POST URL/embeddings. E5 models get their prefixes; others are sent the bare text.

    Texts are cut by characters, since the endpoint's tokenizer is not at hand: a token is hardly ever less than one.
    The window is the `max_model_len` that a vLLM server states at URL/models, else 8,000; a longer text is cut into
    pieces of that many characters which overlap by a tenth, and its vector is the mean of theirs.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """url: with its version, http://127.0.0.1:8000/v1; a bare host gets /v1. sleep: called between attempts.

        Raises ServiceUnavailable if the server does not answer, EncoderError if it refuses or makes no sense.
        """
        import httpx

        base = url.rstrip("/")
        self._base = base if urlsplit(base).path else base + "/v1"
        self._model = model
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._tls = httpx.create_ssl_context()  # costs more than a request, so it is made once
        self._query_prefix, self._article_prefix = family_prefixes(model)
        self._window = self._read_window()
        probe = self._embed_batch(["probe"])
        self.identity = EncoderIdentity(
            name=f"openai:{url}#{model}",
            revision="as served",
            dimension=probe.shape[1],
            query_template=self._query_prefix + "{question}",
            article_template=self._article_prefix + ARTICLE_TEMPLATE,
            pooling="the server's; mean of pieces",
            window=f"{self._window} characters; longer texts in pieces with a tenth overlap",
        )

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the questions' vectors, shape (n, dimension). Raises as encode_articles does."""
        return unit_rows(self._embed([clean_text(text) for text in texts], self._query_prefix))

    def encode_articles(self, articles: Sequence[Provision]) -> NDArray[np.float32]:
        """Return the articles' vectors, shape (n, dimension).

        Raises ServiceUnavailable if the server fails five times in a row, EncoderError if it refuses the request or
        its answer has another count or dimension than asked for, or values that are not finite numbers.
        """
        vectors = self._embed([article_text(article) for article in articles], self._article_prefix)
        return unit_rows(vectors, [article.semantic_id for article in articles])

    def _embed(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        cuts = [_pieces(text, self._window - len(prefix)) for text in texts]
        pieces = [prefix + piece for cut in cuts for piece in cut]
        if not pieces:
            return np.zeros((0, self.identity.dimension), dtype=np.float32)
        batches = [
            self._embed_batch(pieces[start : start + BATCH_SIZE], dimension=self.identity.dimension)
            for start in range(0, len(pieces), BATCH_SIZE)
        ]
        return mean_of_chunks(np.concatenate(batches), [len(cut) for cut in cuts])

    def _embed_batch(self, texts: list[str], *, dimension: int | None = None) -> NDArray[np.float32]:
        """Return the raw vectors of at most BATCH_SIZE texts, in their order."""
        place = f"{self._base}/embeddings"
        # An empty input is refused by some servers; a space reads the same.
        body: dict[str, object] = {
            "model": self._model,
            "input": [text or " " for text in texts],
            "encoding_format": "float",
        }
        reply = self._request("POST", place, body)
        if reply.status_code != 200:
            raise EncoderError(f"{place} refuses model {self._model!r}: {_complaint(reply)}")
        try:
            data = sorted(reply.json()["data"], key=lambda entry: int(entry["index"]))
            places = [int(entry["index"]) for entry in data]
            rows = [[float(value) for value in entry["embedding"]] for entry in data]
        except (ValueError, KeyError, TypeError) as error:
            raise EncoderError(f"{place} answers with no list of embeddings ({error!r})") from error
        if places != list(range(len(texts))):
            raise EncoderError(f"{place} answers {len(texts)} texts with {len(places)} embeddings, numbered {places}")
        due = dimension or len(rows[0])
        for row in rows:
            if len(row) != due or not row:
                raise EncoderError(f"{place} answers with an embedding of dimension {len(row)}, where {due} is due")
        vectors = np.array(rows, dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise EncoderError(f"{place} answers with an embedding that has values which are not finite")
        return vectors

    def _read_window(self) -> int:
        """Return the most characters that one request may hold for a text."""
        reply = self._request("GET", f"{self._base}/models", None)
        if reply.status_code != 200:  # not every embeddings server lists its models
            return DEFAULT_WINDOW
        try:
            lengths = [entry.get("max_model_len") for entry in reply.json()["data"] if entry.get("id") == self._model]
        except (ValueError, KeyError, TypeError, AttributeError):
            return DEFAULT_WINDOW
        length = lengths[0] if lengths else None
        if not isinstance(length, int):
            return DEFAULT_WINDOW
        if length <= 4 * RESERVED:
            raise EncoderError(f"{self._base} serves {self._model!r} with a window of {length} tokens: too short")
        return length - RESERVED

    def _request(self, method: str, place: str, body: dict[str, object] | None) -> httpx.Response:
        """Return the server's answer; one that may pass (429, 5xx, no connection, time out) only after all attempts."""
        import httpx

        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json", **self._headers}
        failure = ""
        with httpx.Client(verify=self._tls, timeout=self._timeout_s) as client:
            for attempt in range(N_ATTEMPTS):
                pause_s = FIRST_PAUSE_S * 2**attempt
                try:
                    reply = client.request(method, place, content=content, headers=headers)
                except httpx.TransportError as error:
                    failure = str(error) or type(error).__name__
                except (httpx.InvalidURL, httpx.HTTPError) as error:
                    raise EncoderError(f"{place}: {error}") from error
                else:
                    if reply.status_code != 429 and reply.status_code < 500:
                        return reply
                    failure = _complaint(reply)
                    asked = reply.headers.get("Retry-After", "")
                    if asked.isdecimal():
                        pause_s = min(float(asked), LONGEST_PAUSE_S)
                if attempt + 1 < N_ATTEMPTS:
                    self._sleep(pause_s)
        raise ServiceUnavailable(f"{place} failed {N_ATTEMPTS} times, the last time: {failure}")


def _pieces(text: str, size: int) -> list[str]:
    """Cut a text into pieces of `size` characters, each starting a tenth of `size` before the last one's end."""
    overlap = size // 10
    starts = range(0, max(len(text) - overlap, 1), size - overlap)
    return [text[start : start + size] for start in starts]


def _complaint(reply: httpx.Response) -> str:
    return f"status {reply.status_code}, {' '.join(reply.text.split())[:200]!r}"

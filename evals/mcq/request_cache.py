"""I/O: replies of model servers, kept in one file by everything that went into the request."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from graph.errors import NonLiquetError

__all__ = ["RequestCache"]

_PER_COMMIT = 32  # replies between two commits: what a kill can cost
_BUSY_TIMEOUT_S = 60.0


class RequestCache:
    """A file of replies; several processes may share it. Close it, or use it as a context."""

    def __init__(self, path: Path) -> None:
        """path: made if it is not there, its folder too. Raises NonLiquetError if it is something else."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S)
        self._n_pending = 0
        try:
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, reply TEXT NOT NULL)")
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise NonLiquetError(f"{path}: is no cache of replies: {error}; delete it") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the reply to a request, or None if it is not known."""
        row = self._connection.execute("SELECT reply FROM replies WHERE key = ?", (_key(request),)).fetchone()
        return None if row is None else dict(json.loads(row[0]))

    def put(self, request: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        """Keep a reply."""
        words = json.dumps(reply, ensure_ascii=False)
        self._connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (_key(request), words))
        self._n_pending += 1
        if self._n_pending >= _PER_COMMIT:
            self._connection.commit()
            self._n_pending = 0

    def close(self) -> None:
        """Write what is not written yet."""
        self._connection.commit()
        self._connection.close()


def _key(request: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(
        json.dumps(request, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ).digest()

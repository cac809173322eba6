"""I/O: article vectors that somebody else computed, from a NumPy archive."""

from __future__ import annotations

import zipfile
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graph.errors import EncoderError
from retrieval.encoder import EncoderIdentity, unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graph.records import Provision

__all__ = ["import_vectors"]

N_SHOWN = 5


def import_vectors(path: str | Path, articles: Sequence[Provision], identity: EncoderIdentity) -> NDArray[np.float32]:
    """Read the articles' vectors, shape (len(articles), identity.dimension), unit rows in the order of `articles`.

    The `.npz` holds `vectors` (n, d), of any float type, and says whose they are by `semantic_id` or by `doc_id`, each
    of shape (n,); with neither, the rows are in the order of the articles.
    identity: of the encoder that made them, which only the caller can know.
    Raises EncoderError if the file cannot be read, an id is unknown, missing or there twice, the count or the dimension
    differs, or a row is zero or not finite; the message names what differs.
    """
    arrays = _read(Path(path))
    if "vectors" not in arrays:
        raise EncoderError(f"{path}: has no array 'vectors', only {', '.join(sorted(arrays)) or 'nothing'}")
    vectors = arrays["vectors"]
    if vectors.ndim != 2 or not np.issubdtype(vectors.dtype, np.floating):
        raise EncoderError(f"{path}: 'vectors' is {vectors.dtype} of shape {vectors.shape}, not floats of shape (n, d)")
    if vectors.shape[1] != identity.dimension:
        raise EncoderError(f"{path}: vectors of dimension {vectors.shape[1]}, but {identity} is the encoder")
    names = [article.semantic_id for article in articles]
    if "semantic_id" in arrays:
        order = _order(path, arrays["semantic_id"], names, len(vectors), "semantic_id")
    elif "doc_id" in arrays:
        order = _order(path, arrays["doc_id"], [article.doc_id for article in articles], len(vectors), "doc_id")
    elif len(vectors) != len(articles):
        raise EncoderError(f"{path}: {len(vectors)} vectors without ids, for {len(articles)} articles")
    else:
        order = list(range(len(articles)))
    try:
        return unit_rows(vectors[order].astype(np.float64), names)
    except EncoderError as error:
        raise EncoderError(f"{path}: {error}") from error


def _read(path: Path) -> dict[str, NDArray[np.generic]]:
    try:
        # Opened here, as np.load leaves a cut-off archive open; without pickle, as the file may come from anywhere.
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise EncoderError(f"{path}: is one array, not an archive (.npz) with 'vectors'")
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise EncoderError(f"{path}: cannot be read as a NumPy archive: {error}") from error


def _order(
    path: str | Path, ids: NDArray[np.generic], wanted: Sequence[Hashable], n_vectors: int, kind: str
) -> list[int]:
    """Return the rows of the wanted ids, which must be the ids of the file."""
    if ids.shape != (n_vectors,):
        raise EncoderError(f"{path}: {kind} has shape {ids.shape}, for {n_vectors} vectors")
    rows: dict[Hashable, int] = {}
    for row, name in enumerate(ids.tolist()):
        if name in rows:
            raise EncoderError(f"{path}: {kind} {name!r} is there twice, in rows {rows[name]} and {row}")
        rows[name] = row
    known = set(wanted)
    unknown = [name for name in rows if name not in known]
    missing = [name for name in wanted if name not in rows]
    if unknown or missing:
        raise EncoderError(
            f"{path}: {n_vectors} vectors for {len(wanted)} articles; "
            f"unknown {kind}: {_shown(unknown)}; without a vector: {_shown(missing)}"
        )
    return [rows[name] for name in wanted]


def _shown(names: Sequence[Hashable]) -> str:
    if not names:
        return "none"
    more = f" and {len(names) - N_SHOWN} more" if len(names) > N_SHOWN else ""
    return ", ".join(map(str, names[:N_SHOWN])) + more

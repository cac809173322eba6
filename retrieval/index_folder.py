"""I/O: the index on disk: one folder, replaced as a whole, locked against two writers, verified when opened.

    index/
        manifest.json            names the build; format, sources and files with hashes, settings, encoder, counts
        lock                     held while somebody builds
        editions/<date>/         indexes of other editions of a history, made when they are first asked for
        builds/<build>/
            articles.jsonl       every provision, one a line
            edges.jsonl          every edge, one a line
            lexical/             term statistics, memory-mapped
            vectors/             Chroma, unless the vectors are on a server
            sparse.npz           learned sparse vectors, where the encoder gives them

A build is written beside the one in use, and then the manifest is replaced, which is the one step that counts: killed
before it, the old index stands; after it, the new one does. What a killed build left is removed by the next one, which
finds the vectors that were ready in the cache of vectors.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from graph.corpus import PartRead, Source
from graph.edition import EditionNote
from graph.errors import IndexFolderError, SettingsError
from retrieval.encoder import EncoderIdentity
from retrieval.settings import RetrievalSettings, settings_from

__all__ = [
    "BUILDS",
    "EDITIONS",
    "FORMAT_VERSION",
    "Manifest",
    "build_in_use",
    "hash_files",
    "read_manifest",
    "remove_builds",
    "replace_manifest",
    "verify_files",
    "write_lock",
]

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
BUILDS = "builds"
EDITIONS = "editions"
_OURS = {MANIFEST, f"{MANIFEST}.new", BUILDS, EDITIONS, "lock"}
_REBUILD = "make it anew with: nonliquet index SOURCE --index {folder}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an index is made of."""

    build: str  # name of the folder below builds/
    sources: tuple[Source, ...]
    edition: str | None  # the ISO date as of which the law is read; None: as the sources have it
    language: str  # the one most articles are in
    graph: str  # dataset, text or both
    settings: RetrievalSettings
    encoder: EncoderIdentity | None
    vectors: str | None  # a server's address; None: in the build's folder
    sparse: bool  # whether there are learned sparse vectors too
    counts: dict[str, int]
    files: dict[str, str]  # path below the build's folder -> sha256
    notes: tuple[EditionNote, ...] = ()  # what there is to know about the edition
    parts: tuple[PartRead, ...] = ()  # what was read by itself, in the order of the articles
    reader: str = ""  # hash of the code that read it
    analysis: str = ""  # what made terms of the articles: `retrieval.tokens.analysis_identity`

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        plain = ("build", "edition", "language", "graph", "vectors", "sparse", "counts", "reader", "analysis")
        return {
            "format_version": FORMAT_VERSION,
            **{name: getattr(self, name) for name in plain},
            "sources": [asdict(source) for source in self.sources],
            "notes": [asdict(note) for note in self.notes],
            "parts": [asdict(part) for part in self.parts],
            "settings": self.settings.to_json(),
            "encoder": self.encoder.to_json() if self.encoder else None,
            "files": self.files,
        }

    @property
    def content_hash(self) -> str:
        """A hash of what the index holds and how it was made: the same for the same index made twice."""
        values = self.to_json()
        for changing in ("build", "vectors", "files", "reader"):
            del values[changing]
        names = ("articles.jsonl", "edges.jsonl")
        values["files"] = {name: self.files[name] for name in names if name in self.files}
        values["sources"] = [source.sha256 for source in self.sources]
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """Read an index's manifest.

    Raises IndexFolderError if there is no index, or it is not one that this version reads, with what to do.
    """
    path = folder / MANIFEST
    rebuild = _REBUILD.format(folder=folder)
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        unfinished = (folder / BUILDS).is_dir()
        what = "holds an index whose first build was not finished" if unfinished else "is no index"
        raise IndexFolderError(f"{folder}: {what}; {rebuild}") from None
    except (OSError, ValueError) as error:
        raise IndexFolderError(f"{path}: unreadable: {error}; {rebuild}") from error
    version = values.get("format_version") if isinstance(values, dict) else None
    if version != FORMAT_VERSION:
        raise IndexFolderError(f"{path}: index format {version!r}, this version reads {FORMAT_VERSION}; {rebuild}")
    del values["format_version"]
    try:
        return settings_from(values, Manifest, place=str(path))
    except SettingsError as error:
        raise IndexFolderError(f"{error}: not a manifest of ours; {rebuild}") from error


def replace_manifest(folder: Path, manifest: Manifest) -> None:
    """Make `manifest.build` the index in use, in one step, and remove every other build."""
    aside = folder / f"{MANIFEST}.new"
    with aside.open("w", encoding="utf-8") as file:
        json.dump(manifest.to_json(), file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(folder / MANIFEST)
    remove_builds(folder, keep=manifest.build)


def build_in_use(folder: Path) -> str | None:
    """Return the build that the manifest names, of whatever format version; None if there is none that can be read."""
    try:
        values = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    build = values.get("build") if isinstance(values, dict) else None
    return build if isinstance(build, str) else None


def remove_builds(folder: Path, *, keep: str | None) -> None:
    """Remove what is no part of the index in use."""
    for build in (folder / BUILDS).iterdir():
        if build.name != keep:
            shutil.rmtree(build)


def hash_files(build: Path, names: Iterator[Path]) -> dict[str, str]:
    """Return the sha256 of files, by their path below the build's folder."""
    return {path.relative_to(build).as_posix(): _sha256(path) for path in sorted(names)}


def verify_files(folder: Path, manifest: Manifest) -> Path:
    """Return the folder of the build in use after comparing its files with the manifest's hashes.

    Raises IndexFolderError naming a file that is missing or not what was written.
    """
    build = folder / BUILDS / manifest.build
    for name, sha256 in manifest.files.items():
        try:
            found = _sha256(build / name)
        except OSError as error:
            raise IndexFolderError(f"{build / name}: {error.strerror}; {_REBUILD.format(folder=folder)}") from error
        if found != sha256:
            raise IndexFolderError(f"{build / name}: corrupted; {_REBUILD.format(folder=folder)}")
    return build


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Hold the index for writing, making its folder if needed.

    Raises IndexFolderError if another process holds it, or the folder is somebody else's.
    """
    if folder.exists():
        if not folder.is_dir():
            raise IndexFolderError(f"{folder}: is a file; name a folder for the index")
        foreign = sorted(path.name for path in folder.iterdir() if path.name not in _OURS)
        if foreign:
            raise IndexFolderError(f"{folder}: holds {foreign[0]!r}, so it is no index of ours; name another folder")
    try:
        (folder / BUILDS).mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "lock", timeout=0):
            yield
    except Timeout:
        raise IndexFolderError(f"{folder}: another process is building this index; wait for it") from None
    except OSError as error:
        raise IndexFolderError(f"{folder}: cannot be written: {error}") from error


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

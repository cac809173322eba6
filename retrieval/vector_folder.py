"""I/O: the folder that Chroma keeps vectors in, and whether its files are those that were written.

Beside Chroma's files lies `checksums.json`, with the SHA-256 of each but its database, which checks itself and changes
whenever it is opened. Chroma reads the others on trust: a damaged one ends the process with a segmentation fault.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

from graph.errors import IndexFolderError

__all__ = ["check", "prepare", "write_checksums"]

DATABASE = "chroma.sqlite3"
CHECKSUMS = "checksums.json"


def prepare(folder: Path) -> None:
    """Leave a folder in which Chroma can go on safely: a new one, or one of ours with its files whole."""
    if (folder / CHECKSUMS).is_file():
        if _read_checksums(folder) != _checksums(folder):
            shutil.rmtree(folder)
    elif (folder / DATABASE).is_file():
        raise IndexFolderError(f"{folder} holds a Chroma database that is not ours; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_checksums(folder)


def check(folder: Path) -> None:
    """Raise IndexFolderError unless the folder's files are those that were written."""
    database = folder / DATABASE
    # Chroma would make an empty database of any path it is given, and writes even where it only reads.
    if not database.is_file():
        raise IndexFolderError(f"{folder} holds no vectors; make them with: nonliquet index")
    if not os.access(database, os.W_OK):
        raise IndexFolderError(f"{folder} cannot be written to, which Chroma needs; copy the index elsewhere")
    written, found = _read_checksums(folder), _checksums(folder)
    if not written:  # of a single vector, which is still in SQLite alone
        return
    for name in sorted(written.keys() | found.keys()):
        if written.get(name) != found.get(name):
            state = "damaged" if name in written and name in found else "missing" if name in written else "not ours"
            raise IndexFolderError(f"{folder / name} is {state}; make the index anew with: nonliquet index")


def write_checksums(folder: Path) -> None:
    """Note what Chroma's files are now."""
    aside = folder / f"{CHECKSUMS}.new"
    aside.write_text(json.dumps(_checksums(folder), indent=1), encoding="utf-8")
    aside.replace(folder / CHECKSUMS)


def _checksums(folder: Path) -> dict[str, str]:
    digests = {}
    for path in sorted(folder.rglob("*")):
        # SQLite's journals come and go beside the database.
        if path.is_file() and not path.name.startswith((DATABASE, CHECKSUMS)):
            with path.open("rb") as file:
                digests[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _read_checksums(folder: Path) -> dict[str, str]:
    path = folder / CHECKSUMS
    try:
        digests = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise IndexFolderError(f"{path}: {error}; make the index anew with: nonliquet index") from error
    if not isinstance(digests, dict):
        raise IndexFolderError(f"{path} holds no checksums; make the index anew with: nonliquet index")
    return digests

"""I/O: what the index in use has read already, so that building it again reads only the laws that have changed.

A law is taken over when its file has the same hash: then no YAML and no Markdown is parsed again, which is what takes
the time. Its citations are found again, since they hang on other laws: on their names, their families, and on which
articles they have. For the 96 statutes of firelaw-kr, reading takes 0.8 s and finding the citations 1.2 s, of which a
cache of mentions could spare 0.4 s and would have to be right about all these.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

from graph.corpus import Earlier
from graph.errors import CorpusError, IndexFolderError
from graph.readers import code_hash
from graph.readers.source import UNNUMBERED, file_hash
from graph.records import Provision
from retrieval.index_folder import BUILDS, read_manifest
from retrieval.records_on_disk import ARTICLES, provision_of, read_records

__all__ = ["earlier_build"]


def earlier_build(folder: Path) -> Earlier:
    """Return what the index in a folder has read; nothing if there is none, or none whose articles can be trusted.

    Another version of the code that reads sources makes it all be read again; the doc_ids stay even so.
    """
    try:
        manifest = read_manifest(folder)
        path = folder / BUILDS / manifest.build / ARTICLES
        if file_hash(path) != manifest.files.get(ARTICLES):
            return Earlier()
        provisions = [provision_of(record) for record in read_records(path)]
    except (CorpusError, IndexFolderError, OSError):
        return Earlier()
    numbers = {provision.semantic_id: provision.doc_id for provision in provisions}
    parts: dict[str, tuple[Provision, ...]] = {}
    rest = iter(provisions)
    for part in manifest.parts if manifest.reader == code_hash() else ():
        read = tuple(islice(rest, part.n_provisions))
        if part.is_whole:
            own = read if part.is_numbered else tuple(replace(one, doc_id=UNNUMBERED) for one in read)
            parts[part.sha256] = own
    return Earlier(parts, numbers)

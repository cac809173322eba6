"""I/O: what the index in use has read already, so that building it again reads only the laws that have changed.

A law is taken over when its file has the same hash: then no YAML and no Markdown is parsed again, which is what takes
the time. Its citations are found again, since they hang on other laws: on their names, on their aliases, on which
articles they have. For all 4,678 articles of firelaw-kr that takes 1.2 s, and the terms take 1.1 s; a cache of mentions
would have to know all that, to spare a part of a second.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

from graph.corpus import Earlier
from graph.errors import IndexFolderError
from graph.readers import code_hash
from graph.readers.source import UNNUMBERED
from graph.records import Provision
from retrieval.index_folder import BUILDS, read_manifest
from retrieval.records_on_disk import ARTICLES, provision_of

__all__ = ["earlier_build"]


def earlier_build(folder: Path) -> Earlier:
    """Return what the index in a folder has read; nothing if there is none, or none whose articles can be trusted.

    Another version of the code that reads sources makes it all be read again; the doc_ids stay even so.
    """
    try:
        manifest = read_manifest(folder)
        content = (folder / BUILDS / manifest.build / ARTICLES).read_bytes()
    except (IndexFolderError, OSError):
        return Earlier()
    if hashlib.sha256(content).hexdigest() != manifest.files.get(ARTICLES):
        return Earlier()
    provisions = [provision_of(json.loads(line)) for line in content.splitlines()]
    numbers = {provision.semantic_id: provision.doc_id for provision in provisions}
    parts: dict[str, tuple[Provision, ...]] = {}
    rest = iter(provisions)
    for part in manifest.parts if manifest.reader == code_hash() else ():
        read = tuple(islice(rest, part.n_provisions))
        if part.is_whole:
            own = read if part.is_numbered else tuple(replace(one, doc_id=UNNUMBERED) for one in read)
            parts[part.sha256] = own
    return Earlier(parts, numbers)

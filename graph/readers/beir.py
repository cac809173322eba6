"""I/O: the corpus of a BEIR folder, in and out: `corpus.jsonl`, one document a line.

Out of an index a document is an article: `_id` its semantic id, `title` its law, label and heading, `metadata` all its
other fields, so that reading it again gives the same article. In any other BEIR folder a document becomes the article
of a law named like the folder, with its `_id` as label and its title as heading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from graph.errors import CorpusError
from graph.readers.columns import ColumnMap
from graph.readers.fields import json_record, provision_of, require, words_of
from graph.readers.jsonl_csv import mapped_hash
from graph.readers.source import UNNUMBERED, Part, Sourced, numbered_lines
from graph.records import Provision
from graph.semantic_id import law_slug, parse

__all__ = ["beir_document", "beir_hash", "beir_parts", "corpus_file", "looks_like_beir"]

_REQUIRED = ("_id", "text")
_PACKINGS = ("", ".gz", ".xz")


def looks_like_beir(path: Path) -> bool:
    """Tell whether a folder has a `corpus.jsonl`, packed or not."""
    return path.is_dir() and corpus_file(path).is_file()


def corpus_file(folder: Path) -> Path:
    """Return the file of the documents."""
    files = [folder / f"corpus.jsonl{packing}" for packing in _PACKINGS]
    return next((file for file in files if file.is_file()), files[0])


def beir_hash(path: Path, columns: ColumnMap) -> str:
    """Return a hash of the documents as these columns read them; of the folder's name too, as it names the law."""
    return hashlib.sha256(f"{path.name}\n{mapped_hash(corpus_file(path), columns)}".encode()).hexdigest()


def beir_parts(path: Path, columns: ColumnMap) -> Iterator[Part]:
    """Yield the one file. Raises CorpusError naming file, line and field."""
    yield Part("", beir_hash(path, columns), partial(_read, path, columns))


def beir_document(article: Provision) -> dict[str, Any]:
    """Return an article as a line of `corpus.jsonl` has it."""
    fields = asdict(article)
    heading = f" ({article.chapter_description})" if article.chapter_description else ""
    name, text = fields.pop("semantic_id"), fields.pop("text")
    return {"_id": name, "title": f"{article.law_name} {article.chapter}{heading}", "text": text, "metadata": fields}


def _read(folder: Path, columns: ColumnMap) -> Iterator[Sourced]:
    path = corpus_file(folder)
    for line_no, line in numbered_lines(path):
        if line.strip():
            place = f"{path}:{line_no}"
            document = json_record(line, place, expected=_REQUIRED)
            yield Sourced(_provision(document, folder.resolve().name, columns, place), place)


def _provision(document: Mapping[str, Any], folder_name: str, columns: ColumnMap, place: str) -> Provision:
    require(document, _REQUIRED, place)
    identifier = words_of(document, "_id", place)
    if len(identifier.split()) != 1:
        raise CorpusError(f"{place}: field '_id' must be a word without white space, found {identifier!r}")
    metadata = document.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise CorpusError(f"{place}: field 'metadata' must be an object, found {metadata!r}")
    defaults = {
        "law_name": folder_name,
        "chapter": identifier,
        "chapter_description": document.get("title"),
        "doc_id": int(identifier) if identifier.isascii() and identifier.isdigit() else UNNUMBERED,
    }
    try:
        record = defaults | columns.record({**document, **metadata})
    except KeyError as error:
        raise CorpusError(f"{place}: column {error} is missing") from error
    if record.get("language") in (None, ""):
        raise CorpusError(f"{place}: field 'language' is missing; give it with --columns language:=fr")
    if not _is_semantic_id(identifier):
        law = law_slug(words_of(record, "law_name", place), language=words_of(record, "language", place))
        identifier = f"{law}_{identifier.replace('_', '-')}"
    return provision_of(record | {"semantic_id": identifier}, place)


def _is_semantic_id(words: str) -> bool:
    try:
        return bool(parse(words).label)
    except ValueError:
        return False

"""I/O: provisions and edges as an index folder has them, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from graph.records import Edge, EdgeKind, Provision, Status

__all__ = ["ARTICLES", "EDGES", "edge_of", "provision_of", "read_records", "write_records"]

ARTICLES = "articles.jsonl"
EDGES = "edges.jsonl"


def write_records(path: Path, records: Iterable[Provision | Edge]) -> None:
    """Write records in their order."""
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            values = {name: getattr(record, name) for name in record.__slots__}  # asdict copies all, and takes its time
            file.write(json.dumps(values, ensure_ascii=False) + "\n")


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the plain values of each record."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def provision_of(record: dict[str, Any]) -> Provision:
    """Return a provision from its plain values. Raises KeyError, TypeError or ValueError if they are none."""
    record["related_doc_ids"] = tuple(record["related_doc_ids"])
    record["status"] = Status(record["status"])
    return Provision(**record)


def edge_of(record: dict[str, Any]) -> Edge:
    """Return an edge from its plain values. Raises KeyError, TypeError or ValueError if they are none."""
    record["kind"] = EdgeKind(record["kind"])
    record["candidates"] = tuple(record["candidates"])
    return Edge(**record)

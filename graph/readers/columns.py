"""Which column of a table holds which field of a Provision, as `--columns` says it: text=body,law_name:=Code civil."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from graph.readers.fields import FIELDS

__all__ = ["ColumnMap", "numbers_of_words", "parse_columns"]

_ITEM = re.compile(rf"\s*(?P<name>{'|'.join(FIELDS)})\s*(?P<sign>:?=)(?P<value>.*)", re.DOTALL)
_NEXT = re.compile(rf",(?=\s*(?:{'|'.join(FIELDS)})\s*:?=)")  # a comma may also be part of a column's name
_NUMBERS = re.compile(r"\s*-?\d{1,18}\s*(?:[,;\s]\s*-?\d{1,18}\s*)*")


@dataclass(frozen=True)
class ColumnMap:
    """The fields of a Provision and where a table has them; a field that is not named keeps its own name."""

    columns: Mapping[str, str] = field(default_factory=dict)  # field -> column
    constants: Mapping[str, str] = field(default_factory=dict)  # field -> its words in every row

    def __bool__(self) -> bool:
        return bool(self.columns or self.constants)

    def __str__(self) -> str:
        """The words that `parse_columns` reads."""
        items = [f"{name}={column}" for name, column in self.columns.items()]
        return ",".join(items + [f"{name}:={words}" for name, words in self.constants.items()])

    def record(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a row. Raises KeyError with the name of a column that is asked for and not there."""
        fields = {name: row[name] for name in FIELDS if name in row and name not in self.columns}
        fields |= {name: row[column] for name, column in self.columns.items()}
        return fields | dict(self.constants)


def parse_columns(words: str) -> ColumnMap:
    """Read `field=column` and `field:=words`, separated by commas.

    Raises ValueError on an unknown field, one that is named twice, or an empty column.
    """
    columns: dict[str, str] = {}
    constants: dict[str, str] = {}
    for item in _NEXT.split(words):
        found = _ITEM.fullmatch(item)
        if found is None:
            raise ValueError(f"{item!r}: expected FIELD=COLUMN or FIELD:=WORDS, with FIELD one of {', '.join(FIELDS)}")
        name, value = found["name"], found["value"].strip()
        if name in columns or name in constants:
            raise ValueError(f"field {name!r} is named twice")
        if not value:
            raise ValueError(f"field {name!r} is given nothing")
        (columns if found["sign"] == "=" else constants)[name] = value
    return ColumnMap(columns, constants)


def numbers_of_words(record: dict[str, Any]) -> None:
    """Make numbers of what a table without types writes as words; what is no number is left for the check to name."""
    number = record.get("doc_id")
    if isinstance(number, str):
        if not number.strip():
            del record["doc_id"]
        elif _NUMBERS.fullmatch(number) and not re.search(r"[,;\s]", number.strip()):
            record["doc_id"] = int(number)
    numbers = record.get("related_doc_ids")
    if isinstance(numbers, str) and (not numbers.strip() or _NUMBERS.fullmatch(numbers)):
        record["related_doc_ids"] = [int(one) for one in re.split(r"[,;\s]+", numbers.strip()) if one]

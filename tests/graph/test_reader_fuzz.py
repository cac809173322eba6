"""Sources spoilt at random, format by format: either provisions come, or an error that names the file."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from graph.errors import CorpusError
from graph.readers import FORMATS, Sourced, source_parts
from graph.records import Status
from graph.semantic_id import parse
from tests.graph.test_table_readers import ARTICLE, BSARD, row_of, written
from tests.graph.test_xml_readers import AKN, BRITISH, EGOV

CORPORA = Path(__file__).parents[1] / "corpus_languages"
N_TEXTS = 150
BITS = (
    "<",
    ">",
    "&",
    '"',
    ",",
    "\n",
    "_",
    "#####",
    "---",
    "：",
    "\0",
    "\x1b",
    "第",
    "Art. ",
    "<p>",
    "</",
    "[",
    "{",
    " " * 50,
)


def spoilt(text: str, chance: random.Random) -> str:
    """Return a text with a few pieces taken out, doubled, moved or put in."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((1, 3, 20, 200)))
        piece = chance.choice(("", text[start:end] * 2, chance.choice(BITS), chance.choice(BITS) + text[start:end]))
        text = text[:start] + piece + text[end:]
    return text


def originals(folder: Path) -> list[tuple[str, str, str]]:
    """Return format, file name and text of a good source of each kind."""
    bsard = written(folder / "bsard.csv", BSARD, BSARD | {"id": "2"}).read_text(encoding="utf-8")
    table = written(folder / "table.csv", row_of(ARTICLE)).read_text(encoding="utf-8")
    laws = [("markdown", f"{path.parent.name}.md", path.read_text(encoding="utf-8")) for path in CORPORA.glob("*/*.md")]
    line = json.dumps({"law_name": "Loi", "chapter": "Art. 1", "text": "Texte.", "language": "fr"}, ensure_ascii=False)
    return [
        ("akoma-ntoso", "akn.xml", AKN),
        ("akoma-ntoso", "british.xml", BRITISH),
        ("e-gov", "egov.xml", EGOV),
        ("bsard", "bsard.csv", bsard),
        ("csv", "table.csv", table),
        ("jsonl", "table.jsonl", line),
        *laws,
    ]


def read(path: Path, format_name: str) -> tuple[list[Sourced], str]:
    """Return what a file holds, and the error that it ends in."""
    try:
        return [one for part in source_parts(path, format_name) for one in part.read()], ""
    except CorpusError as error:
        return [], str(error)


@pytest.mark.parametrize("seed", range(3))
def test_a_spoilt_source_gives_provisions_or_an_error_that_names_it(tmp_path: Path, seed: int):
    sources = originals(tmp_path)
    assert {name for name, _, _ in sources} <= FORMATS.keys()
    n_read = n_refused = 0
    for number in range(N_TEXTS):
        chance = random.Random(f"{seed} {number}")
        format_name, name, text = chance.choice(sources)
        path = tmp_path / name
        path.write_text(spoilt(text, chance), encoding="utf-8")
        found, error = read(path, format_name)
        if error:
            assert str(path) in error, f"{seed} {number}"
            n_refused += 1
            continue
        n_read += 1
        for provision, place in found:
            assert place.startswith(str(path)), f"{seed} {number}"
            assert parse(provision.semantic_id).label, f"{seed} {number}"
            assert provision.status is Status.PRESENT or not provision.text, f"{seed} {number}"
    assert n_read > 20
    assert n_refused > 20

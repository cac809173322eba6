"""Throws texts at the grammars and at the resolver: mixed scripts, unbalanced brackets, lines of a megabyte.

    python -m tests.graph.fuzz --n 1000 --seed 0

ends with exit code 1 at the first text that crashes, takes too long or gives mentions that do not lie in it, and names
the text by its number and seed; `--first N --n 1` makes that text again.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from graph.errors import CorpusError
from graph.mentions import LANGUAGES, find_aliases, find_mentions, name_key
from graph.readers import FORMATS, source_parts
from graph.records import Provision
from graph.resolution import Resolver
from graph.semantic_id import parse, semantic_id
from tests.graph import language_cases
from tests.graph.citation_cases import CASES

MEGABYTE = 1_000_000
BOUND_S = 2.0  # of processor time, for one text
ONE_IN = 20  # texts that is one line of a megabyte

WORDS = sorted({word for case in CASES for word in case.text.split(" ") if word})
WORDS_OF = {
    language: sorted({word for case in language_cases.cases_of(language).cases for word in case.text.split(" ")})
    for language in language_cases.LANGUAGES
}
# The law that a text is put into, its family, its level and the article.
OWN = {
    language: [(name, *law, data.cases[0].article) for name, law in data.laws.items()][1]
    for language in language_cases.LANGUAGES
    for data in [language_cases.cases_of(language)]
} | {
    "ko": ("건축법 시행령", "건축법", "대통령령", "제99조"),
    "en": ("Building Decree", "Building", "Decree", "Article 99"),
}
KNOWN = frozenset({"건축법", "buildingact"}) | {
    name_key(law) for language in language_cases.LANGUAGES for law in language_cases.cases_of(language).laws
}
MARKS = [
    *"()[]「」『』\"“”'<>①②㉟ㆍ·‧・,.:;§-–~～",
    "\n",
    "\r\n",
    "\t",
    "\u2028",
    "\x00",
    "\x1b[31m",
    "\ufeff",
    "\ud800",
]
SCRIPTS = [
    "第五条",
    "Статья 5",
    "المادة ٥",
    "άρθρο 5",
    "มาตรา ๕",
    "𝟓",
    "제５조",
    "제五조",
    "é" * 3,
    "👩‍⚖️",
    "\u200b",
    "제" * 9,
    "9" * 40,
]
LONG = [
    "제1조, ",
    "제1조(",
    "「건축법」 제1조 ",
    "(",
    ")",
    "「",
    "법 ",
    "Article 1, ",
    "(hereinafter ",
    '"',
    "제1조부터 ",
    " ",
]


def text_of(number: int, seed: int) -> tuple[str, str]:
    """Return the text of a number, and the language it is to be read in: the same for the same number and seed."""
    chance = random.Random(f"{seed} {number}")
    language = chance.choice(sorted(LANGUAGES))
    words = WORDS_OF.get(language, []) + (WORDS if language in ("ko", "en") else [])
    if number % ONE_IN == 0:
        unit = "".join(chance.choice([*LONG, *words, *MARKS[:20]]) for _ in range(chance.choice((1, 1, 2, 5, 40))))
        unit = unit.replace("\n", " ")
        return unit * (MEGABYTE // len(unit.encode("utf-8", "surrogatepass"))), language
    pieces = chance.choice([words, words + MARKS, MARKS + SCRIPTS, words + MARKS + SCRIPTS])
    joint = chance.choice(["", " ", " ", "\n"])
    return joint.join(chance.choice(pieces) for _ in range(chance.randrange(400))), language


def check(text: str, language: str) -> None:
    """Read a text alone and as an article that cites its own law; raises AssertionError if what comes out is wrong."""
    end = 0
    for mention in find_mentions(text, language, known_laws=KNOWN):
        assert end <= mention.start < mention.end <= len(text), f"mention {mention} after {end} of {len(text)}"
        end = mention.end
    for alias in find_aliases(text, language):
        assert 0 < alias.start <= len(text), f"alias {alias}"
    law, collection, level, chapter = OWN[language]
    article = Provision(
        semantic_id=semantic_id(law, chapter, language=language),
        doc_id=0,
        law_name=law,
        collection_name=collection,
        law_level=level,
        chapter=chapter,
        text=text,
        language=language,
    )
    for edge in Resolver([article]).edges(article):
        assert edge.text == text[edge.start : edge.end], f"edge {edge}"
        assert edge.target != edge.source, f"edge {edge}"
        assert edge.reason if edge.target is None else str(parse(edge.target)).rstrip("_") == edge.target, (
            f"edge {edge}"
        )


def check_file(text: str, folder: Path) -> None:
    """Read a text as a source of each format: either provisions come, or an error that names the file."""
    path = folder / "laws"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for name in FORMATS:
        try:
            for part in source_parts(path, name):
                list(part.read())
        except CorpusError as error:
            if str(path) not in str(error):
                raise AssertionError(f"{name}: an error without its place: {error}") from error


def main() -> None:
    """Fuzz, and print how long the slowest text took."""
    parser = argparse.ArgumentParser(prog="python -m tests.graph.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=1000, help="texts")
    parser.add_argument("--first", type=int, default=0, help="number of the first text")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    slowest = (0.0, 0)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(wanted.first, wanted.first + wanted.n):
            slowest = max(slowest, (_seconds(number, wanted.seed, Path(folder)), number))
    sys.stdout.write(f"{wanted.n} texts, the slowest (number {slowest[1]}) read in {slowest[0]:.2f} s\n")


def _seconds(number: int, seed: int, folder: Path) -> float:
    """Check one text; return the processor time of reading it once."""
    text, language = text_of(number, seed)
    started = time.process_time()
    try:
        check(text, language)
        taken = (time.process_time() - started) / 2  # it is read twice
        if taken >= BOUND_S:
            raise AssertionError(f"took {taken:.1f} s")
        check_file(text, folder)
    except Exception as error:  # noqa: BLE001 - whatever it is, the text is to be named
        sys.exit(f"text {number} of seed {seed} ({language}, {len(text)} characters): {error!r}")
    return taken


if __name__ == "__main__":
    main()

"""Invented data of BSARD's shape and size: 22,633 French articles of about 100 words in 32 codes, with citations.

python -m tests.bsard_shaped articles.csv
time nonliquet index articles.csv --index bsard --encoder none
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path

__all__ = ["N_ARTICLES", "rows", "write"]

N_ARTICLES = 22_633
N_CODES = 32
_WORDS = 100
_SYLLABLES = (
    *("ba", "bi", "cau", "ce", "cho", "cri", "da", "de", "dou", "fa", "fi", "ga", "jou", "la", "le", "lo", "ma", "mé"),
    *("moi", "na", "ni", "no", "pa", "pi", "ra", "re", "ro", "sa", "sé", "ta", "té", "tou", "va", "vi"),
)
_ENDINGS = ("tion", "ment", "eur", "té", "e", "er", "ant", "ique", "age", "s")
_SMALL = ("le", "la", "les", "de", "du", "des", "et", "à", "un", "une", "par", "pour", "qui", "est", "dans", "sur")
_HEADINGS = ("book", "part", "act", "chapter", "section", "subsection", "description")


def rows(*, n_articles: int = N_ARTICLES, seed: int = 0) -> Iterator[dict[str, str]]:
    """Yield the rows of an `articles.csv`; the same for the same seed."""
    chance = random.Random(seed)
    stems = ["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 3))) for _ in range(6000)]
    words = [stem + ending for stem in stems for ending in chance.sample(_ENDINGS, k=3)]
    frequency = list(accumulate(1 / (rank + 20) for rank in range(len(words))))  # Zipf's law, as in any language
    codes = [f"Code {chance.choice(('du', 'de la'))} {words[n * 7]}" for n in range(N_CODES)]
    a_code = -(-n_articles // N_CODES)
    for number in range(n_articles):
        code, place = codes[number // a_code], number % a_code + 1
        drawn = iter(chance.choices(words, cum_weights=frequency, k=_WORDS))
        yield {
            "id": str(number + 1),
            "reference": f"Art. {place}, {code}",
            "article": " ".join(_sentence(chance, drawn, codes, place) for _ in range(4)),
            "law_type": "national" if number // a_code % 2 else "regional",
            "code": code,
            **dict.fromkeys(_HEADINGS, ""),
            "book": f"Livre {place // 200 + 1}",
        }


def _sentence(chance: random.Random, words: Iterator[str], codes: list[str], place: int) -> str:
    said = " ".join(f"{chance.choice(_SMALL)} {word}" if chance.random() < 0.5 else word for word in islice(words, 17))
    other = chance.randint(1, 700)
    citations = (
        f", visé à l'article {other}",
        f" selon les articles {other} et {other + 1} du {chance.choice(codes)}",
        ", sous réserve de l'article précédent",
        f" au sens du présent code, § {place % 4 + 1}, alinéa 1er",
    )
    return f"{said.capitalize()}{chance.choice(citations) if chance.random() < 0.3 else ''}."


def write(path: Path, *, n_articles: int = N_ARTICLES) -> None:
    """Write an `articles.csv`."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, fieldnames=["id", "reference", "article", "law_type", "code", *_HEADINGS])
        table.writeheader()
        table.writerows(rows(n_articles=n_articles))


if __name__ == "__main__":
    write(Path(sys.argv[1]))

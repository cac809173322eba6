"""The hand-made citation cases in languages other than Korean, read from `cases/LANGUAGE.toml`.

The laws of a language are those in its `laws`: each has the articles in `chapters` without text, the one that is
`repealed`, and its `more_chapters`. A case puts its own text into one article of one law, and may put other texts
beside it. An expectation is the words of the mention, the kind of edge ("cites" unless it says otherwise), and its
target in `to`, with the reason why that has no text here, if it has none; without `to` the reason says why there is no
target. The reason need only be a part of what is said. The mentions of one text are listed in order; a range lists
several targets. Where the part of the article matters it is given too: `paragraph` is the number of Absatz, §, 項,
khoản, (n), or of an alinéa where no § stands over it, a range of them written out and joined by commas; `item` is what
stands below, levels joined as the language does (1号イ, "Satz 2 Nr. 3", "al. 1 3°", "a,ii").
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from graph.records import EdgeKind

__all__ = ["LANGUAGES", "Expected", "LanguageCase", "LanguageCases", "cases_of"]

LANGUAGES = ("fr", "ja", "de", "en", "vi")


class Expected(NamedTuple):
    words: str
    kind: EdgeKind
    target: str | None  # semantic_id
    reason: str  # a part of it; "" where there must be none
    paragraph: str | None = None  # None: the case is not about it
    item: str | None = None


@dataclass(frozen=True)
class LanguageCase:
    why: str
    law: str
    text: str
    expected: list[Expected]
    article: str  # the chapter that holds the text
    language: str
    beside: Mapping[str, Mapping[str, str]]  # law: chapter: text


@dataclass(frozen=True)
class LanguageCases:
    language: str
    laws: Mapping[str, tuple[str, str]]  # law name: collection name, level
    chapters: Mapping[str, tuple[str, ...]]  # law name: all chapters, the repealed one last
    repealed: str
    cases: list[LanguageCase]


@cache
def cases_of(language: str) -> LanguageCases:
    data = tomllib.loads((Path(__file__).parent / "cases" / f"{language}.toml").read_text(encoding="utf-8"))
    laws = data["laws"]
    return LanguageCases(
        language,
        {name: (law["collection"], law["level"]) for name, law in laws.items()},
        {name: (*data["chapters"], *law.get("more_chapters", ()), data["repealed"]) for name, law in laws.items()},
        data["repealed"],
        [
            LanguageCase(
                case["why"],
                case["law"],
                case["text"],
                [expected for row in case["expected"] for expected in _expected(row)],
                case.get("article", data["article"]),
                language,
                case.get("beside", {}),
            )
            for case in data["cases"]
        ],
    )


def _expected(row: Mapping[str, Any]) -> list[Expected]:
    """Return one expectation for each target of a mention."""
    targets = row.get("to")
    return [
        Expected(
            row["words"],
            EdgeKind(row.get("kind", "cites")),
            target,
            row.get("reason", ""),
            row.get("paragraph"),
            row.get("item"),
        )
        for target in (targets if isinstance(targets, list) else [targets])
    ]

"""The page's words, and that its modules keep to what is safe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.reply import AbstentionKind
from graph.records import EdgeKind

AGENT = Path(__file__).parents[3] / "agent"
TEXTS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((AGENT / "web" / "texts").glob("*.json"))}
MODULES = "\n".join(path.read_text("utf-8") for path in sorted((AGENT / "web" / "static").glob("*.js")))
PAGE = (AGENT / "web" / "page.html").read_text("utf-8")


def flat(words: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in words.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def test_the_page_speaks_the_languages_that_it_offers():
    offered = re.search(r"LANGUAGES = \{(.+?)\}", MODULES)
    assert offered is not None
    assert sorted(re.findall(r"(\w\w):", offered[1])) == sorted(TEXTS) == ["en", "fr", "ja", "ko"]


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_every_language_says_the_same_things_with_the_same_slots(language: str):
    said, english = dict(flat(TEXTS[language])), dict(flat(TEXTS["en"]))
    assert said.keys() == english.keys()
    for key, words in said.items():
        assert words.strip()
        assert sorted(re.findall(r"\{\w+\}", words)) == sorted(re.findall(r"\{\w+\}", english[key])), key


def test_what_the_page_asks_for_it_has():
    keys = set(re.findall(r'\bt\((?:[\w.!]+ \? )?"([\w.]+)"', MODULES)) | set(re.findall(r'data-\w+="([\w.]+)"', PAGE))
    known = dict(flat(TEXTS["en"])).keys()
    assert len(keys) > 30
    assert keys <= known


def test_every_kind_of_abstention_and_of_citation_has_its_words():
    assert TEXTS["en"]["kinds"].keys() == set(AbstentionKind)
    assert TEXTS["en"]["edges"].keys() == set(EdgeKind)


@pytest.mark.parametrize("reason", sorted(TEXTS["en"]["reasons"]))
def test_a_reason_that_is_translated_is_one_that_the_agent_gives(reason: str):
    code = "\n".join(path.read_text("utf-8") for path in AGENT.glob("*.py"))
    said = re.sub(r"\{[^{}\"]*\}", "{}", code)
    assert re.sub(r"\{\d\}", "{}", reason) in said


@pytest.mark.parametrize(
    "unsafe", ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http:", "https:"]
)
def test_no_module_reads_text_as_markup_or_reaches_outside(unsafe: str):
    assert unsafe not in MODULES
    assert unsafe not in PAGE

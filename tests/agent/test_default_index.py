"""The built-in law's index: built once, by one of those who want it, and again when it is broken."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import Result

from agent import default_index
from agent.default_index import builtin_index
from graph.errors import IndexFolderError
from retrieval.index import Index
from retrieval.settings import cache_folder
from tests.conftest import HashingEncoder

N_ARTICLES = 93


@pytest.mark.usefixtures("hashing_as_embedded")
def test_the_first_use_builds_it_and_says_so_on_stderr_the_second_does_not(nonliquet: Callable[..., Result]):
    first, second = nonliquet("stats"), nonliquet("stats")
    assert (first.stderr, second.stderr) == ("The built-in law is indexed, this once.\n", "")
    assert first.stdout == second.stdout
    assert f"documents                      {N_ARTICLES}\n" in first.stdout


def test_of_two_that_want_it_at_once_one_builds(hashing_as_embedded: HashingEncoder):
    with ThreadPoolExecutor(2) as pool:
        folders = list(pool.map(lambda _: builtin_index(), range(2)))
    assert folders[0] == folders[1]
    assert hashing_as_embedded.n_articles_encoded == N_ARTICLES


@pytest.mark.usefixtures("hashing_as_embedded")
def test_a_broken_one_is_built_again():
    (articles,) = builtin_index().glob("builds/*/articles.jsonl")
    articles.write_text("nothing")
    with Index.open(builtin_index()) as index:
        assert len(index.articles) == N_ARTICLES


@pytest.mark.usefixtures("hashing_as_embedded")
def test_another_law_or_another_librarys_release_has_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folders = {builtin_index()}
    monkeypatch.setattr(default_index, "version", lambda name: "0")
    folders.add(builtin_index())
    law = tmp_path / "law"
    law.mkdir()
    for path in default_index.BUILTIN_LAW.glob("*.md"):
        (law / path.name).write_text(path.read_text(encoding="utf-8").replace("30 minutes", "40 minutes"), "utf-8")
    monkeypatch.setattr(default_index, "BUILTIN_LAW", law)
    folders.add(builtin_index())
    assert len(folders) == 3


@pytest.mark.usefixtures("hashing_as_embedded")
def test_a_cache_folder_that_cannot_be_made_is_an_error_that_says_how_to_move_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NONLIQUET_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(IndexFolderError, match="set NONLIQUET_CACHE"):
        builtin_index()
    assert cache_folder() == tmp_path / "file" / "cache"

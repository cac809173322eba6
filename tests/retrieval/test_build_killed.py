"""A kill at any moment leaves the old index or the new one. The moments are drawn from a seed; 20 builds are killed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graph.errors import IndexFolderError
from graph.links import citation_graph
from retrieval.encoder_cache import BATCH_SIZE, CachedEncoder
from retrieval.index import Index
from retrieval.settings import cache_folder
from tests.conftest import ROOT, HashingEncoder
from tests.retrieval.build_to_kill import N_ARTICLES, corpus

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")

N_KILLS = 20
MOST_BUILDS = 100  # with some kills too late for their builds
SEED = 20261130


class Builder:
    """Has indexes built in processes that are killed in time."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self.index = folder / "index"
        self.log = folder / "encoded.txt"

    def build(self, number: int, *, folder: Path | None = None, **kill: Any) -> dict[str, Any]:
        places = {"folder": str(folder or self.index), "log": str(self.log), "cache": str(cache_folder())}
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(places | {"number": number} | kill) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def n_encoded(self, number: int) -> Counter[str]:
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return Counter(line for line in lines if line.startswith(f"제{number}판의 "))


@pytest.fixture(scope="module")
def _process() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.retrieval.build_to_kill"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin
        process.stdin.close()


@pytest.fixture
def builder(_process: subprocess.Popen[str], tmp_path: Path) -> Builder:
    return Builder(_process, tmp_path)


def version_of(folder: Path) -> int | None:
    """The version of the law that an index holds, whole and right in every part; None if there is no index yet."""
    if not (folder / "manifest.json").exists():
        with pytest.raises(IndexFolderError, match=r"whose first build was not finished|is no index"):
            Index.open(folder)
        return None
    with Index.open(folder) as index:
        number = int(index.articles[0].text.removeprefix("제").partition("판")[0])
        graph = citation_graph(corpus(number).provisions)
        assert index.graph.provisions == graph.provisions
        assert index.graph.edges == graph.edges
        assert index.matrix.tobytes() == HashingEncoder().encode_articles(index.articles).tobytes()
        assert len(index.lexical.bm25("등대")) == N_ARTICLES
        return number


def test_a_kill_at_any_moment_leaves_the_old_index_or_the_new_one(builder, tmp_path):
    seconds = builder.build(MOST_BUILDS, folder=tmp_path / "undisturbed")["seconds"]
    moments = random.Random(SEED)
    standing: int | None = None
    n_killed = 0
    for number in range(MOST_BUILDS):
        if n_killed == N_KILLS:
            break
        earliest = 0.8 * seconds if number % 2 else 0.0  # every other one about when the index is replaced
        told = builder.build(number, kill_after_s=moments.uniform(earliest, 1.05 * seconds))
        n_killed += told["killed"]
        found = version_of(builder.index)
        assert found in ((standing, number) if told["killed"] else (number,))
        standing = found
    assert n_killed == N_KILLS

    builder.build(MOST_BUILDS)
    assert version_of(builder.index) == MOST_BUILDS
    with Index.open(builder.index) as index, Index.open(tmp_path / "undisturbed") as undisturbed:
        assert index.manifest.files == undisturbed.manifest.files
        assert index.matrix.tobytes() == undisturbed.matrix.tobytes()
    assert [path.name for path in (builder.index / "builds").iterdir()] == [index.manifest.build]


@pytest.mark.parametrize(
    ("event", "name", "version"),
    [
        ("open", "edges.jsonl", 0),
        ("open", "chroma", 0),
        ("open", "manifest.json.new", 0),
        ("os.rename", "manifest.json.new", 0),
        ("shutil.rmtree", "/builds/", 1),
        ("os.rmdir", "lexical", 1),
    ],
)
def test_the_index_changes_when_its_manifest_does_and_not_before(builder, event, name, version):
    builder.build(0)
    assert builder.build(1, kill_at_event=(event, name))["killed"]
    assert version_of(builder.index) == version
    builder.build(2)
    assert version_of(builder.index) == 2
    assert len(list((builder.index / "builds").iterdir())) == 1


@pytest.mark.parametrize("n_batches", [1, 3, 4])
def test_vectors_that_were_ready_are_not_encoded_again(builder, n_batches):
    builder.build(0, kill_after_batches=n_batches)
    assert builder.n_encoded(0).total() == n_batches * BATCH_SIZE
    cache = CachedEncoder(HashingEncoder(), cache_folder() / "vectors.sqlite")
    assert cache.n_cached(corpus(0).provisions) == n_batches * BATCH_SIZE

    builder.build(0)
    assert version_of(builder.index) == 0
    assert set(builder.n_encoded(0).values()) == {1}
    assert builder.n_encoded(0).total() == N_ARTICLES

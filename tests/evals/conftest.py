from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from agent.cli import command
from evals.cli import register
from graph.corpus import BUILTIN_LAW, read_corpus
from retrieval.index_build import VectorPlan, build_index
from retrieval.retriever import Retriever
from tests.conftest import HashingEncoder


@pytest.fixture(scope="session")
def evals_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in law with vectors of an encoder without a model."""
    place = tmp_path_factory.mktemp("evals")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NONLIQUET_CACHE", str(place / "cache"))
        build_index(read_corpus([BUILTIN_LAW]), place / "index", vectors=VectorPlan(encoder=HashingEncoder()))
    return place / "index"


@pytest.fixture
def evals_retriever(evals_index: Path) -> Iterator[Retriever]:
    with Retriever.open(evals_index, encoder=HashingEncoder()) as retriever:
        yield retriever


@pytest.fixture
def nonliquet(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the command with these arguments, its encoder one without a model."""
    encoder = HashingEncoder()
    monkeypatch.setattr("retrieval.retriever.open_encoder", lambda spec: encoder)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(command([register]), [str(one) for one in arguments], catch_exceptions=False)

    return run

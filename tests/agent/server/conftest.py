"""The server over the built-in law, without vectors and without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="nonliquet[web] is not installed")

from agent.legal_agent import LegalAgent
from graph.corpus import BUILTIN_LAW, read_corpus
from retrieval.index_build import build_index
from tests.agent.server.serving import Served, serving


@pytest.fixture(scope="session")
def law_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "index"
    build_index(read_corpus([BUILTIN_LAW]), folder)
    return folder


@pytest.fixture(scope="session")
def served(law_index: Path) -> Iterator[Served]:
    with serving(LegalAgent.open(law_index)) as served:
        yield served

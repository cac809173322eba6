"""A lexical index of the golden law, an agent that says what it is told, and the command run in this process."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from typer.testing import CliRunner, Result

from agent.cli import command, register
from agent.legal_agent import LegalAgent
from agent.reply import (
    Abstention,
    AbstentionKind,
    Answer,
    Check,
    Citation,
    MissingProvision,
    Reply,
    Step,
)
from graph.corpus import BUILTIN_LAW, Corpus, read_corpus
from retrieval.index_build import build_index
from retrieval.retriever import Retriever
from tests.conftest import HashingEncoder

if TYPE_CHECKING:
    from tests.agent.server.serving import Served

ANSI = re.compile("\x1b\\[")

ANSWER = Answer(
    question="언제 등을 켜는가?",
    text="해가 지기 전이다 [1].",
    citations=(
        Citation(
            semantic_id="등대-안전법_1조",
            doc_id=0,
            law_name="등대 안전법",
            label="제1조",
            quote="① 등대지기는 해가 지기 전에 등을 켜야 한다.",
            start=0,
            end=26,
            check=Check.EXACT,
        ),
    ),
    language="ko",
    confidence=0.5,
    trace=(Step("retrieve", {"method": "sar", "hits": {"등대-안전법_1조": 1.0}}),),
)
ABSTENTION = Abstention(
    question="등대의 등급은?",
    kind=AbstentionKind.MISSING_PROVISION,
    text="답이 들어 있는 조문이 없습니다.",
    language="ko",
    missing=(
        MissingProvision(
            semantic_id="등대-안전법_별표1",
            law_name="등대 안전법",
            label="별표 1",
            heading="등대의 등급",
            sent_from="등대-안전법_1조",
            sentence="등급은 별표 1과 같다.",
        ),
    ),
    found=ANSWER.citations,
    trace=(Step("sufficiency", {"missing": ["등대-안전법_별표1"]}),),
)


class ScriptedAgent:
    """Gives the replies of its script, in order, raising those that are exceptions; fails when asked for more."""

    def __init__(self, script: Sequence[Reply | BaseException], retriever: Retriever | None = None) -> None:
        self.model = None
        self._script = list(script)
        self._retriever = retriever
        self.asked: list[tuple[str, tuple[str, ...]]] = []  # question and history
        self.opened: list[tuple[Path, Any]] = []  # index folder and settings

    @property
    def retriever(self) -> Retriever:
        assert self._retriever is not None
        return self._retriever

    def open(self, index: Path, *, model: str | None = None, settings: Any = None, as_of: str | None = None) -> Self:
        assert model is None
        self.opened.append((index, settings))
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ask(self, question: str, *, history: Sequence[str] = ()) -> Reply:
        self.asked.append((question, tuple(history)))
        reply = self._script.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply


@pytest.fixture(scope="session")
def golden_index(golden_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without vectors."""
    folder = tmp_path_factory.mktemp("golden") / "index"
    build_index(golden_corpus, folder)
    return folder


@pytest.fixture
def nonliquet(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the command with these arguments; an exception that it does not handle fails the test."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: object, stdin: str | bytes | None = None) -> Result:
        app = command([register])
        return CliRunner().invoke(app, [str(one) for one in arguments], input=stdin, catch_exceptions=False)

    return run


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, golden_index: Path) -> Callable[..., ScriptedAgent]:
    """Put an agent with this script in the place of the real one."""

    def script(*replies: Reply | BaseException) -> ScriptedAgent:
        agent = ScriptedAgent(replies, Retriever.open(golden_index))
        monkeypatch.setattr("agent.legal_agent.LegalAgent", agent)
        return agent

    return script


@pytest.fixture
def hashing_as_embedded(monkeypatch: pytest.MonkeyPatch) -> HashingEncoder:
    """An encoder without a model, which every specification but `none` opens."""
    encoder = HashingEncoder()
    for place in ("retrieval.encoder.open_encoder", "retrieval.retriever.open_encoder"):
        monkeypatch.setattr(place, lambda spec: None if spec == "none" else encoder)
    return encoder


@pytest.fixture(scope="session")
def law_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the built-in law, without vectors."""
    folder = tmp_path_factory.mktemp("served") / "index"
    build_index(read_corpus([BUILTIN_LAW]), folder)
    return folder


@pytest.fixture(scope="session")
def served(law_index: Path) -> Iterator[Served]:
    """The server over the built-in law, without a model."""
    from tests.agent.server.serving import serving

    with serving(LegalAgent.open(law_index)) as served:
        yield served

"""The agent with a calibration: what is not sure enough is not answered, and every reply says what it was held to."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.calibration import Bound, Calibration, HeldOut, Subject, Task
from agent.cli import command, register
from agent.commands.exit_codes import ExitCode
from agent.gate.features import Knowledge
from agent.gate.model import GateModel
from agent.legal_agent import LegalAgent
from agent.reply import UNCALIBRATED, Abstention, AbstentionKind, Answer, Reply
from agent.settings import AgentSettings
from graph.corpus import BUILTIN_LAW, read_corpus
from graph.errors import SettingsError
from retrieval.index_build import build_index
from retrieval.retriever import Retriever

QUESTION = "How often must a portable extinguisher be inspected?"
HELD_OUT = HeldOut(
    coverage=1.0, coverage_interval=(1.0, 1.0), marginal_risk=0.0, marginal_interval=(0.0, 0.0), selective_risk=0.0
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calibrated") / "index"
    build_index(read_corpus([BUILTIN_LAW]), folder)
    return folder


@pytest.fixture
def calibrated(index: Path, tmp_path: Path) -> Callable[..., LegalAgent]:
    """Open an agent with a calibration file of this threshold, reader and gate."""

    def opened(threshold: float, *, reader: str = "extractive", gate: GateModel | None = None) -> LegalAgent:
        retriever, settings = Retriever.open(index), AgentSettings()
        calibration = Calibration(
            task=Task.QUESTIONS,
            bound=Bound.MARGINAL,
            target=0.05,
            delta=0.1,
            thresholds={Bound.MARGINAL: threshold, Bound.SELECTIVE: 1.0},
            n=30,
            n_held_out=30,
            held_out=dict.fromkeys(Bound, HELD_OUT),
            seed=0,
            data={"qa.jsonl": "0123456789"},
            subject=Subject.of(retriever, reader, settings),
            gate=gate,
        )
        path = tmp_path / "calibration.json"
        path.write_text(json.dumps(calibration.to_json()))
        return LegalAgent(retriever, settings=replace(settings, calibration=str(path)))

    return opened


def constant_gate(log_odds: float) -> GateModel:
    """A gate whose probability is logistic(log_odds / 2) whatever it sees."""
    return GateModel(Knowledge.CONTEXT, ("question.coverage",), (0.0,), (1.0,), (0.0,), log_odds, ())


def steps(reply: Reply, name: str) -> list[dict[str, object]]:
    return [dict(step.detail) for step in reply.trace if step.name == name]


def plain(index: Path) -> Answer:
    with LegalAgent.open(index) as agent:
        reply = agent.ask(QUESTION)
    assert isinstance(reply, Answer)
    return reply


def test_an_answer_just_above_the_threshold_is_given_and_says_what_it_was_held_to(
    index: Path, calibrated: Callable[..., LegalAgent]
):
    before = plain(index)
    assert before.calibration == UNCALIBRATED
    with calibrated(before.confidence - 1e-9) as agent:
        reply = agent.ask(QUESTION)
    assert isinstance(reply, Answer)
    assert (reply.text, reply.citations, reply.confidence) == (before.text, before.citations, before.confidence)
    assert reply.calibration.startswith("P(answered and wrong) <= 0.05")
    assert "qa.jsonl 01234567" in reply.to_json()["calibration"]


def test_an_answer_at_the_threshold_is_not_given_and_the_trace_says_why(
    index: Path, calibrated: Callable[..., LegalAgent]
):
    sure = plain(index).confidence
    with calibrated(sure) as agent:
        reply = agent.ask(QUESTION)
    assert isinstance(reply, Abstention)
    assert reply.kind is AbstentionKind.INSUFFICIENT_EVIDENCE
    assert reply.calibration.startswith("P(answered and wrong) <= 0.05")
    assert steps(reply, "calibration") == [{"confidence": round(sure, 4), "not above": round(sure, 4)}]


def test_the_gate_is_a_step_before_writing_and_a_factor_of_the_confidence(
    index: Path, calibrated: Callable[..., LegalAgent]
):
    sure = plain(index).confidence
    with calibrated(0.0, gate=constant_gate(0.0)) as agent:
        reply = agent.ask(QUESTION)
    assert isinstance(reply, Answer)
    assert reply.confidence == pytest.approx(sure / 2, abs=1e-12)
    names = [step.name for step in reply.trace]
    learned = {"by": "learned", "knowledge": "context", "probability": 0.5}
    assert steps(reply, "sufficiency")[-1] == learned
    assert names.index("read") > max(place for place, name in enumerate(names) if name == "sufficiency")


def test_where_the_gate_leaves_too_little_nothing_is_written(index: Path, calibrated: Callable[..., LegalAgent]):
    with calibrated(0.1, gate=constant_gate(-20.0)) as agent:
        reply = agent.ask(QUESTION)
    assert isinstance(reply, Abstention)
    assert reply.kind is AbstentionKind.INSUFFICIENT_EVIDENCE
    assert not steps(reply, "read")


def test_a_calibration_for_another_reader_is_refused(calibrated: Callable[..., LegalAgent]):
    with pytest.raises(SettingsError, match="reader llama, not extractive: for other data a calibration is no guarant"):
        calibrated(0.5, reader="llama")


def test_the_command_takes_the_file_and_exits_by_what_it_decides(
    index: Path, calibrated: Callable[..., LegalAgent], tmp_path: Path
):
    for threshold, exit_code in ((0.0, ExitCode.DONE), (1.0, ExitCode.ABSTAINED)):
        calibrated(threshold).close()
        asked = ["ask", "--index", str(index), "--calibration", str(tmp_path / "calibration.json"), "--json", QUESTION]
        result = CliRunner().invoke(command([register]), asked)
        assert result.exit_code == exit_code
        assert json.loads(result.stdout)["calibration"].startswith("P(answered and wrong) <= 0.05")

"""A calibration on disk, what it says, and for whom it is good."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.calibration import Bound, Calibration, HeldOut, Subject, Task
from agent.gate.features import Knowledge
from agent.gate.model import GateModel
from graph.errors import SettingsError

SUBJECT = Subject(index="ab12", reader="extractive", settings={"n_hits": 6, "mode": "plain"})
HELD_OUT = HeldOut(
    coverage=0.5,
    coverage_interval=(0.4, 0.6),
    marginal_risk=0.04,
    marginal_interval=(0.0, 0.08),
    selective_risk=None,
)
CALIBRATION = Calibration(
    task=Task.QUESTIONS,
    bound=Bound.MARGINAL,
    target=0.05,
    delta=0.1,
    thresholds={Bound.MARGINAL: 0.25, Bound.SELECTIVE: 1.0},
    n=60,
    n_held_out=59,
    held_out=dict.fromkeys(Bound, HELD_OUT),
    seed=0,
    data={"qa.jsonl": "0123456789abcdef"},
    subject=SUBJECT,
    gate=GateModel(Knowledge.CORPUS, ("question.coverage",), (0.5,), (1.0,), (1.0,), 0.0, (0.5, [0, 0.5, 0.0, 1.0])),
)


def saved(folder: Path, **changed: Any) -> Path:
    path = folder / "calibration.json"
    path.write_text(json.dumps({**CALIBRATION.to_json(), **changed}), encoding="utf-8")
    return path


def test_it_reads_back_as_it_was(tmp_path: Path):
    assert Calibration.load(saved(tmp_path)) == CALIBRATION


def test_answers_are_given_above_the_threshold_of_the_bound_that_is_applied():
    assert not CALIBRATION.answers(0.25)
    assert CALIBRATION.answers(0.2500001)
    assert not replace(CALIBRATION, bound=Bound.SELECTIVE).answers(1.0)


def test_it_says_bound_level_and_data():
    assert CALIBRATION.describe() == (
        "P(answered and wrong) <= 0.05 (conformal risk control, in the mean over calibrations), wrong: no gold article "
        "cited; for questions like the 60 it was calibrated on: qa.jsonl 01234567"
    )
    assert replace(CALIBRATION, bound=Bound.SELECTIVE, task=Task.CHOICES).describe() == (
        "P(wrong | answered) <= 0.05 (Learn then Test, with probability >= 0.9 over calibrations), wrong: another "
        "letter; for questions like the 60 it was calibrated on: qa.jsonl 01234567"
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"format_version": 9}, "format 9, this version reads 1"),
        ({"n": "60"}, "n: "),
        ({"thresholds": {"marginal": 0.5}}, "each bound needs a threshold"),
        ({"thresholds": {"marginal": 1.5, "selective": 1.0}}, "each bound needs a threshold"),
        ({"target": 0}, "bound nothing"),
        ({"gate": {"knowledge": "corpus"}}, "gate"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_a_corrupt_file_is_told_by_its_field_and_by_what_mends_it(tmp_path: Path, changed: dict[str, Any], words: str):
    with pytest.raises(SettingsError, match=rf"calibration\.json: .*{words}.*evals calibrate"):
        Calibration.load(saved(tmp_path, **changed))


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "\x00"])
def test_what_is_no_calibration_at_all_is_an_error(tmp_path: Path, content: str):
    path = tmp_path / "calibration.json"
    path.write_text(content)
    with pytest.raises(SettingsError, match="evals calibrate"):
        Calibration.load(path)
    with pytest.raises(SettingsError, match=r"no-such\.json: cannot be read"):
        Calibration.load(tmp_path / "no-such.json")


def test_for_another_index_reader_or_setting_it_guarantees_nothing_and_says_what_differs():
    CALIBRATION.check(SUBJECT, Path("c.json"))
    other = Subject(index="cd34", reader="llama", settings={"n_hits": 9, "mode": "plain"})
    with pytest.raises(SettingsError, match="another index; reader extractive, not llama; another setting n_hits"):
        CALIBRATION.check(other, Path("c.json"))
    with pytest.raises(SettingsError, match="choices, which are not asked here"):
        replace(CALIBRATION, task=Task.CHOICES).check(SUBJECT, Path("c.json"))

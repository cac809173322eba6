"""Measures against values worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evals.mcq.gate_measures import gate_intervals
from evals.mcq.gates import GateCase
from evals.mcq.measures import intervals, question_values
from evals.mcq.records import ChoiceQuestion, Condition
from evals.mcq.run import gated
from evals.mcq.selective_measures import confidence_and_loss, selective_measures
from evals.mcq.trials import Choice, Trial

FULL, PARTIAL, DECOY = Condition.FULL, Condition.PARTIAL, Condition.DECOY
ORDER = (1, 2, 3)  # option 3 abstains


def question(name: str, gold: int = 1, *, abstain: int | None = 3, cluster: str = "") -> ChoiceQuestion:
    return ChoiceQuestion(
        question_id=name, text="?", options=("x", "y", "z"), gold_full=gold, abstain=abstain, cluster=cluster or name
    )


A, B, C, D = question("a"), question("b"), question("c", gold=2), question("d", gold=3)


def outcome(asked, condition, chosen, *, confidence=0.5, answer=None, order=ORDER, permutation=0, repeat=0):
    answer = answer or (chosen if chosen != asked.abstain else None)
    trial = Trial(asked, condition, (), permutation, order, repeat)
    return trial, Choice(chosen, answer, confidence, "" if chosen else "unreadable")


OUTCOMES = [
    outcome(A, FULL, 1),  # right
    outcome(B, FULL, 3),  # abstains for nothing
    outcome(C, FULL, 1),  # wrong
    outcome(D, FULL, 3),  # right: abstaining is gold even on full
    outcome(A, PARTIAL, 3),  # right
    outcome(B, PARTIAL, 1),  # guessed
    outcome(C, PARTIAL, 1),  # wrong
    outcome(D, PARTIAL, 3),  # does not count
    outcome(A, DECOY, None),  # unreadable
    outcome(B, DECOY, 3),
]


def measured(outcomes):
    return {name: one.mean for name, one in intervals(outcomes, np.random.default_rng(0)).items()}


def test_every_measure_as_counted_by_hand():
    assert measured(OUTCOMES) == pytest.approx(
        {
            "full accuracy": 2 / 4,  # a, d
            "answerable accuracy": 1 / 3,
            "over-abstention": 1 / 3,
            "partial abstention": 1 / 3,
            "decoy abstention": 1 / 2,
            "wrong when partial": 1 / 3,
            "guessed when partial": 1 / 3,
            "balanced accuracy": (1 / 3 + 1 / 3) / 2,
            "balanced decision": (2 / 3 + 1 / 3) / 2,
            "abstention precision": 1 / 2,  # a partial of the abstained a partial, b full
            "abstention recall": 1 / 3,
            "abstention F1": 2 * 1 / (2 + 3),
            "joint": 1 / 3,  # a
            "unreadable": 1 / 10,
        }
    )


def test_always_abstaining_is_half_right_and_never_jointly():
    found = measured([outcome(q, c, 3) for q in (A, B, C) for c in (FULL, PARTIAL)])
    assert (found["partial abstention"], found["over-abstention"], found["full accuracy"]) == (1, 1, 0)
    assert (found["balanced accuracy"], found["balanced decision"], found["joint"]) == (0.5, 0.5, 0)


def test_joint_pairs_the_same_order_of_the_same_question():
    outcomes = [
        outcome(A, FULL, 1, permutation=0), outcome(A, PARTIAL, 1, permutation=0),
        outcome(A, FULL, 2, permutation=1), outcome(A, PARTIAL, 3, permutation=1),
    ]  # fmt: skip
    assert measured(outcomes)["joint"] == 0


def test_questions_without_an_abstain_option_have_accuracies_alone():
    plain = question("p", abstain=None)
    found = measured([outcome(plain, FULL, 1), outcome(plain, Condition.NONE, 2)])
    assert found == {"full accuracy": 1.0, "none accuracy": 0.0, "unreadable": 0.0}


def test_position_bias_is_the_distance_of_the_letters_from_uniform():
    orders = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    blind = [outcome(A, FULL, 1, order=order, permutation=n) for n, order in enumerate(orders)]
    assert measured(blind)["position bias"] == pytest.approx(0)
    assert measured(blind)["consistency"] == 1
    first = [outcome(A, FULL, order[0], order=order, permutation=n) for n, order in enumerate(orders)]
    assert measured(first)["position bias"] == pytest.approx(2 / 3)  # (|1 - 1/3| + 1/3 + 1/3) / 2
    assert measured(first)["consistency"] == 0
    assert "position bias" not in measured(OUTCOMES)  # in the order of the file


def test_what_moves_between_repeats_is_counted():
    outcomes = [outcome(A, FULL, chosen, repeat=n) for n, chosen in enumerate((1, 1, 2))]
    assert measured(outcomes)["moved"] == pytest.approx(2 / 3)  # of the three pairs of repeats


def test_values_by_question_average_to_the_measure():
    values = question_values(OUTCOMES)
    assert values["a"] == {
        "full accuracy": 1, "answerable accuracy": 1, "over-abstention": 0, "partial abstention": 1,
        "wrong when partial": 0, "guessed when partial": 0, "decoy abstention": 0, "joint": 1, "unreadable": 1 / 3,
    }  # fmt: skip
    assert values["d"] == {"full accuracy": 1, "unreadable": 0}


def test_the_forms_of_one_question_are_resampled_together():
    alone = [question(f"q{n}") for n in range(8)]
    together = [question(f"q{n}", cluster=f"cluster {n // 4}") for n in range(8)]
    widths = []
    for questions in (alone, together):
        outcomes = [outcome(one, FULL, 1 if n < 4 else 2) for n, one in enumerate(questions)]
        found = intervals(outcomes, np.random.default_rng(0))["full accuracy"]
        assert found.mean == 0.5
        widths.append(found.high - found.low)
    assert widths[1] == 1.0  # two clusters, all right or all wrong: a quarter of the resamples is 0, a quarter 1
    assert widths[0] < 1.0


def test_abstentions_come_last_and_lose_what_their_answer_would():
    outcomes = [
        outcome(A, FULL, 1, confidence=0.2),
        outcome(B, FULL, 3, confidence=0.9, answer=1),
        outcome(C, FULL, 3),
        outcome(A, PARTIAL, 1, confidence=0.1),
        outcome(D, FULL, 3),  # cannot be answered: does not count
    ]
    assert confidence_and_loss(outcomes) == ([1.2, 0.9, 0.5, 1.1], [0, 0, 1, 1])
    # In the order of confidence: losses 0, 1, 0, 1, so risks 0, 1/2, 1/3, 1/2.
    assert selective_measures(outcomes)["AURC"] == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert selective_measures(outcomes)["risk at 50%"] == pytest.approx(1 / 2)
    assert selective_measures([outcome(D, FULL, 3)]) == {}


def test_a_gate_abstains_below_its_threshold_and_weighs_the_confidence():
    outcomes = [outcome(A, FULL, 1, confidence=0.8), outcome(B, FULL, 1), outcome(C, FULL, 1)]
    plain = question("p", abstain=None)
    outcomes.append(outcome(plain, FULL, 2))
    cases = [GateCase(one, FULL, ()) for one in (C, A, B, plain)]
    choices = [choice for _, choice in gated(outcomes, cases, [float("nan"), 0.5, 0.25, 0.1], 0.5)]
    assert (choices[0].chosen, choices[0].confidence) == (1, pytest.approx(0.4))
    assert (choices[1].chosen, choices[1].answer, choices[1].confidence) == (3, 1, pytest.approx(0.125))
    assert (choices[2].chosen, choices[2].unreadable) == (None, "the gate's judgement cannot be read")
    assert choices[3].chosen == 2  # it cannot abstain


def gate_values(judged: dict[tuple[ChoiceQuestion, Condition], float]) -> dict[str, float]:
    cases = [GateCase(one, condition, ()) for one, condition in judged]
    found = gate_intervals(cases, list(judged.values()), np.random.default_rng(0))
    assert all(one.low <= one.mean <= one.high for one in found.values())
    return {name: one.mean for name, one in found.items()}


def test_auroc_counts_pairs_with_ties_as_half():
    found = gate_values(
        {
            (A, FULL): 0.9, (B, FULL): 0.5, (C, FULL): 0.4, (D, FULL): 0.0,  # d cannot be answered
            (A, PARTIAL): 0.5, (B, PARTIAL): 0.1, (C, PARTIAL): 0.6,
            (A, DECOY): 0.95,
        }
    )  # fmt: skip
    assert found["auroc_partial"] == pytest.approx((3 + 1.5 + 1) / 9)
    assert found["auroc_decoy"] == 0  # of the questions that have a decoy, a alone
    assert "auroc_none" not in found


def test_abstention_is_read_off_where_a_twentieth_of_full_is_abstained_on():
    questions = [question(f"q{n}") for n in range(40)]
    judged = {(one, FULL): 0.1 * n for n, one in enumerate(questions)}  # two of 40 may fall below: threshold 0.2
    judged |= {(one, PARTIAL): 0.15 if n < 10 else 0.2 for n, one in enumerate(questions)}
    assert gate_values(judged)["abstention_partial_at_5"] == pytest.approx(10 / 40)


def test_a_context_without_a_judgement_is_counted_apart():
    found = gate_values({(A, FULL): 0.9, (A, PARTIAL): float("nan"), (B, FULL): 0.8, (B, PARTIAL): 0.1})
    assert found["unreadable"] == 1 / 4
    assert found["auroc_partial"] == 1  # of b alone

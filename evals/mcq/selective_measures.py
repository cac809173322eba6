"""Risk against coverage of choices: what is lost if only the surest are answered."""

from __future__ import annotations

from collections.abc import Sequence

from evals.mcq.measures import Outcome
from evals.mcq.records import Condition
from evals.selective import RiskCoverage, augrc, aurc, e_aurc, risk_at_coverage, risk_coverage

__all__ = ["COVERAGES", "confidence_and_loss", "curve", "selective_measures"]

COVERAGES = (0.2, 0.5, 0.8)


def confidence_and_loss(outcomes: Sequence[Outcome]) -> tuple[list[float], list[float]]:
    """Return confidence and loss of the answer of every case of full and, where it was asked, partial.

    The answer is the best option other than abstaining; it is right if it is gold, and on partial it never is, as the
    context does not show it. A case in which the system abstained, or named no answer, comes last and has the loss that
    its answer would have; an answer that is not there, 1. Only questions that can be answered count.
    """
    confidences, losses = [], []
    for trial, choice in outcomes:
        if trial.condition not in (Condition.FULL, Condition.PARTIAL) or not trial.question.answerable:
            continue
        answered = choice.chosen is not None and choice.chosen != trial.question.abstain
        # Abstentions rank below every answer, among themselves by what their answer was sure of.
        confidences.append(choice.confidence + 1 if answered else choice.confidence)
        right = trial.condition is Condition.FULL and choice.answer == trial.question.gold_full
        losses.append(float(not right))
    return confidences, losses


def selective_measures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return AURC, E-AURC, AUGRC and the risk at some coverages, in [0, 1], lower is better; conventions: selective.py.

    Nothing without a case.
    """
    confidences, losses = confidence_and_loss(outcomes)
    if not losses:
        return {}
    return {
        "AURC": aurc(confidences, losses),
        "E-AURC": e_aurc(confidences, losses),
        "AUGRC": augrc(confidences, losses),
        **{f"risk at {share:.0%}": risk_at_coverage(confidences, losses, share) for share in COVERAGES},
    }


def curve(outcomes: Sequence[Outcome]) -> RiskCoverage | None:
    """Return the risk-coverage curve; None without a case."""
    confidences, losses = confidence_and_loss(outcomes)
    return risk_coverage(confidences, losses) if losses else None

"""Which of two runs replies better, question by question, as a judge sees it.

The judge is asked twice, each reply once in the first place; a preference counts only if both orders give it, else the
two are level. Where one of the two rulings is missing the pair has none, and speaks for nobody.

Not asked about, as there is nothing to judge:
- two replies of the same words, or two silent ones: level;
- a question that rightly goes unanswered: the silent reply is better than an answer, two answers are level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from evals.answers import REPLIES
from evals.intervals import bootstrap_interval, randomisation_test
from evals.judge import Preference, Ruling, preference_prompt, preference_request, shown
from evals.realworld import Progress
from evals.realworld_report import rng
from evals.rulings import Judge, Task, replies_of, ruled, rulings_folder
from evals.run_folder import RunFolder
from graph.errors import QuestionsError
from graph.records import Question

__all__ = ["Outcome", "outcome_of", "plain_outcome", "prefer", "preference_summary"]

_ORDERS = ("first", "second")  # the place of this run's reply


class Outcome(StrEnum):
    """What a pair of replies comes to for the run that is judged."""

    WIN = "win"
    TIE = "tie"
    LOSS = "loss"


def prefer(
    run: RunFolder,
    other: RunFolder,
    questions: Sequence[Question],
    judge: Judge,
    progress: Progress = lambda step, done, total: None,
) -> RunFolder:
    """Compare a run's replies with another's on the questions both have; the outcomes are written into the first.

    `ruled` says what is raised besides; QuestionsError if the other is no run of replies, has no question in common, or
    was asked something else under the same id.
    """
    replies, others = replies_of(run), _replies_to_compare(other)
    shared = [question for question in questions if question.question_id in others]
    if not shared:
        raise QuestionsError(f"{other.path}: has no reply to any of these questions")
    outcomes: dict[str, Outcome | None] = {}
    tasks = []
    for question in shared:
        own, its = replies[question.question_id], others[question.question_id]
        if own["question"] != its["question"]:
            raise QuestionsError(f"{other.path}: question {question.question_id} is another one there")
        outcome = plain_outcome(question, own, its)
        outcomes[question.question_id] = outcome
        if outcome is None:
            words = shown(own), shown(its)
            articles = judge.gold(question, *words, question.text, question.answer)
            for order, (first, second) in zip(_ORDERS, (words, words[::-1]), strict=True):
                request = preference_request(question, articles, first, second)
                tasks.append(Task(question.question_id, order, request))
    name = f"against-{other.path.resolve().name}-by"
    with rulings_folder(run, name, judge, preference_prompt(), against=other) as folder:
        rulings = ruled(folder, judge, tasks, Preference, progress)
        asked = [one for one, outcome in outcomes.items() if outcome is None]
        pairs = {one: (rulings[one, "first"], rulings[one, "second"]) for one in asked}
        outcomes |= {one: outcome_of(*pair) for one, pair in pairs.items()}
        folder.write_json("outcomes.json", outcomes)
        measures = preference_summary(list(outcomes.values()), list(pairs.values()))
        folder.write_json("metrics.json", {judge.name: measures})
    return folder


def plain_outcome(question: Question, own: Mapping[str, Any], other: Mapping[str, Any]) -> Outcome | None:
    """Return what two replies come to without a judge; None if that is for the judge to say."""
    if own["abstained"] and other["abstained"]:
        return Outcome.TIE
    if question.abstention:
        if own["abstained"] == other["abstained"]:
            return Outcome.TIE
        return Outcome.WIN if own["abstained"] else Outcome.LOSS
    return Outcome.TIE if shown(own) == shown(other) else None


def outcome_of(own_first: Ruling, own_second: Ruling) -> Outcome | None:
    """Return what the two rulings on a pair come to, asked once in each order; None if one is missing."""
    if own_first.value is None or own_second.value is None:
        return None
    match own_first.value, own_second.value:
        case Preference.FIRST, Preference.SECOND:
            return Outcome.WIN
        case Preference.SECOND, Preference.FIRST:
            return Outcome.LOSS
        case _:
            return Outcome.TIE


def preference_summary(outcomes: Sequence[Outcome | None], pairs: Sequence[tuple[Ruling, Ruling]]) -> dict[str, float]:
    """Return the measures, each in [0, 1]; those over nothing are left out.

    `won`, `level`, `lost` are shares of the pairs that have an outcome; `win rate` is won plus half of the level ones,
    with its 95 % bootstrap interval and the p-value of a paired randomisation test against 0.5. Of the pairs that the
    judge was asked about: `orders disagree`, the share whose two rulings name different replies, or one reply and
    neither, among those with both; and `no outcome`, the share that lacks one.
    """
    known = [outcome for outcome in outcomes if outcome is not None]
    found: dict[str, float] = {}
    if known:
        values = [{Outcome.WIN: 1.0, Outcome.TIE: 0.5, Outcome.LOSS: 0.0}[outcome] for outcome in known]
        interval = bootstrap_interval(values, rng())
        shares = {"won": Outcome.WIN, "level": Outcome.TIE, "lost": Outcome.LOSS}
        found |= {name: known.count(outcome) / len(known) for name, outcome in shares.items()}
        found |= {"win rate": interval.mean, "win rate, low": interval.low, "win rate, high": interval.high}
        found["win rate, p"] = randomisation_test([value - 0.5 for value in values], rng())
    both = [(a.value, b.value) for a, b in pairs if a.value is not None and b.value is not None]
    if both:
        same = {
            (Preference.FIRST, Preference.SECOND),
            (Preference.SECOND, Preference.FIRST),
            (Preference.SAME, Preference.SAME),
        }
        found["orders disagree"] = sum(pair not in same for pair in both) / len(both)
    if pairs:
        found["no outcome"] = 1 - len(both) / len(pairs)
    return found


def _replies_to_compare(run: RunFolder) -> dict[str, dict[str, Any]]:
    if run.config.get("kind") != "answers" or not (run.path / REPLIES).exists():
        raise QuestionsError(f"{run.path}: is no run of replies, which `nonliquet evals answers` makes")
    return replies_of(run)

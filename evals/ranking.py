"""How good rankings are: the measures by ir-measures, and three that it does not have. All values lie in [0, 1].

- `R@k`, `nDCG@k`, `RR@k`, `AP@k`: ir-measures' names and numbers, which are trec_eval's where that has them.
- `macroP@k`, `macroR@k`, `macroF2@k`: COLIEE's, each computed a question and then averaged; precision divides by the
  articles returned, up to k, and F2 = 5PR / (4P + R).
- `both-gold@k`: whether all gold articles stand within k, over the questions that have two or more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from evals.trec_files import Qrels, Run, run_scores

__all__ = ["MEASURES", "by_topic", "means", "measure"]

_BY_IR_MEASURES = (
    *(f"R@{k}" for k in (10, 20, 50, 100, 200, 500)),
    *(f"{name}@{k}" for name in ("nDCG", "RR") for k in (10, 20, 50)),
    "RR@100",  # as BSARD's table has it
    "AP@100",
)
_COLIEE_CUTS = (1, 20)
_BOTH_GOLD_CUTS = (10, 20, 50)

MEASURES = (
    *_BY_IR_MEASURES,
    *(f"macro{name}@{k}" for k in _COLIEE_CUTS for name in ("P", "R", "F2")),
    *(f"both-gold@{k}" for k in _BOTH_GOLD_CUTS),
)
"""The names, in the order of reports."""


def measure(qrels: Qrels, run: Run) -> dict[str, dict[str, float]]:
    """Return question id -> measure -> value, questions in the order of the qrels.

    A question that the run lacks, or has nothing for, scores 0. One with a single gold article has no `both-gold`.
    Raises ValueError naming a question without gold, as nothing can be said of it, or one that only the run has.
    """
    import ir_measures

    unjudged = [question_id for question_id, grades in qrels.items() if not any(grade > 0 for grade in grades.values())]
    if unjudged:
        raise ValueError(f"question {unjudged[0]} has no gold article: it is unjudged, which is not a score of 0")
    unknown = [question_id for question_id in run if question_id not in qrels]
    if unknown:
        raise ValueError(f"question {unknown[0]} of the run is not in the qrels")
    values: dict[str, dict[str, float]] = {question_id: {} for question_id in qrels}
    measures = {ir_measures.parse_measure(name): name for name in _BY_IR_MEASURES}
    scored = {question_id: run_scores(ranking) for question_id, ranking in run.items() if ranking}
    for one in ir_measures.iter_calc(list(measures), {q: dict(grades) for q, grades in qrels.items()}, scored):
        values[one.query_id][measures[one.measure]] = float(one.value)
    for question_id, grades in qrels.items():
        gold = {name for name, grade in grades.items() if grade > 0}
        own = {**_coliee(gold, run.get(question_id, ())), **_both_gold(gold, run.get(question_id, ()))}
        values[question_id] = {**{name: values[question_id].get(name, 0.0) for name in _BY_IR_MEASURES}, **own}
    return values


def means(values: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over the questions that have it; a measure that none has is left out."""
    gathered: dict[str, list[float]] = defaultdict(list)
    for of_question in values:
        for name, value in of_question.items():
            gathered[name].append(value)
    return {name: sum(gathered[name]) / len(gathered[name]) for name in MEASURES if name in gathered}


def by_topic(values: Mapping[str, Mapping[str, float]], topics: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Return topic -> measure -> mean over its questions, topics by name; questions without one are left out."""
    gathered: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for question_id, of_question in values.items():
        if topics.get(question_id):
            gathered[topics[question_id]].append(of_question)
    return {topic: means(gathered[topic]) for topic in sorted(gathered)}


def _coliee(gold: set[str], ranking: Sequence[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for k in _COLIEE_CUTS:
        returned = ranking[:k]
        n_right = len(gold.intersection(returned))
        precision = n_right / len(returned) if returned else 0.0
        recall = n_right / len(gold)
        f2 = 5 * precision * recall / (4 * precision + recall) if n_right else 0.0
        values |= {f"macroP@{k}": precision, f"macroR@{k}": recall, f"macroF2@{k}": f2}
    return values


def _both_gold(gold: set[str], ranking: Sequence[str]) -> dict[str, float]:
    if len(gold) < 2:
        return {}
    return {f"both-gold@{k}": float(gold.issubset(ranking[:k])) for k in _BOTH_GOLD_CUTS}

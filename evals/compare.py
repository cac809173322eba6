"""Two runs, question by question: which is better by how much, which questions moved most, and what moved them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from evals.intervals import Interval, holm
from evals.markdown import points, table
from evals.realworld_report import LEADING_MEASURES, difference, values_of
from evals.run_folder import QuestionResult, RunFolder
from graph.records import Question
from retrieval.methods import parse_method
from retrieval.retriever import Retriever

__all__ = [
    "MOVED_BY",
    "Comparison",
    "Move",
    "System",
    "compare",
    "mismatches",
    "moves",
    "pairs",
    "show_comparisons",
    "show_move",
]

MOVED_BY = "nDCG@10"
_N_VOTES = 3  # seeds named for an article


@dataclass(frozen=True, slots=True)
class System:
    """A method of a run."""

    run: RunFolder
    method: str

    def __str__(self) -> str:
        return f"{self.run.path.name}/{self.method}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Second minus first in one measure, over the questions both have."""

    first: System
    second: System
    measure: str
    interval: Interval
    p_value: float  # Holm-corrected over all pairs of systems in this measure
    n_up: int
    n_down: int


@dataclass(frozen=True, slots=True)
class Move:
    """A question that the second system answers better or worse than the first."""

    question_id: str
    gain: float  # in the measure asked for
    ranks: Mapping[str, tuple[int | None, int | None]]  # gold article -> its rank before and after


def pairs(first: RunFolder, second: RunFolder) -> list[tuple[System, System]]:
    """Return what to compare: of one run, every two methods; of two, each that both have, or all if they share none."""
    if first.path.resolve() == second.path.resolve():
        systems = [System(first, method) for method in first.methods]
        return list(combinations(systems, 2))
    shared = [method for method in first.methods if method in second.methods]
    if shared:
        return [(System(first, method), System(second, method)) for method in shared]
    return [(System(first, one), System(second, other)) for one, other in product(first.methods, second.methods)]


def mismatches(first: RunFolder, second: RunFolder) -> list[str]:
    """Return, a sentence each, in what the runs differ that makes a comparison one of more than the methods."""
    one, other = first.config, second.config
    found = []
    if one["index"]["sha256"] != other["index"]["sha256"]:
        found.append("The runs are over different indexes.")
    if list(one["questions"]["files"].values()) != list(other["questions"]["files"].values()):
        found.append("The runs read different question files; only questions of the same id are compared.")
    elif one["questions"]["asked"] != other["questions"]["asked"]:
        found.append("One run left out questions that the other asked; only those of both are compared.")
    for name in ("conditions", "permutations", "repeats", "seed", "prompts", "gate"):  # of choice questions
        if one.get(name) != other.get(name):
            found.append(f"The runs were made with other {name}: {one.get(name)} and {other.get(name)}.")
    if one["versions"] != other["versions"]:
        different = sorted(name for name in one["versions"] if one["versions"][name] != other["versions"].get(name))
        found.append(f"The runs were made with different versions of {', '.join(different)}.")
    return found


def compare(systems: Sequence[tuple[System, System]], measures: Sequence[str] = LEADING_MEASURES) -> list[Comparison]:
    """Compare pairs of systems in each measure. Raises ValueError if a pair has no question in common."""
    found: list[Comparison] = []
    for measure in measures:
        values = [(values_of(a.run, a.method, measure), values_of(b.run, b.method, measure)) for a, b in systems]
        for (first, second), (before, after) in zip(systems, values, strict=True):
            if not before.keys() & after.keys():
                raise ValueError(f"{first} and {second} have no question in common")
        differences = [difference(before, after) for before, after in values]
        adjusted = holm([p_value for _, p_value, _, _ in differences])
        for (first, second), (interval, _, n_up, n_down), p_value in zip(systems, differences, adjusted, strict=True):
            found.append(Comparison(first, second, measure, interval, p_value, n_up, n_down))
    return found


def moves(first: System, second: System, *, at_most: int, measure: str = MOVED_BY) -> list[Move]:
    """Return the questions whose value differs most, the greatest difference first, ties in the first run's order.

    Only questions that have a value in both count.
    """
    before = [result for result in first.run.results(first.method) if measure in result.values]
    after = {one.question_id: one for one in second.run.results(second.method) if measure in one.values}
    found = [_move(result, after[result.question_id], measure) for result in before if result.question_id in after]
    moved = sorted((move for move in found if move.gain), key=lambda move: -abs(move.gain))
    return moved[:at_most]


def show_comparisons(comparisons: Sequence[Comparison]) -> str:
    """Return comparisons as a Markdown table."""
    rows = [
        [f"{one.first} → {one.second}", one.measure, points(one.interval), f"{one.p_value:.3f}", *_counts(one)]
        for one in comparisons
    ]
    return table(["from → to", "measure", "points [95 %]", "p (Holm)", "up", "down"], rows)


def show_move(move: Move, question: Question | None, second: System, retriever: Retriever | None) -> str:
    """Return a move as a Markdown item: its gold's ranks, and the seeds that voted for them.

    question and retriever: None where the questions or the index are no longer there; then no seed is named.
    """
    text = f" {question.text[:100]}" if question else ""
    lines = [f"- {move.gain * 100:+.1f} question {move.question_id}:{text}\n"]
    for name, (before, after) in move.ranks.items():
        votes = _votes(question, name, second, retriever)
        lines.append(f"    - {name}: rank {before or '–'} → {after or '–'}{votes}\n")
    return "".join(lines)


def _counts(one: Comparison) -> list[str]:
    return [str(one.n_up), str(one.n_down)]


def _move(before: QuestionResult, after: QuestionResult, measure: str) -> Move:
    gain = after.values[measure] - before.values[measure]
    ranks = {name: (rank, after.ranks.get(name)) for name, rank in before.ranks.items()}
    return Move(before.question_id, gain, ranks)


def _votes(question: Question | None, name: str, second: System, retriever: Retriever | None) -> str:
    if question is None or retriever is None or not second.method.startswith("sar"):
        return ""
    method = parse_method(second.method)
    votes = retriever.votes(question.text, method, name)
    if not votes:
        return "; no seed cites it"
    shown = ", ".join(f"{seed} ({vote:.2f})" for seed, vote in list(votes.items())[:_N_VOTES])
    return f"; voted for by {shown}" + (f" and {len(votes) - _N_VOTES} more" if len(votes) > _N_VOTES else "")

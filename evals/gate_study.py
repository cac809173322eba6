"""How well the learned gate tells full contexts from lacking ones, what each group of features adds, and a control.

    python -m evals gate --index law --questions mcq.jsonl --seeds 5

Every figure is out of fold, folds grouped by first article, the mean over the seeds of folds and trees with their
standard deviation. The control puts each context with the question and options of another one: what is then told is
told by the contexts alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from agent.gate.features import GROUPS, Knowledge, group_of
from evals.gate_training import GateExample, out_of_fold
from evals.markdown import table
from evals.mcq.choice_files import read_choice_questions
from evals.mcq.contexts import contexts
from evals.mcq.gate_measures import ALLOWED_OVER_ABSTENTION
from evals.mcq.gates import GateCase
from evals.mcq.learned_gate import ChoiceFeatures
from evals.mcq.records import ChoiceQuestion, Condition
from evals.selective import auroc
from graph.errors import QuestionsError
from retrieval.retriever import Retriever

__all__ = ["LACKING", "Study", "exchanged", "register", "study_rows", "told_apart"]

LACKING = (Condition.PARTIAL, Condition.DECOY, Condition.PARTIAL_TARGET, Condition.DISTRACTOR)
_LEARNED_FROM = {Condition.FULL: True, Condition.PARTIAL: False, Condition.DECOY: False}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("gate", epilog="Example: python -m evals gate --index index/ --questions mcq.jsonl --ablation")(
        _command
    )


@dataclass(frozen=True, slots=True)
class Study:
    """Cases and what is known of each."""

    cases: Sequence[GateCase]
    examples: Sequence[GateExample]
    knowledge: Knowledge

    @classmethod
    def of(cls, features: ChoiceFeatures, questions: Sequence[ChoiceQuestion]) -> Study:
        """Describe the full and the lacking contexts of the questions that can be answered."""
        found = [
            GateCase(question, condition, context)
            for question in questions
            for condition in (Condition.FULL, *LACKING)
            if question.answerable and (context := contexts(question, condition, features.graph))
        ]
        return cls.described(features, found)

    @classmethod
    def described(cls, features: ChoiceFeatures, cases: Sequence[GateCase]) -> Study:
        """Describe cases."""
        examples = [features.example(case, enough=_LEARNED_FROM.get(case.condition)) for case in cases]
        return cls(cases, examples, features.knowledge)

    def keeping(self, wanted: Callable[[str], bool]) -> Study:
        """Return the same with fewer features, those whose name is wanted."""
        kept = [
            replace(one, values={name: value for name, value in one.values.items() if wanted(name)})
            for one in self.examples
        ]
        return replace(self, examples=kept)


def told_apart(study: Study, *, n_seeds: int) -> dict[str, tuple[float, float]]:
    """Return measure → mean and standard deviation over the seeds, in [0, 1].

    Measures: `auroc C`, of full against condition C; `abstention C`, the share of C below the threshold that 5 % of the
    full contexts are below.
    """
    rows = [_measured(study.cases, out_of_fold(study.examples, study.knowledge, seed=seed)) for seed in range(n_seeds)]
    return {
        name: (float(np.mean([row[name] for row in rows])), float(np.std([row[name] for row in rows])))
        for name in rows[0]
    }


def exchanged(cases: Sequence[GateCase], *, seed: int) -> list[GateCase]:
    """Return the contexts, each with the text and options of another question; all of one question's with the same."""
    questions = {case.question.question_id: case.question for case in cases}
    order = list(questions.values())
    moved = np.random.default_rng(seed).permutation(len(order))
    # Each takes the words of the next one in a random circle, so that none keeps its own.
    words = {order[a].question_id: order[b] for a, b in zip(moved, np.roll(moved, 1), strict=True)}
    found = []
    for case in cases:
        other = words[case.question.question_id]
        kept = replace(other, question_id=case.question.question_id, articles=case.question.articles)
        found.append(replace(case, question=kept))
    return found


def _measured(cases: Sequence[GateCase], sufficiencies: Sequence[float]) -> dict[str, float]:
    of_condition = {
        condition: [value for case, value in zip(cases, sufficiencies, strict=True) if case.condition is condition]
        for condition in (Condition.FULL, *LACKING)
    }
    full = sorted(of_condition[Condition.FULL])
    threshold = full[math.floor(ALLOWED_OVER_ABSTENTION * len(full))]
    found: dict[str, float] = {}
    for condition in LACKING:
        lacking = of_condition[condition]
        if lacking:
            labels = [True] * len(full) + [False] * len(lacking)
            found[f"auroc {condition}"] = auroc([*full, *lacking], labels)
            found[f"abstention {condition}"] = sum(value < threshold for value in lacking) / len(lacking)
    return found


def study_rows(
    retriever: Retriever, questions: Sequence[ChoiceQuestion], *, n_seeds: int, ablation: bool = False
) -> dict[str, Mapping[str, tuple[float, float]]]:
    """Return what was looked at → measures: all features, with and without options; the control; the ablation.

    Raises ValueError if there are too few questions.
    """
    rows: dict[str, Mapping[str, tuple[float, float]]] = {}
    for knowledge in Knowledge:
        features = ChoiceFeatures(retriever, knowledge)
        whole = Study.of(features, questions)
        rows[f"{knowledge}: question and options"] = told_apart(whole, n_seeds=n_seeds)
        alone = whole.keeping(lambda name: name.startswith("question."))
        rows[f"{knowledge}: question alone"] = told_apart(alone, n_seeds=n_seeds)
        control = Study.described(ChoiceFeatures(retriever, knowledge), exchanged(whole.cases, seed=0))
        rows[f"{knowledge}: another question's words"] = told_apart(control, n_seeds=n_seeds)
        if not ablation:
            continue
        groups = [group for group in GROUPS if any(group_of(name) == group for name in whole.examples[0].values)]
        for group in groups:
            without = whole.keeping(lambda name, group=group: group_of(name) != group)  # type: ignore[misc]
            rows[f"{knowledge}: without {group}"] = told_apart(without, n_seeds=n_seeds)
        for group in groups:
            only = whole.keeping(lambda name, group=group: group_of(name) == group)  # type: ignore[misc]
            rows[f"{knowledge}: {group} only"] = told_apart(only, n_seeds=n_seeds)
    return rows


def _command(
    index: Annotated[Path, typer.Option("--index", metavar="DIR", help="The index.")],
    questions: Annotated[Path, typer.Option("--questions", metavar="FILE", help="Choice questions on it.")],
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Divisions into folds.")] = 5,
    ablation: Annotated[bool, typer.Option("--ablation", help="Also without each group of features.")] = False,
) -> None:
    """Say how well the learned gate tells full contexts from lacking ones."""
    with Retriever.open(index) as retriever:
        asked = read_choice_questions(questions, retriever.index.graph)
        try:
            rows = study_rows(retriever, asked, n_seeds=seeds, ablation=ablation)
        except ValueError as error:
            raise QuestionsError(f"{questions}: {error}") from error
    measures = list(next(iter(rows.values())))
    cells = [[name, *(f"{row[one][0]:.3f} ± {row[one][1]:.3f}" for one in measures)] for name, row in rows.items()]
    typer.echo(table(["", *measures], cells), nl=False)

"""`nonliquet evals relevance`: fit the weights by which evidence fits a question, each law judged without itself.

    python -m evals relevance tests/corpus_languages/*/ --index law --questions qa.jsonl --others other_fields.jsonl

Questions that a law answers, or would with what it sends to, are held against questions on other fields of law, by the
features of `agent.sufficiency`. Each law, and each of the two kinds of its questions, weighs the same. The built-in law
is always among them. Needs the extra `learn`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import typer

from agent.legal_agent import LegalAgent
from agent.rendering import show
from agent.reply import AbstentionKind
from agent.settings import RelevanceWeights
from agent.sufficiency import Features, relevance
from evals.markdown import table
from graph.corpus import read_corpus
from graph.errors import QuestionsError, SettingsError
from retrieval.encoder import open_encoder
from retrieval.index_build import VectorPlan, build_index

__all__ = [
    "DENSE",
    "SPARSE",
    "Asked",
    "Example",
    "Fit",
    "asked_of",
    "examples_of",
    "fit",
    "judged",
    "register",
    "without_itself",
]


@dataclass(frozen=True, slots=True)
class Fit:
    """What relevance goes by, and what its mistakes cost."""

    words: str
    by: tuple[str, ...]  # fields of `agent.sufficiency.Features`
    own_weight: float = 1.0  # an own question that is refused, in questions on other fields that are answered


DENSE = Fit("Dense vectors alone", ("similarity_above_chance", "words_beyond_chance", "evidence_coverage"))
SPARSE = Fit(
    "With learned sparse vectors",
    ("similarity_above_chance", "sparse_over_chance", "evidence_coverage"),
    own_weight=2.0,
)

BUILTIN = "built-in"
_BUILTIN_FOLDER = Path(__file__).parent / "builtin"
_BUILTIN_FILES = tuple(_BUILTIN_FOLDER / name for name in ("questions.jsonl", "decisions.jsonl", "unanswerable.jsonl"))

_INVERSE_L2 = 10.0  # C of the logistic regression
_CLOSE_TO_LAW = frozenset({AbstentionKind.INSUFFICIENT_EVIDENCE, AbstentionKind.OUT_OF_SCOPE})
"""On the law's own subject, which it is silent on, or no law at all: no measure of nearness is to learn from these."""

Kind: TypeAlias = Literal["own", "other", "foreign"]
"""A question that the law answers, one on another field of law, or one that another of the laws answers."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what it is to a law."""

    question: str
    kind: Kind
    history: tuple[str, ...] = ()
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A question, or a part of it, held against the evidence that a law has for it."""

    law: str
    kind: Kind
    features: Features


def asked_of(path: Path, kind: Kind = "own") -> Iterator[Asked]:
    """Read questions, a line each. Where one says which abstention is right, that decides on its kind.

    Raises QuestionsError naming file, line and field.
    """
    for line_no, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row: dict[str, Any] = json.loads(line)
            abstention = row.get("abstention")
            if abstention in _CLOSE_TO_LAW:
                continue
            other = abstention == AbstentionKind.NO_RELEVANT_ARTICLE
            history = tuple(row.get("history", ()))
            yield Asked(row["question"], "other" if other else kind, history, row.get("as_of") or None)
        except KeyError as error:
            raise QuestionsError(f"{path}:{line_no}: field {error} is missing") from error
        except ValueError as error:
            raise QuestionsError(f"{path}:{line_no}: not JSON: {error}") from error


def examples_of(law: str, agent: LegalAgent, asked: Iterable[Asked]) -> Iterator[Example]:
    """Yield what the agent weighs of each question; nothing of those that name an article, which fit by that."""
    for one in asked:
        trace = agent.ask(one.question, as_of=one.as_of, history=one.history).trace
        if any(step.name == "named" for step in trace):
            continue
        for step in trace:
            if step.name == "sufficiency" and "features" in step.detail:
                yield Example(law, one.kind, Features(**step.detail["features"]))


def fit(examples: Sequence[Example], how: Fit, *, inverse_l2: float = _INVERSE_L2) -> RelevanceWeights:
    """Return the weights of a logistic regression that tells own questions from those on other fields.

    Each law weighs the same, and its own questions in all `how.own_weight` times its other ones.
    Raises ValueError if a kind is missing, SettingsError if scikit-learn is not installed.
    """
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise SettingsError("fitting needs scikit-learn: pip install 'nonliquet[learn]'") from error

    learned = [one for one in examples if one.kind != "foreign"]
    groups = [(one.law, one.kind) for one in learned]
    if {kind for _, kind in groups} != {"own", "other"}:
        raise ValueError("weights need questions of both kinds to learn from: own, and on other fields")
    sizes = Counter(groups)
    weight = np.array([(how.own_weight if kind == "own" else 1.0) / sizes[law, kind] for law, kind in groups])
    values = np.array([[getattr(one.features, name) or 0.0 for name in how.by] for one in learned])
    model = LogisticRegression(C=inverse_l2, tol=1e-8, max_iter=10_000)
    model.fit(values, [one.kind == "own" for one in learned], sample_weight=weight * len(weight) / weight.sum())
    return RelevanceWeights(bias=float(model.intercept_[0]), **dict(zip(how.by, model.coef_[0].tolist(), strict=True)))


def judged(examples: Iterable[Example], weights: RelevanceWeights) -> dict[Kind, tuple[int, int]]:
    """Return, a kind, how many are taken for fitting (1/2 or more) and of how many."""
    fits: dict[Kind, list[bool]] = {}
    for one in examples:
        fits.setdefault(one.kind, []).append(relevance(one.features, weights) >= 0.5)
    return {kind: (sum(found), len(found)) for kind, found in fits.items()}


def without_itself(
    examples: Sequence[Example], how: Fit, *, inverse_l2: float = _INVERSE_L2
) -> dict[str, dict[Kind, tuple[int, int]]]:
    """Judge each law by the weights that all the others give."""
    laws = dict.fromkeys(one.law for one in examples)
    return {
        law: judged(
            (one for one in examples if one.law == law),
            fit([one for one in examples if one.law != law], how, inverse_l2=inverse_l2),
        )
        for law in laws
    }


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "relevance",
        epilog="Example: python -m evals relevance tests/corpus_languages/*/ --index law --questions qa.jsonl "
        "--others evals/builtin/other_fields_ko.jsonl",
    )(_relevance)


def _relevance(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER...",
            exists=True,
            file_okay=False,
            help="Each with statutes, questions.jsonl and unanswerable.jsonl.",
        ),
    ],
    index: Annotated[Path | None, typer.Option("--index", metavar="DIR", help="A further law, as an index.")] = None,
    questions: Annotated[Path | None, typer.Option("--questions", metavar="FILE", help="What it answers.")] = None,
    others: Annotated[Path | None, typer.Option("--others", metavar="FILE", help="Of other fields of law.")] = None,
) -> None:
    """Fit relevance's weights, and judge each law by those that the others give."""
    if len({index is None, questions is None, others is None}) > 1:
        raise typer.BadParameter("--index, --questions and --others go together")
    examples = list(_builtin_examples(folders))
    examples += [one for folder in folders for one in _folder_examples(folder, folders)]
    if index is not None and questions is not None and others is not None:
        with LegalAgent.open(index) as agent:
            asked = (*asked_of(questions), *asked_of(others, "other"))
            examples += examples_of(index.name, agent, asked)
    with_sparse = [one for one in examples if one.features.sparse_over_chance is not None]
    for how, some in ((DENSE, examples), (SPARSE, with_sparse)):
        show((f"{how.words}: each law judged by the weights that the others give", "bold"))
        show(_table(without_itself(some, how)))
        weights = fit(some, how)
        show(("Weights fitted on all: ", "bold"), _named(weights))
        show(_table({law: judged((one for one in some if one.law == law), weights) for law in _laws(some)}))


def _builtin_examples(folders: Sequence[Path]) -> Iterator[Example]:
    with LegalAgent.open() as agent:
        asked = [one for path in _BUILTIN_FILES for one in asked_of(path)]
        yield from examples_of(BUILTIN, agent, [*asked, *_foreign(folders)])


def _folder_examples(folder: Path, folders: Sequence[Path]) -> Iterator[Example]:
    asked = (*asked_of(folder / "questions.jsonl"), *asked_of(folder / "unanswerable.jsonl", "other"))
    foreign = _foreign([one for one in folders if one != folder])
    encoder = open_encoder("embedded")
    assert encoder is not None
    with TemporaryDirectory() as made:
        build_index(read_corpus([folder]), Path(made) / "index", vectors=VectorPlan(encoder=encoder))
        with LegalAgent.open(Path(made) / "index") as agent:
            yield from examples_of(folder.name, agent, [*asked, *foreign])


def _foreign(folders: Iterable[Path]) -> list[Asked]:
    asked = (one for folder in folders for one in asked_of(folder / "questions.jsonl"))
    return [replace(one, kind="foreign") for one in asked]


def _laws(examples: Iterable[Example]) -> list[str]:
    return list(dict.fromkeys(one.law for one in examples))


def _table(found: Mapping[str, Mapping[Kind, tuple[int, int]]]) -> str:
    kinds: tuple[Kind, ...] = ("own", "other", "foreign")
    rows = [
        [law, *("{} of {}".format(*counts[kind]) if kind in counts else "" for kind in kinds)]
        for law, counts in found.items()
    ]
    return table(["judged", "own questions", "on other fields", "of the other laws"], rows)


def _named(weights: RelevanceWeights) -> str:
    values = {name: getattr(weights, name) for name in weights.__slots__}
    return ", ".join(f"{name} {value:.2f}" for name, value in values.items() if value)

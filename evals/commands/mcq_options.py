"""The options of `nonliquet evals mcq` in groups, each with what it opens: the trials, who reads, and the gate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.commands.options import index_folder
from evals.commands.options import one_of, questions_file

if TYPE_CHECKING:
    from evals.mcq.asking import Asking
    from evals.mcq.gates import Gate
    from evals.mcq.manifest import Plan
    from evals.mcq.readers import Reader
    from evals.mcq.records import Condition
    from evals.mcq.sources import Sources
    from evals.mcq.trials import Trial
    from evals.realworld import Progress

__all__ = ["BUILTIN_CHOICES", "GateOptions", "ReaderOptions", "TrialOptions", "plan_of"]

BUILTIN_CHOICES = Path(__file__).parents[1] / "builtin" / "multihop_qa_mcq.jsonl"

_READERS = ("overlap", "extractive", "model")  # evals.mcq.opening.READERS, whose import is slow


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """Which questions are asked, under which conditions, how often."""

    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="FILE",
            help="SearchFireSafety's multihop .jsonl, or lawqa_jp's .json, which needs no index.",
            show_default="those on the built-in law",
        ),
    ] = None
    conditions: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Separated by commas: full, partial, partial-target, decoy, none, distractor, retrieved.",
            show_default="full,partial,partial-target,decoy,none,distractor; full,none where there is no index",
        ),
    ] = ""
    permutations: Annotated[
        int, typer.Option(min=0, metavar="P", help="Orders of the options a question; 0 is the file's own.")
    ] = 5
    repeats: Annotated[
        int, typer.Option(min=1, metavar="K", help="How often each request is asked, to count what moves.")
    ] = 1
    seed: Annotated[int, typer.Option(metavar="S", help="Of the orders, of random, and of the model.")] = 0
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Ask the first N questions alone.")] = None

    def file(self, index: Path | None) -> Path:
        """Return the file of the questions. Those of another index than the built-in law's have to be named."""
        return questions_file(self.questions, index, builtin=BUILTIN_CHOICES)

    def chosen_conditions(self, file: Path) -> tuple[Condition, ...]:
        """Return the conditions named; without names, those that there are for the questions of a file."""
        from evals.mcq.choice_files import brings_its_articles
        from evals.mcq.records import Condition

        if not self.conditions.strip():
            given = (Condition.FULL, Condition.NONE)
            of_index = tuple(one for one in Condition if one is not Condition.RETRIEVED)
            return given if brings_its_articles(file) else of_index
        names = dict.fromkeys(name.strip() for name in self.conditions.split(",") if name.strip())
        return tuple(Condition(one_of(Condition, name, "--conditions")) for name in names)

    @contextmanager
    def opened(self, file: Path, index: Path | None) -> Iterator[Sources]:
        """Open the questions, and the index unless they bring their articles."""
        from evals.mcq.choice_files import brings_its_articles, read_choice_questions
        from evals.mcq.sources import Sources
        from retrieval.retriever import Retriever

        if index is None and brings_its_articles(file):
            yield Sources(read_choice_questions(file, None)[: self.limit], None)
            return
        with Retriever.open(index_folder(index)) as retriever:
            yield Sources(read_choice_questions(file, retriever.index.graph)[: self.limit], retriever)


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """Who chooses, and how a model is asked."""

    reader: Annotated[str, typer.Option(metavar="|".join(_READERS), help="Who chooses.")] = "overlap"
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="URL|serve", help="The OpenAI-compatible server of --reader model."),
    ] = None
    revision: Annotated[
        str | None,
        typer.Option(metavar="HASH", help="The model's revision, for the manifest, if the server is silent."),
    ] = None
    choice: Annotated[
        str, typer.Option(metavar="constrained|logprob|both", help="By a schema of letters, or by their probability.")
    ] = "both"
    concurrency: Annotated[int, typer.Option(min=1, metavar="C", help="Requests in flight at once.")] = 16
    timeout: Annotated[float, typer.Option(min=0.001, metavar="SECONDS", help="Of one try of a request.")] = 120.0
    retries: Annotated[int, typer.Option(min=0, metavar="N", help="Tries after the first, ever later.")] = 4
    cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Keep the server's replies for other runs.")] = True

    def check(self, *, asks: bool) -> None:
        """Raise BadParameter on a name that is none; if it asks, also on a model that is not named."""
        from evals.mcq.model_choice import Way

        if asks and self.reader == "model" and self.model is None:
            raise typer.BadParameter("--reader model asks a server; name it with --model URL")
        one_of(_READERS, self.reader, "--reader")
        one_of((*Way, "both"), self.choice, "--choice")

    @contextmanager
    def asking(self, sources: Sources, *, seed: int) -> Iterator[Asking | None]:
        """Open the model server, if one is named: the self gate asks it whoever reads."""
        from evals.mcq import opening
        from evals.mcq.choice_client import ClientSettings

        if self.model is None:
            yield None
            return
        client = ClientSettings(self.concurrency, self.timeout, self.retries)
        with ExitStack() as stack:
            kept = stack.enter_context(opening.kept_replies()) if self.cache else None
            yield opening.asking(self.model, sources, client, revision=self.revision, seed=seed, cache=kept)

    def opened(self, sources: Sources, asking: Asking | None) -> Reader:
        """Return the reader."""
        from evals.mcq import opening
        from evals.mcq.model_choice import Way

        ways = tuple(Way) if self.choice == "both" else (Way(self.choice),)
        return opening.reader(self.reader, sources, asking, ways)

    def config(self, asking: Asking | None, trials: Sequence[Trial]) -> dict[str, Any]:
        """Return what a run's config says of the reader."""
        return {"reader": self.reader, **(asking.config(trials) if asking else {"model": None})}


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What judges, before the reader, whether a context suffices."""

    gate: Annotated[
        str, typer.Option(metavar="none|structural|learned|self|all", help="The sufficiency step before the reader.")
    ] = "none"
    gate_knowledge: Annotated[str, typer.Option(metavar="corpus|context", help="What a gate may look at.")] = "corpus"
    gate_threshold: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="T", help="Abstain on contexts of lower sufficiency.")
    ] = 0.5
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            metavar="FILE",
            help="Questions that the learned gate learns from.",
            show_default="those asked, five folds grouped by first article",
        ),
    ] = None

    def opened(self, sources: Sources, plan: Plan, asking: Asking | None, progress: Progress) -> list[Gate]:
        """Return the gates; one that lacks what it needs is wrong usage."""
        from evals.mcq.open_gates import GateInputs, open_gates

        try:
            return open_gates(self.gate, GateInputs(sources, plan.knowledge, self.train, asking, progress, plan.seed))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error


def plan_of(trials: TrialOptions, gating: GateOptions, file: Path) -> Plan:
    """Return what is asked of the questions in a file, and how often. A name that is none is wrong usage."""
    from evals.mcq.gates import Knowledge
    from evals.mcq.manifest import Plan

    return Plan(
        trials.chosen_conditions(file),
        n_permutations=trials.permutations,
        n_repeats=trials.repeats,
        seed=trials.seed,
        gate=gating.gate,
        knowledge=Knowledge(one_of(Knowledge, gating.gate_knowledge, "--gate-knowledge")),
        gate_threshold=gating.gate_threshold,
    )

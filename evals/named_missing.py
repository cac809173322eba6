"""`nonliquet evals missing RUN`: are the provisions that an answer needs and the corpus lacks named in the replies?

    python -m evals missing run-retrieved --index law --questions qa.jsonl

A run of `evals answers` says what was replied and which articles were read. Parts of one annex are one provision, and
so is a notice however many of its sections are gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.commands.options import IndexOption
from agent.rendering import show
from evals.answers import REPLIES
from evals.commands.options import BUILTIN_QUESTIONS
from evals.dataset_files import read_questions
from evals.run_folder import RunFolder
from graph.citation_graph import CitationGraph
from graph.errors import QuestionsError
from graph.records import EdgeKind, Question, Status
from graph.semantic_id import is_annex, parse
from retrieval.retriever import Retriever

__all__ = ["Tally", "register", "tally"]

_PART = re.compile(r"-.*")  # 별표4-1호의가 is a part of 별표4


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of pairs of a question and a missing provision, and how much the replies name."""

    n_pairs: int
    n_sent_to: int  # some article of the corpus names it
    n_sent_to_named: int  # and the reply does
    n_near: int  # an article within max_hops of a gold article that was read names it
    n_near_named: int
    n_named_a_reply: float  # provisions not at hand that a reply names, right or wrong, in the mean


def tally(
    questions: Sequence[Question], replies: Sequence[Mapping[str, Any]], graph: CitationGraph, *, max_hops: int
) -> Tally:
    """Count. replies: of the questions, in their order, as `Reply.to_json` has them."""
    sent_to: list[bool] = []  # of each pair that is sent to, whether it is named
    near: list[bool] = []
    n_pairs = n_named = 0
    here = {parse(name).law for name in graph.articles}
    for question, reply in zip(questions, replies, strict=True):
        names = {one["semantic_id"] for field in ("missing", "beyond") for one in reply.get(field, ())}
        n_named += len(names)
        read = {name for step in reply["trace"] if step["step"] == "pack" for name in step["articles"]}
        around = _within(read & set(question.gold), graph, max_hops)
        for missing in sorted({_whole(name, here) for name in question.missing}):
            n_pairs += 1
            citing = {edge.source for edge in graph.cited_by(missing)} if missing in graph.provisions else set()
            if citing:
                sent_to.append(missing in names)
            if citing & around:
                near.append(missing in names)
    return Tally(n_pairs, len(sent_to), sum(sent_to), len(near), sum(near), n_named / max(1, len(replies)))


def _whole(name: str, here: Set[str]) -> str:
    """Return the provision that a part belongs to: the annex, or of a law that is not here the law."""
    law, label = parse(name)
    if is_annex(name):
        return f"{law}_{_PART.sub('', label)}"
    return name if law in here else law


def _within(names: Iterable[str], graph: CitationGraph, max_hops: int) -> set[str]:
    """Return the articles that some lead to in at most so many citations, themselves among them."""
    found = set(names)
    ring = found
    for _ in range(max_hops):
        edges = (edge for name in ring for edge in graph.cites(name) if edge.kind is not EdgeKind.IMPLIED)
        targets = {edge.target for edge in edges if edge.target is not None}
        ring = {name for name in targets if graph.provisions[name].status is Status.PRESENT} - found
        found |= ring
    return found


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("missing", epilog="Example: python -m evals missing run --index law --questions qa.jsonl")(_missing)


def _missing(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run of `evals answers`.")],
    index: IndexOption = None,
    questions: Annotated[
        Path, typer.Option("--questions", metavar="FILE", help="Its questions.", show_default="built-in")
    ] = BUILTIN_QUESTIONS,
    max_hops: Annotated[
        int, typer.Option("--max-hops", min=0, help="Citations from a gold article that was read.")
    ] = 2,
) -> None:
    """Count the missing gold provisions that replies name."""
    if index is None:
        from agent.default_index import builtin_index

        index = builtin_index()
    with Retriever.open(index) as retriever:
        graph = retriever.index.graph
        records = RunFolder(run).records(REPLIES)
        asked = read_questions(questions, graph)[: len(records)]
        if [one.question_id for one in asked] != [one["question_id"] for one in records]:
            raise QuestionsError(f"{run}: its replies are not to the questions of {questions}")
        found = tally(asked, [one["reply"] for one in records], graph, max_hops=max_hops)
    show(f"missing gold provisions, with their questions    {found.n_pairs}")
    show(f"  named by no article of the index              {found.n_pairs - found.n_sent_to}")
    show(f"  named by some                                 {found.n_sent_to}, in the reply {found.n_sent_to_named}")
    show(f"  within {max_hops} of a gold article that was read      {found.n_near}, in the reply {found.n_near_named}")
    show(f"provisions not at hand that a reply names, mean {found.n_named_a_reply:.2f}")

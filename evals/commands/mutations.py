"""`nonliquet evals mutations`: answers broken on purpose -> how many pass verification, and its false alarms."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.commands.agent_options import AgentOptions
from agent.commands.options import IndexOption, SettingsOption
from agent.rendering import show
from evals.commands.options import BUILTIN_QUESTIONS, QuestionsOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.reply import Reply
    from evals.mutation_counts import Tally
    from graph.records import Provision

__all__ = ["register"]

PARAPHRASES = BUILTIN_QUESTIONS.with_name("paraphrases.jsonl")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("mutations", epilog="Example: nonliquet evals mutations --n 200 --seed 0")(_mutations)


def _mutations(
    index: IndexOption = None,
    questions: QuestionsOption = None,
    n: Annotated[int, typer.Option(min=1, metavar="N", help="Answers broken a rule.")] = 200,
    seed: Annotated[int, typer.Option(metavar="N", help="Which ones, and how.")] = 0,
    misses: Annotated[int, typer.Option(min=0, metavar="N", help="How many misses to show.")] = 0,
    settings: SettingsOption = None,
) -> None:
    """Break right answers on purpose, and count what verification catches.

    The answers are those of the extractive reader, restatements of the clauses that it quotes, and, on the built-in
    law, the restatements written by hand.
    """
    if (index is None) != (questions is None):
        raise typer.BadParameter("an index and the questions on it go together: --index DIR --questions FILE")
    from evals.mutation_counts import tallies
    from evals.sound_answers import paraphrases, restatements

    answers, law = _answers(index, questions or BUILTIN_QUESTIONS, settings)
    sound = restatements(answers)
    if index is None:
        sound += paraphrases(PARAPHRASES, law)
    caught, alarms, missed = tallies(sound, law, n=n, rng=random.Random(seed))
    _show("Caught, of answers broken by", caught)
    _show("False alarms, of sound answers", alarms)
    for one in missed[:misses]:
        show()
        show(f"{one.rule}: {one.draft.text}")
        show(f"{one.draft.quotes[one.place].semantic_id}: {one.draft.quotes[one.place].words}", indent=4)
        show(f"sound: {one.sound.draft.text}", indent=4)


def _answers(
    index: Path | None, questions: Path, settings: Path | None
) -> tuple[list[tuple[Reply, dict[str, Provision]]], dict[str, Provision]]:
    from evals.dataset_files import read_questions

    with AgentOptions(index=index, settings=settings).open() as agent:
        graph = agent.retriever.index.graph
        asked = read_questions(questions, graph)
        replies = [agent.ask(question.text) for question in asked]
        law = {name: one for name, one in graph.provisions.items() if one.text}
    return [(reply, law) for reply in replies], law


def _show(title: str, found: Sequence[Tally]) -> None:
    show((title, "bold"))
    for name in dict.fromkeys(one.name for one in found):
        of_name = [one for one in found if one.name == name]
        n, n_all = sum(one.n for one in of_name), sum(one.n_all for one in of_name)
        by_language = ", ".join(f"{one.language} {one.n} of {one.n_all}" for one in of_name)
        show(f"  {name:28}{n / n_all * 100:6.1f} %  ({by_language})")
    n, n_all = sum(one.n for one in found), sum(one.n_all for one in found)
    if n_all:
        show(f"  {'all':28}{n / n_all * 100:6.1f} %  ({n} of {n_all})")

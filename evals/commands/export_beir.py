"""`nonliquet evals export-beir`: an index, and questions on it, as a BEIR folder for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.commands.options import IndexOption, index_folder
from evals.commands.options import BUILTIN_QUESTIONS, QuestionsOption

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "export-beir",
        epilog="Example: nonliquet evals export-beir --index law --questions realworld_qa.jsonl --out law-beir",
    )(_export)


def _export(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to make.")],
    index: IndexOption = None,
    questions: QuestionsOption = None,
) -> None:
    """Write the articles of an index, and questions with their gold, as a BEIR folder.

    `nonliquet index` reads it back to the same articles. Of a user's own index without questions, the articles alone.
    """
    from evals.beir_files import write_beir
    from evals.dataset_files import read_questions
    from retrieval.index import Index

    with Index.open(index_folder(index)) as opened:
        source = BUILTIN_QUESTIONS if index is None and questions is None else questions
        asked = read_questions(source, opened.graph) if source else []
        write_beir(out, opened.articles, asked)
    n_judged = sum(bool(one.gold) for one in asked)
    typer.echo(f"{out}: {len(opened.articles)} articles, {n_judged} questions")

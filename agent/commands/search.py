"""`nonliquet search`: a question -> the articles that retrieval returns."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from agent.commands.options import IndexOption, JsonOption, SettingsOption, index_folder, question_of, settings_of
from agent.rendering import print_json, show_hit
from graph.records import Hit, Provision
from retrieval.methods import BASES, RERANKERS, parse_method

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("search", epilog='Example: nonliquet search "fire door kept open" --method sar:hybrid -k 5')(_search)


def _method(name: str | None) -> str | None:
    try:
        return name and str(parse_method(name))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _search(
    question: Annotated[str, typer.Argument(metavar="QUESTION", callback=question_of)],
    index: IndexOption = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD[:BASE]",
            callback=_method,
            help=f"{', '.join(BASES)}; or, over one of these, {', '.join(RERANKERS)}.",
            show_default="the best that the index has vectors for",
        ),
    ] = None,
    top_k: Annotated[int, typer.Option("--top-k", "-k", min=1, metavar="N", help="How many articles.")] = 10,
    settings: SettingsOption = None,
    json: JsonOption = False,
    why: Annotated[
        bool,
        typer.Option(
            "--why",
            help="Print, too, which sentences a trained model attends to, or which articles raise one by citing it.",
        ),
    ] = False,
) -> None:
    """Print the articles that fit a question best."""
    from retrieval.retriever import Retriever
    from retrieval.why_found import WhyFound, why_found

    chosen = settings_of(settings)
    with Retriever.open(index_folder(index), settings=chosen.retrieval if chosen else None) as retriever:
        hits = retriever.search(question, top_k=top_k, method=method)
        articles = [retriever.article(hit.semantic_id) for hit in hits]
        used = parse_method(method) if method else retriever.default_method
        reasons = why_found(retriever, question, used, hits) if why else [WhyFound() for _ in hits]
    if not hits and not json:
        typer.echo("No article has a word of the question.", err=True)
    if hits and why and not any(reasons):
        typer.echo(f"note: {used} tells no more than the scores", err=True)
    for rank, (hit, article, reason) in enumerate(zip(hits, articles, reasons, strict=True), start=1):
        if json:
            print_json(_record(rank, hit, article) | ({"why": reason.to_json()} if why else {}))
        else:
            show_hit(rank, hit, article, reason)


def _record(rank: int, hit: Hit, article: Provision) -> dict[str, Any]:
    return {
        "rank": rank,
        "semantic_id": article.semantic_id,
        "doc_id": article.doc_id,
        "score": hit.score,
        "law_name": article.law_name,
        "chapter": article.chapter,
        "chapter_description": article.chapter_description,
    }

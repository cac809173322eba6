"""`nonliquet citations`: the words of statutes that cite others, and what each of them means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.cells import cell_len, set_cell_size

from agent.commands.options import IndexOption, JsonOption, index_folder
from agent.rendering import print_json, show
from graph.errors import CorpusError
from graph.records import Edge, Provision, Status

__all__ = ["register"]

_WORDS_CELLS = 44  # columns for the words of a mention


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("citations", epilog="Example: nonliquet citations laws/fire-safety/ --article fire-safety-act_12")(
        _citations
    )


def _citations(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Statutes, or a text that is read as one article. Not with --index."),
    ] = None,
    index: IndexOption = None,
    article: Annotated[str | None, typer.Option(metavar="ID", help="The mentions of this article alone.")] = None,
    unresolved: Annotated[bool, typer.Option("--unresolved", help="Those alone that could not be resolved.")] = False,
    language: Annotated[Literal["ko", "en"], typer.Option(help="The language of a plain text.")] = "ko",
    json: JsonOption = False,
) -> None:
    """Print every mention of a provision: what it means, or why that cannot be told."""
    if file is not None and index is not None:
        raise typer.BadParameter("give a file or --index, not both")
    provisions, edges = _of_index(index_folder(index)) if file is None else _of_file(file, language)
    if article is not None and article not in provisions:
        raise typer.BadParameter(f"{article!r} is no provision there; nonliquet search prints ids")
    wanted = [
        edge
        for edge in edges
        if (article is None or edge.source == article) and not (unresolved and edge.target is not None)
    ]
    if json:
        for edge in wanted:
            print_json(_record(edge))
    else:
        _show(wanted, provisions)


def _of_index(folder: Path) -> tuple[dict[str, Provision], list[Edge]]:
    from retrieval.index import Index

    with Index.open(folder) as opened:
        graph = opened.graph
    # An edge that the dataset lists, or that is implied, has no words.
    return graph.provisions, [edge for name in graph.articles for edge in graph.cites(name) if edge.start >= 0]


def _of_file(path: Path, language: str) -> tuple[dict[str, Provision], Iterable[Edge]]:
    from graph.readers import FORMATS
    from graph.resolution import Resolver

    articles: Sequence[Provision]
    if not path.exists() or any(one.looks_like(path) for one in FORMATS.values()):
        from graph.corpus import read_corpus

        articles = read_corpus([path]).provisions
        resolver = Resolver(articles)
    else:
        articles = [_read_as_article(path, language)]
        resolver = Resolver([])  # the text is no law: its "제5조" names an article of something that is not here
    edges = (edge for one in articles if one.status is Status.PRESENT for edge in resolver.edges(one))
    return {one.semantic_id: one for one in articles}, edges


def _read_as_article(path: Path, language: str) -> Provision:
    from graph.semantic_id import law_slug

    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: cannot be read as text in UTF-8: {error}") from error
    name = law_slug(path.stem, language=language).replace("_", "-") or "text"
    return Provision(
        semantic_id=name,
        doc_id=-1,
        law_name=name,
        collection_name=name,
        law_level="",
        chapter="",
        text=text,
        language=language,
    )


def _record(edge: Edge) -> dict[str, str | int | list[str] | None]:
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": edge.kind.value,
        "start": edge.start,
        "end": edge.end,
        "text": edge.text,
        "reason": edge.reason,
        "candidates": list(edge.candidates),
    }


def _show(edges: Iterable[Edge], provisions: dict[str, Provision]) -> None:
    source = ""
    for edge in edges:
        if edge.source != source:
            source = edge.source
            article = provisions[source]
            heading = f" ({article.chapter_description})" if article.chapter_description else ""
            show((f"{article.law_name}, {article.chapter}{heading}".rstrip(", "), "bold"), (f"  {source}", "dim"))
        words = " ".join(edge.text.split())
        words = set_cell_size(words if cell_len(words) <= _WORDS_CELLS else f"{words[:20]}…", _WORDS_CELLS)
        place = (f"{edge.start:>7}–{edge.end:<7}", "dim")
        if edge.target is not None:
            note = (f"  ({edge.reason})", "dim") if edge.reason else ""
            show(place, f"{edge.kind:<11}", words, "  → ", (edge.target, "green"), note)
        else:
            candidates = f": {', '.join(edge.candidates)}" if edge.candidates else ""
            show(place, f"{edge.kind:<11}", words, (f"  ✗ {edge.reason}{candidates}", "yellow"))

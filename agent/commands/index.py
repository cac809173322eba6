"""`nonliquet index`: statute sources -> an index folder."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

import typer

from agent.commands.option_groups import grouped
from agent.commands.options import AsOfOption, SettingsOption, settings_of
from agent.progress import build_progress
from agent.rendering import show
from graph.readers import FORMATS
from graph.readers.columns import ColumnMap, parse_columns

if TYPE_CHECKING:
    from graph.corpus import Corpus, Earlier
    from retrieval.index_build import Progress, VectorPlan
    from retrieval.index_folder import Manifest

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("index", epilog="Example: nonliquet index laws/fire-safety/ --index index/ --encoder embedded")(
        grouped(_index)
    )


def _format(name: str | None) -> str | None:
    if name is not None and name not in FORMATS:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(FORMATS)}")
    return name


def _columns(words: str) -> ColumnMap:
    try:
        return parse_columns(words)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _server(url: str | None) -> str | None:
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        is_server = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # a port that is no number
        is_server = False
    if not is_server:
        raise typer.BadParameter(f"{url!r} is no server's address; expected http://host:port")
    return url


@dataclass(frozen=True, slots=True)
class _Law:
    """What is read."""

    sources: Annotated[
        list[Path],
        typer.Argument(metavar="SOURCE", help="Files or folders that hold statutes; hf:OWNER/NAME for a data set."),
    ]
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            callback=_format,
            help=f"The sources' format: {', '.join(FORMATS)}.",
            show_default="detected",
        ),
    ] = None
    columns: Annotated[
        ColumnMap | None,
        typer.Option(
            "--columns",
            metavar="MAP",
            parser=_columns,
            help="Which column of a csv, jsonl or beir source holds which field, and fields that are the same in every "
            "row: text=body,chapter=article_no,language:=fr.",
            show_default="the fields' own names",
        ),
    ] = None
    as_of: AsOfOption = None

    def read(self, earlier: Earlier, progress: Progress) -> Corpus:
        """Read it, but for the parts that are as they were when the index was last built."""
        from graph.corpus import read_corpus

        n_known = len(earlier.parts)
        progress("laws", 0, n_known or 1)
        return read_corpus(
            self.sources,
            format_name=self.format_name,
            as_of=self.as_of,
            columns=self.columns,
            earlier=earlier,
            progress=lambda n_parts: progress("laws", n_parts, max(n_parts, n_known)),
        )


@dataclass(frozen=True, slots=True)
class _Vectors:
    """Which vectors the articles get, and where they are kept."""

    encoder: Annotated[
        str, typer.Option(metavar="SPEC", help="none, embedded, st:MODEL, words:FILE, openai:URL#MODEL or graph:MODEL.")
    ] = "embedded"
    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npz", help="The articles' vectors, made elsewhere by the encoder, or by graph:MODEL's base."
        ),
    ] = None
    chroma: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            callback=_server,
            help="A Chroma server's http://host:port for the vectors.",
            show_default="in the index folder",
        ),
    ] = None
    sparse: Annotated[
        bool | None,
        typer.Option(
            "--sparse/--no-sparse",
            help="Also learned sparse vectors, for twice the time.",
            show_default="where the encoder's know the language",
        ),
    ] = None

    def check(self) -> None:
        """Raise BadParameter if there is something to keep vectors in, or vectors, and no encoder."""
        if self.encoder == "none" and (self.vectors or self.chroma):
            raise typer.BadParameter("vectors need an encoder, for the questions to be compared with them")

    def plan(self) -> VectorPlan | None:
        """Open the encoder; None without one."""
        from retrieval.encoder import open_encoder
        from retrieval.index_build import VectorPlan

        opened = open_encoder(self.encoder)
        if opened is None:
            return None
        return VectorPlan(encoder=opened, file=self.vectors, server=self.chroma, sparse=self.sparse)


def _index(
    law: _Law,
    vectors: _Vectors,
    index: Annotated[Path, typer.Option("--index", metavar="DIR", help="The index to make, or to replace.")],
    graph: Annotated[
        Literal["dataset", "text", "both"] | None,
        typer.Option(
            help="Take citations from the source's own links, from the articles' words, or from both.",
            show_default="dataset where it has links, else text",
        ),
    ] = None,
    implied: Annotated[
        bool, typer.Option("--implied/--no-implied", help="Also link articles to what they detail without citing it.")
    ] = False,
    settings: SettingsOption = None,
) -> None:
    """Make the index of one or more statute sources."""
    from graph.links import GraphSource
    from retrieval.earlier_build import earlier_build
    from retrieval.index_build import build_index

    vectors.check()
    started = time.perf_counter()
    chosen = settings_of(settings)
    with build_progress() as progress:
        earlier = earlier_build(index)
        corpus = law.read(earlier, progress)
        manifest = build_index(
            corpus,
            index,
            vectors=vectors.plan(),
            graph_source=GraphSource(graph) if graph else None,
            implied=implied,
            settings=chosen.retrieval if chosen else None,
            progress=progress,
        )
    read_again = f"; {corpus.n_parts_read} of {len(corpus.parts)} laws read again" if earlier.parts else ""
    _show(index, manifest, f"{time.perf_counter() - started:.1f} s{read_again}")


def _show(index: Path, manifest: Manifest, effort: str) -> None:
    counts = manifest.counts
    n_edges = sum(n for name, n in counts.items() if name.startswith("edges, "))
    encoder = manifest.encoder or "none"
    show(f"{index}: {counts['documents']} articles, {n_edges} edges, encoder {encoder}, {effort}")
    for note in manifest.notes:
        show(("Note: ", "bold"), str(note))
    show(f'Ask: nonliquet ask "…" --index {shlex.quote(str(index))}')

"""`nonliquet evals report`: several runs -> one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("report", epilog="Example: nonliquet evals report run-bm25 run-hybrid --out report.md")(_report)


def _report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of runs.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.md", help="Where to write it.", show_default="stdout")
    ] = None,
) -> None:
    """Put several runs on one page: tables, plots, settings."""
    from agent.aside import write_aside
    from evals.report import page_over
    from evals.run_folder import RunFolder

    words = page_over([RunFolder(path) for path in runs], beside=(out or Path("report.md")).resolve().parent)
    if out is None:
        typer.echo(words)
    else:
        write_aside(out, words)
        typer.echo(f"Report: {out}")

"""I/O: the command `nonliquet`: the verbs of every package that registers some, and each error as one line.

A package registers its verbs under the entry-point group `nonliquet.commands`, as a function that takes the app; so no
package needs to import one above it. Importing this file imports no package that takes long to import.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import entry_points, version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from agent.commands import ask, chat, citations, graph, index, mcp, replay, search, serve, serve_model, stats, web
from agent.commands.exit_codes import ExitCode
from agent.rendering import show_error
from graph.errors import NonLiquetError

__all__ = ["ENTRY_POINTS", "command", "main", "register", "run"]

ENTRY_POINTS = "nonliquet.commands"

Register = Callable[[typer.Typer], None]


class _Group(TyperGroup):
    """Prints an error that is the world's fault as one line; an error of ours keeps its traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except NonLiquetError as error:
            show_error(str(error))
            raise typer.Exit(ExitCode.ERROR) from error


def register(app: typer.Typer) -> None:
    """Add the agent's verbs."""
    for verb in (index, search, ask, chat, replay, serve, web, mcp, stats, citations, graph, serve_model):
        verb.register(app)


def command(packages: Iterable[Register]) -> typer.Typer:
    """Return the command with the verbs of these packages."""
    app = typer.Typer(
        cls=_Group,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # help may hold square brackets
    )

    @app.callback(epilog='Example: nonliquet ask "How often must a fire extinguisher be checked?"')
    def nonliquet(
        show_version: Annotated[
            bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
        ] = False,
    ) -> None:
        """Answer questions about statutes, cite the articles, and abstain when the evidence is not there.

        Exit codes: 0 answered or done, 3 abstained, 2 wrong usage, 1 any other error.
        """

    for register_verbs in packages:
        register_verbs(app)
    return app


def run(name: str, packages: Iterable[Register]) -> None:
    """Run the command on the process's arguments, and exit with its code."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # Neither a question in another encoding nor a statute's rare character may end the program.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if stream is sys.stdin else "backslashreplace")
    command(packages)(prog_name=name)


def main() -> None:
    """Run `nonliquet`."""
    run("nonliquet", [entry.load() for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda e: e.name)])


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"nonliquet {version('nonliquet')}")
        raise typer.Exit

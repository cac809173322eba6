"""Verbs that are modules of their own, such as `nonliquet evals bench`, imported only when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import typer

__all__ = ["register"]

_MODULES = {
    "bench": ("evals.bench", "Time retrieval against other packages in one run."),
    "client": ("evals.client_bench", "Time the client of choice questions against a mock model server."),
    "decisions": ("evals.decisions", "Make the decisions whose right outcome is known, and list the wrong ones."),
    "gate": ("evals.gate_study", "Say how well the learned gate tells full contexts from lacking ones, and by what."),
    "latency": ("evals.latency", "Time a question: what the agent takes beside the encoder and the model."),
    "load": ("evals.load", "Load the server: a steady rate, then many questions at once."),
    "missing": ("evals.named_missing", "Count the provisions a corpus lacks that the replies of a run name."),
    "ours": ("evals.ours", "Train the learned ranker, and say what it gains and what each group of features adds."),
    "relevance": ("evals.relevance", "Fit what evidence fits a question by, and judge each law without itself."),
}


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    for name, (module, words) in _MODULES.items():
        # Its options, --help among them, are for the module to read.
        settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
        app.command(name, help=words, context_settings=settings)(_passing_on(name, module))


def _passing_on(name: str, module: str) -> Callable[[typer.Context], None]:
    def run(ctx: typer.Context) -> None:
        from agent.cli import command

        command([import_module(module).register])(args=[name, *ctx.args], prog_name="python -m evals")

    return run

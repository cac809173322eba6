"""`nonliquet train …`: a verb for each kind of retriever that is trained."""

from __future__ import annotations

import typer

from evals.commands.train import attentive_cnn, bi_encoder, graph_aware, paraformer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the sub-command `train`."""
    train = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)

    @train.callback(epilog="Example: nonliquet train bi-encoder --supervision citations --base static --out M")
    def describe() -> None:
        """Train a retriever on questions whose articles are known, or on what the law says of its own articles.

        A run that was killed goes on with the same command.
        """

    for verb in (bi_encoder, attentive_cnn, paraformer, graph_aware):
        verb.register(train)
    app.add_typer(train, name="train")

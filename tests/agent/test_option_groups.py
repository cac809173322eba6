"""A verb that takes its options in groups: what typer offers of them, and what the verb gets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner, Result

from agent.commands.option_groups import Without, grouped


def _upper(words: str) -> str:
    return words.upper()


@dataclass(frozen=True)
class Place:
    """Where something is."""

    name: Annotated[str, typer.Argument(metavar="NAME", callback=_upper)]
    floor: Annotated[int, typer.Option("--storey", min=1)] = 2
    plan: Annotated[Path | None, typer.Option("--plan")] = None


def run(verb: object, *words: str) -> Result:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(grouped(verb))  # type: ignore[arg-type]
    return CliRunner().invoke(app, list(words))


def visit(place: Place, quiet: bool = False) -> None:
    """Go there."""
    typer.echo(f"{place} {quiet}")


def test_a_verb_gets_its_group_whole_and_its_own_options_beside_it():
    result = run(visit, "hall", "--storey", "3", "--plan", "hall.svg", "--quiet")
    assert result.stdout == f"{Place('HALL', 3, Path('hall.svg'))} True\n"


def test_what_is_not_given_has_the_groups_default():
    assert run(visit, "hall").stdout == f"{Place('HALL', 2, None)} False\n"


@pytest.mark.parametrize("words", [(), ("hall", "--storey", "0"), ("hall", "--place", "x")])
def test_a_fields_limits_are_kept_and_the_group_itself_is_no_option(words: tuple[str, ...]):
    assert run(visit, *words).exit_code == 2


def test_help_has_the_verbs_words_and_each_field():
    words = run(visit, "--help").stdout
    assert "Go there." in words
    assert all(name in words for name in ("NAME", "--storey", "--plan", "--quiet"))


def test_what_a_verb_is_without_is_not_offered_and_keeps_its_default():
    def visit_below(place: Annotated[Place, Without({"floor", "plan"})]) -> None:
        typer.echo(str(place))

    assert run(visit_below, "hall").stdout == f"{Place('HALL', 2, None)}\n"
    assert run(visit_below, "hall", "--storey", "3").exit_code == 2

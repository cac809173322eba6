"""Options that belong together as one dataclass, which a verb takes whole."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

__all__ = ["Without", "grouped"]


class Without(frozenset[str]):
    """In a verb's `Annotated[GROUP, Without({…})]`: the group's options that the verb does not offer."""


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """Return the verb as typer can read it: each parameter that is a dataclass gives way to its fields.

    A field is annotated as a parameter of a verb would be. One that the verb is `Without` keeps its default. No two
    groups of a verb may have fields of one name.
    """
    hints = get_type_hints(verb, include_extras=True)
    groups: list[_Group] = []
    offered: list[inspect.Parameter] = []
    for parameter in inspect.signature(verb).parameters.values():
        hint = hints[parameter.name]
        kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        if isinstance(kind, type) and is_dataclass(kind):
            left_out = frozenset[str]().union(*(note for note in notes if isinstance(note, Without)))
            group = _Group(parameter.name, kind, tuple(_options(kind, left_out)))
            groups.append(group)
            offered += group.options
        else:
            offered.append(parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(verb)
    def with_groups(**values: Any) -> None:
        whole = {
            group.name: group.kind(**{option.name: values.pop(option.name) for option in group.options})
            for group in groups
        }
        verb(**whole, **values)

    with_groups.__signature__ = inspect.Signature(offered)  # type: ignore[attr-defined]  # what typer looks at
    with_groups.__annotations__ = {option.name: option.annotation for option in offered}
    return with_groups


@dataclass(frozen=True, slots=True)
class _Group:
    name: str  # of the verb's parameter
    kind: Callable[..., Any]  # the dataclass
    options: tuple[inspect.Parameter, ...]


def _options(kind: Any, left_out: frozenset[str]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        if field.name not in left_out:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            yield inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name]
            )

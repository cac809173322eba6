"""What is imported from an optional part of the installation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from graph.errors import NonLiquetError

__all__ = ["of_extra"]


@contextmanager
def of_extra(name: str) -> Iterator[None]:
    """Import within it what an extra of the package brings. Raises NonLiquetError with what to install."""
    try:
        yield
    except ImportError as error:
        raise NonLiquetError(f"{error.name} is not installed; pip install 'nonliquet[{name}]'") from error

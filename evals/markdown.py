"""Markdown: tables and numbers as reports print them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evals.intervals import Interval

__all__ = ["flat_settings", "percent", "points", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the first column is words, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in escaped)


def percent(value: float | None) -> str:
    """Return a share in %, to one decimal; – for what has no value."""
    return "–" if value is None else f"{value * 100:.1f}"


def points(interval: Interval) -> str:
    """Return a difference of shares in points with its interval."""
    return f"{interval.mean * 100:+.1f} [{interval.low * 100:+.1f}, {interval.high * 100:+.1f}]"


def flat_settings(settings: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Return nested settings as dotted names with their values."""
    flat: dict[str, str] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            flat |= flat_settings(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = "–" if value is None else str(value)
    return flat

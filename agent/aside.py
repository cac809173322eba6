"""I/O: files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write_aside"]


def write_aside(path: Path, text: str) -> None:
    """Write a file under another name and rename it, so that it is there whole or not at all. Raises OSError."""
    aside = path.with_name(f"{path.name}.new")
    aside.write_text(text, encoding="utf-8", newline="\n")
    aside.replace(path)

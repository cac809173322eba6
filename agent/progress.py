"""I/O: progress bars on stderr while an index is built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from retrieval import index_build

__all__ = ["build_progress"]


@contextmanager
def build_progress(announcement: str = "") -> Iterator[index_build.Progress]:
    """Yield what `build_index` calls with a step's name, how much of it is done, and how much there is.

    announcement: a line on stderr before the first bar; nothing is printed if no step begins. On what is no terminal
    there is the announcement alone.
    """
    console = Console(stderr=True, markup=False, highlight=False)
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    tasks: list[TaskID] = []

    def progress(step: str, done: int, total: int) -> None:
        if not tasks:
            if announcement:
                console.print(announcement, soft_wrap=True)
            bars.start()
        if not tasks or bars.tasks[tasks[-1]].description != step:
            finish()
            tasks.append(bars.add_task(step, total=total))
        bars.update(tasks[-1], completed=done, total=total)

    def finish() -> None:
        """Fill the bar of the step before: steps that are not counted report only that they begin."""
        if tasks:
            bars.update(tasks[-1], completed=bars.tasks[tasks[-1]].total)

    try:
        yield progress
        finish()
    finally:
        bars.stop()

"""I/O: progress bars on stderr for what takes long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

if TYPE_CHECKING:
    from retrieval import index_build

__all__ = ["build_progress"]


class _Rate(ProgressColumn):
    """How much is done in a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s", style="progress.data.speed")


@contextmanager
def build_progress(announcement: str = "", *, with_rate: bool = False) -> Iterator[index_build.Progress]:
    """Yield what `build_index` calls with a step's name, how much of it is done, and how much there is.

    announcement: a line on stderr before the first bar; nothing is printed if no step begins. On what is no terminal
    there is the announcement alone. with_rate: show, too, how much is done in a second and when it will be all.
    """
    console = Console(stderr=True, markup=False, highlight=False)
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        *((_Rate(), TextColumn("left", style="dim"), TimeRemainingColumn()) if with_rate else ()),
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

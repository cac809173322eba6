"""One page over several runs: their figures side by side, then each run's own page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from evals import answers, realworld_report
from evals.markdown import percent, table
from evals.mcq import report as mcq_report
from evals.run_folder import RunFolder

__all__ = ["page_over"]

_COLUMNS = ("R@10", "R@20", "R@100", "nDCG@10", "RR@10", "AP@100", "both-gold@10")


def page_over(runs: Sequence[RunFolder], *, beside: Path) -> str:
    """Return the page as Markdown. beside: the folder it will lie in, from which its plots are found."""
    parts = ["# Runs\n"]
    retrieval = [run for run in runs if run.config.get("kind") == "realworld"]
    if retrieval:
        rows = [
            [run.path.name, method, *(percent(values.get(name)) for name in _COLUMNS)]
            for run in retrieval
            for method, values in run.metrics().items()
        ]
        parts += ["## Retrieval, in %\n", table(["run", "method", *_COLUMNS], rows)]
    replied = [run for run in runs if run.config.get("kind") == "answers"]
    if replied:
        columns = list(dict.fromkeys(name for run in replied for one in answers.metrics(run).values() for name in one))
        rows = [
            [f"{run.path.name}: {system}", *(percent(values.get(name)) for name in columns)]
            for run in replied
            for system, values in answers.metrics(run).items()
        ]
        parts += ["## Answers, in %\n", table(["run", *columns], rows)]
    choices = [run for run in runs if run.config.get("kind") == "mcq"]
    if choices:
        head = ["run", "system", *mcq_report.SUMMARY_COLUMNS]
        rows = [[run.path.name, *cells] for run in choices for cells in mcq_report.summary_rows(run)]
        parts += ["## Choices, in %\n", table(head, rows)]
    parts += [_own_page(run, beside) for run in runs]
    return "\n".join(parts)


def _own_page(run: RunFolder, beside: Path) -> str:
    if run.config.get("kind") == "answers":
        return answers.page(run, level=2)
    plots = [Path(os.path.relpath(path, beside)).as_posix() for path in sorted(run.path.glob("*.png"))]
    if run.config.get("kind") == "mcq":
        return mcq_report.page(run, plots=plots, level=2)
    words = realworld_report.page(run, plots=plots, level=2)
    latencies = realworld_report.latency_rows(run)
    return words + (f"\n### Latency\n\n{table(['method', 'median, ms', '95 %, ms'], latencies)}" if latencies else "")

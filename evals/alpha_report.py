"""I/O: the α grid as files: tables to read, every cell for other tools, a plot, and the settings of the best cell."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from agent.aside import write_aside
from evals.alpha_grid import ALPHAS, MEASURES, AlphaGrid, Choice
from evals.markdown import percent, points, table
from evals.settings_file import settings_toml
from retrieval.methods import Method
from retrieval.settings import RetrievalSettings, TrainedSettings

__all__ = ["rows_of", "summary", "write_grid", "write_settings"]


def write_grid(
    grid: AlphaGrid, choices: Mapping[str, Choice], config: Mapping[str, Any], out: Path, *, plots: bool
) -> None:
    """Write alpha.csv, alpha.json, report.md and, with plots, alpha.png into a folder, which is made.

    config: what was asked of what, with `method` and `model` in words. Raises OSError; ImportError without matplotlib.
    """
    out.mkdir(parents=True, exist_ok=True)
    if plots:
        _draw(grid, choices, config["method"], out / "alpha.png")
    cells = list(_cells(grid))
    written = io.StringIO()
    writer = csv.DictWriter(written, fieldnames=list(cells[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(cells)
    write_aside(out / "alpha.csv", written.getvalue())
    found = {"config": dict(config), "best": {name: asdict(one) for name, one in choices.items()}, "cells": cells}
    write_aside(out / "alpha.json", json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    write_aside(out / "report.md", _page(grid, choices, config, plots=plots))


def write_settings(choice: Choice, measure_name: str, method: Method, settings: RetrievalSettings, file: Path) -> None:
    """Write the settings file by which `search` and `ask` use the best cell. Raises OSError."""
    chosen = replace(settings, trained=TrainedSettings(alpha=choice.alpha, n_candidates=choice.n_candidates))
    note = f"Chosen by `nonliquet evals alpha`. {summary(measure_name, choice, method.base)}"
    write_aside(file, settings_toml(chosen, method=str(method), note=note))


def summary(measure_name: str, choice: Choice, base: str) -> str:
    """Return a choice in a line: its value on the questions it was made on, and what choosing is worth on others."""
    return (
        f"{measure_name}: {base} {percent(choice.base)}; best {percent(choice.fitted)}, by α {choice.alpha:g} over "
        f"{choice.n_candidates} candidates, on the questions that chose it; "
        f"cross-validated {percent(choice.held_out)}, {points(choice.gain)} against {base}"
    )


def rows_of(grid: AlphaGrid, measure_name: str) -> list[list[str]]:
    """Return a measure's table in %, a row an α."""
    means = grid.values[measure_name].mean(axis=2)
    return [[f"{alpha:g}", *(percent(mean) for mean in row)] for alpha, row in zip(ALPHAS, means.tolist(), strict=True)]


def _cells(grid: AlphaGrid) -> Iterator[dict[str, float]]:
    means = {name: values.mean(axis=2) for name, values in grid.values.items()}
    for row, alpha in enumerate(ALPHAS):
        for column, n_candidates in enumerate(grid.n_candidates):
            cell = {name: float(mean[row, column]) for name, mean in means.items()}
            yield {"alpha": alpha, "n_candidates": n_candidates, **cell}


def _page(grid: AlphaGrid, choices: Mapping[str, Choice], config: Mapping[str, Any], *, plots: bool) -> str:
    of_questions = config["questions"]
    parts = [
        f"# α of `{config['method']}`\n",
        f"{config['model']}. {of_questions['asked']} questions ({', '.join(of_questions['files'])}) over "
        f"{config['index']['articles']} articles. Values in %; a row an α, 0 being the base alone and 1 the model "
        "alone, a column a number of candidates.\n",
        "".join(f"- {summary(name, choices[name], config['base'])}\n" for name in MEASURES),
        f"Cross-validated: {config['folds']} folds, each answered by the cell that is best on the others; the interval "
        "is the 95 % bootstrap interval of the difference.\n",
    ]
    for name in MEASURES:
        parts += [f"## {name}\n", table(["α", *map(str, grid.n_candidates)], rows_of(grid, name))]
    if plots:
        parts.append("![α](alpha.png)\n")
    return "\n".join(parts)


def _draw(grid: AlphaGrid, choices: Mapping[str, Choice], method: str, file: Path) -> None:
    """Draw each measure against α, a line a number of candidates; what choosing is worth as a broken line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    for plot, name in zip(figure.subplots(2, 2).flat, MEASURES, strict=True):
        for n_candidates, means in zip(grid.n_candidates, grid.values[name].mean(axis=2).T * 100, strict=True):
            plot.plot(ALPHAS, means, marker="o", markersize=3, linewidth=1, label=f"{n_candidates} candidates")
        plot.axhline(
            choices[name].held_out * 100, color="black", linestyle="--", linewidth=0.8, label="cross-validated"
        )
        plot.set(xlabel="α", ylabel=f"{name}, %")
    figure.axes[0].legend(fontsize="x-small")
    figure.suptitle(f"α of {method}")
    figure.savefig(file, dpi=120, metadata={"Software": None})

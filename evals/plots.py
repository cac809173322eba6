"""I/O: plots of a run, by matplotlib (extra `plots`): recall against k, gain a question over the base, latency."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from evals.intervals import bootstrap_interval
from evals.realworld_report import base_in, rng, values_of
from evals.run_folder import RunFolder, file_name

__all__ = ["axes", "draw", "has_matplotlib", "saved"]

_CUTS = (10, 20, 50, 100, 200, 500)
_GAIN = "nDCG@10"


def has_matplotlib() -> bool:
    """Whether plots can be drawn."""
    return find_spec("matplotlib") is not None


def draw(run: RunFolder) -> list[str]:
    """Draw a run's plots into its folder, and return the files' names. Raises ImportError without matplotlib."""
    methods = list(run.metrics())
    drawn = [_recall(run, methods)]
    for method in methods:
        base = base_in(method, methods)
        if base:
            drawn.append(_gains(run, method, base))
    if run.latencies():
        drawn.append(_latency(run))
    return drawn


def _recall(run: RunFolder, methods: list[str]) -> str:
    figure, plot = axes()
    for method in methods:
        intervals = [
            bootstrap_interval(list(values_of(run, method, f"R@{k}").values()), rng(), n_resamples=2000) for k in _CUTS
        ]
        means = np.array([one.mean for one in intervals])
        errors = np.array([[one.mean - one.low for one in intervals], [one.high - one.mean for one in intervals]])
        plot.errorbar(_CUTS, means * 100, yerr=errors * 100, label=method, capsize=2, linewidth=1)
    plot.set(xscale="log", xlabel="articles read (k)", ylabel="recall, %", title="Recall at k with 95 % intervals")
    plot.set_xticks(_CUTS, [str(k) for k in _CUTS])
    plot.legend(fontsize="x-small")
    return saved(run, figure, "recall.png")


def _gains(run: RunFolder, method: str, base: str) -> str:
    before, after = values_of(run, base, _GAIN), values_of(run, method, _GAIN)
    gains = sorted((after[name] - before[name] for name in before), reverse=True)
    figure, plot = axes()
    plot.bar(range(len(gains)), np.array(gains) * 100, width=1.0)
    plot.axhline(0, color="black", linewidth=0.5)
    plot.set(xlabel="questions, by gain", ylabel=f"{_GAIN}, points", title=f"{method} against {base}")
    return saved(run, figure, f"gain_{file_name(method)}.png")


def _latency(run: RunFolder) -> str:
    latencies = run.latencies()
    figure, plot = axes()
    plot.boxplot(list(latencies.values()), orientation="horizontal", showfliers=False)
    plot.set_yticks(range(1, len(latencies) + 1), list(latencies), fontsize="x-small")
    plot.set(xscale="log", xlabel="milliseconds a question", title="Latency")
    return saved(run, figure, "latency.png")


def axes() -> tuple[Any, Any]:
    """Return a new figure and its axes. Raises ImportError without matplotlib."""
    from matplotlib.figure import Figure  # not pyplot, which would look for a screen

    figure = Figure(figsize=(8, 5), layout="constrained")
    return figure, figure.add_subplot()


def saved(run: RunFolder, figure: Any, name: str) -> str:
    """Write a figure into a run's folder, the same bytes for the same figure, and return the file's name."""
    figure.savefig(run.path / name, dpi=120, metadata={"Software": None})
    return name

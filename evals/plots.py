"""I/O: plots of a run, by matplotlib (extra `plots`): recall against k, gain a question over the base, latency."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from evals.intervals import bootstrap_interval
from evals.realworld_report import base_in, rng, values_of
from evals.run_folder import RunFolder, file_name

__all__ = ["draw", "has_matplotlib"]

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
    figure, axes = _axes()
    for method in methods:
        intervals = [
            bootstrap_interval(list(values_of(run, method, f"R@{k}").values()), rng(), n_resamples=2000) for k in _CUTS
        ]
        means = np.array([one.mean for one in intervals])
        errors = np.array([[one.mean - one.low for one in intervals], [one.high - one.mean for one in intervals]])
        axes.errorbar(_CUTS, means * 100, yerr=errors * 100, label=method, capsize=2, linewidth=1)
    axes.set(xscale="log", xlabel="articles read (k)", ylabel="recall, %", title="Recall at k with 95 % intervals")
    axes.set_xticks(_CUTS, [str(k) for k in _CUTS])
    axes.legend(fontsize="x-small")
    return _saved(run, figure, "recall.png")


def _gains(run: RunFolder, method: str, base: str) -> str:
    before, after = values_of(run, base, _GAIN), values_of(run, method, _GAIN)
    gains = sorted((after[name] - before[name] for name in before), reverse=True)
    figure, axes = _axes()
    axes.bar(range(len(gains)), np.array(gains) * 100, width=1.0)
    axes.axhline(0, color="black", linewidth=0.5)
    axes.set(xlabel="questions, by gain", ylabel=f"{_GAIN}, points", title=f"{method} against {base}")
    return _saved(run, figure, f"gain_{file_name(method)}.png")


def _latency(run: RunFolder) -> str:
    latencies = run.latencies()
    figure, axes = _axes()
    axes.boxplot(list(latencies.values()), orientation="horizontal", showfliers=False)
    axes.set_yticks(range(1, len(latencies) + 1), list(latencies), fontsize="x-small")
    axes.set(xscale="log", xlabel="milliseconds a question", title="Latency")
    return _saved(run, figure, "latency.png")


def _axes() -> tuple[Any, Any]:
    from matplotlib.figure import Figure  # not pyplot, which would look for a screen

    figure = Figure(figsize=(8, 5), layout="constrained")
    return figure, figure.add_subplot()


def _saved(run: RunFolder, figure: Any, name: str) -> str:
    figure.savefig(run.path / name, dpi=120, metadata={"Software": None})
    return name

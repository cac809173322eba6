"""I/O: plots of a run of choice questions, by matplotlib (extra `plots`): conditions, risk and coverage, letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from evals.mcq.measures import ABSTENTION_OF, Outcome
from evals.mcq.report import measured, systems_of
from evals.mcq.selective_measures import curve
from evals.plots import axes, saved
from evals.run_folder import RunFolder

__all__ = ["draw"]


def draw(run: RunFolder, outcomes: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """Draw a run's plots into its folder, and return the files' names. Raises ImportError without matplotlib."""
    shown = list(dict.fromkeys([*systems_of(run), "overlap", "always-abstain"]))
    shown = [name for name in shown if name in outcomes]
    drawn = [_conditions(run, shown)]
    if any(curve(outcomes[name]) for name in shown):
        drawn.append(_risk_coverage(run, {name: outcomes[name] for name in shown}))
    if run.config["permutations"]:
        drawn.append(_letters(run, {name: outcomes[name] for name in shown}))
    return drawn


def _conditions(run: RunFolder, systems: Sequence[str]) -> str:
    rows = measured(run)["rows"]
    measures = ["full accuracy", "over-abstention", *ABSTENTION_OF.values()]
    there = [one for one in measures if any(one in rows[name] for name in systems)]
    figure, plot = axes()
    width = 0.8 / len(systems)
    for place, name in enumerate(systems):
        heights = [rows[name].get(one, 0.0) * 100 for one in there]
        plot.bar(np.arange(len(there)) + place * width, heights, width=width, label=name)
    plot.set_xticks(np.arange(len(there)) + 0.4 - width / 2, there, rotation=20, ha="right", fontsize="x-small")
    plot.set(ylabel="%", ylim=(0, 100), title="What is chosen under each condition")
    plot.legend(fontsize="x-small")
    return saved(run, figure, "conditions.png")


def _risk_coverage(run: RunFolder, outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    figure, plot = axes()
    for name, of_system in outcomes.items():
        found = curve(of_system)
        if found is not None:
            plot.plot(found.coverage * 100, found.risk * 100, label=name, linewidth=1)
    plot.set(xlabel="answered, %", ylabel="wrong among the answered, %", title="Risk and coverage, full and partial")
    plot.legend(fontsize="x-small")
    return saved(run, figure, "risk_coverage.png")


def _letters(run: RunFolder, outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    figure, plot = axes()
    width = 0.8 / len(outcomes)
    n_places = max(len(trial.order) for of_system in outcomes.values() for trial, _ in of_system)
    for offset, (name, of_system) in enumerate(outcomes.items()):
        places = Counter(trial.place_of(choice.chosen) for trial, choice in of_system if choice.chosen is not None)
        total = sum(places.values()) or 1
        heights = [places[place] / total * 100 for place in range(n_places)]
        plot.bar(np.arange(n_places) + offset * width, heights, width=width, label=name)
    plot.set_xticks(np.arange(n_places) + 0.4 - width / 2, [chr(ord("A") + n) for n in range(n_places)])
    plot.set(xlabel="letter shown", ylabel="chosen, %", title="Position bias: flat is none")
    plot.legend(fontsize="x-small")
    return saved(run, figure, "letters.png")

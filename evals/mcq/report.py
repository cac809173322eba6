"""The page about a run of choice questions: every system with its floor, the gates, what it was asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evals.markdown import flat_settings, percent, table
from evals.mcq.records import Condition
from evals.mcq.selective_measures import COVERAGES
from evals.run_folder import RunFolder, file_name

__all__ = ["LEADING_MEASURES", "SUMMARY_COLUMNS", "measured", "page", "summary_rows", "systems_of"]

LEADING_MEASURES = ("full accuracy", "partial abstention", "joint")
"""The ones that comparisons look at first."""

SUMMARY_COLUMNS = (
    "full accuracy", "over-abstention", "partial abstention", "partial-target abstention", "decoy abstention",
    "distractor abstention", "none abstention", "retrieved accuracy", "retrieved abstention", "wrong when partial",
    "balanced accuracy", "joint", "unreadable",
)  # fmt: skip
_LEADING_AND_BALANCED = (*LEADING_MEASURES, "balanced accuracy")
_MORE_COLUMNS = (
    "guessed when partial", "balanced decision", "abstention precision", "abstention recall", "abstention F1",
    "none accuracy", "AURC", "E-AURC", "AUGRC",
    *(f"risk at {share:.0%}" for share in COVERAGES), "position bias", "consistency", "moved",
)  # fmt: skip


def page(run: RunFolder, *, plots: Sequence[str] = (), level: int = 1) -> str:
    """Return a run as Markdown. level: of its heading; below 1 it is the run's name. plots: files to show."""
    config, metrics, bounds = run.config, measured(run), _intervals(run)
    rows, heading = metrics["rows"], "#" * level
    asked, n_blind = systems_of(run), len(rows) - len(systems_of(run))
    parts = [
        f"{heading} {run.path.name if level > 1 else 'Choice under full and partial contexts'}\n",
        _what(config),
        "Values in %. `C abstention` is right, over-abstention wrong; the last "
        f"{n_blind} rows are controls, which cannot know the answer. The measures are defined in docs/mcq.md.\n",
        _table(rows, SUMMARY_COLUMNS),
        _table(rows, _MORE_COLUMNS),
        f"{heading}# With 95 % bootstrap intervals over questions\n",
        table(
            ["system", *_LEADING_AND_BALANCED],
            [
                [name, *(_bounded(rows[name], bounds["rows"][name], one) for one in _LEADING_AND_BALANCED)]
                for name in asked
            ],
        ),
    ]
    if metrics["gates"]:
        parts += [f"{heading}# Gates: full context against the others\n", _gates(metrics["gates"], bounds["gates"])]
        knowledge = config["gate"]["knowledge"]
        parts += [
            f"AUROC and, at 5 % over-abstention, the share abstained on. Gates that may look at the {knowledge}.\n"
        ]
    for name in asked:
        if (run.path / _choices(name)).exists():
            parts += _places(run, name, heading)
    parts += [f"![{name}]({name})\n" for name in plots]
    manifest = {name: value for name, value in config.items() if name not in ("kind", "methods")}
    parts += [f"{heading}# Manifest\n", table(["", ""], [list(one) for one in flat_settings(manifest).items()])]
    return "\n".join(parts)


def measured(run: RunFolder) -> dict[str, Any]:
    """Return what metrics.json holds: `rows`, system → measure → value; `gates`, gate → measure → value."""
    return dict(run.metrics())


def summary_rows(run: RunFolder) -> list[list[str]]:
    """Return, of every system that is no control and of the floor, its name and the summary's columns."""
    rows = measured(run)["rows"]
    shown = dict.fromkeys([*systems_of(run), "always-abstain", "random", "overlap"])
    return [[name, *(percent(rows[name].get(one)) for one in SUMMARY_COLUMNS)] for name in shown if name in rows]


def systems_of(run: RunFolder) -> list[str]:
    """Return the systems of a run that are no controls, in their order."""
    first = next((place for place, name in enumerate(run.methods) if name.startswith("always-")), len(run.methods))
    return run.methods[:first]


def _what(config: Mapping[str, Any]) -> str:
    n_orders = config["permutations"]
    orders = f"{n_orders} orders of the options each" if n_orders else "options in the file's order"
    repeats = f", each asked {config['repeats']} times" if config["repeats"] > 1 else ""
    contexts = ", ".join(f"{name} {n}" for name, n in config["conditions"].items())
    return (
        f"{config['questions']['asked']} questions ({', '.join(config['questions']['files'])}), {orders}"
        f"{repeats}, reader {config['reader']}. Questions a condition: {contexts}.\n"
    )


def _table(rows: Mapping[str, Mapping[str, float]], columns: Sequence[str]) -> str:
    there = [one for one in columns if any(one in values for values in rows.values())]
    return table(["system", *there], [[name, *(percent(v.get(one)) for one in there)] for name, v in rows.items()])


def _bounded(values: Mapping[str, float], bounds: Mapping[str, Sequence[float]], measure: str) -> str:
    if measure not in values:
        return "–"
    low, high = bounds[measure]
    return f"{percent(values[measure])} [{percent(low)}, {percent(high)}]"


def _gates(gates: Mapping[str, Mapping[str, float]], bounds: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    columns = [one for values in gates.values() for one in values]
    there = list(dict.fromkeys(columns))
    rows = [[name, *(_bounded(values, bounds[name], one) for one in there)] for name, values in gates.items()]
    return table(["gate", *there], rows)


def _places(run: RunFolder, system: str, heading: str) -> list[str]:
    """Return where a system's choices were shown, by condition, and why replies could not be read."""
    chosen: dict[str, Counter[int]] = {}
    unreadable: Counter[str] = Counter()
    for record in run.records(_choices(system)):
        if record["chosen"] is None:
            unreadable[record["unreadable"][:100]] += 1
        else:
            chosen.setdefault(record["condition"], Counter())[record["order"].index(record["chosen"])] += 1
    n_places = max((place for places in chosen.values() for place in places), default=-1) + 1
    letters = [chr(ord("A") + place) for place in range(n_places)]
    rows = [
        [condition, *(percent(chosen[condition][n] / sum(chosen[condition].values())) for n in range(n_places))]
        for condition in Condition
        if condition in chosen
    ]
    parts = [f"{heading}# Letters chosen by {system}\n", table(["condition", *letters], rows)]
    if unreadable:
        parts += ["Unreadable:\n", table(["why", "replies"], [[why, str(n)] for why, n in unreadable.most_common(10)])]
    return parts


def _intervals(run: RunFolder) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((run.path / "intervals.json").read_text(encoding="utf-8"))
    return values


def _choices(system: str) -> str:
    return f"choices/{file_name(system)}.jsonl"

"""The page about a run: its tables, what each reranker gains over its base, its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evals.intervals import Interval, bootstrap_interval, holm, randomisation_test
from evals.learned import LEARNED
from evals.markdown import flat_settings, percent, points, table
from evals.run_folder import RunFolder
from retrieval.methods import parse_method

__all__ = ["LEADING_MEASURES", "base_in", "difference", "latency_rows", "page", "rng", "values_of"]

LEADING_MEASURES = ("R@10", "nDCG@10")
"""The ones with intervals and tests."""

_COLUMNS = ("R@10", "R@20", "R@50", "R@100", "R@200", "R@500", "nDCG@10", "nDCG@20", "nDCG@50", "RR@10", "AP@100")
_MORE_COLUMNS = (
    "RR@20", "RR@50", "RR@100", "macroP@1", "macroR@1", "macroF2@1", "macroP@20", "macroR@20", "macroF2@20",
    "both-gold@10", "both-gold@20", "both-gold@50",
)  # fmt: skip
_SEED = 20_260_101


def rng() -> np.random.Generator:
    """Return the generator that every report starts from, so that the same run gives the same page."""
    return np.random.default_rng(_SEED)


def page(run: RunFolder, *, plots: Sequence[str] = (), level: int = 1) -> str:
    """Return a run as Markdown. level: of its heading; below 1 it is the run's name. plots: files to show."""
    config, metrics = run.config, run.metrics()
    of_questions = config["questions"]
    heading = "#" * level
    parts = [
        # The run's own page does not name the folder, so that the same run elsewhere gives the same page.
        f"{heading} {run.path.name if level > 1 else 'Retrieval, method by method'}\n",
        f"{of_questions['asked']} questions ({', '.join(of_questions['files'])}) over "
        f"{config['index']['articles']} articles, encoder {config['index']['encoder'] or 'none'}. Values in %.\n",
        *(f"`{name}`: {words}.\n" for name, words in config.get("trained", {}).items()),
        table(["method", *_COLUMNS], [[name, *_cells(metrics[name], _COLUMNS)] for name in metrics]),
        table(["method", *_MORE_COLUMNS], [[name, *_cells(metrics[name], _MORE_COLUMNS)] for name in metrics]),
        f"{heading}# With 95 % bootstrap intervals\n",
        table(["method", *LEADING_MEASURES], _intervals(run, list(metrics))),
    ]
    gains = _gains_over_base(run, list(metrics))
    if gains:
        parts += [
            f"{heading}# Against the base, question by question\n",
            "Differences in points with their intervals; p by a paired randomisation test, Holm-corrected within a "
            "measure; and how many questions went up and down.\n",
            table(["from → to", "measure", "difference", "p", "up", "down"], gains),
        ]
    for topic, of_topic in run.topics().items():
        parts += [f"{heading}# Topic: {topic}\n", _topic_table(of_topic)]
    parts += [f"![{name}]({name})\n" for name in plots]
    parts += [
        f"{heading}# Settings\n",
        table(["setting", "value"], [[name, value] for name, value in flat_settings(config["settings"]).items()]),
        table(["version of", ""], [[name, str(value)] for name, value in config["versions"].items()]),
        f"Index {config['index']['sha256'][:12]}; {config['depth']} articles a question. "
        "How long a question took is in `latency.jsonl`, the one file that differs from run to run.\n",
    ]
    return "\n".join(parts)


def difference(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[Interval, float, int, int]:
    """Return second minus first over the questions both have: interval, p-value, how many went up, how many down."""
    differences = [second[name] - first[name] for name in first if name in second]
    interval = bootstrap_interval(differences, rng())
    p_value = randomisation_test(differences, rng())
    return interval, p_value, sum(one > 0 for one in differences), sum(one < 0 for one in differences)


def base_in(method: str, methods: Sequence[str]) -> str | None:
    """Return what a method is compared with, if it is among these: a reranker's base, ours-no-graph for ours."""
    if method in LEARNED:
        return next((base for base in ("ours-no-graph", "hybrid", "bm25") if base in methods and base != method), None)
    parsed = parse_method(method)
    return parsed.base if parsed.reranker and parsed.base in methods else None


def latency_rows(run: RunFolder) -> list[list[str]]:
    """Return, a method, the median and the 95th percentile of a question's milliseconds."""
    return [
        [name, f"{np.median(ms):.1f}", f"{np.quantile(ms, 0.95):.1f}"] for name, ms in run.latencies().items() if ms
    ]


def values_of(run: RunFolder, method: str, measure: str) -> dict[str, float]:
    """Return question id -> value."""
    return {result.question_id: result.values[measure] for result in run.results(method) if measure in result.values}


def _cells(values: Mapping[str, float], names: Sequence[str]) -> list[str]:
    return [percent(values.get(name)) for name in names]


def _topic_table(of_topic: Mapping[str, Mapping[str, float]]) -> str:
    return table(["method", *_COLUMNS], [[name, *_cells(of_topic[name], _COLUMNS)] for name in of_topic])


def _intervals(run: RunFolder, methods: Sequence[str]) -> list[list[str]]:
    rows = []
    for method in methods:
        cells = []
        for measure in LEADING_MEASURES:
            interval = bootstrap_interval(list(values_of(run, method, measure).values()), rng())
            cells.append(f"{percent(interval.mean)} [{percent(interval.low)}, {percent(interval.high)}]")
        rows.append([method, *cells])
    return rows


def _gains_over_base(run: RunFolder, methods: Sequence[str]) -> list[list[str]]:
    pairs = [(method, base) for method in methods if (base := base_in(method, methods))]
    if "ours" in methods and "hybrid" in methods and ("ours", "hybrid") not in pairs:
        pairs.append(("ours", "hybrid"))
    rows = []
    for measure in LEADING_MEASURES:
        found = [difference(values_of(run, b, measure), values_of(run, m, measure)) for m, b in pairs]
        adjusted = holm([p_value for _, p_value, _, _ in found])
        for (method, base), (interval, _, n_up, n_down), p_value in zip(pairs, found, adjusted, strict=True):
            rows.append([f"{base} → {method}", measure, points(interval), f"{p_value:.3f}", str(n_up), str(n_down)])
    return rows

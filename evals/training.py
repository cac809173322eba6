"""I/O: one training run, from its examples to a folder with the model, the plot of its log and the model card."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from agent.aside import write_aside
from evals.ranking import means, measure
from graph.errors import TrainingError
from graph.records import Provision, Question
from retrieval.dense import exact_scores
from retrieval.encoder import article_text, clean_text, unit_rows
from retrieval.ranking import TieOrder, top
from retrieval.training.settings import TrainingSettings

if TYPE_CHECKING:
    from retrieval.training.trainer import DevMetric, Learner, Progress

__all__ = [
    "DEV_LOSS",
    "DEV_METRIC",
    "Encode",
    "dense_dev_metric",
    "loss_dev_metric",
    "train_model",
    "training_versions",
]

Example = TypeVar("Example")

Encode: TypeAlias = Callable[[list[str], str], NDArray[np.float32]]
"""Texts and their task, "query" or "document", to vectors, shape (n, dimension)."""

DEV_METRIC = "nDCG@10"
DEV_LOSS = "loss"
_MOST_ARTICLES = 5000  # that the dev metric ranks: all of a smaller index, else the gold ones and others by chance
_OF_ST = ("bi-encoder", "two-tower")  # kinds that sentence-transformers itself can open
_PACKAGES = ("nonliquet", "numpy", "sentence-transformers", "torch", "transformers")


def dense_dev_metric(
    encode: Encode, questions: Sequence[Question], articles: Sequence[Provision], *, seed: int
) -> DevMetric:
    """Return what measures nDCG@10 of the inner product over the index's articles.

    Of more than 5,000 articles, the gold ones and others drawn by the seed are ranked.
    """
    gold = {name for question in questions for name in question.gold}
    order = np.random.default_rng(seed).permutation(len(articles)).tolist()
    first = [row for row in order if articles[row].semantic_id in gold]
    rows = sorted([*first, *(row for row in order if articles[row].semantic_id not in gold)][:_MOST_ARTICLES])
    ranked = [articles[row] for row in rows]
    names = [article.semantic_id for article in ranked]
    ties = TieOrder(names)
    qrels = {question.question_id: dict.fromkeys(question.gold, 1) for question in questions}

    def dev() -> float:
        matrix = unit_rows(encode([article_text(article) for article in ranked], "document"), names)
        asked = unit_rows(encode([clean_text(question.text) for question in questions], "query"))
        run = {
            question.question_id: [names[row] for row in top(scores.astype(np.float64), 10, ties).rows.tolist()]
            for question, scores in zip(questions, exact_scores(asked, matrix), strict=True)
        }
        return means(measure(qrels, run).values())[DEV_METRIC]

    return dev


def loss_dev_metric(learner: Learner[Example], examples: Sequence[Example], settings: TrainingSettings) -> DevMetric:
    """Return what measures minus the mean loss of examples that are not trained on; `DEV_LOSS` is its name.

    What is drawn for them follows from the seed and is the same each time.
    """

    def dev() -> float:
        total = 0.0
        for start in range(0, len(examples), settings.batch_size):
            batch = examples[start : start + settings.batch_size]
            total += float(learner.loss(batch, np.random.default_rng((settings.seed, start)))) * len(batch)
        return -total / len(examples)

    return dev


def training_versions() -> dict[str, str | None]:
    """Return the versions that a model's weights depend on."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def train_model(
    learner: Learner[Example],
    examples: Sequence[Example],
    settings: TrainingSettings,
    out: Path,
    config: Mapping[str, Any],
    *,
    save: Callable[[Path], None],
    dev: DevMetric | None = None,
    dev_name: str = DEV_METRIC,
    usage: str = "nonliquet index SOURCE --index DIR --encoder st:{model}",
    plots: bool = True,
    progress: Progress = lambda step, done, total: None,
) -> dict[str, float]:
    """Train, save the model into `out` with its card and plot, and return what the card says was measured.

    config: what the model is made of; a run that was killed goes on only with the same. save: writes the weights.
    dev_name: what `dev` measures; of `DEV_LOSS` the card says the loss, of which `dev` gives the negative. usage: the
    command that uses the model.
    Raises TrainingError with what to do; the checkpoint stays.
    """
    from retrieval.training.run_folder import TrainingRun
    from retrieval.training.trainer import train

    with TrainingRun.open(out, {**config, "settings": settings.to_json(), "versions": training_versions()}) as run:
        train(learner, examples, settings, run, dev=dev, progress=progress)
        log = run.log()
        try:
            save(out)
        except OSError as error:
            raise TrainingError(f"{out}: cannot be written: {error}; the checkpoint is kept") from error
        losses = [record["loss"] for record in log if "loss" in record]
        found = {"steps": len(losses), "first loss": losses[0], "last loss": losses[-1]}
        measured = [record["dev"] for record in log if "dev" in record]
        if measured:
            sign = -1 if dev_name == DEV_LOSS else 1
            found |= {f"dev {dev_name} before": sign * measured[0], f"dev {dev_name}": sign * max(measured)}
        drawn = plots and _draw(log, out / "training" / "loss.png", dev_name)
        card = _card(out, config, settings, found, usage.format(model=out.name), drawn=drawn)
        write_aside(out / "README.md", card)
        run.finish()
    return found


def _draw(log: Sequence[Mapping[str, float]], file: Path, dev_name: str) -> bool:
    """Draw loss, learning rate and dev metric against the steps, where matplotlib is there."""
    from evals.plots import axes, has_matplotlib

    if not has_matplotlib():
        return False
    figure, plot = axes()
    steps = [record for record in log if "loss" in record]
    measured = [record for record in log if "dev" in record]
    at = [record["step"] for record in steps]
    lines = plot.plot(at, [record["loss"] for record in steps], linewidth=0.8, color="tab:blue", label="loss")
    plot.set(xlabel="steps", ylabel="loss", title="Training")
    rates = plot.twinx()
    highest = max(record["learning_rate"] for record in steps)
    shares = [record["learning_rate"] / highest for record in steps]
    lines += rates.plot(at, shares, color="tab:grey", linestyle=":", label=f"learning rate / {highest:g}")
    if measured:
        over, sign = (plot, -1) if dev_name == DEV_LOSS else (rates, 1)
        at, values = [record["step"] for record in measured], [sign * record["dev"] for record in measured]
        lines += over.plot(at, values, color="tab:orange", marker="o", label=f"dev {dev_name}")
    rates.set_ylim(0, 1.05)
    plot.legend(handles=lines, fontsize="x-small")
    figure.savefig(file, dpi=120, metadata={"Software": None})
    return True


def _card(
    out: Path,
    config: Mapping[str, Any],
    settings: TrainingSettings,
    found: Mapping[str, float],
    usage: str,
    *,
    drawn: bool,
) -> str:
    """Return the model card: what it was trained on and how, and what came of it."""
    facts = {**config, **settings.to_json(), **training_versions()}
    rows = [f"| {name} | {_shown(value)} |" for name, value in facts.items()]
    measured = [f"| {name} | {value:.4g} |" for name, value in found.items()]
    return "\n".join(
        [
            "---",
            f"library_name: {'sentence-transformers' if config.get('kind') in _OF_ST else 'nonliquet'}",
            "tags: [statute retrieval, nonliquet]",
            "---",
            f"# {out.name}",
            "",
            "Trained by `nonliquet train`. Use it where the package is installed:",
            "",
            "```",
            usage,
            "```",
            "",
            *(["| measured | |", "| --- | --- |", *measured, ""] if measured else []),
            *(["![loss](training/loss.png)", ""] if drawn else []),
            "| made of | |",
            "| --- | --- |",
            *rows,
            "",
        ]
    )


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_shown(one)}" for name, one in value.items())
    return "–" if value is None else str(value)

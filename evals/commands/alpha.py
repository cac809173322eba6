"""`nonliquet evals alpha`: a trained model over a base, α by the number of candidates, and what choosing is worth."""

from __future__ import annotations

import shlex
from typing import Annotated, Literal

import typer

from agent.commands.options import IndexOption, SettingsOption, index_folder
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import (
    OutOption,
    PlotsOption,
    QuestionsOption,
    SkipOption,
    can_draw,
    need_measures,
    one_of,
    questions_file,
    retrieval_settings,
)
from retrieval.methods import BASES, Method

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "alpha",
        epilog="Example: nonliquet evals alpha --index law --questions qa.jsonl --model MODEL --out alpha",
    )(_alpha)


def _counts(words: str) -> str:
    if not all(one.strip().isdecimal() and int(one) > 0 for one in words.split(",")):
        raise typer.BadParameter(f"{words!r} must be counts, separated by commas, such as 10,20,50,100")
    return words


def _alpha(
    model: Annotated[str, typer.Option("--model", metavar="MODEL", help="The trained model, by its folder or id.")],
    out: OutOption,
    index: IndexOption = None,
    questions: QuestionsOption = None,
    base: Annotated[str, typer.Option(help="The method whose best are reordered.")] = "bm25",
    candidates: Annotated[
        str, typer.Option(metavar="LIST", callback=_counts, help="How many of the base's best, separated by commas.")
    ] = "10,20,50,100",
    measure: Annotated[
        Literal["macroF2@1", "macroF2@20", "nDCG@20", "R@10"], typer.Option(help="What the settings file makes high.")
    ] = "nDCG@20",
    n_folds: Annotated[int, typer.Option("--folds", min=2, help="Parts for cross-validation.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Deals the questions into folds.")] = 0,
    skip_unjudged: SkipOption = False,
    plots: PlotsOption = True,
    settings: SettingsOption = None,
) -> None:
    """Weigh a trained model against a base: every α over the base's best 10, 20, 50, 100, and a settings file."""
    need_measures()
    one_of(BASES, base, "--base")
    source = questions_file(questions, index)
    from evals.alpha_grid import MEASURES, alpha_grid
    from evals.alpha_report import rows_of, summary, write_grid, write_settings
    from evals.dataset_files import read_questions
    from evals.realworld import judged, run_inputs
    from evals.trained_models import in_words
    from retrieval.learned.cross_validation import folds
    from retrieval.retriever import Retriever

    n_candidates = sorted({int(one) for one in candidates.split(",")})
    method = Method(base, "trained", model)
    with Retriever.open(index_folder(index), settings=retrieval_settings(settings)) as retriever:
        asked = judged(read_questions(source, retriever.index.graph), skip_unjudged=skip_unjudged or questions is None)
        texts = [question.text for question in asked]
        try:
            fold = folds(texts, retriever.index.lexical.analyze, n_folds=n_folds, seed=seed)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
        inputs = run_inputs(retriever.index, asked, source)
        of_model = in_words(retriever, model, inputs["questions"]["files"])
        show(f"{method}: {of_model}")
        with build_progress() as progress:
            grid = alpha_grid(retriever, asked, model, base, n_candidates, progress=progress)
        used = retriever.settings
    chosen = {name: grid.choice(name, fold) for name in MEASURES}
    config = {
        "kind": "alpha",
        **inputs,
        "method": str(method),
        "model": of_model,
        "base": base,
        "folds": n_folds,
        "seed": seed,
    }
    write_grid(grid, chosen, config, out, plots=can_draw(plots))
    write_settings(chosen[measure], measure, method, used, out / "settings.toml")
    for name in MEASURES:
        show()
        show(f"{name}, %" + "".join(f"{count:>8}" for count in n_candidates))
        for alpha, *cells in rows_of(grid, name):
            show(f"α {alpha:<{len(name) + 1}}" + "".join(f"{cell:>8}" for cell in cells))
        show(summary(name, chosen[name], base))
    show()
    show(f"Report: {out / 'report.md'}")
    show(f'Ask: nonliquet ask "…" --settings {shlex.quote(str(out / "settings.toml"))}')

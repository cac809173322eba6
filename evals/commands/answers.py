"""`nonliquet evals answers`: the agent's replies against the gold -> a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.commands.agent_options import AgentOptions
from agent.commands.option_groups import Without, grouped
from agent.progress import build_progress
from agent.rendering import show
from evals.commands.options import OutOption, QuestionsOption, need_measures, one_of, questions_file

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "answers",
        epilog="Example: nonliquet evals answers --index law --questions qa.jsonl --context gold --out run-gold",
    )(grouped(_answers))


def _answers(
    out: OutOption,
    options: Annotated[AgentOptions, Without({"as_of", "mode", "calibration"})],
    questions: QuestionsOption = None,
    context: Annotated[
        str, typer.Option(metavar="retrieved|gold|none", help="Which articles the reader gets.")
    ] = "retrieved",
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="Ask the first N questions alone.")] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="URL|serve|PROVIDER:NAME",
            help="A language model that grades the answers against the reference and the gold articles; #NAME picks "
            "one of a server's.",
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Another run: the judge says, both orders asked, which replies are better."),
    ] = None,
) -> None:
    """Ask the agent questions with known articles, and have a model judge the answers.

    The same command goes on with a run that was killed; with --judge on a finished one, it judges what is there.
    """
    need_measures()
    from agent.aside import write_aside
    from evals.answers import Context, page, run_answers
    from evals.dataset_files import read_questions
    from evals.grades import grade_run
    from evals.preferences import prefer
    from evals.rulings import Judge, open_judge
    from evals.run_folder import RunFolder

    chosen = Context(one_of(Context, context, "--context"))
    source = questions_file(questions, options.index)
    if against is not None and judge is None:
        raise typer.BadParameter("--against asks a judge which replies are better; name one with --judge")
    judging = open_judge(judge) if judge else None
    with options.open() as agent:
        asked = read_questions(source, agent.retriever.index.graph)[:limit]
        with build_progress() as progress:
            run = run_answers(agent, asked, chosen, out, source=source, progress=progress)
            judged = []
            if judging is not None:
                one = Judge(judging, agent.retriever)
                judged.append(grade_run(run, asked, one, progress))
                if against is not None:
                    judged.append(prefer(run, RunFolder(against), asked, one, progress))
    write_aside(out / "report.md", page(run))
    for folder in (run, *judged):
        for system, values in folder.metrics().items():
            show(system if folder is run else folder.path.name)
            for name, value in values.items():
                show(f"  {name:32}{value * 100:6.1f}")

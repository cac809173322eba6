"""`nonliquet evals calibrate`: a run -> a calibration file: thresholds with a guarantee, and the learned gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.rendering import show
from evals.commands.options import need_measures

if TYPE_CHECKING:
    from agent.calibration import Calibration

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        "calibrate",
        epilog="Example: nonliquet evals calibrate run --target-risk 0.05 --out calibration.json; then: "
        "nonliquet ask --calibration calibration.json QUESTION",
    )(_calibrate)


def _calibrate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run of `evals answers`, for ask, or of `evals mcq`.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The calibration file.")],
    target_risk: Annotated[float, typer.Option(min=0.0, max=1.0, metavar="R", help="The risk to stay below.")],
    delta: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="D", help="How often the selective bound may fail.")
    ] = 0.1,
    bound: Annotated[
        str, typer.Option(metavar="marginal|selective", help="Which bound's threshold is applied.")
    ] = "marginal",
    system: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of an mcq run: READER or READER+GATE.", show_default="its first gated one"),
    ] = None,
    conditions: Annotated[
        str, typer.Option(metavar="LIST", help="Of an mcq run: what a question is put under, each time counting alike.")
    ] = "full,partial",
    gate_questions: Annotated[
        Path | None,
        typer.Option(
            "--gate-questions",
            metavar="FILE",
            help="For ask: choice questions on this index that the learned gate is fitted on, without their options.",
            show_default="no gate",
        ),
    ] = None,
    gate_knowledge: Annotated[
        str, typer.Option(metavar="corpus|context", help="For ask: what that gate may look at.")
    ] = "corpus",
    seed: Annotated[int, typer.Option(metavar="S", help="Of the halves, and of the gate.")] = 0,
) -> None:
    """Choose the confidence to answer from on half of a run's questions, and measure it on the other half."""
    need_measures()
    from agent.aside import write_aside
    from agent.calibration import Bound
    from agent.gate.features import Knowledge
    from evals.calibration_of_run import Wanted, calibration_of
    from evals.mcq.records import Condition
    from evals.run_folder import RunFolder

    try:
        wanted = Wanted(
            target=target_risk,
            delta=delta,
            bound=Bound(bound),
            seed=seed,
            system=system,
            conditions=tuple(Condition(one.strip()) for one in conditions.split(",")),
            gate_questions=gate_questions,
            gate_knowledge=Knowledge(gate_knowledge),
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    calibration = calibration_of(RunFolder(run), wanted)
    write_aside(out, json.dumps(calibration.to_json(), ensure_ascii=False, indent=1) + "\n")
    _show(calibration)


def _show(calibration: Calibration) -> None:
    show(calibration.describe())
    show(f"calibrated on {calibration.n} questions; held out: {calibration.n_held_out}, with 95 % intervals")
    for bound, threshold in calibration.thresholds.items():
        found = calibration.held_out[bound]
        selective = "none answered" if found.selective_risk is None else f"{found.selective_risk:.1%} of the answered"
        show(
            f"  {bound:10} answers above {threshold:.4f}: coverage {_share(found.coverage, found.coverage_interval)}, "
            f"answered and wrong {_share(found.marginal_risk, found.marginal_interval)}, wrong {selective}"
            + ("   <- applied" if bound is calibration.bound else "")
        )


def _share(value: float, interval: tuple[float, float]) -> str:
    return f"{value:.1%} [{interval[0]:.1%}, {interval[1]:.1%}]"

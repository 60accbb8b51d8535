"""`softstride walk`: what a walker does under given joint moments, and what would happen if something changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from softstride.cli.files import OverwriteOption, QuietOption
from softstride.cli.output import JsonOption, print_json
from softstride.cli.spelling import Takes
from softstride.cli.walk_runs import (
    MODELS,
    check_options,
    run_blade,
    run_planar,
    run_seven_segment,
    step_of,
)
from softstride.cli.walk_study import WalkOptions


def command(
    model: Annotated[str, typer.Option(metavar="NAME", help=f"{', '.join(MODELS)}.")] = MODELS[0],
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE", help="Start and moments: A, B, natural, or a file (.toml). B unless given."
        ),
    ] = None,
    mass: Annotated[
        float | None,
        typer.Option(
            metavar="KG", help="Mass of the person, with --height; a step is found. The paper's unless given."
        ),
    ] = None,
    height: Annotated[
        float | None, typer.Option(metavar="M", help="Height of the person, in metres, with --mass.")
    ] = None,
    sex: Annotated[str | None, typer.Option(help="female or male; male unless given.")] = None,
    perturb: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT:PHASES=CHANGE",
            help="Change a joint moment, such as left_ankle:1=+20% or right_knee:3-4@2=-5 (N·m, second step); may be "
            "given several times.",
        ),
    ] = None,
    ligaments: Annotated[
        bool,
        typer.Option("--ligaments", help="What if knees hardly bent backwards: passive moments at the end."),
    ] = False,
    toe_spring: Annotated[
        float | None,
        typer.Option(metavar="K", help="What if toes were springs, of so many N·m/rad."),
        Takes("stiffness of a toe spring"),
    ] = None,
    steps: Annotated[int | None, typer.Option(metavar="N", help="How many steps; one unless given.")] = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Hold the joints about the nominal step; many steps need it.")
    ] = False,
    stiffness: Annotated[
        float | None, typer.Option(metavar="K", help="Of --feedback, in N·m/rad; 2000 unless given.")
    ] = None,
    damping: Annotated[
        float | None, typer.Option(metavar="D", help="Of --feedback, in N·m·s/rad; 30 unless given.")
    ] = None,
    rff: Annotated[
        str | None,
        typer.Option(
            help="As the sole meets the floor: impulse, or keep the rates; the recipe's unless given."
        ),
    ] = None,
    old_toe: Annotated[
        str | None,
        typer.Option(
            help="As the other heel strikes, the toe that stood is pinned or free; pinned unless given."
        ),
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="Integrator: dop853, rk4 or euler; the last two need --dt.")
    ] = None,
    dt: Annotated[
        str | None,
        typer.Option(
            metavar="S|auto",
            help="Fixed step of the integrator, in seconds; auto: steps by control of errors. The blade takes 0.001 "
            "unless given.",
        ),
        Takes("step", nothing="auto"),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="HZ", help="Frames a second in tables; 500 unless given.")
    ] = None,
    phase_time: Annotated[
        float | None,
        typer.Option(metavar="S", help="Longest phase before it is given up; 1 s unless given."),
        Takes("phase_time of the limits"),
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Angles to compare with, over the stride: norms (.csv), or the cycles.csv of softstride segments.",
        ),
    ] = None,
    exponent: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Of the springs of planar-spheres; 1.5 unless given. 1 is some thirty times the work.",
        ),
    ] = None,
    drop: Annotated[
        float | None,
        typer.Option(metavar="M", help="Height that the blade is dropped from; 0.1 m unless given."),
        Takes("height of a hop"),
    ] = None,
    push: Annotated[
        float | None,
        typer.Option(metavar="NM", help="Push of the knee on the blade; 60 N·m unless given."),
        Takes("push of a hop"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for picture and tables; none are written without it."),
    ] = None,
    svg: Annotated[bool, typer.Option("--svg", help="Draw an SVG picture in place of a PNG one.")] = False,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Simulate walking, change a joint moment, and compare.

    Beside a walk with --perturb, --ligaments or --toe-spring the one without them is shown. A walker that falls says
    when and how; what was simulated until then is shown, and that is no error.

    For example:

    softstride walk

    softstride walk --perturb left_ankle:1=+20% --out push

    softstride walk --steps 10 --feedback --out ten

    softstride walk --recipe natural --measured winter_natural.csv --out natural

    softstride walk --mass 60 --height 1.65 --sex female --out person

    softstride walk --recipe person/recipe.toml --mass 60 --height 1.65 --sex female --perturb left_hip:4=-10%

    softstride walk --model planar-rolling --out rolling

    softstride walk --model blade --drop 0.2 --out hop
    """
    from softstride.cli.walk_files import TABLES, check_folder, write_files

    step = step_of(dt)
    options = WalkOptions(
        recipe, tuple(perturb or ()), steps, feedback, stiffness, damping, ligaments, toe_spring, rff, old_toe,
        method, None if step == "auto" else step, rate, phase_time, mass, height, sex,
    )  # fmt: skip
    others = {"--measured": measured, "--exponent": exponent, "--drop": drop, "--push": push, "--dt": dt}
    check_options(model, [*options.given, *(name for name, value in others.items() if value is not None)])
    form = "svg" if svg else "png"
    if out is not None:
        check_folder(out, (f"walk.{form}", *TABLES), overwrite)
    if model == "seven-segment":
        run = run_seven_segment(options, measured)
    elif model == "blade":
        run = run_blade(drop, push, step)
    else:
        run = run_planar(model.removeprefix("planar-"), exponent)
    written = [] if out is None else write_files(out, run.files(form), overwrite)
    if json:
        print_json(run.figures | ({} if out is None else {"out": str(out), "files": written}))
    elif not quiet:
        run.show()
        if out is None:
            typer.echo("give --out DIR for a picture and tables")
        else:
            typer.echo(f"written to {out}: {', '.join(written)}")
    elif not run.figures["completed"]:
        typer.echo(f"softstride: ended {run.figures['reason']}", err=True)

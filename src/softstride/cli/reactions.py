"""`softstride reactions`: motion, forces from outside and of muscles to what joints transmit, with OpenSim's files."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from softstride.cli.analyze_tool import AnalyzeOption, sources_of
from softstride.cli.declare import NOTHING, Given
from softstride.cli.files import (
    INVERSE,
    DegreesOption,
    ExternalLoadsOption,
    ModelOption,
    MotionOption,
    OverwriteOption,
    QuietOption,
    ThreadsOption,
    check_targets,
    from_setup,
    read_movement,
)
from softstride.cli.output import JsonOption, print_json
from softstride.cli.spelling import Takes


def command(
    model: ModelOption = None,
    motion: MotionOption = None,
    degrees: DegreesOption = None,
    external_loads: ExternalLoadsOption = None,
    setup: AnalyzeOption = None,
    forces: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Forces of muscles over time (.sto), as `softstride muscles` or OpenSim's StaticOptimization writes "
            "them. Without it joints transmit all moments.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the reactions go (.sto, .mot).")
    ] = None,
    joint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Joint, or the link that it carries; may be given several times. All unless given.",
        ),
        Takes("joints"),
    ] = None,
    in_: Annotated[
        str | None,
        typer.Option(
            "--in",
            metavar="FRAME",
            help="In whose axes: parent, child, ground, or a link or frame; child unless given.",
        ),
        Takes("frame"),
    ] = None,
    on: Annotated[
        Literal["child", "parent"] | None,
        typer.Option(help="On which link of the joint force and moment act; child unless given."),
    ] = None,
    knee: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIDE",
            help="Share the axial force of the right or left knee between its compartments; may be given twice.",
        ),
    ] = None,
    knee_width: Annotated[
        float | None,
        typer.Option(
            metavar="M",
            help="Distance of the medial from the lateral centre of contact in metres; half of that of the markers on "
            "the sides of the knee unless given.",
        ),
        Takes("width"),
    ] = None,
    knee_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the forces of the compartments go (.sto, .mot)."),
    ] = None,
    inverse: Annotated[Given, INVERSE] = NOTHING,
    threads: ThreadsOption = None,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the force and the moment at every joint of a motion, with or without muscle forces, all frames at once.

    Model, motion, external loads, forces and result may be OpenSim's files; columns are named as its JointReaction
    names them. What muscles do not make of the joint moments, reserves and residuals included, is inside the joints.

    For example:

    softstride reactions --model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 --forces
    so_force.sto --out jr.sto

    softstride reactions --model subject.osim --motion ik.mot --external-loads loads.xml --joint knee_r --joint knee_l
    --in ground --on parent --out net.sto --json

    softstride reactions --setup Setup_JointReaction.xml --knee left --knee-out knee.sto --out jr.sto
    """
    from softstride.capture.reading import read
    from softstride.cli.id_table import doubts
    from softstride.cli.reactions_knees import check_knees, knee_figures, knee_forces
    from softstride.cli.reactions_table import print_reactions, reactions_figures
    from softstride.dynamics.inverse import solve_id
    from softstride.model.load import load_model
    from softstride.muscles.reactions import joint_reactions, read_forces
    from softstride.muscles.reactions.knee_tables import save_knees

    files = list(external_loads or ())
    of_motion = sources_of("JointReaction", setup, model, motion, files, inverse, out)
    request = None if of_motion.setup is None else of_motion.setup.reactions
    target = of_motion.out
    if request is not None and forces is None and request.forces_file is not None:
        forces = Path(from_setup(request.forces_file, setup, "--forces", "muscle forces"))
    sides = check_knees(knee or [], knee_width, knee_out)
    files = of_motion.files
    sources = [
        Path(source) for source in (of_motion.model, of_motion.motion, *files, forces, setup) if source
    ]
    check_targets({"--out": target, "--knee-out": knee_out}, sources, overwrite)
    person = load_model(of_motion.model)
    movement = read_movement(of_motion.motion, person, degrees)
    outside = read(files[0], *files[1:]) if files else None
    pulls = None if forces is None else read_forces(forces, person.muscles)
    asked: dict[str, Any] = {
        "joints": joint or (None if request is None else request.joints),
        "frame": in_ or ("child" if request is None else request.frame),
        "on": on or ("child" if request is None else request.on),
    }
    start = clock.perf_counter()
    loads = solve_id(person, movement, outside, threads=threads or 0, **of_motion.inverse)
    reactions = joint_reactions(loads, pulls, threads=threads or 0, **asked)
    knees = knee_forces(loads, pulls, sides, knee_width, threads or 0)
    seconds = clock.perf_counter() - start
    read_notes = [note for part in (movement, outside, pulls) if part is not None for note in part.notes]
    saved = reactions.save(target, overwrite=overwrite)
    if knee_out is not None:
        save_knees(knees, knee_out, overwrite=overwrite)
    of_knees = [note for each in knees for note in each.notes]
    notes = (*of_motion.notes, *read_notes, *reactions.notes, *of_knees, *saved)
    problem = doubts(loads)
    if problem:
        typer.secho(f"softstride: warning: {problem}", err=True, fg="red", bold=True)
    figures = (
        reactions_figures(reactions, seconds, notes)
        | {"out": str(target)}
        | knee_figures(knees, reactions.kind)
    )
    if knee_out is not None:
        figures["knee_out"] = str(knee_out)
    if json:
        print_json(figures)
    elif not quiet:
        print_reactions(reactions, figures, knees)

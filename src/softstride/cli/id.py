"""`softstride id`: motion and external forces to joint loads, with OpenSim's files in and out."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softstride.cli.declare import NOTHING, Form, Given, ShellOptions
from softstride.cli.files import (
    INVERSE,
    PICTURES,
    DegreesOption,
    ExternalLoadsOption,
    FigureOption,
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
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.dynamics.setup_xml import IdSetup


REDUCTION = ShellOptions(
    "softstride.dynamics.reduction.options:ReductionOptions",
    Form("total_mass", help="With --reduce: mass of the whole model; free: found; fixed: that of --model"),
    only="total_mass",
)


def command(
    model: ModelOption = None,
    motion: MotionOption = None,
    external_loads: ExternalLoadsOption = None,
    setup: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="OpenSim's setup of the InverseDynamicsTool (.xml): model, motion, external loads, times, low pass "
            "and output, unless given here.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the generalized forces go (.sto, .mot).")
    ] = None,
    figure: FigureOption = None,
    degrees: DegreesOption = None,
    inverse: Annotated[Given, INVERSE] = NOTHING,
    reduce: Annotated[
        bool,
        typer.Option(
            "--reduce",
            help="Reduce the residual first: change masses and the motion of the base a little, within bounds, and "
            "say by how much. The loads are those after it.",
        ),
    ] = False,
    reduction_options: Annotated[Given, REDUCTION] = NOTHING,
    model_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --reduce: where the changed model goes (.osim, .json)."),
    ] = None,
    motion_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --reduce: where the changed motion goes (.mot, .sto)."),
    ] = None,
    threads: ThreadsOption = None,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the joint loads of a motion under measured forces, all frames at once.

    Model, motion, external loads and result may be OpenSim's files. Frames in which a force was not measured hold nan;
    frames whose residual is too large to believe are named, and written all the same.

    For example:

    softstride id --model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 --out id.sto

    softstride id --setup Setup_ID.xml --out id.sto --json

    softstride id --model subject.osim --motion ik.mot --external-loads walk.c3d --body "plate 1=calcn_r" --out id.sto

    softstride id --setup Setup_ID.xml --reduce --model-out reduced.osim --motion-out reduced.mot --out id.sto
    """
    from softstride.capture.reading import read
    from softstride.cli.id_reduction import (
        MODELS,
        check_reduction,
        print_reduction,
        reduce_from,
        reduction_figures,
        save_reduction,
    )
    from softstride.cli.id_table import doubts, id_figures, print_id
    from softstride.dynamics.inverse import solve_id
    from softstride.dynamics.options import IdOptions
    from softstride.model.load import load_model

    request = _request(setup)
    subject = model or from_setup(request.model_file, setup, "--model", "a model")
    moving = motion or Path(from_setup(request.coordinates_file, setup, "--motion", "a motion"))
    files = list(external_loads or ())
    if not files and request.external_loads_file is not None:
        files = [Path(from_setup(request.external_loads_file, setup, "--external-loads", "external loads"))]
    target = out or request.output_gen_force_file
    if target is None:
        raise InputError("where to put the loads: give a file with --out")
    sources = (subject, moving, *files, setup)
    inputs = [Path(source) for source in sources if source]
    targets = {"--out": target, "--motion-out": motion_out, "--model-out": model_out, "--figure": figure}
    check_targets(targets, inputs, overwrite, {"--model-out": MODELS, "--figure": PICTURES})
    check_reduction(reduce, reduction_options, model_out, motion_out, bool(files))

    options = IdOptions(lowpass=request.lowpass, time_range=request.time_range).changed(**inverse)
    person = load_model(subject)
    movement = read_movement(moving, person, degrees)
    forces = read(files[0], *files[1:]) if files else None
    start = clock.perf_counter()
    reduction = None
    if reduce:
        reduction = reduce_from(
            person, movement, forces, {"inverse": options, **reduction_options}, threads or 0
        )
    if reduction is None:
        loads = solve_id(person, movement, forces, options, threads=threads or 0)
    else:
        loads = reduction.after
    seconds = clock.perf_counter() - start

    read_notes = (*request.notes, *movement.notes, *(() if forces is None else forces.notes))
    notes = (*read_notes, *loads.notes, *loads.save(target, overwrite=overwrite))
    if reduction is not None:
        notes = (*notes, *reduction.notes, *save_reduction(reduction, model_out, motion_out, overwrite))
    if figure is not None:
        from softstride.cli.loads_figure import bands_of, draw_loads

        bands, told = bands_of(loads)
        draw_loads(loads, figure, bands, overwrite=overwrite)
        notes = (*notes, *told)
    problem = doubts(loads)
    if problem:
        typer.secho(f"softstride: warning: {problem}", err=True, fg="red", bold=True)
    figures = id_figures(loads, seconds, notes) | {"out": str(target)}
    if figure is not None:
        figures["figure"] = str(figure)
    if reduction is not None:
        figures |= reduction_figures(reduction)
    if json:
        print_json(figures)
    elif not quiet:
        if reduction is not None:
            print_reduction(reduction)
        print_id(loads, figures)


def _request(setup: Path | None) -> IdSetup:
    from softstride.dynamics.setup_xml import IdSetup, read_id_setup

    return IdSetup(Path("command line")) if setup is None else read_id_setup(setup)

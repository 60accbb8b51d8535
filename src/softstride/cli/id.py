"""`softstride id`: motion and external forces to joint loads, with OpenSim's files in and out."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softstride.cli.files import (
    ModelOption,
    OverwriteOption,
    QuietOption,
    ThreadsOption,
    check_targets,
    from_setup,
)
from softstride.cli.output import JsonOption, print_json
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.dynamics.setup_xml import IdSetup


def command(
    model: ModelOption = None,
    motion: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The motion (.mot, .sto), as `softstride ik` writes it."),
    ] = None,
    external_loads: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="OpenSim's external loads (.xml), or a recording with plates or forces (.c3d, .mot, ...); may be "
            "given several times. Without it nothing acts from outside.",
        ),
    ] = None,
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
    lowpass: Annotated[
        float | None,
        typer.Option(metavar="HZ", help="Low pass of the coordinates, as OpenSim's tool has it; 0: none."),
    ] = None,
    time: Annotated[
        tuple[float, float] | None, typer.Option(metavar="START STOP", help="Part of the motion, in seconds.")
    ] = None,
    body: Annotated[
        list[str] | None,
        typer.Option(metavar="FORCE=LINK", help="Link that a force acts on; may be given several times."),
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
    """
    from softstride.capture.reading import read
    from softstride.cli.id_table import doubts, id_figures, print_id
    from softstride.dynamics.inverse import solve_id
    from softstride.dynamics.options import IdOptions
    from softstride.kinematics.motion_files import read_motion
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
    check_targets({"--out": target}, [Path(source) for source in sources if source], overwrite)

    options = IdOptions(
        lowpass=_cutoff(request.lowpass if lowpass is None else lowpass),
        bodies=_bodies(body or []),
        time_range=time or request.time_range,
    )
    person = load_model(subject)
    movement = read_motion(moving, person)
    forces = read(files[0], *files[1:]) if files else None
    start = clock.perf_counter()
    loads = solve_id(person, movement, forces, options, threads=threads or 0)
    seconds = clock.perf_counter() - start

    read_notes = (*request.notes, *movement.notes, *(() if forces is None else forces.notes))
    notes = (*read_notes, *loads.notes, *loads.save(target, overwrite=overwrite))
    problem = doubts(loads)
    if problem:
        typer.secho(f"softstride: warning: {problem}", err=True, fg="red", bold=True)
    figures = id_figures(loads, seconds, notes) | {"out": str(target)}
    if json:
        print_json(figures)
    elif not quiet:
        print_id(loads, figures)


def _request(setup: Path | None) -> IdSetup:
    from softstride.dynamics.setup_xml import IdSetup, read_id_setup

    return IdSetup(Path("command line")) if setup is None else read_id_setup(setup)


def _cutoff(lowpass: float | None) -> float | None:
    return None if lowpass == 0.0 else lowpass


def _bodies(texts: list[str]) -> dict[str, str]:
    """Return links by the name of the force."""
    found = {}
    for text in texts:
        force, sign, link = text.rpartition("=")
        if not sign or not force or not link:
            raise InputError(f"--body {text}: must be FORCE=LINK, such as right=calcn_r")
        found[force] = link
    return found

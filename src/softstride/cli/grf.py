"""`softstride grf`: a motion alone to ground reactions and joint loads, with OpenSim's files in and out."""

from __future__ import annotations

import time as clock
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from softstride.cli.declare import NOTHING, Form, Given, ShellOptions
from softstride.cli.files import (
    PICTURES,
    DegreesOption,
    FigureOption,
    ModelOption,
    MotionOption,
    OverwriteOption,
    QuietOption,
    ThreadsOption,
    check_targets,
    read_movement,
)
from softstride.cli.output import JsonOption, print_json
from softstride.errors import InputError
from softstride.locks import SHORT, writing

ESTIMATE = ShellOptions(
    "softstride.dynamics.estimate.options:EstimateOptions",
    Form(
        "lowpass",
        help="Low pass of the coordinates, as OpenSim's tools have it; auto: chosen from the motion; 0: none",
        nothing="0",
    ),
    Form("time_range", "--time"),
    Form("friction", "--friction MU"),
    Form(
        "belt",
        "--belt M/S",
        help="How fast the ground moves backwards under the person; 0: it rests; estimated unless given",
        read=lambda speed: (0.0 - speed, 0.0, 0.0),
        kind=float,
    ),
    Form("links", "--foot SIDE=LINK", example="right=calcn_r or left=calcn_l", first=True),
    leave="load_cell blade_error strain_error reach torque load spread smoothness sockets tolerance max_iterations",
)
MEASURED = ShellOptions(
    "softstride.dynamics.options:IdOptions",
    Form("bodies", "--body FORCE=LINK", help="Link that a measured force acts on", example="right=calcn_r"),
    only="bodies",
)


def command(
    model: ModelOption = None,
    motion: MotionOption = None,
    degrees: DegreesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where the ground reactions go (.mot, .sto): force, point and moment."
        ),
    ] = None,
    loads_out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where OpenSim's external loads go (.xml), which name the file of --out; in the same folder.",
        ),
    ] = None,
    id_out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the joint loads go (.sto, .mot).")
    ] = None,
    figure: FigureOption = None,
    external_loads: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Measured forces to compare with, which the estimate never sees: OpenSim's external loads (.xml), or "
            "a recording with plates or forces (.c3d, .mot, ...); may be given several times.",
        ),
    ] = None,
    measured_options: Annotated[Given, MEASURED] = NOTHING,
    mass: Annotated[
        float | None,
        typer.Option(
            metavar="KG",
            help="Mass of the person for mass-corrected errors; from the measured forces unless given.",
        ),
    ] = None,
    estimate: Annotated[Given, ESTIMATE] = NOTHING,
    threads: ThreadsOption = None,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Estimate ground reactions and joint loads from a motion, without force plates.

    Floor, contacts and, on a treadmill, the speed of the belt are found from the motion. With measured forces the
    estimate is compared with them, strike by strike: RMSE, rRMSE and its floor, which is what the measured forces
    themselves leave unexplained with this model and motion.

    For example:

    softstride grf --model subject.osim --motion ik.mot --lowpass 6 --out grf.mot --loads-out grf.xml --id-out id.sto

    softstride grf --model subject.osim --motion ik.mot --lowpass 6 --out grf.mot --external-loads plates.xml
    """
    from softstride.capture.reading import read
    from softstride.cli.grf_table import grf_figures, print_grf
    from softstride.cli.id_table import doubts
    from softstride.dynamics.estimate import estimate_loads
    from softstride.dynamics.ground_files import save_ground
    from softstride.dynamics.inverse import solve_id
    from softstride.dynamics.validation.validate import validate_loads
    from softstride.model.load import load_model

    if model is None or motion is None or out is None:
        missing = [
            name
            for name, given in (("--model", model), ("--motion", motion), ("--out", out))
            if given is None
        ]
        raise InputError(
            f"model, motion and a file for the ground reactions are needed: give {', '.join(missing)}"
        )
    files = list(external_loads or ())
    _check_measured(bool(files), mass, bool(measured_options))
    sources = [Path(model), motion, *files]
    if loads_out is not None and loads_out.parent.resolve() != out.parent.resolve():
        raise InputError(
            f"--loads-out {loads_out}: must be in the folder of --out {out}, which it names; put both in one"
        )
    targets = {"--out": out, "--id-out": id_out, "--loads-out": loads_out, "--figure": figure}
    check_targets(targets, sources, overwrite, {"--loads-out": (".xml",), "--figure": PICTURES})

    person = load_model(model)
    movement = read_movement(motion, person, degrees)
    measured = read(files[0], *files[1:]) if files else None
    start = clock.perf_counter()
    loads = estimate_loads(person, movement, threads=threads or 0, **estimate)
    seconds = clock.perf_counter() - start
    beside = None
    if measured is not None:
        span = estimate.get("time_range")
        beside = solve_id(
            person, movement, measured, lowpass=loads.lowpass, time_range=span, **measured_options
        )
    judged = None if beside is None else validate_loads(loads, beside, mass=mass)

    with writing(out, patience=SHORT):  # all files are of one run
        notes = [*movement.notes, *loads.notes, *save_ground(loads, out, loads_out, overwrite=overwrite)]
        if id_out is not None:
            notes += loads.save(id_out, overwrite=overwrite)
    if measured is not None and beside is not None and judged is not None:
        about = [*measured.notes, *beside.notes]
        notes += [replace(note, text=f"measured forces: {note.text}") for note in about if note not in notes]
        notes += judged.notes
    if figure is not None:
        from softstride.cli.loads_figure import bands_of, draw_loads

        bands, told = bands_of(loads)
        draw_loads(loads, figure, bands, beside, overwrite=overwrite)
        notes += told
    problem = doubts(loads)
    if problem:
        typer.secho(f"softstride: warning: {problem}", err=True, fg="red", bold=True)
    written = {"out": out, "loads_out": loads_out, "id_out": id_out, "figure": figure}
    figures = grf_figures(loads, seconds, judged, notes)
    figures |= {name: str(path) for name, path in written.items() if path is not None}
    if json:
        print_json(figures)
    elif not quiet:
        print_grf(loads, figures, judged)


def _check_measured(forces: bool, mass: float | None, bodies: bool) -> None:
    """Refuse requests that only make sense beside measured forces, and masses that nobody has."""
    for option, given in (("--mass", mass is not None), ("--body", bodies)):
        if given and not forces:
            raise InputError(
                f"{option} is about measured forces to compare with, which the estimate never sees: give them with "
                "--external-loads, or leave it away"
            )
    if mass is not None and not 0.0 < mass < float("inf"):
        raise InputError(f"--mass {mass:g}: must be the mass of the person [kg], above 0")

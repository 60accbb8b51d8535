"""`softstride ik`: markers to motion, with OpenSim's files in and out."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softstride.cli.declare import NOTHING, Form, Given, ShellOptions
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
    from softstride.capture.recording import Recording
    from softstride.kinematics.ik.setup import IkSetup
    from softstride.model import Model


SOLVING = ShellOptions(
    "softstride.kinematics.ik.options:IkOptions",
    Form("weights", "--weight NAME=W", help="Weight of a marker; others keep theirs", example="Top.Head=0.1"),
    Form("locked", "--lock NAME", help="Hold a coordinate at its default, beside those that the model locks"),
    Form("time_range", "--time"),
    Form(
        "huber",
        unit="mm",
        help="Distance from which a marker counts linearly instead of squared: outliers weigh less; unless given: "
        "always squared",
    ),
    Form(
        "noise",
        unit="mm",
        help="Standard deviation of each coordinate of a marker of weight 1, for --std-out; unless given: estimated "
        "from the residuals",
    ),
    Form(
        "mend_swaps",
        "--mend-swaps",
        help="Put labels right that are found to be exchanged; they are reported in any case",
    ),
    leave="orientation_weight prior elastic limits artefact tolerance max_iterations",
)


def command(
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="More files of the same recording.")
    ] = None,
    model: ModelOption = None,
    markers: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="The recording (.trc, .c3d, ...); may be given several times."),
    ] = None,
    tasks: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="OpenSim's tasks (.xml): weights of markers and coordinates."),
    ] = None,
    setup: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="OpenSim's setup of the InverseKinematicsTool (.xml): model, recording, tasks, times and output, "
            "unless given here.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the motion goes (.mot, .sto).")
    ] = None,
    solving: Annotated[Given, SOLVING] = NOTHING,
    std_out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.sto", help="Where the standard deviation of each coordinate goes."),
    ] = None,
    errors_out: Annotated[
        Path | None, typer.Option(metavar="FILE.sto", help="Where the errors of the markers go, in metres.")
    ] = None,
    threads: ThreadsOption = None,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the motion of a model from recorded markers, all frames of the trial.

    Model, recording, tasks and motion may be OpenSim's files. Frames that do not converge are named, and written all
    the same.

    For example:

    softstride ik --model subject.osim --markers walk.trc --tasks tasks.xml --out ik.mot

    softstride ik --setup Setup_IK.xml --out ik.mot --errors-out errors.sto --json

    softstride ik --model subject.osim --markers walk.c3d --cutoff 12 --weight Top.Head=0.1 --out ik.mot
    """
    from softstride.capture.reading import read
    from softstride.cli.ik_table import error_table, ik_figures, print_ik, std_table, unsolved
    from softstride.cli.progress import progress_bar
    from softstride.files import write_whole
    from softstride.kinematics.ik.solve import solve_ik
    from softstride.model.load import load_model

    request = _request(setup, tasks, solving.get("time_range"))
    subject = model or from_setup(request.model_file, setup, "--model", "a model")
    files = [*(markers or ()), *(more or ())]
    files = files or [Path(from_setup(request.marker_file, setup, "--markers", "a recording"))]
    target = out or request.output_motion_file
    if target is None:
        raise InputError("where to put the motion: give a file with --out")
    targets = {"--out": target, "--std-out": std_out, "--errors-out": errors_out}
    sources = (subject, *files, setup, tasks, request.coordinate_file)
    check_targets(targets, [Path(source) for source in sources if source], overwrite)

    person = load_model(subject)
    recording = read(files[0], *files[1:])
    changes = {name: value for name, value in solving.items() if name not in ("time_range", "weights")}
    options = request.options(person, recording).changed(**changes)
    options = options.changed(
        weights=_weights(solving.get("weights", {}), options.weights, person, recording)
    )
    with progress_bar("inverse kinematics", quiet=quiet) as show:
        start = clock.perf_counter()
        motion = solve_ik(person, recording, options, threads=threads or 0, progress=show)
        seconds = clock.perf_counter() - start

    tables: dict[Path, bytes] = {}
    if errors_out is not None:
        tables[errors_out] = error_table(motion, errors_out)
    if std_out is not None:
        tables[std_out] = std_table(motion, std_out)
    notes = (*request.notes, *motion.notes, *motion.save(target, overwrite=overwrite))
    for path, data in tables.items():
        write_whole(path, data, overwrite=overwrite)
    problem = unsolved(motion)
    if problem:
        typer.secho(f"softstride: warning: {problem}", err=True, fg="red", bold=True)
    figures = ik_figures(motion, seconds, notes) | {"out": str(target)}
    figures |= {"std_out": str(std_out)} if std_out else {}
    figures |= {"errors_out": str(errors_out)} if errors_out else {}
    if json:
        print_json(figures)
    elif not quiet:
        print_ik(motion, figures)


def _request(setup: Path | None, tasks: Path | None, time: tuple[float, float] | None) -> IkSetup:
    """Return what the files ask for; tasks given apart and times replace those of the setup."""
    from softstride.kinematics.ik.setup import IkSetup
    from softstride.kinematics.ik.setup_xml import read_ik_setup, read_ik_tasks

    found = IkSetup(file=Path("command line")) if setup is None else read_ik_setup(setup)
    if tasks is not None:
        own = read_ik_tasks(tasks)
        found = replace(
            found,
            file=own.file,
            marker_weights=own.marker_weights,
            coordinate_tasks=own.coordinate_tasks,
            coordinate_file=own.coordinate_file or found.coordinate_file,
            notes=(*found.notes, *own.notes),
        )
    return found if time is None else replace(found, time_range=time)


def _weights(
    given: Mapping[str, float], known: Mapping[str, float] | None, model: Model, recording: Recording
) -> Mapping[str, float] | None:
    """Return the weights of markers with those of the command line in place; None: all weigh the same."""
    if not given:
        return known
    from softstride.capture.labels import is_virtual

    both = [name for name in model.markers if name in recording.markers]
    for name, weight in given.items():
        if name not in both:
            raise InputError(
                f"--weight {name}={weight:g}: model and recording must both have the marker; they have: "
                f"{', '.join(both) or 'none'}"
            )
    own = {name: 1.0 for name in both if not is_virtual(name)} if known is None else known
    return {**own, **given}

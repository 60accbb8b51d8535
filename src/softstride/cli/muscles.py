"""`softstride muscles`: motion and external forces to muscle forces, with OpenSim's files in and out."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import Annotated, Any

import typer

from softstride.cli.analyze_tool import AnalyzeOption, sources_of
from softstride.cli.declare import NOTHING, Form, Given, ShellOptions
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
    read_movement,
)
from softstride.cli.output import JsonOption, print_json
from softstride.cli.progress import progress_bar
from softstride.cli.spelling import Takes
from softstride.errors import InputError
from softstride.locks import SHORT, writing

SHARING = ShellOptions(
    "softstride.muscles.sharing.options:MuscleOptions",
    Form("weights", "--weights MUSCLE=W|volume", example="psoas_r=2"),
    Form("coordinates", "--coordinate"),
    Form(
        "reserve",
        "--reserve N|COORDINATE=N",
        help="Optimal force of the reserve of each coordinate [N·m] or [N]: a number for all, or by name; a number "
        "beside names is for the others. 0: no reserve, muscles have to do. A coordinate that an actuator of the "
        "model moves without limits has none unless it is named",
        example="knee_angle_r=0",
        others="*",
    ),
    Form(
        "passive",
        help="Count the parallel spring and the damper of fibres with rigid tendons too; with elastic ones they "
        "always count",
    ),
    Form("emg_weight", "--emg-weight W|MUSCLE=W", example="soleus_r=2"),
    Form(
        "emg_muscles",
        "--emg-muscle MUSCLE=CHANNEL",
        help="EMG channel of a muscle; unless given: channels called like muscles",
        example="soleus_r=soleus",
        first=True,
    ),
    Form(
        "mvc",
        "--mvc N|CHANNEL=N|trial",
        help="What counts as full activation: a number (1 for envelopes that were divided already), one by channel, or "
        "the largest value of the trial",
    ),
    Form(
        "as_opensim",
        "--opensim",
        help="Project active forces as OpenSim 4.6 does in static optimisation, and raise reserves to --power too "
        "instead of squaring them; tendons must be rigid, and nothing passive",
    ),
    leave="muscles actuators lower upper lowpass time_range tolerance",
)


def command(
    model: ModelOption = None,
    motion: MotionOption = None,
    degrees: DegreesOption = None,
    external_loads: ExternalLoadsOption = None,
    setup: AnalyzeOption = None,
    loads: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Joint loads that were found already (.sto, .mot), as `softstride id` writes them, instead of "
            "--external-loads.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="BASE", help="Where forces and activations go: BASE_force.sto and BASE_activation.sto."
        ),
    ] = None,
    inverse: Annotated[Given, INVERSE] = NOTHING,
    emg: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="EMG envelopes (.sto, .mot, .c3d, ...) that activations are drawn to."
        ),
    ] = None,
    emg_raw: Annotated[
        bool,
        typer.Option("--emg-raw", help="The EMG is raw: make envelopes by the usual recipe first."),
        Takes("emg_envelopes"),
    ] = False,
    sharing: Annotated[Given, SHARING] = NOTHING,
    threads: ThreadsOption = None,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Share the joint loads of a motion among muscles, all frames at once.

    Model, motion, external loads and results may be OpenSim's files; the criterion is that of its StaticOptimization
    unless told otherwise. Moments that muscles cannot make are left to reserves, and named.

    For example:

    softstride muscles --model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 --out so

    softstride muscles --setup Setup_StaticOptimization.xml --out so --json

    softstride muscles --model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 --power 3
    --weights psoas_r=2 --reserve 0.5 --reserve knee_angle_r=0 --out so3

    softstride muscles --model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 --emg emg.sto
    --emg-muscle soleus_r=soleus --mvc 1 --emg-weight 10 --out so_emg

    softstride muscles --model subject.osim --motion ik.mot --external-loads loads.xml --lowpass 6 --emg walk.c3d
    --emg-raw --emg-muscle soleus_r=SOL --mvc SOL=0.00031 --out so_emg
    """
    from softstride.capture.prepare import emg_envelopes
    from softstride.capture.reading import read
    from softstride.cli.id_table import doubts
    from softstride.cli.muscles_table import muscle_figures, muscle_problem, print_muscles
    from softstride.dynamics.inverse import solve_id
    from softstride.dynamics.loads_files import read_loads
    from softstride.model.load import load_model
    from softstride.muscles.actuator_xml import add_actuators
    from softstride.muscles.sharing import solve_muscles
    from softstride.muscles.sharing.files import muscle_files

    files = list(external_loads or ())
    of_motion = sources_of("StaticOptimization", setup, model, motion, files, inverse, out)
    request = None if of_motion.setup is None else of_motion.setup.sharing
    files = of_motion.files if loads is None or external_loads else []
    _check_sources(files, loads, bool(inverse.get("bodies")))
    if emg is None and (emg_raw or any(name == "mvc" or name.startswith("emg_") for name in sharing)):
        raise InputError("--mvc and options that begin with --emg are about EMG: give it with --emg")
    targets = muscle_files(of_motion.out)
    sources = [Path(of_motion.model), of_motion.motion, *files, *of_motion.actuator_files]
    sources += [each for each in (setup, loads, emg) if each is not None]
    check_targets({"--out": targets[0]}, sources, overwrite)
    check_targets({"--out": targets[1]}, sources, overwrite)

    options: dict[str, Any] = {} if request is None else {"power": request.power}
    options |= {
        name: of_motion.inverse[name] for name in ("lowpass", "time_range") if name in of_motion.inverse
    }
    options |= sharing
    person, added = add_actuators(load_model(of_motion.model), of_motion.actuator_files)
    if of_motion.actuator_files and "reserve" not in sharing:
        options["reserve"] = 0.0  # the reserves are those of the setup
    movement = read_movement(of_motion.motion, person, degrees)
    forces = read(files[0], *files[1:]) if files else None
    signals = None if emg is None else read(emg)
    if signals is not None and not signals.emg:
        raise InputError(
            f"{emg}: has no EMG, which is a channel that names a muscle or says EMG; softstride info shows its channels"
        )
    start = clock.perf_counter()
    if signals is not None and emg_raw:
        signals = emg_envelopes(signals, reference=dict.fromkeys(signals.emg.labels, 1.0))
    if loads is not None:
        demand = read_loads(loads, person)
    else:
        demand = solve_id(person, movement, forces, threads=threads or 0, **of_motion.inverse)
    with progress_bar("sharing forces", quiet=quiet or json) as moved:
        shared = solve_muscles(
            person,
            movement,
            demand,
            None if signals is None else signals.emg,
            threads=threads or 0,
            progress=moved,
            **options,
        )
    seconds = clock.perf_counter() - start

    with writing(targets[0], patience=SHORT):  # both files are of one run
        shared.save(of_motion.out, overwrite=overwrite)
    read_notes = [
        note for each in (movement, forces, signals, demand) if each is not None for note in each.notes
    ]
    for problem in filter(None, (doubts(demand), muscle_problem(shared))):
        typer.secho(f"softstride: warning: {problem}", err=True, fg="red", bold=True)
    notes = (*of_motion.notes, *added, *read_notes, *shared.notes)
    figures = muscle_figures(shared, seconds, notes)
    figures |= {"force_out": str(targets[0]), "activation_out": str(targets[1])}
    if json:
        print_json(figures)
    elif not quiet:
        print_muscles(shared, figures)


def _check_sources(files: list[Path], loads: Path | None, bodies: bool) -> None:
    """Refuse loads from two sources."""
    if loads is not None and (files or bodies):
        raise InputError(
            "--loads are joint loads that were found already: leave --external-loads and --body away"
        )

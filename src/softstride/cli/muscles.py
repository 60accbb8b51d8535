"""`softstride muscles`: motion and external forces to muscle forces, with OpenSim's files in and out."""

from __future__ import annotations

import time as clock
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from softstride.cli.analyze_tool import AnalyzeOption, given
from softstride.cli.files import (
    BodyOption,
    DegreesOption,
    ExternalLoadsOption,
    LowpassOption,
    ModelOption,
    MotionOption,
    OverwriteOption,
    QuietOption,
    ThreadsOption,
    TimeOption,
    check_targets,
    cutoff,
    links_by_force,
    read_movement,
)
from softstride.cli.named import mvc_of, names_by_muscle, numbers_by_name
from softstride.cli.output import JsonOption, print_json
from softstride.cli.progress import progress_bar
from softstride.cli.spelling import Takes
from softstride.errors import InputError
from softstride.locks import SHORT, writing


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
    lowpass: LowpassOption = None,
    time: TimeOption = None,
    body: BodyOption = None,
    power: Annotated[
        int | None,
        typer.Option(min=2, max=3, help="Power of activations in the criterion, 2 or 3; 2 unless given."),
    ] = None,
    effort: Annotated[
        Literal["activation", "force"],
        typer.Option(help="What is raised to that power: activation, or force over maximal isometric force."),
    ] = "activation",
    weights: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MUSCLE=W|volume",
            help="Weight of a muscle in the criterion, 1 for others; may be given several times.",
        ),
    ] = None,
    reserve: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N|COORDINATE=N",
            help="Optimal force of reserves in N m or N, of all or of one coordinate; 0: none; 1 unless given.",
        ),
    ] = None,
    coordinate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Coordinate whose moment is to be met; all that muscles move unless given."
        ),
        Takes("coordinates"),
    ] = None,
    tendon: Annotated[Literal["rigid", "elastic"], typer.Option(help="Whether tendons stretch.")] = "rigid",
    passive: Annotated[
        bool, typer.Option("--passive", help="Count passive forces of fibres on rigid tendons.")
    ] = False,
    smoothness: Annotated[
        float, typer.Option(min=0.0, metavar="S", help="Time constant of smoothness in time; 0: none.")
    ] = 0.0,
    opensim: Annotated[
        bool,
        typer.Option(
            "--opensim", help="Project fibre forces as OpenSim 4.6 does in static optimisation, to compare."
        ),
        Takes("as_opensim"),
    ] = False,
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
    emg_weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="W|MUSCLE=W",
            help="Weight of squared differences from EMG, of all muscles or of one; 1 unless given.",
        ),
    ] = None,
    emg_muscle: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MUSCLE=CHANNEL",
            help="Channel of a muscle; may be given several times. Channels called like muscles unless given.",
        ),
        Takes("emg_muscles"),
    ] = None,
    emg_delay: Annotated[
        float | None,
        typer.Option(
            min=0.0, metavar="S", help="Electromechanical delay from EMG to force; none unless given."
        ),
    ] = None,
    mvc: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N|CHANNEL=N|trial",
            help="What counts as full activation: a number (1 for envelopes that were divided already), one by "
            "channel, or the largest value of the trial.",
        ),
    ] = None,
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
    from softstride.dynamics.options import IdOptions
    from softstride.model.load import load_model
    from softstride.muscles.actuator_xml import add_actuators
    from softstride.muscles.sharing import solve_muscles
    from softstride.muscles.sharing.files import muscle_files
    from softstride.muscles.sharing.options import OTHERS

    files = list(external_loads or ())
    of_motion = given("StaticOptimization", setup, model, motion, files, time, lowpass, out)
    request = None if of_motion.setup is None else of_motion.setup.sharing
    files = of_motion.files if loads is None or external_loads else []
    _check_sources(files, loads, body or [])
    told: dict[str, Any] = {} if emg_delay is None else {"emg_delay": emg_delay}
    if emg is None and (emg_muscle or emg_weight or mvc or emg_raw or told):
        raise InputError("--mvc and options that begin with --emg are about EMG: give it with --emg")
    targets = muscle_files(of_motion.out)
    sources = [Path(of_motion.model), of_motion.motion, *files, *of_motion.actuator_files]
    sources += [each for each in (setup, loads, emg) if each is not None]
    check_targets({"--out": targets[0]}, sources, overwrite)
    check_targets({"--out": targets[1]}, sources, overwrite)

    options: dict[str, Any] = {
        "power": power or (2 if request is None else request.power),
        "effort": effort,
        "tendon": tendon,
        "smoothness": smoothness,
        "as_opensim": opensim,
        "lowpass": cutoff(of_motion.lowpass),
        "time_range": of_motion.time,
        "coordinates": coordinate or None,
        "emg_muscles": names_by_muscle(emg_muscle or [], "--emg-muscle") or None,
        "mvc": mvc_of(mvc or []),
    } | told
    if passive:
        options["passive"] = True
    if weights:
        options["weights"] = "volume" if weights == ["volume"] else numbers_by_name(weights, "--weights")[1]
    if reserve:
        every, named = numbers_by_name(reserve, "--reserve", alone=True)
        options["reserve"] = named if every is None else {OTHERS: every, **named}
    if emg_weight:
        every, named = numbers_by_name(emg_weight, "--emg-weight", alone=True)
        if every is not None and named:
            raise InputError("--emg-weight: give one number for all muscles, or one by muscle, not both")
        options["emg_weight"] = named if every is None else every
    person, added = add_actuators(load_model(of_motion.model), of_motion.actuator_files)
    if of_motion.actuator_files and not reserve:
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
        asked = IdOptions(cutoff(of_motion.lowpass), links_by_force(body or []), of_motion.time)
        demand = solve_id(person, movement, forces, asked, threads=threads or 0)
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


def _check_sources(files: list[Path], loads: Path | None, body: list[str]) -> None:
    """Refuse loads from two sources."""
    if loads is not None and (files or body):
        raise InputError(
            "--loads are joint loads that were found already: leave --external-loads and --body away"
        )

"""`softstride segments`: joint angles, moments and powers from landmarks and force plates, without a model."""

from __future__ import annotations

import os
import time as clock
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softstride.cli.declare import NOTHING, Form, Given, ShellOptions
from softstride.cli.files import OverwriteOption, QuietOption, filled
from softstride.cli.output import JsonOption, print_json
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.capture.recording import Recording

TABLES = ("joints.csv", "loads.csv", "cycles.csv", "work.csv", "methods.csv", "file.csv")
PICTURES = ("angles.png", "moments.png", "powers.png", "methods.png", "file.png")


def _segments(names: list[str]) -> tuple[str, ...]:
    """Return the segments of --segment, children before their parents; right_foot is "right foot"."""
    from softstride.segments.landmark_definitions import definitions

    asked = [_spaced(name) for name in names]
    for name in asked:
        definitions().segment(name)  # refuses one that does not exist
    return tuple(name for name in definitions().names() if name in asked)


def _spaced(name: str) -> str:
    """Return right_upper_arm as "right upper_arm"; what has spaces already is left."""
    side, _, rest = name.partition("_")
    return f"{side} {rest}" if side in ("right", "left") and rest else name


ANALYSIS = ShellOptions(
    "softstride.segments.options:SegmentOptions",
    Form("protocol", "--protocol NAME|FILE"),
    Form(
        "segments",
        "--segment NAME",
        help="A segment to build, such as right_foot; one that cannot be built is an error. Unless given: all that the "
        "landmarks allow",
        read=_segments,
    ),
    Form("inertia", "--inertia NAME|FILE"),
    Form("lowpass", nothing="0"),
    Form("lowpass_forces", nothing="0"),
    Form("solidify", "--loose", help="Leave segments as markers show them; made rigid otherwise"),
    leave="differentiator gravity",
)


def command(
    trial: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRIAL",
            help="The recording (.c3d, .trc, ...), and more files of it such as forces (.mot, .xml).",
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for tables and pictures; made if missing.")
    ] = Path("segments"),
    static: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A standing trial, for landmarks that the trial does not show."),
    ] = None,
    functional: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=FILE",
            help="A trial in which a joint moves, for its centre and axis, such as right_hip=circles.c3d; may be given "
            "several times.",
        ),
    ] = None,
    analysis: Annotated[Given, ANALYSIS] = NOTHING,
    normalise: Annotated[
        str, typer.Option(help="Loads over cycles: none, mass, bw_height, bw_leg or dimensionless.")
    ] = "mass",
    fill: Annotated[bool, typer.Option("--fill", help="Fill gaps of markers first.")] = False,
    pictures: Annotated[bool, typer.Option(help="Draw pictures beside the tables.")] = True,
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find joint angles, net joint moments, powers and work from landmarks and force plates, without a multibody model.

    Over time and by gait cycle with mean and band, work generated and absorbed in each cycle, by four methods side by
    side, and beside what Plug-in Gait wrote into the file, if it did. Frames in which a foot is on the ground and not
    on a plate are not known: nan.

    For example:

    softstride segments walk.c3d --out walk

    softstride segments walk.c3d --static standing.c3d --sex female --mass 58 --out walk

    softstride segments walk.c3d --functional right_hip=circles.c3d --functional right_knee=squat.c3d --out walk
    """
    from softstride.capture.prepare import fill_gaps
    from softstride.capture.reading import read
    from softstride.cli.segments_table import print_study, study_figures
    from softstride.cli.segments_tables import write_tables
    from softstride.segments.analysis import analyze
    from softstride.segments.body_size import divisor
    from softstride.segments.options import SegmentOptions

    check_folder(out, overwrite, pictures)
    by = _normalisation(normalise)
    recording = read(trial[0], *trial[1:])
    if fill:
        recording = fill_gaps(recording)
    stood = None if static is None else read(static)
    start = clock.perf_counter()
    study = analyze(recording, stood, SegmentOptions(**analysis), functional=_movements(functional or []))
    seconds = clock.perf_counter() - start
    if study.loads is not None:
        divisor("moment", by, study.person)  # refuses a size that is missing, before anything is written
    figures = study_figures(study, by, seconds)
    with filled(out):
        check_folder(out, overwrite, pictures)
        written = write_tables(study, out, by, overwrite=overwrite)
        if pictures:
            from softstride.cli.segments_figure import draw_study

            written += draw_study(study, out, by)
    figures |= {"out": str(out), "files": [path.name for path in written]}
    if json:
        print_json(figures)
    elif not quiet:
        print_study(study, figures, by)


def check_folder(out: Path, overwrite: bool, pictures: bool) -> None:
    """Refuse a place that is no folder, and one that holds results which may not be replaced."""
    above = next(place for place in (out, *out.parents) if os.path.lexists(place))
    if not above.is_dir():
        raise InputError(f"cannot make the folder {out}: {above} is no folder; choose another with --out")
    there = [name for name in (*TABLES, *(PICTURES if pictures else ())) if (out / name).exists()]
    if there and not overwrite:
        raise InputError(
            f"--out {out}: {', '.join(there)} exist already; choose another folder, or give --overwrite"
        )


def _normalisation(name: str) -> Any:
    from typing import get_args

    from softstride.segments.body_size import Normalisation

    if name not in get_args(Normalisation):
        raise InputError(f"--normalise {name}: must be one of {', '.join(get_args(Normalisation))}")
    return name


def _movements(texts: list[str]) -> dict[str, Recording]:
    """Return the trials of --functional JOINT=FILE by joint."""
    from softstride.capture.reading import read

    found = {}
    for text in texts:
        joint, sign, file = text.partition("=")
        if not sign or not joint or not file:
            raise InputError(f"--functional {text}: must be JOINT=FILE, such as right_hip=circles.c3d")
        found[joint.replace("_", " ")] = read(Path(file))
    return found

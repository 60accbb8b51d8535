"""`softstride info`: this installation, or what a model or a recording holds."""

import os
import platform
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softstride import __version__
from softstride.cli.output import JsonOption, print_json, print_table
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.capture.plates import PlateZero

PACKAGED = {"athlete": True, "athlete-rigid": False}  # name -> with a blade


SubjectArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="The files of one recording (.c3d, .trc, .mot, .sto, .csv, .txt, .anc, external-loads .xml), or a "
        "packaged model (athlete, athlete-rigid); without any, this installation.",
    ),
]


def command(
    subject: SubjectArgument = None,
    threshold: Annotated[
        float,
        typer.Option(help="Force on a plate below which it counts as unloaded, in newtons.", metavar="N"),
    ] = 20.0,
    zero: Annotated[
        str | None,
        typer.Option(
            help="Zero the plates: with the frames that the file names (file), with the frames without load "
            "(unloaded), or with a window of time in seconds such as 0,0.5.",
            metavar="file|unloaded|T0,T1",
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 if a finding is an error.")] = False,
    json: JsonOption = False,
) -> None:
    """Show what a recording or a model holds and what is wrong with it, or this installation.

    Several files are parts of one recording, such as markers, forces and EMG of one trial.

    For example:

    softstride info walk.c3d --zero unloaded

    softstride info walk.trc walk_grf.xml walk_emg.sto --json
    """
    if not subject:
        _show_installation(json)
    elif len(subject) == 1 and subject[0] in PACKAGED:
        _show_model(subject[0], json)
    else:
        _show_recording(subject, threshold, zero, strict, json)


def _show_recording(files: list[str], threshold: float, zero: str | None, strict: bool, json: bool) -> None:
    from softstride.capture.reading import SUFFIXES, read
    from softstride.cli.recording_table import print_recording, recording_figures

    for file in files:
        if Path(file).suffix.lower() not in SUFFIXES:
            raise InputError(_refusal(file, SUFFIXES))
    recording = read(files[0], *files[1:], plate_threshold=threshold, plate_zero=_plate_zero(zero))
    quality = recording.quality()
    if json:
        print_json(recording_figures(recording, quality))
    else:
        print_recording(recording, quality)
    if strict and not quality.ok:
        raise typer.Exit(1)


def _refusal(subject: str, suffixes: tuple[str, ...]) -> str:
    suffix = Path(subject).suffix.lower()
    packaged = ", ".join(PACKAGED)
    if not suffix:
        return f"no packaged model {subject!r}; there are: {packaged}; a file needs its suffix"
    if suffix == ".osim":
        return f"no reader for .osim files yet; packaged models can be shown: {packaged}"
    return f"no reader for {suffix} files; recordings may be: {', '.join(suffixes)}; models: {packaged}"


def _plate_zero(text: str | None) -> "PlateZero":
    if text is None or text in ("file", "unloaded"):
        return text  # type: ignore[return-value]
    start, _, stop = text.partition(",")
    try:
        return float(start), float(stop)
    except ValueError:
        problem = f"--zero must be file, unloaded or a window of time such as 0,0.5, not {text!r}"
        raise InputError(problem) from None


def _show_installation(json: bool) -> None:
    from softstride.engine import get_threads
    from softstride.engine.jit import cache_folder
    from softstride.engine.lanes import LANES

    folder = cache_folder()
    figures: dict[str, Any] = {
        "version": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": _processor(),
        "cores": os.cpu_count() or 1,
        "lanes": LANES,
        "threads": get_threads(),
        "cache_folder": str(folder),
        "cache_bytes": _size(folder),
    }
    if json:
        print_json(figures)
        return
    for name in ("version", "python", "platform", "cpu", "cores", "lanes", "threads"):
        typer.echo(f"{name:<13} {figures[name]}")
    typer.echo(f"{'kernel cache':<13} {folder}")
    typer.echo(f"{'':<13} {figures['cache_bytes'] / 1e6:.1f} MB of compiled kernels")


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else 0


def _show_model(name: str, json: bool) -> None:
    from softstride.model import athlete

    model = athlete(blade=PACKAGED[name])
    kinds = Counter(type(link.joint).__name__.lower() for link in model.links)
    if json:
        print_json(
            {
                "name": model.name,
                "links": len(model.links),
                "nq": model.nq,
                "nv": model.nv,
                "mass": model.mass,
                "markers": len(model.markers),
                "muscles": len(model.muscles),
            }
            | {f"joints_{kind}": count for kind, count in sorted(kinds.items())}
        )
        return
    rows = []
    for link in model.links:
        indices = model.v_indices(link.name)
        mass = link.inertia.mass + getattr(link.joint, "mass", 0.0)  # a rod has a mass of its own
        rows.append(
            (link.name, link.parent, type(link.joint).__name__.lower(), str(len(indices)), f"{mass:.3f}")
        )
    rows.append(("total", "", f"nq {model.nq}", str(model.nv), f"{model.mass:.3f}"))
    print_table(
        ("link", "parent", "joint", "dof", "mass [kg]"),
        rows,
        title=f"{model.name}: {len(model.links)} links",
        numbers=(3, 4),
    )

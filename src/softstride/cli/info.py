"""`softstride info`: this installation, or what a model or a recording holds."""

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softstride import __version__
from softstride.cli.output import JsonOption, print_json
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.capture.plates import PlateZero


SubjectArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="The files of one recording (.c3d, .trc, .mot, .sto, .csv, .txt, .anc, external-loads .xml), or a "
        "model (.osim, .json, human, gait, athlete, athlete-rigid); without any, this installation.",
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

    softstride info subject.osim
    """
    if not subject:
        _show_installation(json)
    elif any(_is_model(name) for name in subject):
        _show_model(subject, json)
    else:
        _show_recording(subject, threshold, zero, strict, json)


def _show_recording(files: list[str], threshold: float, zero: str | None, strict: bool, json: bool) -> None:
    from softstride.capture.reading import SUFFIXES, read
    from softstride.cli.recording_table import print_recording, recording_figures
    from softstride.model.load import PACKAGED
    from softstride.model.load import SUFFIXES as MODEL_SUFFIXES

    for file in files:
        if Path(file).suffix.lower() not in SUFFIXES:
            raise InputError(
                f"no reader for {Path(file).suffix.lower()} files; recordings may be: {', '.join(SUFFIXES)}; models: "
                f"{', '.join((*MODEL_SUFFIXES, *PACKAGED))}"
            )
    recording = read(files[0], *files[1:], plate_threshold=threshold, plate_zero=_plate_zero(zero))
    quality = recording.quality()
    if json:
        print_json(recording_figures(recording, quality))
    else:
        print_recording(recording, quality)
    if strict and not quality.ok:
        raise typer.Exit(1)


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
    from softstride.engine.jit import cache_root
    from softstride.engine.lanes import LANES

    folder = cache_root()
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


def _is_model(name: str) -> bool:
    """Whether an argument is a model by its suffix; without any it can only be the name of a packaged one."""
    from softstride.model.load import SUFFIXES

    return Path(name).suffix.lower() in ("", *SUFFIXES)


def _show_model(subject: list[str], json: bool) -> None:
    from softstride.cli.model_table import model_figures, print_model
    from softstride.model.load import load_model

    if len(subject) > 1:
        raise InputError(f"a model is shown alone, however these came: {', '.join(subject)}")
    model = load_model(subject[0])
    if json:
        print_json(model_figures(model))
    else:
        print_model(model)

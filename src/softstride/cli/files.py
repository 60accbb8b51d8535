"""Files that commands read and write in OpenSim's place: named by a setup, and checked before anything is solved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softstride.cli.declare import Form, ShellOptions
from softstride.errors import InputError
from softstride.locks import filling

if TYPE_CHECKING:
    from softstride.kinematics.motion import Motion
    from softstride.model.model import Model

SUFFIXES = (".mot", ".sto")

PICTURES = (".png", ".svg", ".pdf")

ModelOption = Annotated[
    str | None,
    typer.Option(metavar="FILE|NAME", help="The model (.osim, .json), or a packaged one such as human."),
]
MotionOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The motion (.mot, .sto), as `softstride ik` writes it.")
]
DegreesOption = Annotated[
    bool | None,
    typer.Option(
        "--degrees/--radians",
        help="Unit of the angles in a motion whose header does not say it.",
        show_default=False,
    ),
]
ExternalLoadsOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="OpenSim's external loads (.xml), or a recording with plates or forces (.c3d, .mot, ...); may be given "
        "several times. Without it nothing acts from outside.",
    ),
]
INVERSE = ShellOptions(
    "softstride.dynamics.options:IdOptions",
    Form("lowpass", nothing="0"),
    Form("bodies", "--body FORCE=LINK", example="right=calcn_r"),
    Form("time_range", "--time"),
    leave="sockets",
)
"""How joint loads are found."""

ThreadsOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="How many threads; all cores unless given.")
]
FigureOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Where a picture goes (.png, .svg, .pdf): ground reaction over time, moments of hip, knee and ankle over "
        "stance, with bands of their errors.",
    ),
]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print only what went wrong.")]


def read_movement(path: Path, model: Model, degrees: bool | None) -> Motion:
    """Read a motion."""
    from softstride.kinematics.motion_files import read_motion

    return read_motion(path, model, degrees=degrees)


def from_setup(named: Path | None, setup: Path | None, option: str, what: str) -> str:
    """Return a file that the setup names."""
    if named is None:
        where = f"--setup, however {setup} names none" if setup is not None else "--setup"
        raise InputError(f"{what} is needed: give it with {option} or in {where}")
    if not os.path.lexists(named):
        raise InputError(f"{setup} names {what} {named}, which does not exist: give it with {option}")
    return str(named)


@contextmanager
def filled(out: Path) -> Iterator[None]:
    """Make the folder of --out, and keep other commands out of it while the block writes its files.

    Raises:
        InputError: The folder cannot be made or written to.
        SoftstrideError: Another command writes into it, and does not come to an end.
    """
    with ExitStack() as stack:
        try:
            out.mkdir(parents=True, exist_ok=True)
            stack.enter_context(filling(out))
        except OSError as error:
            raise InputError(
                f"cannot make the folder {out}: {error.strerror}; choose another with --out"
            ) from error
        yield


def check_targets(
    targets: Mapping[str, Path | None],
    sources: list[Path],
    overwrite: bool,
    suffixes: Mapping[str, tuple[str, ...]] | None = None,
) -> None:
    """Refuse, before anything is solved, files that could not be written afterwards.

    Args:
        targets: Files by the option that names them.
        sources: Files that are read.
        overwrite: Whether files that exist may be replaced.
        suffixes: How the name of a file must end, by option; `SUFFIXES` for others.
    """
    taken = {source.resolve(): f"the input {source}" for source in sources}
    for option, path in targets.items():
        if path is None:
            continue
        ends = (suffixes or {}).get(option, SUFFIXES)
        if path.suffix.lower() not in ends:
            raise InputError(f"{option} {path}: must end in {' or '.join(ends)}")
        if path.resolve() in taken:
            raise InputError(f"{option} {path}: would replace {taken[path.resolve()]}; choose another name")
        taken[path.resolve()] = f"the file of {option}"
        if os.path.lexists(path) and not (overwrite and path.is_file()):
            way = "give --overwrite to replace it" if path.is_file() else "it is no file"
            raise InputError(f"{option} {path}: exists already; choose another name, or {way}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{option} {path}: cannot make the folder {path.parent}: {error.strerror}"
            ) from error
        if not os.access(path.parent, os.W_OK):
            raise InputError(f"{option} {path}: the folder {path.parent} cannot be written to")

"""Files that commands read and write in OpenSim's place: named by a setup, and checked before anything is solved."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from softstride.errors import InputError

SUFFIXES = (".mot", ".sto")

ModelOption = Annotated[
    str | None,
    typer.Option(metavar="FILE|NAME", help="The model (.osim, .json), or a packaged one such as human."),
]
ThreadsOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="How many threads; all cores unless given.")
]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Print only what went wrong.")]


def from_setup(named: Path | None, setup: Path | None, option: str, what: str) -> str:
    """Return a file that the setup names."""
    if named is None:
        where = f"--setup, however {setup} names none" if setup is not None else "--setup"
        raise InputError(f"{what} is needed: give it with {option} or in {where}")
    if not os.path.lexists(named):
        raise InputError(f"{setup} names {what} {named}, which does not exist: give it with {option}")
    return str(named)


def check_targets(targets: Mapping[str, Path | None], sources: list[Path], overwrite: bool) -> None:
    """Refuse, before anything is solved, files that could not be written afterwards."""
    taken = {source.resolve(): f"the input {source}" for source in sources}
    for option, path in targets.items():
        if path is None:
            continue
        if path.suffix.lower() not in SUFFIXES:
            raise InputError(f"{option} {path}: must end in {' or '.join(SUFFIXES)}")
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

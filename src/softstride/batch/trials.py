"""`find_trials`: which files of some folders are trials, and where the results of each go."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softstride.errors import CaptureError, InputError
from softstride.pipeline.beside import MARKERS, STANDING
from softstride.pipeline.request import Request

RESERVED = frozenset({"trials.parquet", "trials.csv", "failures.txt"})
"""Names in the folder of results that no trial may have."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A trial of a batch.

    Attributes:
        name: Place of its results in the folder of results, with "/" between folders; no two trials share one.
        path: Its file, as it was found.
        request: What to analyse.
    """

    name: str
    path: Path
    request: Request


@dataclass(frozen=True, eq=False)
class Found:
    """What some folders hold.

    Attributes:
        trials: Trials, by name.
        left_out: Files of markers that are no trials, each with the reason.
    """

    trials: tuple[Trial, ...]
    left_out: tuple[tuple[Path, str], ...] = ()


def find_trials(
    sources: Iterable[str | Path],
    *,
    out: str | Path | None = None,
    wishes: Mapping[str, Any] | None = None,
) -> Found:
    """Return the trials of files and folders; folders are searched with all that is in them.

    A trial is a C3D file, or a TRC file with its forces in files beside it. Files that are called like standing trials
    are left out, as are hidden ones, everything in the folder of results, and a TRC file beside a C3D file of the same
    name, which is the same trial twice. A file that is named itself is always a trial.

    Args:
        sources: Files and folders.
        out: Folder of the results.
        wishes: Fields of a `Request` that all trials share, as `read_settings` returns them.

    Raises:
        InputError: There are no trials, something does not exist, or results would lie among the trials.
        CaptureError: A folder cannot be read.
    """
    given = [Path(source) for source in sources]
    if not given:
        raise InputError("there is nothing to analyse: name folders or files of trials")
    shared = dict(wishes or {})
    results = None if out is None else Path(out).resolve()
    _check_results(results)
    standing = None if shared.get("static") is None else Path(shared["static"]).resolve()
    found: dict[Path, Path] = {}
    left_out: list[tuple[Path, str]] = []
    for source in given:
        files, others = ([source], []) if _is_file(source) else _search(source, results, standing)
        for file in files:
            found.setdefault(_place(file), file)
        left_out += others
    if not found:
        raise InputError(_nothing(given, left_out))
    names = _names(list(found), _root(given, list(found)))
    trials = [Trial(names[key], path, Request((path,), **shared)) for key, path in found.items()]
    left = [(path, why) for path, why in left_out if _place(path) not in found]
    return Found(tuple(sorted(trials, key=lambda trial: trial.name)), tuple(left))


def _check_results(results: Path | None) -> None:
    """Refuse a folder of results that holds trials: one would not be told from the other."""
    try:
        there = [] if results is None or not results.is_dir() else sorted(results.iterdir())
    except OSError:
        return  # whoever writes there will say so
    among = [file.name for file in there if file.suffix.lower() in MARKERS]
    if among:
        raise InputError(
            f"results would lie among the trials in {results}, such as {among[0]}: choose another folder (--out)"
        )


def _place(file: Path) -> Path:
    """Return where a file is; one that is a link stays where it is."""
    return file.parent.resolve() / file.name


def _is_file(source: Path) -> bool:
    """Return whether a source is a file of markers, and not a folder."""
    if source.is_dir():
        return False
    if not source.exists():
        raise InputError(f"{source} does not exist: check its name")
    if source.suffix.lower() not in MARKERS:
        raise InputError(f"{source} is no file of markers: a trial ends in {' or '.join(MARKERS)}")
    return True


def _search(
    folder: Path, results: Path | None, standing: Path | None
) -> tuple[list[Path], list[tuple[Path, str]]]:
    """Return the trials in a folder, and the files of markers that are none."""
    files, left_out = [], []
    for path in _marker_files(folder, results):
        twin = path.with_suffix(".c3d")
        if STANDING.search(path.stem) or path.resolve() == standing:
            left_out.append((path, "a standing trial"))
        elif path.suffix.lower() == ".trc" and (twin.exists() or path.with_suffix(".C3D").exists()):
            left_out.append((path, f"the same trial as {twin.name}"))
        else:
            files.append(path)
    return files, left_out


def _marker_files(folder: Path, results: Path | None) -> Iterator[Path]:
    """Yield the files of markers below a folder; nothing hidden, and nothing of the results."""

    def refuse(error: OSError) -> None:
        raise CaptureError(
            error.filename or folder,
            "folder",
            f"cannot be read: {error.strerror}",
            "check its rights, or name the folders beside it",
        ) from error

    for place, folders, names in os.walk(folder, onerror=refuse):
        here = Path(place)
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and (here / name).resolve() != results
        )
        for name in sorted(names):
            if not name.startswith(".") and Path(name).suffix.lower() in MARKERS:
                yield here / name


def _nothing(given: list[Path], left_out: list[tuple[Path, str]]) -> str:
    places = ", ".join(str(path) for path in given)
    kinds = " or ".join(MARKERS)
    if left_out:
        path, why = left_out[0]
        return (
            f"there are no trials in {places}: of the {len(left_out)} files that end in {kinds} none is one; "
            f"{path.name} is {why}. Name a file itself to have it analysed"
        )
    return f"there are no trials in {places}: no file there ends in {kinds}. Check the folder"


def _root(sources: list[Path], files: list[Path]) -> Path | None:
    """Return the folder that names are relative to: the one that was given, or what several have in common."""
    folders = [(source if source.is_dir() else source.parent).resolve() for source in sources]
    try:
        root = Path(os.path.commonpath(folders))
    except ValueError:  # several drives
        return None
    return root if all(file.is_relative_to(root) for file in files) else None


def _names(files: list[Path], root: Path | None) -> dict[Path, str]:
    """Return a name for each file: its place without the suffix, unless that would be a name twice.

    With its suffix it is unique: in the folder of the file nothing else, no folder either, is called so.
    """
    places = {file: file.relative_to(file.anchor if root is None else root) for file in files}
    bare = {file: place.with_suffix("") for file, place in places.items()}
    count = Counter(str(place).casefold() for place in bare.values())
    inside = {str(above).casefold() for place in places.values() for above in place.parents}

    def name(file: Path) -> str:
        key = str(bare[file]).casefold()
        nowhere = not bare[file].name.strip(".")  # "...c3d" would be the folder above
        taken = nowhere or count[key] > 1 or key in inside or key in RESERVED
        return (places[file] if taken else bare[file]).as_posix()

    return {file: name(file) for file in files}

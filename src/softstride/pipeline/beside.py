"""Files that lie beside a trial: its forces and EMG, a standing trial, the model of the person, marker weights.

Names decide, then contents: a file is taken only if it is the one that fits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from softstride.capture.reading import read
from softstride.capture.recording import Recording
from softstride.errors import CaptureError, InputError, SoftstrideError
from softstride.files import read_bytes
from softstride.model.load import load_model
from softstride.model.model import Model

STANDING = re.compile(r"static|standing|calibration|n[_-]?pose|t[_-]?pose", re.IGNORECASE)
"""What standing trials are called."""

MARKERS = (".c3d", ".trc")
MODELS = (".osim", ".json")
TABLES = (".mot", ".sto")

OF_MARKERS = frozenset(
    ("marker", "markers", "trc", "motion", "capture", "mocap", "kinematics", "trajectories")
)
OF_FORCES = frozenset(
    ("grf", "grfs", "force", "forces", "kinetics", "external", "loads", "ground", "reaction", "reactions")
)
OF_EMG = frozenset(("emg", "electromyography"))
"""Words in names of files that say what is in them, and not which trial it is."""

DATAFILE = re.compile(r"<datafile>\s*([^<]+?)\s*</datafile>")
TASKS = re.compile(r"(?s)\A(?!.*<ScaleTool\b).*<IKTaskSet\b")
LOADS = re.compile(r"<ExternalLoads\b")

LARGEST = 4 << 20
"""Of an XML file that is looked into [bytes]."""

ENOUGH = 0.6
"""Share of a model's markers that a trial must have for the model to be its person's, and of the labels of a trial that
a standing trial must have to be of the same person."""

FEWEST = 6
"""Markers that a trial must have of a model in any case."""

STILL = 0.005
"""Median over the markers of how far they stray from their mean in a standing trial, standard deviation [m]."""

MOST_STANDING = 12
"""Files that are looked into for a standing trial."""


def parts_beside(trial: Path) -> tuple[Path, ...]:
    """Return the forces and the EMG that belong to a file of markers alone, by the words in their names.

    `walk.trc`, or `markers_walk.trc`, has its forces in `walk_grf.mot` or `grf_walk.mot`; a document of external loads
    that names such a table comes in its place. One EMG in the folder, without the name of another trial, is its EMG.
    """
    if trial.suffix.lower() != ".trc":
        return ()
    about = _words(trial) - OF_MARKERS
    files = sorted(files_beside(trial))
    return (*_forces(files, about), *_emg(files, about))


def _forces(files: list[Path], about: frozenset[str]) -> tuple[Path, ...]:
    own = [file for file in files if _words(file) & OF_FORCES and _words(file) - OF_FORCES == about]
    documents = [file for file in own if file.suffix.lower() == ".xml" and LOADS.search(_text(file))]
    tables = [file for file in own if file.suffix.lower() in TABLES]
    if not documents and len(tables) == 1:
        documents = [
            file for file in files if file.suffix.lower() == ".xml" and tables[0].name in datafiles(file)
        ]
    for found in (documents, tables):
        if len(found) == 1:
            return tuple(found)
    return ()


def _emg(files: list[Path], about: frozenset[str]) -> tuple[Path, ...]:
    found = [
        file
        for file in files
        if file.suffix.lower() in TABLES and _words(file) & OF_EMG and _words(file) - OF_EMG <= about
    ]
    return tuple(found) if len(found) == 1 else ()


def tasks_beside(trial: Path) -> Path | None:
    """Return the one file with weights of markers for OpenSim's inverse kinematics; of several, the trial's own."""
    documents = (file for file in sorted(files_beside(trial)) if file.suffix.lower() == ".xml")
    found = [file for file in documents if TASKS.search(_text(file))]
    about = _words(trial) - OF_MARKERS
    own = [file for file in found if about <= _words(file)]
    for chosen in (found, own):
        if len(chosen) == 1:
            return chosen[0]
    return None


def standing_beside(trial: Path, recording: Recording) -> Path | None:
    """Return the standing trial of the same person in the same folder; None if there is none.

    It is called so, or as the trial is but for its number; it has most of the trial's markers, and they stand still. Of
    several the one whose name begins most like the trial's is taken.
    """
    if STANDING.search(trial.stem):
        return None
    stem = trial.stem.rstrip("0123456789")
    named = [
        file
        for file in sorted(files_beside(trial))
        if file.suffix.lower() in MARKERS
        and file != trial
        and (STANDING.search(file.stem) or file.stem.startswith(stem))
    ]
    named.sort(key=lambda file: (not STANDING.search(file.stem), -_alike(file.stem, trial.stem)))
    for file in named[:MOST_STANDING]:
        try:
            other = read(file)
        except SoftstrideError:
            continue
        if _same_person(recording, other) and _stands(other):
            return file
    return None


def _alike(one: str, two: str) -> int:
    """Return how many letters two names begin with alike."""
    same = [a == b for a, b in zip(one, two, strict=False)]
    return same.index(False) if False in same else len(same)


def _same_person(recording: Recording, other: Recording) -> bool:
    names = {each.subject.name for each in (recording, other) if each.subject.name}
    seen = set(recording.markers.labels)
    return len(names) < 2 and len(seen & set(other.markers.labels)) >= ENOUGH * len(seen)


def _stands(recording: Recording) -> bool:
    values = recording.markers.values
    seen = np.isfinite(values).all(axis=2).sum(axis=0) > 1
    if not seen.any():
        return False
    astray = np.sqrt(np.nanvar(values[:, seen], axis=0).sum(axis=1))
    return bool(np.median(astray) < STILL)


def model_beside(trial: Path, labels: Collection[str]) -> tuple[Path, Model] | None:
    """Return the model in the same folder whose markers the trial has; None if there is none.

    Raises:
        InputError: Several have.
    """
    found = []
    for file in model_files(trial):
        try:
            model = load_model(file)
        except SoftstrideError:
            continue
        seen = set(labels) & set(model.markers)
        if len(seen) >= max(ENOUGH * len(model.markers), FEWEST):
            found.append((file, model))
    if len(found) > 1:
        names = ", ".join(file.name for file, _ in found)
        raise InputError(
            f"{trial}: several models beside it have its markers, {names}: say which with --model"
        )
    return found[0] if found else None


def model_files(trial: Path) -> list[Path]:
    """Return the files beside a trial that may be its model."""
    return [file for file in sorted(files_beside(trial)) if file.suffix.lower() in MODELS]


def standing_files(trial: Path) -> list[Path]:
    """Return the files beside a trial that are called standing trials."""
    files = sorted(files_beside(trial))
    return [
        file
        for file in files
        if file.suffix.lower() in MARKERS and STANDING.search(file.stem) and file != trial
    ]


def datafiles(document: Path) -> frozenset[str]:
    """Return the names of the tables that a document of external loads speaks of, without their folders."""
    return frozenset(re.split(r"[/\\]", name)[-1] for name in DATAFILE.findall(_text(document)))


def files_beside(trial: Path) -> Iterator[Path]:
    """Yield the files in the folder of a trial; none where it cannot be listed."""
    try:
        yield from [
            file for file in trial.parent.iterdir() if not file.name.startswith(".") and file.is_file()
        ]
    except OSError:
        return


def _words(file: Path) -> frozenset[str]:
    return frozenset(word for word in re.split(r"[\W_]+", file.stem.lower()) if word)


def _text(file: Path) -> str:
    try:
        return read_bytes(file, LARGEST, "a document").decode(errors="replace")
    except CaptureError:
        return ""

"""`read`: the files of one trial become one `Recording`."""

from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from softstride import files
from softstride.capture.axes import DIRECTIONS, find_axes, make_axes
from softstride.capture.c3d import decode_c3d
from softstride.capture.from_c3d import recording_from_c3d
from softstride.capture.from_text import (
    recording_from_anc,
    recording_from_csv,
    recording_from_external_loads,
    recording_from_storage,
    recording_from_trc,
)
from softstride.capture.plates import PlateZero, assign_feet, plate_force
from softstride.capture.plates.zero import check_zero
from softstride.capture.recording import Axes, Recording
from softstride.capture.series import Floats, turned
from softstride.capture.text import (
    LoadEntry,
    StorageFile,
    parse_anc,
    parse_csv,
    parse_external_loads,
    parse_storage,
    parse_trc,
    resolve_datafile,
)
from softstride.errors import CaptureError, InputError
from softstride.files import PathLike
from softstride.notes import Note

MAX_BYTES = (
    2**29
)  # half an hour of 100 markers and 64 channels; reading takes about eight times as much memory
SUFFIXES = (".c3d", ".trc", ".mot", ".sto", ".csv", ".txt", ".anc", ".xml")


def read(
    path: PathLike,
    *more: PathLike,
    axes: str | Axes = "auto",
    plate_threshold: float = 20.0,
    plate_zero: PlateZero = None,
    max_bytes: int = MAX_BYTES,
) -> Recording:
    """Read the files of one trial.

    C3D files hold everything; text files hold a part each, so several may be given:

        read("walk.c3d")
        read("walk.trc", "walk_grf.xml", "walk_emg.sto")

    Everything is converted to SI units and to x forward, y up, z right. C3D files are turned so that the subject
    walks or faces along x. Text files are written for OpenSim, whose axes are the world's: they are turned only if
    head and feet, or the load, show that another axis than y is up. `Recording.notes` says what was decided.

    Args:
        path: A .c3d, .trc, .mot, .sto, .csv, .txt, .anc or external-loads .xml file.
        more: Other files of the same trial.
        axes: "auto"; "lab" to turn nothing; or the `Axes` of another recording of the same laboratory.
        plate_threshold: Below this normal force [N] a plate counts as unloaded: its force is set to zero and it
            has no centre of pressure. `Recording.plates` keeps the whole wrench.
        plate_zero: None takes the plates as they are; "file" subtracts the mean over the frames that
            FORCE_PLATFORM:ZERO names; "unloaded" that of the frames without load; (t0, t1) that of a window [s].
        max_bytes: Files larger than this are refused.

    Returns:
        The recording, with the foot on each plate where geometry leaves no doubt.

    Raises:
        CaptureError: A file is missing, too large, or not what it claims to be.
        InputError: An option that does not exist, or files that do not make one trial.
    """
    if not (isinstance(axes, Axes) or (isinstance(axes, str) and axes in ("auto", "lab"))):
        raise InputError(f"axes must be 'auto', 'lab' or Axes, not {axes!r}")
    if not (isinstance(plate_threshold, (int, float)) and plate_threshold >= 0.0):
        raise InputError(f"plate_threshold must be a force of at least 0 N, not {plate_threshold!r}")
    if not isinstance(max_bytes, int):
        raise InputError(f"max_bytes must be a whole number, not {max_bytes!r}")
    check_zero(plate_zero)
    parts = [_read_one(_as_path(file), plate_zero, max_bytes) for file in (path, *more)]
    in_lab = any(part.parameters for part in parts)
    recording = reduce(_join, [_turn(part, axes, in_lab) for part in parts])
    forces = tuple(plate_force(plate, threshold=plate_threshold) for plate in recording.plates)
    if forces:
        said = f"plates: below {plate_threshold:g} N across the surface a plate counts as unloaded; " + (
            "not zeroed" if plate_zero is None else f"zeroed with {plate_zero!r}"
        )
        values = {"threshold_N": plate_threshold}
        recording = recording.noted(Note("plates.threshold", said, topic="plates", values=values))
    return _step_on(recording.replace(forces=(*forces, *recording.forces)))


def _as_path(file: PathLike) -> Path:
    try:
        return Path(file)
    except TypeError:
        raise InputError(f"a file must be given by its name, not as {file!r}") from None


def _read_one(path: Path, zero: PlateZero, max_bytes: int) -> Recording:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise CaptureError(
            path, "suffix", f"{suffix or 'none'} is not one of {', '.join(SUFFIXES)}", "convert the file"
        )
    data = read_bytes(path, max_bytes)
    name = str(path)
    if suffix == ".c3d":
        return recording_from_c3d(decode_c3d(data, name), path, zero)
    if suffix == ".trc":
        return recording_from_trc(parse_trc(data, name), path)
    if suffix in (".mot", ".sto"):
        return recording_from_storage(parse_storage(data, name), path)
    if suffix == ".anc":
        return recording_from_anc(parse_anc(data, name), path)
    if suffix == ".xml":
        return _read_external_loads(data, path, max_bytes)
    return recording_from_csv(parse_csv(data, name), path)


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return a whole file, unless it is missing, empty or too large.

    Raises:
        CaptureError: It is.
    """
    data = files.read_bytes(path, max_bytes, "a recording", "pass a larger max_bytes")
    if not data:
        raise CaptureError(path, "file", "is empty", "export it again")
    return data


def _read_external_loads(data: bytes, path: Path, max_bytes: int) -> Recording:
    loads = parse_external_loads(data, str(path))
    opened: dict[Path, StorageFile] = {}

    def storage(entry: LoadEntry) -> tuple[Path, StorageFile]:
        source = resolve_datafile(path, loads.datafile or entry.data_source)
        if source not in opened:
            opened[source] = parse_storage(read_bytes(source, max_bytes), str(source))
        return source, opened[source]

    return recording_from_external_loads(loads, path, storage)


def _join(first: Recording, second: Recording) -> Recording:
    """Return two parts of one trial as one recording."""
    changes: dict[str, Any] = {}
    for part in ("markers", "analog", "emg", "table", "outputs", "plates", "forces", "parameters"):
        ours, theirs = getattr(first, part), getattr(second, part)
        if ours and theirs:
            raise InputError(
                f"{first.files[0]} and {second.files[0]} both hold {part}; read them as two recordings"
            )
        changes[part] = ours or theirs
    if (first.plates and second.forces) or (first.forces and second.plates):
        raise InputError(
            f"{first.files[0]} and {second.files[0]} both hold forces; read them as two recordings"
        )
    ours, theirs = first.span, second.span
    if ours and theirs and (ours[1] < theirs[0] or theirs[1] < ours[0]):
        when = [
            f"{part.files[0]} lasts from {a:g} to {b:g} s"
            for part, (a, b) in ((first, ours), (second, theirs))
        ]
        said = f"time: {' and '.join(when)}: they have no instant in common"
        changes["notes"] = (Note("time.nothing-in-common", said, "warning", "time"),)
    changes["axes"] = (
        second.axes if second.parameters or (second.markers and not first.parameters) else first.axes
    )
    changes["files"] = (*first.files, *second.files)
    changes["events"] = (*first.events, *second.events)
    changes["notes"] = (*first.notes, *second.notes, *changes.get("notes", ()))
    changes["subject"] = first.subject if first.subject.name or first.subject.mass else second.subject
    return first.replace(**changes)


def _turn(recording: Recording, axes: str | Axes, in_lab: bool) -> Recording:
    """Turn one part from its own axes to the world's: those given by the caller are a laboratory's, if there is one."""
    notes: tuple[Note, ...]
    if isinstance(axes, Axes) and (recording.parameters or not in_lab):
        chosen, notes = axes, (_axes_note("given", f"given by the caller: {axes.reason}", axes),)
    elif axes == "lab":
        found, _ = _find_axes(recording)
        chosen = Axes(up=found.up, forward=found.forward, reason="kept as in the file, as asked")
        notes = (_axes_note("kept", chosen.reason, chosen),)
    else:
        chosen, notes = _find_axes(recording)
    if (chosen.rotation == np.eye(3)).all():
        return recording.replace(axes=chosen, notes=(*recording.notes, *notes))
    return recording.replace(
        markers=recording.markers.rotated(chosen.rotation),
        plates=tuple(plate.rotated(chosen.rotation) for plate in recording.plates),
        forces=tuple(force.rotated(chosen.rotation) for force in recording.forces),
        axes=chosen,
        notes=(*recording.notes, *notes),
    )


def _axes_note(what: str, said: str, axes: Axes) -> Note:
    return Note(f"axes.{what}", f"axes: {said}", topic="axes", names=(axes.up, axes.forward))


def _find_axes(recording: Recording) -> tuple[Axes, tuple[Note, ...]]:
    lab = bool(recording.parameters)  # a C3D file is in the axes of a laboratory, text in those of OpenSim
    if not (recording.markers or recording.plates or recording.forces):
        return Axes(), ()
    point = recording.parameters.get("POINT", {})
    screen = tuple(
        next(iter(point[name].strings()), "") if name in point and point[name].kind == -1 else ""
        for name in ("X_SCREEN", "Y_SCREEN")
    )
    found, notes = find_axes(
        recording.markers,
        recording.plates,
        _load(recording),
        screen=(screen[0], screen[1]),
        default_up="+Z" if lab else "+Y",
    )
    if lab:
        return found, (*notes, _axes_note("found", found.reason, found))
    if found.up == "+Y":
        aside = _axes_note("not-turned", f"the subject's forward is {found.forward}; not turned", found)
        facing = () if found.forward == "+X" else (aside,)
        return Axes(reason="OpenSim's, which are the world's"), (*notes, *facing)
    upright = make_axes(found.up, "+X" if found.up[1] != "X" else "+Y", f"{found.up} is up, heading kept")
    said = f"not OpenSim's, turned upright, heading kept: {found.reason}"
    return upright, (*notes, _axes_note("turned-upright", said, found))


def _load(recording: Recording) -> Floats:
    loads = [plate.wrench[:, 3:] for plate in recording.plates]
    loads += [force.force for force in recording.forces if force.force_in == "ground"]
    total = np.zeros(3)
    for load in loads:
        size = np.nan_to_num(np.linalg.norm(load, axis=1, keepdims=True))
        total += np.nan_to_num(load * size).sum(axis=0) / max(
            float(size.sum()), 1.0
        )  # a drifting zero weighs little
    return total


def _step_on(recording: Recording) -> Recording:
    """Find the foot on each plate."""
    if not recording.forces or not recording.markers:
        return recording
    up = turned(DIRECTIONS[recording.axes.up], recording.axes.rotation)  # y, unless the axes were kept
    forces, notes = assign_feet(recording.forces, recording.plates, recording.markers, up=up)
    return recording.replace(forces=forces).noted(*notes)

"""`write`: a `Recording` as a file, whole or not at all, and never over another one unasked."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from softstride.capture.c3d import encode_c3d
from softstride.capture.force import ExternalForce
from softstride.capture.recording import Recording
from softstride.capture.series import Channels, Floats
from softstride.capture.text import StorageFile, TrcFile, format_storage, format_trc
from softstride.capture.to_c3d import c3d_from_recording
from softstride.errors import CaptureError, InputError
from softstride.files import write_whole
from softstride.notes import Note, Notes

SUFFIXES = (".c3d", ".trc", ".mot", ".sto")
PARTS = ("forces", "table", "emg", "analog")


def write(
    recording: Recording, path: str | Path, *, what: str | None = None, overwrite: bool = False
) -> tuple[Note, ...]:
    """Write a recording; the suffix chooses the format.

    - .c3d: markers, computed series, analog channels, plates, events and all parameters, in the lab axes that the
      recording came in, as 32-bit floats.
    - .trc: the markers, in metres and world axes, as text that reads back exactly.
    - .mot, .sto: one of forces, table, EMG and analog channels, in OpenSim's layout, as text that reads back exactly.

    Args:
        recording: What to write.
        path: Where to; its folder must exist.
        what: For .mot and .sto, which part: "forces", "table", "emg" or "analog"; by default the first of
            these that the recording has.
        overwrite: Whether an existing file may be replaced.

    Returns:
        Notes on what the format could not hold, empty if it holds everything.

    Raises:
        CaptureError: The file exists, cannot be written, or the format cannot hold the recording at all.
        InputError: Unknown part.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix == ".c3d":
        file, notes = c3d_from_recording(recording, str(target))
        data = encode_c3d(file, str(target))
    elif suffix == ".trc":
        data, notes = _trc(recording, target)
    elif suffix in (".mot", ".sto"):
        data, notes = _storage(recording, target, what)
    else:
        raise CaptureError(
            target, "suffix", f"{suffix or 'none'} is not one of {', '.join(SUFFIXES)}", "choose one of them"
        )
    write_whole(target, data, overwrite=overwrite)
    return notes


def _trc(recording: Recording, path: Path) -> tuple[bytes, tuple[Note, ...]]:
    markers = recording.markers
    if not markers:
        raise CaptureError(path, "markers", "the recording has none", "write it as .mot or .c3d")
    known = np.isfinite(markers.rate)
    rate = markers.rate if known else 100.0
    file = TrcFile(
        labels=markers.labels,
        time=markers.time,
        positions=markers.values,
        units="m",
        rate=float(f"{rate:.9g}"),
    )
    held = {
        "computed series": recording.outputs,
        "analog channels": recording.analog,
        "forces": recording.forces,
    }
    held |= {"EMG": recording.emg, "events": recording.events, "the table": recording.table}
    lost = [name for name, part in held.items() if part]
    notes = Notes()
    if lost:
        said = f"TRC holds markers only; not written: {', '.join(lost)}"
        notes.add("trc.not-written", said, topic="trc", names=lost)
    if not known:
        said = "one frame has no rate: 100 Hz is written"
        notes.add("trc.rate-made-up", said, topic="trc", values={"rate_Hz": 100.0})
    return format_trc(file, path=str(path)), tuple(notes)


def _storage(recording: Recording, path: Path, what: str | None) -> tuple[bytes, tuple[Note, ...]]:
    if what is not None and what not in PARTS:
        raise InputError(f"what must be one of {', '.join(PARTS)}, not {what!r}")
    present = [part for part in PARTS if getattr(recording, part)]
    part = what or next(iter(present), None)
    if part is None or part not in present:
        raise CaptureError(
            path, part or "data", "the recording has none", f"it has: {', '.join(present) or 'markers'}"
        )
    notes = Notes()
    for name in present:
        if name != part:
            said = f"one table holds one part; not written: {name}"
            notes.add("storage.not-written", said, topic="storage", names=(name,))
    if part == "forces":
        columns, time, values = _force_table(recording.forces, path)
        inside = [force.name for force in recording.forces if {force.force_in, force.point_in} != {"ground"}]
        if inside:
            said = f"a table does not say in which body's axes a force is given: {', '.join(inside)}"
            notes.add("storage.axes-lost", said, severity="warning", topic="storage", names=inside)
        in_degrees: bool | None = False
    else:
        channels: Channels = getattr(recording, part)
        columns, time, values = channels.labels, channels.time, channels.values
        in_degrees = channels.in_degrees
    file = StorageFile(name=recording.name, columns=columns, time=time, values=values, in_degrees=in_degrees)
    return format_storage(file, path=str(path)), tuple(notes)


def force_keys(forces: Sequence[ExternalForce]) -> tuple[str, ...]:
    """Return what stands for each force in the names of its columns: "r" or "l" where it alone has that side.

    Others go by their number, from 1: `ground_force_r_vx`, `ground_force_3_vx`.
    """
    sides = [force.side for force in forces]
    return tuple(
        side[0] if side is not None and sides.count(side) == 1 else str(number)
        for number, side in enumerate(sides, 1)
    )


def _force_table(forces: tuple[ExternalForce, ...], path: Path) -> tuple[tuple[str, ...], Floats, Floats]:
    """Columns as OpenSim's examples name them; where nothing pushes, the point is written as zero."""
    time = forces[0].time
    for force in forces[1:]:
        if not np.array_equal(force.time, time):
            raise CaptureError(
                path, force.name, "was sampled at other times than the first force", "write them apart"
            )
    columns: list[str] = []
    for key in force_keys(forces):
        columns += [f"ground_force_{key}_v{axis}" for axis in "xyz"]
        columns += [f"ground_force_{key}_p{axis}" for axis in "xyz"]
        columns += [f"ground_torque_{key}_{axis}" for axis in "xyz"]
    values = [
        np.concatenate(
            [f.force, np.where((f.loaded | f.moment.any(axis=1))[:, None], f.point, 0.0), f.moment], axis=1
        )
        for f in forces
    ]
    return tuple(columns), time, np.concatenate(values, axis=1)

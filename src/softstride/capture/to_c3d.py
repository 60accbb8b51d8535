"""A `Recording` as a C3D file: back in the axes, units and parameters that it came with."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from softstride import __version__
from softstride.capture.c3d import LISTS, C3DFile, Parameter, number_parameter, text_parameter, texts_of
from softstride.capture.from_c3d import KINDS
from softstride.capture.recording import Event, Recording
from softstride.capture.series import Floats, turned
from softstride.capture.units import LENGTH, Unit, read_unit
from softstride.errors import CaptureError
from softstride.notes import Note, Notes

WORDS = {"strike": "Foot Strike", "off": "Foot Off"}
INTEGER: Literal[2] = 2  # kind of parameter
MOST = 255  # entries of one list; more are continued in LABELS2 and so on


def c3d_from_recording(recording: Recording, path: str) -> tuple[C3DFile, tuple[Note, ...]]:
    """Return the C3D file of a recording, and what the format cannot hold of it.

    Positions go back to lab axes by the transposed rotation of `Recording.axes`, computed series back to the units that
    the file's own parameters name (millimetres, degrees, newtons, newton millimetres and watts without any). Frames
    are numbered from the clock: first frame = 1 + start * rate.

    Args:
        recording: What to write.
        path: Named in errors.

    Raises:
        CaptureError: Neither markers nor analog channels, frames that are not evenly spaced, or analog samples that
            do not divide evenly into frames.
    """
    time, rate = _frames(recording, path)
    points, residuals, cameras, labels = _points(recording, len(time))
    analog, analog_rate = _analog(recording, len(time), rate, path)
    file = C3DFile(
        processor="intel",
        storage="real",
        first_frame=1 + round(float(time[0]) * rate),
        rate=rate,
        groups=_groups(recording),
        point_labels=labels,
        point_descriptions=_descriptions(recording, labels),
        point_units=_length_unit(recording)[0],
        points=points,
        residuals=residuals,
        cameras=cameras,
        analog=analog,
        analog_labels=recording.analog.labels,
        analog_units=recording.analog.units,
        analog_rate=analog_rate,
    )
    return file, _lost(recording)


def _lost(recording: Recording) -> tuple[Note, ...]:
    plates = {plate.name for plate in recording.plates}
    lost = Notes()
    loose = [force.name for force in recording.forces if force.plate not in plates]
    if loose:
        said = f"forces without a plate are not written (C3D holds channels of plates): {', '.join(loose)}"
        lost.add("c3d.forces-not-written", said, topic="c3d", names=loose)
    if recording.table:
        lost.add("c3d.table-not-written", "the table is not written: C3D has no place for it", topic="c3d")
    missing = [label for label in recording.emg.labels if label not in recording.analog.labels]
    if missing:
        said = "EMG that is not among the analog channels is not written"
        lost.add("c3d.emg-not-written", said, topic="c3d", names=missing)
    raw = set(recording.emg.labels) & set(recording.analog.labels)
    processed = [x for x in sorted(raw) if not np.array_equal(recording.emg[x], recording.analog[x])]
    if processed:
        said = "processed EMG is not written: the raw channels of the same names are"
        lost.add("c3d.processed-emg-not-written", said, topic="c3d", names=processed)
    zeroed = [plate.name for plate in recording.plates if plate.offset.any()]
    if zeroed:
        said = "the channels of plates are written as measured, before zeroing: zero them again when reading"
        lost.add("c3d.plates-before-zeroing", said, topic="c3d", names=zeroed)
    if recording.markers.filled.any():
        said = "filled markers are written like measured ones, with a residual of zero"
        lost.add("c3d.filled-as-measured", said, topic="c3d")
    return tuple(lost)


def _frames(recording: Recording, path: str) -> tuple[Floats, float]:
    time = recording.markers.time
    if not len(time):
        time = next((part.time for part in recording.outputs.values()), recording.analog.time)
    if not len(time):
        raise CaptureError(
            path, "frames", "the recording has neither markers nor analog channels", "write it as .mot"
        )
    if not np.isfinite(time).all():
        raise CaptureError(path, "time", "holds instants that are no numbers", "give every frame its time")
    rate = float((len(time) - 1) / (time[-1] - time[0])) if len(time) > 1 and time[-1] > time[0] else 100.0
    steps = np.diff(time) * rate
    if len(steps) and np.abs(steps - 1.0).max() > 0.01:
        k = int(np.abs(steps - 1.0).argmax())
        raise CaptureError(
            path,
            f"frame {k + 1}",
            f"frames are not evenly spaced: {steps[k]:.3g} of a step",
            "resample the recording first",
        )
    return time, float(f"{rate:.7g}")  # the format has seven digits


def _points(
    recording: Recording, n_frames: int
) -> tuple[Floats, Floats, np.ndarray[tuple[int, int], np.dtype[np.uint8]], tuple[str, ...]]:
    markers = recording.markers
    per_metre = _length_unit(recording)[1].per_si
    positions = turned(markers.values, recording.axes.rotation.T) * per_metre
    measured = (
        np.zeros(markers.values.shape[:2]) if markers.residuals is None else markers.residuals * per_metre
    )
    seen_by = (
        np.zeros(markers.values.shape[:2], dtype=np.uint8) if markers.cameras is None else markers.cameras
    )
    values, residuals, cameras = [positions], [measured], [seen_by]
    labels = list(markers.labels)
    point = recording.parameters.get("POINT", {})
    for kind, part in recording.outputs.items():
        unit_name, table, fallback, _ = KINDS[kind]
        unit = read_unit(next(iter(texts_of(point, unit_name)), fallback), table) or Unit(1.0)
        values.append(part.values * unit.per_si)
        residuals.append(np.zeros(part.values.shape[:2]))
        cameras.append(np.zeros(part.values.shape[:2], dtype=np.uint8))
        labels += part.labels
    if not labels:
        return (
            np.zeros((n_frames, 0, 3)),
            np.zeros((n_frames, 0)),
            np.zeros((n_frames, 0), dtype=np.uint8),
            (),
        )
    present = [i for i, part in enumerate(values) if part.shape[1]]
    points = np.concatenate([values[i] for i in present], axis=1)
    residual = np.concatenate([residuals[i] for i in present], axis=1)
    residual[np.isnan(points).any(axis=2)] = np.nan
    return points, residual, np.concatenate([cameras[i] for i in present], axis=1), tuple(labels)


def _length_unit(recording: Recording) -> tuple[str, Unit]:
    """The unit that the file came with, if it is known; millimetres otherwise."""
    point = recording.parameters.get("POINT", {})
    word = next(iter(texts_of(point, "UNITS")), "")
    unit = read_unit(word, LENGTH)
    return (word, unit) if unit is not None else ("mm", Unit(1000.0))


def _analog(recording: Recording, n_frames: int, rate: float, path: str) -> tuple[Floats, float]:
    analog = recording.analog
    if not analog:
        return np.zeros((0, 0)), 0.0
    per_frame, rest = divmod(len(analog), n_frames)
    if rest or per_frame == 0:
        raise CaptureError(
            path,
            "analog",
            f"{len(analog)} samples do not divide evenly into {n_frames} frames",
            "resample the analog channels to a multiple of the frame rate",
        )
    return analog.values, per_frame * rate


def _descriptions(recording: Recording, labels: tuple[str, ...]) -> tuple[str, ...]:
    point = recording.parameters.get("POINT", {})
    known = dict(zip(texts_of(point, "LABELS"), texts_of(point, "DESCRIPTIONS"), strict=False))
    return tuple(known.get(label, "") for label in labels)


def _groups(recording: Recording) -> dict[str, dict[str, Parameter]]:
    """The parameters that the file came with, brought up to date."""
    groups = {name: dict(group) for name, group in recording.parameters.items()}
    point = groups.setdefault("POINT", {})
    if not recording.parameters:
        point["X_SCREEN"] = text_parameter("X_SCREEN", recording.axes.forward)
        point["Y_SCREEN"] = text_parameter("Y_SCREEN", recording.axes.up)
        for kind, part in recording.outputs.items():
            unit_name, _, fallback, _ = KINDS[kind]
            point[LISTS[kind]] = text_parameter(LISTS[kind], part.labels)
            point[unit_name] = text_parameter(unit_name, fallback)
        groups["MANUFACTURER"] = {"SOFTWARE": text_parameter("SOFTWARE", f"softstride {__version__}")}
        groups |= _subject(recording)
    if "FORCE_PLATFORM" in groups:
        groups["FORCE_PLATFORM"] = _plates(recording, groups["FORCE_PLATFORM"])
    groups.update(_events(recording.events, groups.get("EVENT", {})))
    return groups


def _plates(recording: Recording, group: dict[str, Parameter]) -> dict[str, Parameter]:
    """Corners and origins in the unit that is written, if the file named another than it held."""
    corners = group.get("CORNERS")
    if corners is None or corners.is_text or not recording.plates or corners.numbers().ndim != 3:
        return group
    number = int(recording.plates[0].name.rpartition(" ")[2]) - 1
    if not 0 <= number < len(corners.numbers()):
        return group
    held = float(np.ptp(corners.numbers()[number], axis=0).max())
    true = float(np.ptp(turned(recording.plates[0].corners, recording.axes.rotation.T), axis=0).max())
    factor = _length_unit(recording)[1].per_si * true / held if held > 0.0 else 1.0
    if abs(factor - 1.0) < 0.01:
        return group
    lengths = {name: p for name, p in group.items() if name in ("CORNERS", "ORIGIN") and not p.is_text}
    return group | {name: number_parameter(name, factor * p.numbers()) for name, p in lengths.items()}


def _subject(recording: Recording) -> dict[str, dict[str, Parameter]]:
    subject = recording.subject
    groups: dict[str, dict[str, Parameter]] = {}
    if subject.name:
        groups["SUBJECTS"] = {
            "USED": number_parameter("USED", 1, INTEGER),
            "NAMES": text_parameter("NAMES", (subject.name,)),
        }
    measures = {
        name: value for name, value in (("BODYMASS", subject.mass), ("HEIGHT", subject.height)) if value
    }
    if measures:
        groups["PROCESSING"] = {name: number_parameter(name, value) for name, value in measures.items()}
    return groups


def _events(events: tuple[Event, ...], before: Mapping[str, Parameter]) -> dict[str, dict[str, Parameter]]:
    if not events:
        return {}
    times = np.array([divmod(event.time, 60.0) for event in events])
    group = {
        name: p
        for name, p in before.items()
        if name in ("DESCRIPTIONS", "SUBJECTS", "ICON_IDS", "GENERIC_FLAGS")
    }
    if len(texts_of(before, "LABELS")) != len(events):
        group = {}  # lists beside the events, which no longer fit them
    contexts = tuple({"left": "Left", "right": "Right", None: "General"}[event.side] for event in events)
    labels = tuple(WORDS.get(event.label, event.label) for event in events)
    group["USED"] = number_parameter("USED", len(events), INTEGER)
    for part, start in enumerate(range(0, len(events), MOST)):
        rows, suffix = slice(start, start + MOST), str(part + 1) if part else ""
        group["CONTEXTS" + suffix] = text_parameter("CONTEXTS" + suffix, contexts[rows])
        group["LABELS" + suffix] = text_parameter("LABELS" + suffix, labels[rows])
        group["TIMES" + suffix] = number_parameter("TIMES" + suffix, times[rows])
    return {"EVENT": group}

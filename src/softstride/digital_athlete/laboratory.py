"""The recording that a laboratory would have made of the athlete: markers at 200 Hz, force plates and EMG at 1000 Hz.

Each foot strike has a plate of its own. Markers may carry noise and the artefact of soft tissue, plates noise; both
come from seeded draws, so that a trial is the same at every load, and can be switched off.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softstride.capture.c3d import Parameter, number_parameter, text_parameter
from softstride.capture.reading import read
from softstride.capture.recording import Event, Recording, Subject
from softstride.capture.series import Channels, Points
from softstride.digital_athlete.emg import ELECTRODES, synthesise_emg
from softstride.digital_athlete.foundation import FEET, elements, press
from softstride.digital_athlete.soft_tissue import soft_tissue
from softstride.digital_athlete.truth import RATE, AthleteTruth
from softstride.engine.kinematics import positions
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

PLATE_RATE = 1000.0
MARKER_NOISE = 1e-3
"""Standard deviation along each axis [m], white."""

FORCE_NOISE, MOMENT_NOISE = 1.5, 0.3
"""Standard deviation of the channels of a plate [N], [N·m], white."""

SEEDS = {"running": 61, "walking": 62}
LENGTH, WIDTH = 0.60, 0.60
"""Of a plate [m]."""

TOUCH = 60.0
"""Vertical force that makes a touch a strike [N]."""

SENSORS = 0.04
"""Depth of the sensors under the surface [m]."""

TO_PLATE = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Plate axes as rows in world axes: x forward, y right, z down."""


def record(truth: AthleteTruth, name: str, *, noise: bool = True, artefact: bool = True) -> Recording:
    """Return the recording of a trial, as read back from a C3D file.

    Args:
        truth: What happened.
        name: Of the trial.
        noise: Whether markers and plates are noisy, and EMG is noise.
        artefact: Whether skin moves over bone.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.c3d"
        synthesise(truth, name, noise=noise, artefact=artefact).save(path)
        return read(path)


def synthesise(truth: AthleteTruth, name: str, *, noise: bool = True, artefact: bool = True) -> Recording:
    """Return the recording as it is written: markers, channels of plates and their parameters, EMG, events.

    There is no EMG while activations have not been chosen.
    """
    draw = np.random.default_rng(SEEDS.get(name, 60))
    labels = tuple(truth.model.markers)
    markers = positions(truth.model, truth.q, labels)
    if artefact:
        markers = markers + soft_tissue(truth)
    if noise:
        markers = markers + MARKER_NOISE * draw.standard_normal(markers.shape)
    time = np.arange(round(PLATE_RATE / RATE) * len(truth.time)) / PLATE_RATE
    plates = strike_plates(truth, time)
    channels = np.concatenate([wrench for _, wrench, _ in plates], axis=1)
    if noise:
        sizes = np.tile(np.repeat([FORCE_NOISE, 1e3 * MOMENT_NOISE], 3), len(plates))
        channels = channels + sizes * draw.standard_normal(channels.shape)
    names = tuple(
        f"{axis}{i}" for i in range(1, len(plates) + 1) for axis in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
    )
    units = ("N", "N", "N", "Nmm", "Nmm", "Nmm") * len(plates)
    if np.isfinite(truth.activation).all():
        emg = synthesise_emg(truth.excitation, truth.muscle_names, RATE, name, noise=noise)
        channels = np.concatenate([channels, emg], axis=1)
        names, units = (*names, *ELECTRODES.values()), (*units, *("V",) * len(ELECTRODES))
    return Recording(
        name,
        markers=Points(truth.time, labels, markers),
        analog=Channels(time, names, channels, units),
        events=tuple(event for _, _, events in plates for event in events),
        subject=Subject(name="digital athlete", mass=truth.model.mass),
        parameters=_parameters(np.array([corners for corners, _, _ in plates]), truth.model.mass),
    )


def strike_plates(truth: AthleteTruth, time: Array) -> list[tuple[Array, Array, tuple[Event, ...]]]:
    """Return for each foot strike a plate under it: corners (4, 3) [m], channels (n, 6) [N] and [N·mm], events.

    Forces are those of the elements at the instants of the plates, between the frames of the markers too; what comes
    after the last frame repeats it.
    """
    q, v, _ = truth.curve.at(np.minimum(time, truth.time[-1]))
    pressing = press(q, v)
    feet = elements().foot
    found = []
    for foot, side in enumerate(FEET):
        force = pressing.force[:, feet == foot]
        total = force.sum(axis=1)
        moment = cross(pressing.position[:, feet == foot], force).sum(axis=1)
        for (start, end), rows in _strikes(total[:, 1]):
            weight = total[rows, 1].sum()
            centre = np.array([moment[rows, 2].sum() / weight, 0.0, -moment[rows, 0].sum() / weight]).round(2)
            events = (Event("strike", float(time[start]), side), Event("off", float(time[end - 1]), side))
            kept = events[int(start == 0) : 2 - int(end == len(time))]
            found.append((start, _corners(centre), _channels(total, moment, centre, rows), kept))
    return [entry[1:] for entry in sorted(found, key=lambda entry: entry[0])]


def _strikes(vertical: Array) -> list[tuple[tuple[int, int], NDArray[np.intp]]]:
    """Return first sample and end of every strike of a foot, and all samples that its plate takes.

    A touch that stays below `TOUCH`, such as a toe that brushes the ground in swing, belongs to the strike next to it.
    """
    on = np.concatenate([[0], (vertical > 0.0).astype(int), [0]])
    starts, ends = np.flatnonzero(np.diff(on) == 1).tolist(), np.flatnonzero(np.diff(on) == -1).tolist()
    spans: list[tuple[int, int]] = list(zip(starts, ends, strict=True))
    strikes = [span for span in spans if vertical[span[0] : span[1]].max() > TOUCH]
    if not strikes:
        return []
    rows: list[list[int]] = [[] for _ in strikes]
    for start, end in spans:
        gaps = [max(first - end, start - last, 0) for first, last in strikes]
        rows[int(np.argmin(gaps))] += range(start, end)
    return [(span, np.array(own, dtype=np.intp)) for span, own in zip(strikes, rows, strict=True)]


def _corners(centre: Array) -> Array:
    signs = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    half = 0.5 * np.column_stack([LENGTH * signs[:, 0], np.zeros(4), WIDTH * signs[:, 1]])
    return np.asarray(centre + half)


def _channels(force: Array, moment: Array, centre: Array, rows: NDArray[np.intp]) -> Array:
    """Return Fx, Fy, Fz, Mx, My, Mz about the sensors, in plate axes, of the force on the subject; zero elsewhere."""
    sensors = centre - np.array([0.0, SENSORS, 0.0])
    out = np.zeros((len(force), 6))
    out[rows, :3] = force[rows] @ TO_PLATE.T
    out[rows, 3:] = (
        1e3 * (moment[rows] - cross(np.broadcast_to(sensors, force[rows].shape), force[rows])) @ TO_PLATE.T
    )
    return out


def _parameters(corners: Array, mass: float) -> dict[str, dict[str, Parameter]]:
    """Return the groups of a C3D file with plates of type 2, in millimetres."""
    count = len(corners)
    numbers = np.arange(1, 6 * count + 1).reshape(count, 6)
    platform = {
        "USED": number_parameter("USED", count, 2),
        "TYPE": number_parameter("TYPE", np.full(count, 2), 2),
        "ZERO": number_parameter("ZERO", np.zeros(2), 2),
        "CORNERS": number_parameter("CORNERS", 1e3 * corners),
        "ORIGIN": number_parameter("ORIGIN", np.tile([0.0, 0.0, -1e3 * SENSORS], (count, 1))),
        "CHANNEL": number_parameter("CHANNEL", numbers, 2),
    }
    point = {
        "UNITS": text_parameter("UNITS", "mm"),
        "X_SCREEN": text_parameter("X_SCREEN", "+X"),
        "Y_SCREEN": text_parameter("Y_SCREEN", "+Y"),
    }
    subjects = {
        "USED": number_parameter("USED", 1, 2),
        "NAMES": text_parameter("NAMES", ("digital athlete",)),
    }
    return {
        "POINT": point,
        "FORCE_PLATFORM": platform,
        "SUBJECTS": subjects,
        "PROCESSING": {"BODYMASS": number_parameter("BODYMASS", mass)},
    }


__all__ = ["PLATE_RATE", "record", "strike_plates", "synthesise"]

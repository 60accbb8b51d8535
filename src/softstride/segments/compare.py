"""A study beside what another model wrote into the same file: Plug-in Gait's angles, moments and powers.

Plug-in Gait gives joint moments in the axes of the *distal* segment, per kilogram, acting as muscles would (extension
of hip and knee, plantarflexion and abduction positive), and powers per kilogram. Here its channels are compared with
the same: moments of a study turned into the orthonormal axes of the distal segment. Its frontal and transverse channels
of the ankle are about axes of a foot that has its long axis along the sole; they are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.capture.labels import subject_of
from softstride.capture.series import Points
from softstride.notes import Note
from softstride.segments.joints import Joint
from softstride.segments.study import SegmentStudy
from softstride.segments.triad import orthonormal_frame

Array = NDArray[np.float64]
Quantity = Literal["angle", "moment", "power"]

QUANTITIES: tuple[Quantity, ...] = ("angle", "moment", "power")
PLANES = ("sagittal", "frontal", "transverse")

# joint: how many planes, sign of our angles and of our moments (on the distal segment, right side) in Plug-in Gait's
SIGNS: dict[str, tuple[int, tuple[int, int, int], tuple[int, int, int]]] = {
    "hip": (3, (1, 1, 1), (-1, -1, -1)),
    "knee": (3, (-1, 1, 1), (1, -1, -1)),
    "ankle": (1, (1, 1, 1), (-1, -1, -1)),
}


@dataclass(frozen=True, eq=False, repr=False)
class ChannelComparison:
    """One channel of the file beside ours.

    Attributes:
        joint: "right knee", ...
        quantity: "angle", "moment" or "power".
        plane: "sagittal", "frontal" or "transverse"; "" for powers.
        channel: Label in the file.
        unit: Of both.
        own: Ours with the file's signs, shape (n,).
        file: The file's, shape (n,).
    """

    joint: str
    quantity: Quantity
    plane: str
    channel: str
    unit: str
    own: Array
    file: Array

    def __repr__(self) -> str:
        """Say what it is in one line."""
        what = f"{self.joint} {self.plane} {self.quantity}"
        return f"ChannelComparison({what}: r {self.r:.3f}, rmse {self.rmse:.3g} {self.unit})"

    @property
    def both(self) -> NDArray[np.bool_]:
        """Where both are known, shape (n,)."""
        return np.asarray(np.isfinite(self.own) & np.isfinite(self.file))

    @property
    def r(self) -> float:
        """Correlation over the frames in which both are known; NaN with fewer than three."""
        own, file = self.own[self.both], self.file[self.both]
        if len(own) < 3 or np.ptp(own) == 0.0 or np.ptp(file) == 0.0:
            return float("nan")
        return float(np.corrcoef(own, file)[0, 1])

    @property
    def rmse(self) -> float:
        """Root mean square difference, in `unit`."""
        gap = (self.own - self.file)[self.both]
        return float(np.sqrt(np.mean(gap**2))) if len(gap) else float("nan")

    @property
    def bias(self) -> float:
        """Mean of ours minus the file's, in `unit`."""
        gap = (self.own - self.file)[self.both]
        return float(gap.mean()) if len(gap) else float("nan")

    @property
    def extent(self) -> float:
        """Largest minus smallest value of the file where both are known, in `unit`."""
        file = self.file[self.both]
        return float(np.ptp(file)) if len(file) else float("nan")


def compare_with_file(study: SegmentStudy) -> tuple[ChannelComparison, ...]:
    """Return the channels that the file of a study already carries, beside the study's own.

    Channels of loads are per kilogram; where a file has them in full they are divided by the mass. Where the study has
    no loads, or the mass of the person is not known, they are left out; see `not_compared`.

    Returns:
        Nothing where the file has no such channels.
    """
    quantities: tuple[Quantity, ...] = ("angle",) if _no_loads(study) else QUANTITIES
    return tuple(
        c for joint in _joints(study) for quantity in quantities for c in _channel(study, joint, quantity)
    )


def not_compared(study: SegmentStudy) -> tuple[Note, ...]:
    """Return why channels of loads that the file of a study has are left out of a comparison."""
    reason = _no_loads(study)
    labels = [
        label
        for joint in _joints(study)
        for quantity in QUANTITIES[1:]
        if (
            label := _label(
                study.recording.outputs.get(quantity), _name(joint, quantity), study.options.subject
            )
        )
    ]
    if not reason or not labels:
        return ()
    words = f"file: {len(labels)} of its channels, from {labels[0]} on, are not compared: {reason}"
    return (Note("file.not-compared", words, topic="file", names=tuple(labels)),)


def guessed_units(study: SegmentStudy) -> tuple[Note, ...]:
    """Return which loads of the file were taken as per kilogram or in full by their size alone.

    Programs write moments per kilogram and name the unit of moments all the same. Where the unit of a file is not per
    kilogram by name, the reading is taken that is nearer to our own loads in size.
    """
    if _no_loads(study):
        return ()
    found = []
    for quantity in QUANTITIES[1:]:
        series = study.recording.outputs.get(quantity)
        if series is None or series.unit.endswith("/kg"):
            continue
        pairs = [pair for joint in _joints(study) if (pair := _loads(study, joint, quantity))]
        sizes = {_per_kilogram(*pair, study.person.mass) for pair in pairs} - {None}
        readings = {"per kilogram" if size == 1.0 else "in full" for size in sizes}
        if readings:
            words = (
                f"file: its {quantity}s, in {series.unit!r} by name, are taken as {' and '.join(sorted(readings))}, "
                "by their size beside ours"
            )
            found.append(Note("file.unit-guessed", words, "warning", topic="file", names=(quantity,)))
    return tuple(found)


def _no_loads(study: SegmentStudy) -> str:
    """Return why loads cannot be compared, in words; nothing where they can."""
    if study.person.mass is None:
        return "they are per kilogram, and the mass of the person is not known; give mass (--mass)"
    return "no loads are known here" if study.loads is None else ""


def _joints(study: SegmentStudy) -> list[Joint]:
    """Return the joints that the other model has too."""
    return [j for j in study.joints.values() if j.side is not None and _kind(j) in SIGNS]


def _kind(joint: Joint) -> str:
    return joint.name.removeprefix(f"{joint.side} ")


def _name(joint: Joint, quantity: Quantity) -> str:
    ending = {"angle": "Angles", "moment": "Moment", "power": "Power"}[quantity]
    return f"{'R' if joint.side == 'right' else 'L'}{_kind(joint).title()}{ending}"


def _channel(study: SegmentStudy, joint: Joint, quantity: Quantity) -> list[ChannelComparison]:
    series = study.recording.outputs.get(quantity)
    label = _label(series, _name(joint, quantity), study.options.subject)
    if series is None or label is None:
        return []
    planes, angle_signs, _ = SIGNS[_kind(joint)]
    if quantity == "angle":
        unit, own = "degrees", np.degrees(joint.angles) * np.array(angle_signs)
        file = np.degrees(_at(series, label, study.time))
    else:
        unit = "N m/kg" if quantity == "moment" else "W/kg"
        planes = 1 if quantity == "power" else planes
        found = _loads(study, joint, quantity)
        if found is None:
            return []
        own, file = found
        if not series.unit.endswith("/kg"):
            file = file / (_per_kilogram(own, file, study.person.mass) or 1.0)
    return [
        ChannelComparison(
            joint.name,
            quantity,
            "" if quantity == "power" else PLANES[k],
            label,
            unit,
            np.asarray(own[:, k]),
            np.asarray(file[:, k]),
        )
        for k in range(planes)
        if np.isfinite(own[:, k]).any() and np.isfinite(file[:, k]).any()
    ]


def _loads(study: SegmentStudy, joint: Joint, quantity: Quantity) -> tuple[Array, Array] | None:
    """Return our loads per kilogram with the file's signs, and the file's as they are; None where one is missing."""
    series, mass = study.recording.outputs.get(quantity), study.person.mass
    label = _label(series, _name(joint, quantity), study.options.subject)
    if series is None or label is None or mass is None:
        return None
    file = _at(series, label, study.time)
    if quantity == "power":  # one number, which the file has as its third
        return joint.power.rotation[:, None] / mass, file[:, 2:]
    return _distal_moment(study, joint) / mass * np.array(SIGNS[_kind(joint)][2]), file


def _distal_moment(study: SegmentStudy, joint: Joint) -> Array:
    """Return the moment in the orthonormal axes of the distal segment: about Z, X and Y, mirrored on the left."""
    motion = study.motion[joint.distal]
    frame = orthonormal_frame(motion.forward, motion.long)
    local = np.einsum("nji,nj->ni", frame, joint.moment)[:, [2, 0, 1]]
    return np.asarray(local * ([1.0, -1.0, -1.0] if joint.side == "left" else [1.0, 1.0, 1.0]))


def _per_kilogram(own: Array, file: Array, mass: float | None) -> float | None:
    """Return 1 where the file's loads are per kilogram already, the mass where they are not: whichever is nearer.

    None where no frame has both, so that nothing tells.
    """
    if mass is None:
        return None
    width = min(own.shape[1], file.shape[1])
    known = np.isfinite(own[:, :width]) & np.isfinite(file[:, :width])
    if not known.any():
        return None
    ours, theirs = (float(np.sqrt(np.mean(x[:, :width][known] ** 2))) for x in (own, file))
    if not (ours > 0.0 and theirs > 0.0):
        return None
    return mass if abs(np.log(theirs / mass / ours)) < abs(np.log(theirs / ours)) else 1.0


def _label(series: Points | None, name: str, subject: str | None) -> str | None:
    if series is None:
        return None
    for label in series.labels:
        if label.rpartition(":")[2] == name and subject in (None, subject_of(label)):
            return label
    return None


def _at(series: Points, label: str, time: Array) -> Array:
    """Return a channel at the frames of a study; NaN where it has none."""
    values = series[label]
    if np.array_equal(series.time, time):
        return values.copy()
    place = np.searchsorted(series.time, time)
    place = np.clip(place, 0, len(series.time) - 1)
    same = np.abs(series.time[place] - time) < 1e-6
    return np.where(same[:, None], values[place], np.nan)

"""C3D files in memory with force plates whose load is known by statics, not by the formulas under test."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from softstride.capture.c3d.file import C3DFile, Parameter, text_parameter

Floats = NDArray[np.float64]

SIDES = (0.464, 0.508)  # [m]


def numbers(name: str, values: ArrayLike) -> Parameter:
    """A parameter that keeps float64, so that a test sees the rounding of the code and not that of the file."""
    array = np.asarray(values, dtype=np.float64)
    return Parameter(name, 4, array.shape[::-1], array)


@dataclass
class Truth:
    """A plate in the lab: where it is and what acts on the subject there."""

    axes: Floats  # columns in lab axes, z into the floor
    centre: Floats  # of the surface [m]
    force: Floats  # (n, 3) on the subject, lab axes [N]
    moment: Floats  # (n, 3) about the centre, lab axes [N m]

    @property
    def corners(self) -> Floats:
        half = np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]]) * [SIDES[0] / 2, SIDES[1] / 2, 0.0]
        return self.centre + half @ self.axes.T


@dataclass
class Described:
    """One plate as a file describes it, in SI."""

    kind: int
    corners: Floats
    origin: Floats
    channels: Floats  # (n, 6) or (n, 8)
    units: Sequence[str] = field(default_factory=lambda: ["N", "N", "N", "Nm", "Nm", "Nm"])
    matrix: Floats | None = None


def random_pose(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Axes and centre of a plate anywhere in the lab, its z axis within 60 degrees of straight down."""
    down = Rotation.from_euler(
        "ZX", [rng.uniform(0.0, 360.0), 180.0 + rng.uniform(-60.0, 60.0)], degrees=True
    )
    return down.as_matrix(), rng.uniform(-2.0, 2.0, 3)


def random_load(rng: np.random.Generator, n: int = 40) -> tuple[Truth, Floats, Floats]:
    """A foot that pushes on points of the surface with friction and twists; also the points and the twist."""
    axes, centre = random_pose(rng)
    places = rng.uniform(-0.2, 0.2, (n, 3)) * [1.0, 1.0, 0.0]
    force = np.column_stack([rng.uniform(-150, 150, n), rng.uniform(-150, 150, n), -rng.uniform(200, 900, n)])
    twist = rng.uniform(-8.0, 8.0, n)
    points = centre + places @ axes.T
    lab_force = force @ axes.T
    moment = np.cross(points - centre, lab_force) + twist[:, None] * axes[:, 2]
    return Truth(axes, centre, lab_force, moment), points, twist


def six_outputs(truth: Truth, origin: Floats) -> Floats:
    """What sensors that are free of moment at their origin O = centre - R o measure: force, moment about O."""
    at = truth.centre - truth.axes @ origin
    about = truth.moment + np.cross(truth.centre - at, truth.force)
    return np.concatenate([truth.force @ truth.axes, about @ truth.axes], axis=1)


def make_file(
    plates: Sequence[Described],
    *,
    unit: str = "m",
    rate: float = 100.0,
    first_frame: int = 1,
    zero: Sequence[int] | None = (1, 0),
    markers: Floats | None = None,
    changes: dict[str, Parameter | None] | None = None,
) -> C3DFile:
    """A file with these plates, 10 analog samples a frame. `changes` replace or drop parameters of the group."""
    length = {"m": 1.0, "mm": 1000.0, "": 1000.0}.get(unit, 1000.0)
    width = max((p.channels.shape[1] for p in plates), default=6)
    numbering, columns, units, at = [], [], [], 1
    for plate in plates:
        k = plate.channels.shape[1]
        numbering.append([*range(at, at + k), *[0] * (width - k)])
        columns.append(plate.channels)
        units += [*plate.units][:k]
        at += k
    analog = np.concatenate(columns, axis=1)
    frames = len(analog) // 10
    if markers is None:
        # a subject on the outer side of the plates
        up = [
            p.corners.mean(axis=0) - np.cross(p.corners[0] - p.corners[1], p.corners[0] - p.corners[3])
            for p in plates
        ]
        markers = np.array(
            [
                [c + h * (c2 - c) / np.linalg.norm(c2 - c) for h in (0.3, 0.9)]
                for c, c2 in zip([p.corners.mean(axis=0) for p in plates], up, strict=True)
            ]
        ).reshape(-1, 3)
    points = np.broadcast_to(markers * length, (frames, *markers.shape)).copy()
    group: dict[str, Parameter] = {
        "USED": numbers("USED", [len(plates)]),
        "TYPE": numbers("TYPE", [p.kind for p in plates]),
        "CORNERS": numbers("CORNERS", [p.corners * length for p in plates]),
        "ORIGIN": numbers("ORIGIN", [p.origin * length for p in plates]),
        "CHANNEL": numbers("CHANNEL", numbering),
    }
    if zero is not None:
        group["ZERO"] = numbers("ZERO", zero)
    matrices = [p.matrix for p in plates if p.matrix is not None]
    if matrices:
        group["CAL_MATRIX"] = numbers("CAL_MATRIX", [m.T for m in matrices])
    for name, parameter in (changes or {}).items():
        group.pop(name, None)
        if parameter is not None:
            group[name] = parameter
    labels = tuple(f"M{i}" for i in range(markers.shape[0]))
    return C3DFile(
        processor="intel",
        storage="real",
        first_frame=first_frame,
        rate=rate,
        groups={"FORCE_PLATFORM": group, "POINT": {"LABELS": text_parameter("LABELS", labels)}},
        point_labels=labels,
        point_descriptions=("",) * len(labels),
        point_units=unit,
        points=points,
        residuals=np.zeros(points.shape[:2]),
        cameras=np.zeros(points.shape[:2], dtype=np.uint8),
        analog=analog,
        analog_labels=tuple(f"C{i + 1}" for i in range(analog.shape[1])),
        analog_units=tuple(units),
        analog_rate=10.0 * rate,
    )

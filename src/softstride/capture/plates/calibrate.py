"""From the channels of a force plate to its wrench, for the plate types 1 to 5 of the C3D format.

Everything is in the axes of the plate: x towards the edge between corners 1 and 4, y towards the edge between
corners 1 and 2, z into the floor. A C3D file stores the reaction, so under load Fz is negative and the force acts
on the subject. ORIGIN o points from the measuring origin to the centre of the surface (types 1, 2, 4, 5):

    m_surface = m_origin - o x f

Source: the C3D user guide of c3d.org, chapters FORCE_PLATFORM:TYPE, :ORIGIN, :CHANNEL and :CAL_MATRIX. The guide
stops at type 4; type 5 is type 3 with a matrix that takes its eight channels to the six of type 2.
"""

import numpy as np

from softstride.capture.series import Floats
from softstride.errors import InputError
from softstride.notes import Note

# type -> what its channels hold
CHANNELS: dict[int, tuple[str, ...]] = {
    1: ("Fx", "Fy", "Fz", "Px", "Py", "Mz"),
    2: ("Fx", "Fy", "Fz", "Mx", "My", "Mz"),
    3: ("fx12", "fx34", "fy14", "fy23", "fz1", "fz2", "fz3", "fz4"),
    4: ("Fx", "Fy", "Fz", "Mx", "My", "Mz"),
    5: ("fx12", "fx34", "fy14", "fy23", "fz1", "fz2", "fz3", "fz4"),
}


def plate_wrench(kind: int, channels: Floats, origin: Floats, matrix: Floats | None = None) -> Floats:
    """Return moment about the centre of the surface, then force, in plate axes.

    Args:
        kind: Type 1 to 5 of the C3D format.
        channels: Outputs of the plate, shape (n, 6) or (n, 8), in [N], [N·m] and [m], or in the unit that the
            matrix takes (types 4 and 5, usually volts).
        origin: As `surface_origin` gives it, shape (3,), in [m]; for type 3 the half distances a and b of the
            sensors, then minus the depth.
        matrix: Calibration of types 4 and 5, shape (6, 6) or (6, 8), to [N] and [N·m].

    Returns:
        Shape (n, 6), in [N·m] and [N].

    Raises:
        InputError: An unknown type, or a shape that does not fit it.
    """
    if kind not in CHANNELS or channels.ndim != 2 or channels.shape[1] != len(CHANNELS[kind]):
        raise InputError(f"type {kind} with channels of the shape {channels.shape} is no known force plate")
    if kind == 1:
        return _from_pressure_centre(channels)
    return channels @ wrench_matrix(kind, origin, matrix).T


def wrench_matrix(kind: int, origin: Floats, matrix: Floats | None = None) -> Floats:
    """Return A with w = A c for the linear types 2 to 5: channels c to moment and force about the surface centre.

    Type 2, with o the origin:        m = (Mx, My, Mz) - o x f,  f = (Fx, Fy, Fz)
    Type 3, with sensors at (±a, ±b): m = (b (fz1 + fz2 - fz3 - fz4), a (-fz1 + fz2 + fz3 - fz4),
                                           b (fx34 - fx12) + a (fy14 - fy23)) - (0, 0, -depth) x f
    Types 4 and 5: type 2 after the matrix.

    Returns:
        Shape (6, 6) or (6, 8).
    """
    if kind == 3:
        return _shift((0.0, 0.0, float(origin[2]))) @ _four_sensors(float(origin[0]), float(origin[1]))
    raw = _shift((float(origin[0]), float(origin[1]), float(origin[2])))
    if kind == 2:
        return raw
    width = len(CHANNELS[kind])
    if matrix is None or matrix.shape != (6, width):
        raise InputError(f"type {kind} needs a calibration matrix of the shape (6, {width})")
    return raw @ matrix


def surface_origin(kind: int, origin: Floats, *, z_down: bool = True) -> tuple[Floats, Note | None]:
    """Return ORIGIN with its surface above its measuring origin, and what had to be changed.

    Files hold the vector with either sign: towards the surface as the guide asks, or towards the measuring
    origin as old data sheets print it. The sensors are always below the surface, so the depth |z| decides. If z
    has the wrong sign, the vector was written from the other end and x and y turn with it. For type 3 x and y
    are distances and have no sign.

    Args:
        kind: Type of the plate.
        origin: As in the file, shape (3,), in [m].
        z_down: Whether the plate's z axis points into the floor.
    """
    above = -1.0 if z_down else 1.0
    depth = abs(float(origin[2]))
    if kind == 3:
        return np.array([abs(origin[0]), abs(origin[1]), above * depth]), None
    if origin[2] * above >= 0.0:
        return np.array([origin[0], origin[1], above * depth]), None
    said = f"ORIGIN puts the sensors {1e3 * depth:.1f} mm above the surface: read as below it, the vector reversed"
    note = Note("plates.origin-reversed", said, topic="plates", values={"depth_mm": 1e3 * depth})
    return np.array([-origin[0], -origin[1], above * depth]), note


def _from_pressure_centre(channels: Floats) -> Floats:
    """Type 1: m = p x f + (0, 0, Mz) with the centre of pressure p = (Px, Py, 0) on the surface."""
    force, x, y, free = channels[:, :3], channels[:, 3], channels[:, 4], channels[:, 5]
    moment = np.stack([y * force[:, 2], -x * force[:, 2], x * force[:, 1] - y * force[:, 0] + free], axis=1)
    return np.concatenate([moment, force], axis=1)


def _shift(origin: tuple[float, float, float]) -> Floats:
    """(Fx, Fy, Fz, Mx, My, Mz) about the measuring origin to [m; f] about the surface centre, shape (6, 6)."""
    x, y, z = origin
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]  # -o x f
    matrix[:3, 3:] = np.eye(3)
    matrix[3:, :3] = np.eye(3)
    return matrix


def _four_sensors(a: float, b: float) -> Floats:
    """(fx12, fx34, fy14, fy23, fz1..fz4) to (Fx, Fy, Fz, Mx, My, Mz) in the plane of the sensors, shape (6, 8)."""
    return np.array(
        [
            [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
            [0.0, 0.0, 0.0, 0.0, b, b, -b, -b],
            [0.0, 0.0, 0.0, 0.0, -a, a, a, -a],
            [-b, b, a, -a, 0.0, 0.0, 0.0, 0.0],
        ]
    )

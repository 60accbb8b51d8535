"""Checks of files, force plates and filters."""

from __future__ import annotations

import numpy as np


def encodings() -> float:
    """One trial written for three processors, as integers and as floats, and read back."""
    from softstride.capture.c3d import C3DFile, decode_c3d, encode_c3d, number_parameter

    points = np.arange(1.0, 61.0).reshape(5, 4, 3) * 8.0  # whole multiples of the scale
    largest = 0.0
    for processor in ("intel", "dec", "sgi"):
        for storage, scale in (("integer", 0.5), ("real", -0.5)):
            file = C3DFile(
                processor=processor,
                storage=storage,  # type: ignore[arg-type]
                first_frame=1,
                rate=100.0,
                groups={"POINT": {"SCALE": number_parameter("SCALE", scale)}},
                point_labels=tuple("abcd"),
                point_descriptions=("",) * 4,
                point_units="mm",
                points=points,
                residuals=np.zeros((5, 4)),
                cameras=np.zeros((5, 4), dtype=np.uint8),
                analog=np.zeros((0, 0)),
                analog_labels=(),
                analog_units=(),
                analog_rate=0.0,
            )
            again = decode_c3d(encode_c3d(file), "selfcheck.c3d")
            largest = max(largest, float(np.abs(again.points - points).max()))
    return largest


def centre_of_pressure() -> float:
    """A force of (30, 700, -20) N at (0.1, 0, -0.05) m of a plate in the floor y = 0: the distance between both."""
    from softstride.capture.force import Plate
    from softstride.capture.plates import plate_force

    corners = np.array([[0.3, 0.0, 0.2], [-0.3, 0.0, 0.2], [-0.3, 0.0, -0.2], [0.3, 0.0, -0.2]])
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # z of the plate points down
    point, force, free = np.array([[0.1, 0.0, -0.05], [30.0, 700.0, -20.0], [0.0, 3.0, 0.0]])
    wrench = np.concatenate([np.cross(point, force) + free, force])
    found = plate_force(Plate("plate", 2, corners, axes, np.zeros(1), wrench[None]))
    return float(np.abs(found.point[0] - point).max() + np.abs(found.moment[0] - free).max())


def butterworth_gain() -> float:
    """A sine at the cutoff, filtered forward and backward: what is left of its amplitude in the middle."""
    from softstride.signals import butterworth

    time = np.arange(20000) / 1000.0
    wave = np.exp(2j * np.pi * 6.0 * time)
    left = butterworth(np.stack([wave.real, wave.imag], axis=1), 1000.0, 6.0)
    return float(np.hypot(*left[10000]))

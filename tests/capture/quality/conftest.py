"""A synthetic walker without a fault, in which each test plants one."""

from collections.abc import Callable

import numpy as np
import pytest

from softstride.capture.force import ExternalForce, Plate
from softstride.capture.recording import Recording
from softstride.capture.series import Channels, Points

RATE, ANALOG_RATE, DURATION = 100.0, 1000.0, 3.0  # Hz, Hz, s
SPEED, STRIDE = 1.3, 1.1  # m/s, s
NOISE = 2e-4  # m
MASS, GRAVITY = 70.0, 9.80665

# label -> forward of the pelvis, up, to the right of the middle [m], and how far it swings forward and back [m]
BODY = {
    "C7": (-0.05, 1.45, 0.0, 0.0),
    "SHO": (0.0, 1.40, 0.18, 0.02),
    "ASI": (0.10, 1.00, 0.12, 0.01),
    "PSI": (-0.10, 1.02, 0.05, 0.01),
    "KNE": (0.0, 0.50, 0.10, 0.15),
    "ANK": (-0.05, 0.10, 0.09, 0.30),
    "HEE": (-0.10, 0.05, 0.08, 0.30),
    "TOE": (0.12, 0.05, 0.10, 0.30),
}


def walker_points() -> Points:
    """Markers of somebody who walks along x; both sides swing against each other."""
    random = np.random.default_rng(7)
    time = np.arange(round(DURATION * RATE) + 1) / RATE
    phase = 2.0 * np.pi * time / STRIDE
    columns = {}
    for part, (x, y, z, swing) in BODY.items():
        for prefix, side in (("R", 1.0), ("L", -1.0)) if z else (("", 0.0),):
            forward = x + SPEED * time + side * swing * np.sin(phase)
            up = y + 0.02 * np.cos(2.0 * phase) + 0.1 * swing * np.cos(phase + side)
            columns[prefix + part] = np.stack([forward, up, np.full_like(time, side * z)], axis=1)
    values = np.stack(list(columns.values()), axis=1)
    return Points(time, tuple(columns), values + NOISE * random.standard_normal(values.shape))


def stance(time: np.ndarray, start: float) -> np.ndarray:
    """Vertical force of one foot over periodic stances of 60 % of the stride, whose mean over both feet is 1.

    One stance is h sin²(pi s), s from 0 to 1, with the mean h / 2; two feet at 60 % each give 0.6 h = 1.
    """
    s = np.mod(time - start, STRIDE) / (0.6 * STRIDE)
    return np.where(s < 1.0, np.sin(np.pi * s) ** 2 / 0.6, 0.0)


def external(name: str, time: np.ndarray, vertical: np.ndarray, side: str | None) -> ExternalForce:
    zero = np.zeros_like(vertical)
    force = np.stack([zero, vertical, zero], axis=1)
    return ExternalForce(name, time, force, np.zeros_like(force), np.zeros_like(force), side=side)


@pytest.fixture
def walker() -> Recording:
    """Markers only."""
    return Recording("walk", ("walk.c3d",), markers=walker_points())


@pytest.fixture
def treadmill() -> Callable[[float], Recording]:
    """Both feet of a walker of a weight [N], measured all the time."""

    def make(weight: float = MASS * GRAVITY) -> Recording:
        time = np.arange(round(DURATION * ANALOG_RATE)) / ANALOG_RATE
        right = external("right", time, weight * stance(time, 0.1), "right")
        left = external("left", time, weight * stance(time, 0.1 + STRIDE / 2), "left")
        return Recording("walk", ("walk.mot",), forces=(right, left))

    return make


@pytest.fixture
def with_markers(walker: Recording) -> Callable[[Callable[[np.ndarray, Points], None]], Recording]:
    """The walker with changed marker positions: change(values (n, m, 3), markers) works in place."""

    def make(change: Callable[[np.ndarray, Points], None]) -> Recording:
        values = walker.markers.values.copy()
        change(values, walker.markers)
        return walker.replace(markers=Points(walker.markers.time, walker.markers.labels, values))

    return make


@pytest.fixture
def plate() -> Callable[[np.ndarray], Plate]:
    """A plate in the floor from its vertical force over time, at 1000 Hz."""

    def make(vertical: np.ndarray) -> Plate:
        wrench = np.zeros((len(vertical), 6))
        wrench[:, 4] = vertical
        corners = np.array([[0.3, 0, 0.2], [0.3, 0, -0.2], [-0.3, 0, -0.2], [-0.3, 0, 0.2]])
        rotation = np.array(
            [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
        )  # z of the plate points down
        time = np.arange(len(vertical)) / ANALOG_RATE
        return Plate("plate 1", 2, corners, rotation, time, wrench, ("Fz1",))

    return make


@pytest.fixture
def channel() -> Callable[..., Recording]:
    """A recording with one analog channel at 1000 Hz, in volts; as EMG too if asked for."""

    def make(values: np.ndarray, label: str = "ch1", emg: bool = False) -> Recording:
        time = np.arange(len(values)) / ANALOG_RATE
        analog = Channels(time, (label,), values[:, None], ("V",))
        return Recording("a", ("a.c3d",), analog=analog, emg=analog if emg else Channels.none())

    return make

"""A made-up runner: smooth periodic motion of any model, and the markers that cameras would see."""

import math

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.capture import Points, Recording
from softstride.model import Model

Array = NDArray[np.float64]

STRIDE = 0.7  # s
HARMONICS = 4
NOISE = 1e-3  # m, standard deviation of each coordinate of a marker
SWING = 0.3  # rad: coordinates without limits
# Others that have no limits: the trunk is stiff; a blade bends about its width [1/m] far more than it twists.
SWINGS = {"lumbar": 0.03, "thoracic": 0.03, "cervical": 0.05, "pelvis": 0.1, "blade": 0.02}
BEND = 0.3  # 1/m
INSIDE = 0.35  # of the range between limits, to either side of its middle


def running(model: Model, frames: int, rate: float, seed: int = 0) -> Array:
    """Return the configurations of a run on the spot, shape (frames, nq).

    Each coordinate is a sum of sines of the stride's frequency and its multiples, within its limits.

    Args:
        model: The model.
        frames: Number of frames.
        rate: Frames per second [Hz].
        seed: Of amplitudes and phases.
    """
    rng = np.random.default_rng(seed)
    order = np.arange(1, HARMONICS + 1)
    size = rng.uniform(0.2, 1.0, (model.nv, HARMONICS)) / order**2
    size /= size.sum(axis=1, keepdims=True)
    phase = rng.uniform(0.0, 2.0 * np.pi, (model.nv, HARMONICS))
    middle, swing = np.array([_swing(model, name) for name in model.coordinate_names]).T
    angle = 2.0 * np.pi * order * (np.arange(frames) / rate / STRIDE)[:, None]  # (frames, harmonics)
    wave = np.zeros((frames, model.nv))
    for k in range(HARMONICS):
        wave += size[:, k] * np.sin(angle[:, k, None] + phase[:, k])
    return engine.integrate(model, np.tile(model.neutral(), (frames, 1)), middle + swing * wave)


def record(model: Model, q: Array, rate: float, noise: float = NOISE, seed: int = 1) -> Recording:
    """Return what cameras see of all markers of the model, with normal noise [m]."""
    names = tuple(model.markers)
    places = np.ascontiguousarray(engine.positions(model, q, names))
    places += noise * np.random.default_rng(seed).standard_normal(places.shape)
    places.setflags(write=False)
    return Recording("run", markers=Points(np.arange(len(q)) / rate, names, places))


def _swing(model: Model, name: str) -> tuple[float, float]:
    """Return the middle of a coordinate, from its default on, and how far it swings to either side."""
    coordinate = model.coordinates[name]
    if math.isfinite(coordinate.lower) and math.isfinite(coordinate.upper):
        middle = (coordinate.lower + coordinate.upper) / 2.0
        return middle - coordinate.default, INSIDE * (coordinate.upper - coordinate.lower) / 2.0
    if name.startswith("blade") and name.endswith(".ky"):
        return 0.0, BEND
    return 0.0, next((swing for part, swing in SWINGS.items() if name.startswith(part)), SWING)
